"""The forms of metric runs: parameters as the metric declares them, which items, what to spend."""

from __future__ import annotations

from typing import Any

from django import forms

from scoring.metric_hooks import RESOLVERS
from scoring.metrics.base import AnyParameter, Choice, Declaration, Parameter, ParameterError
from scoring.selection import Selection, choices
from scoring.wording import HINTS
from studies.models import Study
from studies.names import country_name

MOST_BOXES = 60  # values that are offered as boxes to tick
_PARTS = ("systems", "countries", "categories")
_LABELS = {"systems": "Models", "countries": "Countries", "categories": "Categories"}


class StartRunForm(forms.Form):
    """``study`` gives the items to choose from; without it there is nothing to choose."""

    def __init__(
        self, *args: Any, declaration: Declaration, study: Study, asks_chat: bool, **kwargs: Any
    ):
        super().__init__(*args, **kwargs)
        self.declaration = declaration
        self._resolves = declaration.key in RESOLVERS
        for parameter in declaration.parameters:
            self.fields[parameter.name] = _field(parameter, declaration.key, self._resolves)
        offered = choices(study)
        for part in _PARTS:
            if len(offered[part]) > 1:
                self.fields[f"only_{part}"] = _part_field(part, offered[part])
        self.fields["only_items"] = LinesField(
            label="Items by id", help_text="One id a line. Empty: all.", required=False
        )
        if asks_chat:
            self.fields["budget_calls"] = budget_field("Calls")
            self.fields["budget_tokens"] = budget_field("Tokens, sent and answered")

    @property
    def parameter_fields(self) -> list[forms.BoundField]:
        return [self[parameter.name] for parameter in self.declaration.parameters]

    @property
    def selection_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name.startswith("only_")]

    @property
    def budget_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name.startswith("budget_")]

    @property
    def narrows(self) -> bool:
        """Whether a selection was given, so that its fields are shown."""
        return any(field.errors or field.value() for field in self.selection_fields)

    @property
    def selection(self) -> Selection:
        given = {part: tuple(self.cleaned_data.get(f"only_{part}") or ()) for part in _PARTS}
        return Selection(**given, items=tuple(self.cleaned_data["only_items"]))

    @property
    def budget(self) -> dict[str, int]:
        return budget_of(self.cleaned_data)

    @property
    def parameters(self) -> dict[str, Any]:
        return {
            p.name: self.cleaned_data[p.name]
            for p in self.declaration.parameters
            if p.name in self.cleaned_data
        }

    def clean(self) -> dict[str, Any]:
        """Every parameter as the number or text that the metric takes."""
        cleaned = dict(self.cleaned_data)
        for parameter in self.declaration.parameters:
            given = cleaned.pop(parameter.name, "")
            if given == "":
                if parameter.default is not None:
                    cleaned[parameter.name] = parameter.default
                elif parameter.required and not self._resolves:
                    wanted = "a number" if isinstance(parameter, Parameter) else "an answer"
                    self.add_error(parameter.name, f"Give {wanted}. There is no default.")
                continue
            try:
                cleaned[parameter.name] = parameter.clean(given)
            except ParameterError as error:
                message = str(error)
                self.add_error(parameter.name, message[:1].upper() + message[1:])
        return cleaned


class BudgetForm(forms.Form):
    """What a run may spend of new calls and tokens; empty is no limit."""

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.fields["budget_calls"] = budget_field("Calls")
        self.fields["budget_tokens"] = budget_field("Tokens, sent and answered")

    @property
    def budget(self) -> dict[str, int]:
        return budget_of(self.cleaned_data)


class ImportScoresForm(forms.Form):
    """Scores from a file, and what they are."""

    name = forms.CharField(
        label="Name of the metric",
        max_length=50,
        help_text="The same name again makes another run of the same metric.",
    )
    better = forms.ChoiceField(
        label="Which way is better",
        choices=[("higher", "Higher is better"), ("lower", "Lower is better")],
    )
    low = forms.FloatField(
        label="Lowest possible value", required=False, help_text="Empty where there is no end."
    )
    high = forms.FloatField(
        label="Highest possible value", required=False, help_text="Empty where there is no end."
    )
    source = forms.CharField(
        label="Where the scores come from",
        max_length=300,
        help_text="The paper, the program with its version, the checkpoint.",
    )
    file = forms.FileField(
        label="File",
        help_text="CSV or TSV with the columns item and value, and where you have them dimension, "
        "reason (why there is no value) and metric (a name in place of the one above).",
    )


class LinesField(forms.CharField):
    """A text as the list of its lines."""

    widget = forms.Textarea(attrs={"rows": 3})

    def clean(self, value: Any) -> list[str]:
        text = super().clean(value)
        return list(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip()))


def budget_field(label: str) -> forms.IntegerField:
    return forms.IntegerField(
        label=label, min_value=0, required=False, widget=forms.NumberInput(attrs={"step": 1})
    )


def budget_of(cleaned: dict[str, Any]) -> dict[str, int]:
    given = {name: cleaned.get(f"budget_{name}") for name in ("calls", "tokens")}
    return {name: limit for name, limit in given.items() if limit is not None}


def _field(parameter: AnyParameter, metric: str, resolves: bool) -> forms.Field:
    label = parameter.label.removeprefix("the ")
    shared: dict[str, Any] = {
        "label": label[:1].upper() + label[1:],
        "help_text": HINTS.get((metric, parameter.name), parameter.help),
        "required": False,  # the metric says it better than "This field is required."
        "initial": parameter.default,
    }
    if isinstance(parameter, Choice):
        return forms.ChoiceField(choices=parameter.options, **shared)
    needed = parameter.required and parameter.default is None and not resolves
    if isinstance(parameter, Parameter):
        attrs = {"min": f"{parameter.low:g}", "max": f"{parameter.high:g}", "step": "any"}
        widget: forms.Widget = forms.NumberInput(attrs={**attrs, "required": needed})
    else:
        widget = forms.TextInput(attrs={"maxlength": parameter.longest, "required": needed})
    return forms.CharField(widget=widget, **shared)


def _part_field(part: str, values: list[str]) -> forms.Field:
    label = _LABELS[part]
    if len(values) > MOST_BOXES:
        return LinesField(label=label, help_text="One a line. Empty: all.", required=False)
    named = country_name if part == "countries" else str
    return forms.MultipleChoiceField(
        label=label,
        choices=[(value, named(value)) for value in values],
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
