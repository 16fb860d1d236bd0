"""The form that starts a run: one field a declared parameter, judged by the metric itself."""

from __future__ import annotations

from django import forms

from scoring.metrics.base import Declaration, ParameterError
from scoring.wording import HINTS


class StartRunForm(forms.Form):
    def __init__(self, *args, declaration: Declaration, **kwargs):
        # Several forms stand on one page: their fields' ids carry the metric's key.
        super().__init__(*args, auto_id=f"id_{declaration.key}_%s", **kwargs)
        self.declaration = declaration
        for parameter in declaration.parameters:
            label = parameter.label.removeprefix("the ")
            self.fields[parameter.name] = forms.CharField(
                label=label[:1].upper() + label[1:],
                help_text=HINTS.get((declaration.key, parameter.name), parameter.help),
                required=False,  # the metric says it better than "This field is required."
                initial=parameter.default,
                widget=forms.NumberInput(
                    attrs={
                        "min": f"{parameter.low:g}",
                        "max": f"{parameter.high:g}",
                        "step": "any",
                        "required": parameter.required and parameter.default is None,
                    }
                ),
            )

    def clean(self) -> dict[str, float]:
        """Every parameter as the number that the metric takes."""
        cleaned: dict[str, float] = {}
        for parameter in self.declaration.parameters:
            given = self.cleaned_data.get(parameter.name, "")
            if given == "":
                if parameter.default is not None:
                    cleaned[parameter.name] = parameter.default
                elif parameter.required:
                    self.add_error(parameter.name, "Give a number. There is no default.")
                continue
            try:
                cleaned[parameter.name] = parameter.clean(given)
            except ParameterError as error:
                message = str(error)
                self.add_error(parameter.name, message[:1].upper() + message[1:])
        return cleaned
