"""A preset: everything a study asks and how, each setting with where it comes from.

Settings have flat names: a field of the study (``units_per_session``), ``panels`` (its rows) and
``panels.ratings_per_unit`` (what all rows share), ``questions`` (their keys in order) and
``questions.realism`` (one of them), ``attention_checks``, rules
(``quality.checks``) and fields of the plan (``plan.coefficients``). Values are plain JSON,
without what equals the model's default.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

STATUSES = ("published", "inferred", "ours")
SAVED = "saved-"  # keys of presets that researchers saved start with it


@dataclass(frozen=True, slots=True)
class Setting:
    """A value, whether it is a published fact, inferred from one or ours, and the fact."""

    value: Any
    status: str = "ours"
    note: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """One headline number of the published study, for its card."""

    label: str
    value: str


@dataclass(frozen=True, slots=True)
class Preset:
    key: str
    name: str
    title: str
    summary: str
    source: str
    facts: tuple[Fact, ...]
    settings: Mapping[str, Setting]

    @property
    def is_saved(self) -> bool:
        return self.key.startswith(SAVED)

    @property
    def questions(self) -> list[str]:
        """The keys of its questions, in order."""
        return list(self.settings["questions"].value) if "questions" in self.settings else []


@dataclass(frozen=True, slots=True)
class PresetProblem:
    """What is wrong in a file: at which key, what, and how to mend it."""

    key: str
    wrong: str
    fix: str

    def __str__(self) -> str:
        return f"{self.key}: {self.wrong} {self.fix}" if self.key else f"{self.wrong} {self.fix}"


class PresetRefused(Exception):
    """The text is no preset. ``problems`` names every fault."""

    def __init__(self, problems: list[PresetProblem]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(str(problem) for problem in problems))


class NoSuchPreset(Exception):
    """There is no preset of that key for this person."""
