"""The form of one question and of its points; which fields there are follows from its kind."""

from __future__ import annotations

from django import forms
from django.forms.models import BaseInlineFormSet

from studies.admin_kinds import ANSWERED_BY_VALUE, EXAMPLES, N_FIRST_POINTS, end_values, kind_page
from studies.models import Question, ScalePoint, Study
from studies.models.question import LEVEL_OF_KIND

QUESTION_FIELDS = [
    "study",
    "kind",
    "text",
    "help",
    "asked_of",
    "allow_na",
    "na_label",
    "na_description",
    "required",
    "required_when",
    "required_from",
    "required_to",
    "min_length",
    "tier",
    "shown_categories",
    "shown_aspects",
    "needs_sound",
    "shown_if",
    "shown_from",
    "shown_to",
    "key",
    "reported_as",
    "direction",
    "level",
    "retired",
]
"""What a question's page may set; each kind shows those of its own."""


class LinesField(forms.CharField):
    """A list of texts, one a line."""

    widget = forms.Textarea(attrs={"rows": 3})

    def prepare_value(self, value):
        return "\n".join(value) if isinstance(value, list) else value

    def to_python(self, value) -> list[str]:
        lines = (line.strip() for line in str(value or "").splitlines())
        return list(dict.fromkeys(line for line in lines if line))

    def has_changed(self, initial, data) -> bool:
        return list(initial or []) != self.to_python(data)


class TicksField(forms.MultipleChoiceField):
    """Some of the values that the study's items have."""

    widget = forms.CheckboxSelectMultiple


def values_field(study: Study | None, column: str, chosen: list[str], **options) -> forms.Field:
    """Ticks of the values that the items have in ``column``; lines where none of them has any."""
    found: set[str] = set()
    if study is not None:
        rows = study.items.exclude(**{column: ""}).order_by()
        found = set(rows.values_list(column, flat=True).distinct())
    if not found:
        options["help_text"] = f"{options['help_text']} One a line, as the items will have it."
        return LinesField(required=False, **options)
    values = sorted(found | set(chosen), key=str.casefold)
    return TicksField(required=False, choices=[(value, value) for value in values], **options)


class QuestionForm(forms.ModelForm):
    """Study and kind are set by the page one comes from; other fields depend on them."""

    class Meta:
        model = Question
        fields = QUESTION_FIELDS
        widgets = {
            "study": forms.HiddenInput,
            "kind": forms.HiddenInput,
            "text": forms.Textarea(attrs={"rows": 2}),
            "help": forms.Textarea(attrs={"rows": 2}),
        }
        labels = {
            "asked_of": "Asked of",
            "shown_if": "only after an answer to",
            "required_when": "or only after an answer to",
            "retired": "retired: no longer asked",
            "required": "always needed",
        }
        help_texts = {
            "min_length": "",
            "required_when": "A Likert question, and the answers that ask for a reason.",
            "text": "{activity}, {country} and {probe} are filled in on each screen.",
            "asked_of": "",
            "retired": "Its answers are kept and reported.",
        }

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        if self.instance.pk is not None:
            for name in {"study", "kind"} & self.fields.keys():
                self.fields[name].disabled = True  # whatever is posted, the question stays there
        if "level" in self.fields:
            usual = LEVEL_OF_KIND.get(self.instance.kind, "ordinal")
            self.fields["level"].choices = [
                ("", f"As its kind has it ({usual})"),
                *Question.Level.choices,
            ]
            self.fields["level"].help_text = ""
        wanted = self.instance.study_id or self.initial.get("study") or self.data.get("study")
        study = Study.objects.filter(pk=wanted).first() if str(wanted).isdecimal() else None
        self._offer_questions(study)
        for name, column in (("shown_categories", "category"), ("shown_aspects", "aspect")):
            if name in self.fields:
                old = self.fields[name]
                words = {"label": old.label, "help_text": old.help_text}
                chosen = list(getattr(self.instance, name))
                self.fields[name] = values_field(study, column, chosen, **words)

    def _offer_questions(self, study: Study | None) -> None:
        """Conditions name questions of the same study whose answer is a number."""
        others = Question.objects.none() if study is None else study.questions.all()
        others = others.exclude(pk=self.instance.pk)
        offers = {
            "shown_if": others.filter(kind__in=ANSWERED_BY_VALUE),
            "required_when": others.filter(kind=Question.Kind.LIKERT),
        }
        for name in offers.keys() & self.fields.keys():
            self.fields[name].queryset = offers[name]
            self.fields[name].empty_label = "no condition"

    def clean(self):
        cleaned = super().clean()
        self._clean_range(cleaned, "shown_if", "shown_from", "shown_to")
        earlier = cleaned.get("shown_if")
        if earlier is not None and earlier.tier > (cleaned.get("tier") or 1):
            words = f"{earlier.label} is in tier {earlier.tier}, which comes later."
            self.add_error("shown_if", words)
        if cleaned.get("allow_na") and not (cleaned.get("na_label") or "").strip():
            self.add_error("na_label", "Give it a label, such as “Does not apply”.")
        return cleaned

    def _clean_range(self, cleaned: dict, name: str, low: str, high: str) -> None:
        if cleaned.get(name) is None:
            return
        start, end = cleaned.get(low), cleaned.get(high)
        if start is None or end is None:
            self.add_error(low, "Give the range: from and to.")
        elif start > end:
            self.add_error(low, "The range is upside down.")


