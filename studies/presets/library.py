"""The presets there are: published ones as files, and what researchers saved of their own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from studies.models import SavedPreset, Study
from studies.models.plan import targets_among
from studies.presets.fields import DEPENDENCIES, STUDY_FIELDS
from studies.presets.parsing import parse_preset
from studies.presets.preset import (
    SAVED,
    NoSuchPreset,
    Preset,
    PresetProblem,
    PresetRefused,
    Setting,
)
from studies.presets.rows import settings_of
from studies.presets.writing import preset_text

FOLDER = Path(__file__).parent / "data"
ORDER = ("cultivate", "caire", "culturevidbench", "culturescore", "blank")
PRESET = "preset"
"""In a study's provenance: the name of the preset it was made from, and its source."""


@cache
def published() -> dict[str, Preset]:
    """The presets that come with Concord, by key. A process reads their files once."""
    return {key: parse_preset((FOLDER / f"{key}.toml").read_text("utf-8")) for key in ORDER}


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A preset that was saved under other rules: its first fault says what no study can have."""

    key: str
    name: str
    fault: PresetProblem


def available(user) -> list[Preset]:
    """What this person may choose from: the published ones, then their own by name."""
    return [*published().values(), *_saved_of(user)[0]]


def unreadable(user) -> list[Unreadable]:
    """The person's own presets that nothing can be made from any more, by name."""
    return _saved_of(user)[1]


def _saved_of(user) -> tuple[list[Preset], list[Unreadable]]:
    good, bad = [], []
    for row in SavedPreset.objects.filter(owner=user):
        try:
            good.append(_loaded(row))
        except PresetRefused as refusal:
            bad.append(Unreadable(row.key, row.name, refusal.problems[0]))
    return good, bad


def get(key: str, user) -> Preset:
    """One of ``available``. Raises NoSuchPreset."""
    if key in published():
        return published()[key]
    return _loaded(_saved(key, user))


def _saved(key: str, owner) -> SavedPreset:
    number = key.removeprefix(SAVED)
    if key.startswith(SAVED) and number.isascii() and number.isdecimal() and len(number) < 18:
        row = SavedPreset.objects.filter(owner=owner, pk=int(number)).first()
        if row is not None:
            return row
    raise NoSuchPreset(f"There is no preset “{key}” any more. Choose one of the list.")


def _loaded(row: SavedPreset) -> Preset:
    return replace(parse_preset(row.text), key=row.key, name=row.name)


def preset_of(study: Study, *, name: str = "") -> Preset:
    """The study's design as a preset. Contact, completion and items are left out.

    What is as the study's own preset had it keeps its status and note.
    """
    origin = study.provenance
    settings = {}
    for key, value in _of_asked(settings_of(study)).items():
        source = origin.get(key)
        if source is not None and source["value"] == value:
            settings[key] = Setting(value, source["status"], source["note"])
        else:
            settings[key] = Setting(value, "ours", _changed_note(source))
    started_from = origin.get(PRESET, {})
    return Preset(
        key="",
        name=name or study.title[:120],
        title=study.title,
        summary=f"Saved from “{study.title}”."[:400],
        source=started_from.get("note", ""),
        facts=(),
        settings=settings,
    )


def _of_asked(values: dict[str, Any]) -> dict[str, Any]:
    """``values`` without what names a question that is asked no more: a new study has it not."""
    asked = values["questions"]
    checks = [row for row in values["attention_checks"] if row["scale_of"] in asked]
    targets = targets_among(values["plan.targets"], asked)
    questions = {
        f"questions.{key}": {
            name: value
            for name, value in values[f"questions.{key}"].items()
            if name not in DEPENDENCIES or value["question"] in asked
        }
        for key in asked
    }
    return values | questions | {"attention_checks": checks, "plan.targets": targets}


def _changed_note(source: dict | None) -> str:
    if source is None or source["status"] != "published" or not source["note"]:
        return ""
    return f"Changed. Published: {source['note']}"[:400]


def save_preset(*, study: Study, owner, name: str) -> SavedPreset:
    """Keep the study's design as a preset of its researcher; one of that name is replaced.

    Raises PresetRefused for a design that no study could begin with, and keeps nothing.
    """
    text = preset_text(preset_of(study, name=name))
    parse_preset(text)
    row, _ = SavedPreset.objects.update_or_create(owner=owner, name=name, defaults={"text": text})
    return row


def keep_preset(*, preset: Preset, owner) -> SavedPreset:
    """Keep a preset that came as a file among one's own; one of that name is replaced."""
    row, _ = SavedPreset.objects.update_or_create(
        owner=owner, name=preset.name, defaults={"text": preset_text(preset)}
    )
    return row


def delete_preset(*, key: str, owner) -> None:
    """Studies made from it stay as they are. Raises NoSuchPreset."""
    _saved(key, owner).delete()


def study_settings(preset: Preset) -> dict[str, Setting]:
    """The preset's settings that are fields of the study."""
    return {name: preset.settings[name] for name in STUDY_FIELDS if name in preset.settings}
