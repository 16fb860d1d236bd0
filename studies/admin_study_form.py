"""The form of a study: its sections, and what each folded one says while it is closed."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from django import forms

from studies.admin_sections import SectionView, section_view
from studies.design import lines
from studies.models import Panel, Study
from studies.names import language_choices

Row = tuple[str, ...]


def counted(n: int, noun: str, plural: str = "") -> str:
    return f"{n} {noun if n == 1 else plural or noun + 's'}"


def _screen(study: Study) -> str:
    parts = [counted(study.items_per_unit, "item")]
    parts += ["prompt shown"] if study.show_prompt else ["prompt hidden"]
    parts += ["cultural element shown"] if study.show_element else []
    parts.append(study.get_sound_display().lower())
    if study.devices != Study.Devices.ANY:
        parts.append(study.get_devices_display().lower())
    return ", ".join(parts)


def _sessions(study: Study) -> str:
    parts = [counted(study.units_per_session, "unit") + " a person"]
    parts += [counted(study.repeats, "repeat")] if study.repeats else ["no repeats"]
    parts.append(study.get_policy_display().lower())
    return ", ".join(parts)


def _texts(study: Study) -> str:
    n_lines = len(lines(study.consent_summary))
    consent = f"consent in {counted(n_lines, 'line')}" if n_lines else "no consent yet"
    n_words = len(f"{study.instructions} {study.instruction_points}".split())
    task = f"instructions of {counted(n_words, 'word')}" if n_words else "no instructions yet"
    return ", ".join([consent, task, study.contact or "no contact"])


def _completion(study: Study) -> str:
    parts = [counted(study.estimated_minutes, "minute")]
    if study.pay_per_hour is not None:
        parts.append(f"{study.pay_currency} {study.pay_per_hour:.2f} an hour")
    parts.append(f"code {study.completion_code}" if study.completion_code else "no code")
    parts += ["with a return address"] if study.completion_url else []
    return ", ".join(parts)


Summary = Callable[[Study], str]
SECTIONS: tuple[tuple[str, str, list[Row], Summary | None], ...] = (
    ("basics", "Basics", [("title", "public_title"), ("slug", "base_language")], None),
    (
        "texts",
        "Consent and instructions",
        [
            ("consent_summary",),
            ("consent_text",),
            ("consent_first",),
            ("instructions",),
            ("instruction_points",),
            ("contact",),
        ],
        _texts,
    ),
    (
        "screen",
        "What one screen shows",
        [
            ("items_per_unit", "shuffle_items"),
            ("show_prompt", "show_element"),
            ("sound", "watch_share"),
            ("devices",),
        ],
        _screen,
    ),
    (
        "sessions",
        "Order and sessions",
        [
            ("units_per_session", "policy"),
            ("repeats", "repeat_gap"),
            ("every_panel_rates_all", "avoid_same_prompt"),
            ("lease_minutes", "allow_changes"),
        ],
        _sessions,
    ),
    (
        "completion",
        "Pay, completion, pilot",
        [
            ("estimated_minutes", "pay_per_hour", "pay_currency"),
            ("completion_code", "completion_url"),
            ("pilot_people",),
        ],
        _completion,
    ),
)
FIELDS = [name for _, _, rows, _ in SECTIONS for row in rows for name in row]


def study_sections(
    form: forms.BaseForm, study: Study, origins: Mapping[str, object]
) -> dict[str, SectionView]:
    return {
        key: section_view(
            form,
            key=key,
            title=title,
            rows=rows,
            folded=summary is not None,
            summary=summary(study) if summary else "",
            origins=origins,
        )
        for key, title, rows, summary in SECTIONS
    }


class LanguagesField(forms.CharField):
    """Codes of languages with commas between them."""

    def prepare_value(self, value):
        return ", ".join(value) if isinstance(value, list) else value

    def to_python(self, value) -> list[str]:
        codes = [code.strip() for code in str(value or "").replace(";", ",").split(",")]
        codes = list(dict.fromkeys(code for code in codes if code))
        known = dict(language_choices())
        names = {name.casefold(): code for code, name in known.items()}
        codes = [names.get(code.casefold(), code) for code in codes]
        if unknown := [code for code in codes if code not in known]:
            raise forms.ValidationError(f"Not a language: {', '.join(unknown)}. Write e.g. en, ne.")
        return codes

    def has_changed(self, initial, data) -> bool:
        try:
            return list(initial or []) != self.to_python(data)
        except forms.ValidationError:
            return True


class PanelForm(forms.ModelForm):
    more_languages = LanguagesField(
        required=False,
        label="Further languages",
        help_text="Codes or names, with commas: en, hi. People choose on their first screen.",
    )

    class Meta:
        model = Panel
        fields = [
            "country",
            "language",
            "more_languages",
            "ratings_per_unit",
            "seats",
            "screen_nationality",
            "screen_residence",
            "screen_language",
        ]