class PointsFormSet(BaseInlineFormSet):
    """The points of one question. A new one begins with empty points to fill in; a point without a
    label is not made."""

    kind = Question.Kind.LIKERT
    items_per_unit = 1
    was_asked = False

    def __init__(self, *args, **kwargs):
        instance = kwargs.get("instance")
        points = kind_page(self.kind).points
        n_now = instance.points.count() if instance is not None and instance.pk else 0
        if not n_now:
            kwargs["initial"] = [{"value": value} for value in self._first_values(points)]
        super().__init__(*args, **kwargs)

    def _first_values(self, points: str) -> list[int]:
        if points == "ends":
            return list(end_values(self.kind, self.items_per_unit))
        return list(range(1, N_FIRST_POINTS[points] + 1))

    def add_fields(self, form, index):
        super().add_fields(form, index)
        points = kind_page(self.kind).points
        hints = EXAMPLES.get(points, [])
        if index is not None and index < len(hints):
            form.fields["label"].widget.attrs["placeholder"] = f"e.g. {hints[index]}"
        if points == "ends" or self.was_asked:
            # Not disabled: the preview reads the number from the form.
            form.fields["value"].widget.attrs["readonly"] = True
        if self.was_asked:
            form.was_asked = True
            form.fields["label"].required = True
        if points == "options":
            form.fields["value"].label = "code"

    def clean(self):
        super().clean()
        if kind_page(self.kind).points != "ends" or any(self.errors):
            return
        low, high = (sorted(self._values()) + [None, None])[:2]
        if self.kind == Question.Kind.SLIDER and (low, high) not in {(None, None), (0, 100)}:
            raise forms.ValidationError("A slider runs from 0 to 100: name both ends, or none.")

    def _values(self) -> list[int]:
        gone = self.deleted_forms
        return [
            form.cleaned_data["value"]
            for form in self.forms
            if form not in gone and form.cleaned_data.get("label")
        ]


class PointForm(forms.ModelForm):
    """One point. ``was_asked``: people saw it; its number stays whatever is posted."""

    was_asked = False

    def clean_value(self):
        keeps = self.was_asked and self.instance.pk is not None
        return self.instance.value if keeps else self.cleaned_data["value"]

    class Meta:
        model = ScalePoint
        fields = ["value", "label", "description"]
        widgets = {
            "value": forms.NumberInput(attrs={"class": "point-value"}),
            "description": forms.Textarea(attrs={"rows": 1}),
        }
