"""The three screening questions, and the sign-in of annotators with an account."""

from collections.abc import Iterable

from django import forms
from django.contrib.auth.forms import AuthenticationForm
from django.utils.translation import gettext_lazy as _

from studies.design import ScreeningSpec
from studies.names import country_choices, language_choices


class ScreeningForm(forms.Form):
    """Country and language lists are whole and alphabetical: the wanted one is not given away."""

    nationality = forms.ChoiceField(label=_("What is your nationality?"))
    second_nationality = forms.ChoiceField(label=_("Also a citizen of"), required=False)
    residence = forms.ChoiceField(label=_("Where do you live now?"))
    first_language = forms.ChoiceField(label=_("Which language did you speak first at home?"))

    def __init__(
        self, *args, language: str, further: Iterable[ScreeningSpec] = (), **kwargs
    ) -> None:
        """``further``: the study's own questions, in the person's language."""
        super().__init__(*args, **kwargs)
        for spec in further:
            lines = [(str(n), option) for n, option in enumerate(spec.options, 1)]
            choices = [("", _("Choose one from the list.")), *lines]
            self.fields[spec.key] = forms.ChoiceField(label=spec.text, choices=choices)
        self._further = [spec.key for spec in further]
        countries = [("", _("Choose a country")), *country_choices(language)]
        self.fields["nationality"].choices = countries
        self.fields["second_nationality"].choices = countries
        self.fields["residence"].choices = countries
        self.fields["first_language"].choices = [
            ("", _("Choose a language")),
            *language_choices(language),
        ]
        for field in self.fields.values():
            # Django's own sentences do not exist in every language of the interface.
            for code in ("required", "invalid_choice"):
                field.error_messages[code] = _("Choose one from the list.")

    @property
    def answers(self) -> dict:
        """What ``entry.record_screening`` takes; the study's own answers as lines from 1."""
        given = dict(self.cleaned_data)
        return {"further": {key: int(given.pop(key)) for key in self._further}, **given}


class SignInForm(AuthenticationForm):
    """Django's own, in sentences that exist in every language of the interface."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["username"].label = _("User name")
        self.fields["password"].label = _("Password")
        for field in self.fields.values():
            field.error_messages["required"] = _("Fill this in.")
        for code in ("invalid_login", "inactive"):
            self.error_messages = self.error_messages | {
                code: _("User name and password do not belong together. Try again.")
            }
