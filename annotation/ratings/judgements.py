"""Counted answers that are no points of a scale: selections, rankings, yes or no, verdicts.

Each reader streams one record a judgement, in the order in which people gave them. ``unit``, items,
probes and descriptors are database ids; ``rater`` is a pseudonym, ``country`` that of their panel.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter, itemgetter

from django.db.models import Count, Q

from annotation.ratings.counting import counted_ratings
from studies.models import Question, Study

CHUNK = 2000
Kind = Question.Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """Who judged what: one question on one screen; of a probe, where it is asked of probes."""

    unit: int
    question: int
    probe: int | None
    rater: str
    country: str
    screen: int
    simulated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection(Judgement):
    """The items that somebody marked, of those ``offered``. Empty: "None of these"."""

    selected: frozenset[int]
    offered: frozenset[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingGiven(Judgement):
    """Item ids from the first place to the last."""

    order: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class YesNoGiven(Judgement):
    """``item`` is the unit's only item, or None. ``yes`` is None where it was not applicable."""

    item: int | None
    yes: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict(Judgement):
    """One reference descriptor called right or not right."""

    item: int | None
    descriptor: int
    right: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Completeness(Judgement):
    """How complete a list of descriptors is, on the question's scale, and what it lacks."""

    item: int | None
    coverage: int | None
    missing: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Applicability:
    """How many answers a question (and probe) got, and how many of them were "does not apply"."""

    question: int
    probe: int | None
    item: int | None
    unit: int
    answers: int
    not_applicable: int


def selections(study: Study) -> Iterator[Selection]:
    """Every counted multi-select as a set of item ids."""
    for head, rows in _grouped(study, Kind.MULTI):
        yield Selection(
            **head,
            selected=frozenset(row.item for row in rows if row.value == 1),
            offered=frozenset(row.item for row in rows),
        )


def rankings(study: Study) -> Iterator[RankingGiven]:
    """Every counted ranking."""
    for head, rows in _grouped(study, Kind.RANKING):
        placed = sorted(rows, key=attrgetter("value"))
        yield RankingGiven(**head, order=tuple(row.item for row in placed))


def yes_no(study: Study) -> Iterator[YesNoGiven]:
    """Every counted yes or no, "does not apply" included."""
    for head, rows in _grouped(study, Kind.YES_NO):
        for row in rows:
            yes = None if row.not_applicable else row.value == 1
            yield YesNoGiven(**head, item=row.item, yes=yes)


def descriptor_verdicts(study: Study) -> Iterator[Verdict]:
    """Every counted verdict on a reference descriptor."""
    for head, rows in _grouped(study, Kind.DESCRIPTORS):
        for row in rows:
            if row.descriptor is not None:
                yield Verdict(
                    **head, item=row.item, descriptor=row.descriptor, right=row.value == 1
                )


def descriptor_completeness(study: Study) -> Iterator[Completeness]:
    """What people said of each list of descriptors as a whole."""
    for head, rows in _grouped(study, Kind.DESCRIPTORS):
        for row in rows:
            if row.descriptor is None:
                yield Completeness(**head, item=row.item, coverage=row.value, missing=row.text)


def not_applicable_counts(study: Study) -> list[Applicability]:
    """By question, unit, item and probe, for the questions that offer "does not apply"."""
    answers = (
        counted_ratings(study)
        .filter(question__allow_na=True)
        .order_by("question__position", "question_id", "assignment__unit_id", "subject")
        .values("question_id", "probe_id", "item_id", "assignment__unit_id")
        .annotate(answers=Count("id"), out=Count("id", filter=Q(not_applicable=True)))
    )
    return [
        Applicability(
            question=row["question_id"],
            probe=row["probe_id"],
            item=row["item_id"],
            unit=row["assignment__unit_id"],
            answers=row["answers"],
            not_applicable=row["out"],
        )
        for row in answers
    ]


@dataclass(frozen=True, slots=True)
class _Row:
    item: int | None
    descriptor: int | None
    value: int | None
    not_applicable: bool
    text: str


def _grouped(study: Study, kind: str) -> Iterator[tuple[dict, list[_Row]]]:
    """The rows of each judgement of a kind: one question of one screen, one probe at a time."""
    rows = (
        counted_ratings(study)
        .filter(question__kind=kind)
        .order_by("assignment_id", "question_id", "probe_id", "id")
        .values_list(
            "assignment_id",
            "question_id",
            "probe_id",
            "assignment__unit_id",
            "assignment__participation__code",
            "assignment__participation__panel__country",
            "assignment__participation__simulated",
            "item_id",
            "descriptor_id",
            "value",
            "not_applicable",
            "text",
        )
        .iterator(chunk_size=CHUNK)
    )
    for (screen, question, probe), group in groupby(rows, key=itemgetter(0, 1, 2)):
        members = list(group)
        unit, rater, country, simulated = members[0][3:7]
        head = {
            "unit": unit,
            "question": question,
            "probe": probe,
            "rater": rater,
            "country": country or "",
            "screen": screen,
            "simulated": simulated,
        }
        yield head, [_Row(*member[7:]) for member in members]
