"""Forms of AHEaD's pages. What steps can use is judged by the steps themselves."""

from __future__ import annotations

from typing import Any

from django import forms

from scoring.ahead.editing import STYLES, Kind
from scoring.ahead.inputs import ALL, CLEANED, extractors, reference_sources
from scoring.ahead.predictions import ITEMS
from scoring.ahead.real_images import CLIPSCORE, KEPT
from scoring.models import ScoringStep, WorkState
from studies.models import Descriptor, Question, Study
from studies.names import country_choices

StepKind = ScoringStep.Kind


def _text(label: str, hint: str = "", **more: Any) -> forms.CharField:
    return forms.CharField(label=label, help_text=hint, required=False, max_length=400, **more)


def _choice(label: str, options: list[tuple[str, str]], hint: str = "") -> forms.ChoiceField:
    return forms.ChoiceField(label=label, choices=options, help_text=hint, required=False)


def _number(label: str, hint: str = "", **more: Any) -> forms.IntegerField:
    return forms.IntegerField(label=label, help_text=hint, required=False, min_value=1, **more)


def _budget() -> forms.IntegerField:
    return _number("At most so many new calls", "Empty: no limit. Answers from the store are free.")


def _references(study: Study) -> dict[str, forms.Field]:
    return {
        "proposers": _text(
            "Proposers",
            "Two chat models or more, one a line.",
            widget=forms.Textarea(attrs={"rows": 3}),
        ),
        "refiner": _text("Refiner", "The chat model that makes one list of theirs."),
        "activities": _choice(
            "Activities are the items’", [("category", "category"), ("scenario", "scenario")]
        ),
        "budget_calls": _budget(),
    }


def _stereotypes(study: Study) -> dict[str, forms.Field]:
    options = [("country", "country"), ("category", "category and country")]
    return {
        "model": _text("Chat model"),
        "of": _choice("Candidates for each", [*options, ("scenario", "scenario and country")]),
        "budget_calls": _budget(),
    }


def _predictions(study: Study) -> dict[str, forms.Field]:
    return {
        "model": _text(
            "Chat model with pictures",
            "It is the extractor. It is told neither the activity nor the country.",
        ),
        "items": _choice("Pictures", [(key, words.capitalize()) for key, words in ITEMS.items()]),
        "again": forms.BooleanField(label="Look again where an answer failed", required=False),
        "budget_calls": _budget(),
    }


def _real_images(study: Study) -> dict[str, forms.Field]:
    runs = study.metric_runs.filter(metric=CLIPSCORE, state=WorkState.DONE)
    options = [(str(run.pk), f"{run.model_id}, {run.requested_at:%j %b %Y %H:%M}") for run in runs]
    return {
        "run": _choice("CLIPScore run", options, "It must have scored the real images."),
        "k": _number("Kept of each activity and country", initial=KEPT),
    }


def _calibration(study: Study) -> dict[str, forms.Field]:
    sources = [ALL, CLEANED, *reference_sources(study)]
    return {
        "extractor": _choice("Extractor", [(one, one) for one in extractors(study)]),
        "references": _choice("Reference descriptors", [(one, one) for one in sources]),
        "values_of": _choice(
            "Similarities of", [("best", "the best match of each"), ("pairs", "all pairs")]
        ),
    }


def _ablations(study: Study) -> dict[str, forms.Field]:
    questions = study.questions.filter(kind=Question.Kind.LIKERT)
    return {
        "run": _choice("Run", ahead_runs(study)),
        "question": _choice("Held against", [(one.key, one.label) for one in questions]),
    }


def ahead_runs(study: Study) -> list[tuple[str, str]]:
    """The done runs of AHEaD, the newest first, as a choice."""
    return [
        (
            str(run.pk),
            f"Run {run.pk}: {run.parameters.get('extractor', '')}, "
            f"tau {run.parameters.get('tau', 0):.2f}",
        )
        for run in study.metric_runs.filter(metric="ahead", state=WorkState.DONE)
    ]


FIELDS = {
    StepKind.REFERENCES: _references,
    StepKind.STEREOTYPES: _stereotypes,
    StepKind.PREDICTIONS: _predictions,
    StepKind.REAL_IMAGES: _real_images,
    StepKind.CALIBRATION: _calibration,
    StepKind.ABLATIONS: _ablations,
}


class StepForm(forms.Form):
    """One kind of step on a page of several: the fields' ids carry the kind."""

    def __init__(self, *args: Any, study: Study, kind: str, **kwargs: Any) -> None:
        super().__init__(*args, auto_id=f"id_{kind}_%s", **kwargs)
        self.kind = kind
        self.fields.update(FIELDS[StepKind(kind)](study))


class EditForm(forms.Form):
    model = forms.CharField(label="Chat model", max_length=200)


class ResumeForm(forms.Form):
    budget_calls = _budget()


class DescriptorForm(forms.Form):
    """A text and its style."""

    token = forms.CharField(
        label="Descriptor",
        max_length=200,
        error_messages={"required": "Write what can be seen, in one to four words."},
    )
    style = forms.ChoiceField(
        label="Style", choices=[(one, one or "none") for one in STYLES], required=False
    )


class NewDescriptorForm(DescriptorForm):
    kind = forms.ChoiceField(
        choices=[(Kind.REFERENCE, "Reference"), (Kind.STEREOTYPE, "Stereotype")]
    )
    activity = forms.CharField(max_length=120, required=False)
    country = forms.ChoiceField(choices=country_choices)
    dimension = forms.ChoiceField(choices=Descriptor.Dimension.choices, required=False)

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if given.get("kind") == Kind.REFERENCE and not (
            given.get("activity") and given.get("dimension")
        ):
            self.add_error(None, "A reference descriptor has an activity and a dimension.")
        return given
