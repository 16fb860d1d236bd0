"""What of a study is as its preset has it, and what was changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from studies.models import Study
from studies.presets.fields import model_field
from studies.presets.library import PRESET
from studies.presets.rows import settings_of
from studies.quality_rules import Action, Kind, threshold_words


@dataclass(frozen=True, slots=True)
class Difference:
    """One setting of the preset beside what the study has.

    ``published`` is the preset's value whatever its ``status`` (published, inferred, ours);
    ``note`` is the published fact it rests on. A value that the study no longer has is None.
    """

    name: str
    label: str
    published: Any
    current: Any
    status: str
    note: str

    @property
    def changed(self) -> bool:
        return self.published != self.current

    @property
    def published_words(self) -> str:
        return in_words(self.name, self.published)

    @property
    def current_words(self) -> str:
        return in_words(self.name, self.current)


def preset_name(study: Study) -> str:
    """The name of the preset the study was made from; '' for none."""
    return study.provenance.get(PRESET, {}).get("value", "")


def differences(study: Study) -> list[Difference]:
    """Every setting of the study's preset, in the preset's order."""
    current = settings_of(study)
    return [
        Difference(
            name=name,
            label=label_of(name),
            published=source["value"],
            current=_now(name, current),
            status=source["status"],
            note=source["note"],
        )
        for name, source in study.provenance.items()
        if name != PRESET
    ]


def _now(name: str, current: dict[str, Any]) -> Any:
    group, _, key = name.partition(".")
    if group == "panels" and key and name not in current:
        return {row["country"]: row.get(key) for row in current["panels"]}  # panels differ in it
    return current.get(name)


def label_of(name: str) -> str:
    """What a setting is called for people."""
    group, _, key = name.partition(".")
    fixed = {
        "panels": "Panels",
        "questions": "Questions",
        "attention_checks": "Attention checks",
        "comprehension": "Quick check",
        "screening": "Screening questions",
    }
    if group == "questions" and key:
        return f"Question: {key.replace('_', ' ')}"
    if not key and group in fixed:
        return fixed[group]
    if group == "quality":
        return f"Rule: {str(Kind(key).label).lower()}"
    part = {"panels": "panel", "plan": "plan"}.get(group, "study")
    words = str(model_field(part, key or group).verbose_name)
    return f"{words[0].upper()}{words[1:]}"


def in_words(name: str, value: Any) -> str:
    """A value as a person reads it: choices by their names, lists in one line."""
    group, _, key = name.partition(".")
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if group == "questions" and key:
        return value["text"]
    if group == "panels" and not key:
        return ", ".join(row["country"] for row in value) or "none"
    if group == "quality":
        action = str(Action(value["action"]).label).partition(";")[0].lower()
        return f"{action}, threshold {threshold_words(key, value['threshold'])}"
    if group in ("screening", "attention_checks", "comprehension"):
        on = sum(row.get("active", True) for row in value)
        return f"{len(value)}, {on} in use" if value else "none"
    if isinstance(value, list):
        return ", ".join(value) or "none"
    if isinstance(value, dict):
        return "; ".join(
            f"{k}: {', '.join(v) if isinstance(v, list) else v}" for k, v in value.items()
        )
    if group not in ("questions", "panels", "plan"):
        return str(dict(model_field("study", name).flatchoices).get(value, value))
    return str(value)
