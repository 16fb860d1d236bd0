"""Units that are there for another end than being rated, as a design freezes them.

Examples stand on the instructions page, practice comes before the first screen, gold units are
checks whose answers are known. None of them has places, and none of their answers is counted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from studies.models import CheckRules, Item, Question, Study, Unit, UnitItem
from studies.models.item import Purpose
from studies.ranges import Combination, read_combinations

Expected = tuple[tuple[int, int, int], ...]
"""(question id, from, to), each: the answers that are accepted."""


@dataclass(frozen=True)
class ExampleSpec:
    """An item on the instructions page; ``question`` and ``value`` name the scale point it shows.

    ``value`` is None where it is shown with its words alone.
    """

    item: int
    external_id: str
    words: str
    question: int | None = None
    value: int | None = None


@dataclass(frozen=True)
class PracticeSpec:
    """A practice screen; ``country`` empty: for every panel. ``external_id`` names its words."""

    unit: int
    country: str
    expected: Expected
    feedback: str
    external_id: str

    @classmethod
    def from_json(cls, row: dict[str, Any]) -> PracticeSpec:
        return cls(**{**row, "expected": _expected_from(row["expected"])})


@dataclass(frozen=True)
class GoldSpec:
    """A unit whose answers are known; ``country`` empty: for every panel."""

    unit: int
    country: str
    expected: Expected

    @classmethod
    def from_json(cls, row: dict[str, Any]) -> GoldSpec:
        return cls(**{**row, "expected": _expected_from(row["expected"])})


@dataclass(frozen=True)
class ContradictionSpec:
    """Answers that cannot all stand together. ``unit`` None: on each screen that asks both."""

    id: int
    question: int
    other: int
    allowed: tuple[Combination, ...]
    unit: int | None = None
    other_unit: int | None = None

    @classmethod
    def from_json(cls, row: dict[str, Any]) -> ContradictionSpec:
        return cls(**{**row, "allowed": tuple(tuple(part) for part in row["allowed"])})


def _expected_from(rows: list[list[int]]) -> Expected:
    return tuple((question, low, high) for question, low, high in rows)


# ---- from the rows of a study


def examples_of(study: Study) -> tuple[ExampleSpec, ...]:
    """The best first, as scales are explained from their top."""
    keys = _question_ids(study)
    found = []
    for item in study.items.filter(purpose=Purpose.EXAMPLE).order_by("external_id"):
        accepted = [(keys[key], low) for key, (low, _) in item.expected.items() if key in keys]
        question, value = accepted[0] if accepted else (None, None)
        found.append(ExampleSpec(item.pk, item.external_id, item.feedback, question, value))
    return tuple(sorted(found, key=lambda spec: (-(spec.value or 0), spec.external_id)))


def practice_of(study: Study) -> tuple[PracticeSpec, ...]:
    keys = _question_ids(study)
    found = []
    for unit, items in _units(study, Purpose.PRACTICE):
        said = next((item for item in items if item.feedback), items[0])
        expected = _expected(items, keys)
        found.append(PracticeSpec(unit.pk, unit.country, expected, said.feedback, said.external_id))
    return tuple(found)


def gold_of(study: Study) -> tuple[GoldSpec, ...]:
    """Without those that accept everything: they could not be failed."""
    keys = _question_ids(study)
    specs = (
        GoldSpec(unit.pk, unit.country, _expected(items, keys))
        for unit, items in _units(study, Purpose.GOLD)
    )
    return tuple(spec for spec in specs if spec.expected)


def gold_per_session(study: Study, gold: tuple[GoldSpec, ...]) -> int:
    """0 where there is no gold to show."""
    if not gold:
        return 0
    rules = CheckRules.objects.filter(study=study).first() or CheckRules()
    return rules.gold_per_session


def plain_gold(study: Study, gold: tuple[GoldSpec, ...]) -> bool:
    """Whether nobody needs special knowledge to pass the gold units there are."""
    return bool(gold) and CheckRules.objects.filter(study=study, plain_gold=True).exists()


def contradictions_of(study: Study) -> tuple[ContradictionSpec, ...]:
    rows = study.contradictions.filter(
        active=True, question__retired=False, other__retired=False
    ).order_by("id")
    return tuple(
        ContradictionSpec(
            id=row.pk,
            question=row.question_id,
            other=row.other_id,
            allowed=read_combinations(row.allowed),
            unit=row.unit_id,
            other_unit=row.other_unit_id,
        )
        for row in rows
    )


def _question_ids(study: Study) -> dict[str, int]:
    return dict(Question.objects.filter(study=study, retired=False).values_list("key", "pk"))


def _units(study: Study, purpose: str) -> Iterator[tuple[Unit, list[Item]]]:
    """The study's units of one purpose, by key, with their items in order."""
    members: dict[int, list[Item]] = defaultdict(list)
    rows = UnitItem.objects.filter(unit__study=study, unit__purpose=purpose)
    for member in rows.select_related("item").order_by("position", "pk"):
        members[member.unit_id].append(member.item)
    for unit in study.units.filter(purpose=purpose).order_by("key"):
        if members[unit.pk]:
            yield unit, members[unit.pk]


def _expected(items: list[Item], keys: Mapping[str, int]) -> Expected:
    """What the unit's items say together; each question once, the first item's word."""
    found: dict[int, tuple[int, int]] = {}
    for item in items:
        for key, (low, high) in item.expected.items():
            if key in keys:
                found.setdefault(keys[key], (low, high))
    return tuple((question, low, high) for question, (low, high) in sorted(found.items()))
