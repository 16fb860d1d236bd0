"""The form that says which rows of a store are to go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms

from scoring.stores import Kept, Store, Which, metric_name

ANY = "any"
"""Of the choices; a row's own name is behind ``of:``, so that an empty one is a choice too."""
LONGEST = 36_500
DAYS = f"Give a whole number of days from 0 to {LONGEST:,}, or nothing."
GONE = {"invalid_choice": "Nothing by this name is stored any more. Choose again."}


class EmptyForm(forms.Form):
    """``found`` is what the store has now: its names are what can be chosen."""

    def __init__(self, *args: Any, store: Store, found: Sequence[Kept], **kwargs: Any) -> None:
        super().__init__(*args, auto_id=f"id_{store.key}_%s", **kwargs)
        if "metric" in store.named:
            metrics = {one.metric: metric_name(one.metric) for one in found}
            self.fields["metric"] = _choice("Metric", metrics)
        self.fields["model"] = _choice("Model", {one.model: one.model for one in found})
        self.fields["days"] = forms.IntegerField(
            label="Older than so many days (empty: of any age)",
            required=False,
            min_value=0,
            max_value=LONGEST,
            error_messages={
                "invalid": DAYS,
                "min_value": DAYS,
                "max_value": DAYS,
            },
        )

    @property
    def which(self) -> Which:
        return Which(
            metric=_named(self.cleaned_data.get("metric", "")),
            model=_named(self.cleaned_data.get("model", "")),
            days=self.cleaned_data.get("days"),
        )

    @property
    def words(self) -> list[str]:
        """What was chosen, as a person reads it."""
        which = self.which
        told = []
        if which.metric is not None:
            told.append(f"of {metric_name(which.metric) or 'no named metric'}")
        if which.model is not None:
            told.append(f"by {which.model or 'no named model'}")
        if which.days:
            told.append(f"older than {which.days} day{'' if which.days == 1 else 's'}")
        return told


def _choice(label: str, names: dict[str, str]) -> forms.ChoiceField:
    named = sorted((f"of:{key}", name or "without a name") for key, name in names.items())
    choices = [(ANY, "Any"), *named]
    return forms.ChoiceField(label=label, choices=choices, required=False, error_messages=GONE)


def _named(chosen: str) -> str | None:
    return chosen.removeprefix("of:") if chosen.startswith("of:") else None
