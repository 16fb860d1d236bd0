"""Every counted answer of a study as arrays: one table that all analyses cut their share from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
from django.db.models import Case, Q, QuerySet, Value, When
from django.db.models.functions import Coalesce

from annotation.models import Assignment, Participation, Rating
from annotation.ratings.counting import Layer, is_replaced
from studies.models import Question, Study

Codes = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

CHUNK = 20_000
NOTHING = -1
"""Code of an item, probe or descriptor that an answer is not about."""

NO_VALUE = -32_768
"""Stands for no value: the answer is "does not apply", or a text alone."""

COUNTS, BY_RULE, BY_PERSON = 0, 1, 2
"""By what a screen is left out of results; `COUNTS`: by nothing."""

LAYERS_HEED = {
    Layer.ALL: frozenset(),
    Layer.AFTER_RULES: frozenset({BY_RULE}),
    Layer.AFTER_ALL: frozenset({BY_RULE, BY_PERSON}),
}


class Phase(StrEnum):
    """Whose answers: of the study itself, of its pilot, or to screens shown a second time."""

    STUDY = "study"
    PILOT = "pilot"
    REPEATS = "repeats"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Screens:
    """Submitted screens, the i-th entry of every array is one: `unit` and `rater` are 0-based
    codes, `at` seconds since 1970, `out` by what it is left out, `counted` whether it holds a place
    of its unit now.
    """

    id: Codes
    unit: Codes
    rater: Codes
    at: npt.NDArray[np.float64]
    out: Codes
    counted: Mask


@dataclass(frozen=True, slots=True, kw_only=True)
class Rater:
    """A person under their pseudonym; `country` is that of their panel, "" without one."""

    code: str
    country: str
    simulated: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AnswerTable:
    """Answers as long arrays: the i-th entry of every array is one answer.

    `screen` is a position in `screens`; `question`, `item`, `probe` and `descriptor` are database
    ids (`NOTHING` where the answer is not about one); `value` is what `Rating.value` holds, or
    `NO_VALUE`. `units` holds the database id of each unit, `raters` each person.
    """

    screen: Codes
    question: Codes
    item: Codes
    probe: Codes
    descriptor: Codes
    value: Codes
    not_applicable: Mask
    has_text: Mask
    screens: Screens
    units: Codes
    raters: tuple[Rater, ...]

    @property
    def size(self) -> int:
        """How many answers there are."""
        return int(self.screen.size)

    @property
    def unit(self) -> Codes:
        """Each answer's unit, a position in `units`."""
        return self.screens.unit[self.screen]

    @property
    def rater(self) -> Codes:
        """Who gave each answer, a position in `raters`."""
        return self.screens.rater[self.screen]

    @property
    def country(self) -> npt.NDArray[np.str_]:
        """The country of each answer's panel."""
        countries = np.array([rater.country for rater in self.raters], dtype=np.str_)
        return countries[self.rater] if self.size else np.empty(0, dtype=np.str_)

    @property
    def simulated(self) -> Mask:
        """Whether no person gave the answer."""
        made = np.array([rater.simulated for rater in self.raters], dtype=bool)
        return made[self.rater] if self.size else np.empty(0, dtype=bool)

    def only(self, chosen: Mask) -> AnswerTable:
        """The chosen answers, shape (size,); screens, units and raters keep their codes."""
        columns = (
            "screen", "question", "item", "probe", "descriptor", "value", "not_applicable",
            "has_text",
        )  # fmt: skip
        return replace(self, **{name: getattr(self, name)[chosen] for name in columns})

    def in_layer(self, layer: Layer) -> AnswerTable:
        """The answers that count under a layer's exclusions (see `counting.in_layer`)."""
        heeded = LAYERS_HEED[layer]
        screens = self.screens
        left_out = np.isin(screens.out, list(heeded))
        replaced = ~screens.counted & (screens.out != COUNTS) & ~left_out
        return self.only(((screens.counted & ~left_out) | replaced)[self.screen])


def answer_table(study: Study, phase: Phase = Phase.STUDY) -> AnswerTable:
    """Every answer of a phase whose screen counts under some layer, texts alone left out.

    `in_layer` narrows it. Three queries, whatever the size.
    """
    raters = {
        pk: Rater(code=code, country=country or "", simulated=simulated)
        for pk, code, country, simulated in Participation.objects.filter(study=study)
        .order_by("pk")
        .values_list("pk", "code", "panel__country", "simulated")
    }
    screens, units, people = _screens(study, phase)
    columns = _answers(study, phase, screens.id)
    names = ("question", "item", "probe", "descriptor", "value")
    return AnswerTable(
        screen=np.searchsorted(screens.id, columns[0]),
        **dict(zip(names, columns[1:6], strict=True)),
        not_applicable=columns[6].astype(bool),
        has_text=columns[7].astype(bool),
        screens=screens,
        units=units,
        raters=tuple(raters[pk] for pk in people.tolist()),
    )


def texts_of(screens: Iterable[int]) -> dict[int, list[str]]:
    """What was written on each of the screens (database ids)."""
    found: dict[int, list[str]] = {}
    rows = Rating.objects.filter(assignment_id__in=list(screens)).exclude(text="").order_by("pk")
    for screen, text in rows.values_list("assignment_id", "text"):
        found.setdefault(screen, []).append(text)
    return found


def _screens(study: Study, phase: Phase) -> tuple[Screens, Codes, Codes]:
    """(screens by id, unit ids, participation ids)."""
    rows = (
        _of_phase(study, phase)
        .order_by("pk")
        .values_list(
            "pk",
            "unit_id",
            "participation_id",
            Case(
                When(excluded=Assignment.Excluded.RULE, then=Value(BY_RULE)),
                When(excluded=Assignment.Excluded.PERSON, then=Value(BY_PERSON)),
                default=Value(COUNTS),
            ),
            Case(When(counted=True, then=Value(1)), default=Value(0)),
            "submitted_at",
        )
    )
    moments: list[float] = []
    columns = _columns(_without_moment(rows.iterator(chunk_size=CHUNK), moments), 5)
    units, unit = np.unique(columns[1], return_inverse=True)
    people, rater = np.unique(columns[2], return_inverse=True)
    screens = Screens(
        id=columns[0],
        unit=unit.astype(np.int64),
        rater=rater.astype(np.int64),
        at=np.array(moments, dtype=np.float64),
        out=columns[3],
        counted=columns[4].astype(bool) if phase is Phase.STUDY else np.ones(unit.size, dtype=bool),
    )
    return screens, units, people


def _of_phase(study: Study, phase: Phase) -> QuerySet[Assignment]:
    sent = Assignment.objects.filter(
        participation__study=study,
        participation__pilot=phase is Phase.PILOT,
        submitted_at__isnull=False,
        repeat_of__isnull=phase is not Phase.REPEATS,
        gold=False,
    )
    if phase is not Phase.STUDY:
        return sent
    return sent.filter(Q(counted=True) | is_replaced())


def _without_moment(rows: Iterable[tuple[Any, ...]], moments: list[float]) -> Iterator[Any]:
    for *codes, at in rows:
        moments.append(_seconds(at))
        yield codes


def _seconds(at: datetime) -> float:
    return at.timestamp()


def _answers(study: Study, phase: Phase, screens: Codes) -> list[Codes]:
    """The answers on those screens (ids, ascending), by id: eight columns."""
    if not screens.size:
        return [np.empty(0, dtype=np.int64) for _ in range(8)]
    questions = Question.objects.filter(study=study).exclude(kind=Question.Kind.TEXT)
    answers = Rating.objects.filter(question_id__in=list(questions.values_list("pk", flat=True)))
    if phase is not Phase.STUDY:  # few among many: the study's own are most of what there is
        answers = answers.filter(assignment__in=_of_phase(study, phase))
    rows = answers.order_by("pk").values_list(
        "assignment_id",
        "question_id",
        Coalesce("item_id", NOTHING),
        Coalesce("probe_id", NOTHING),
        Coalesce("descriptor_id", NOTHING),
        Coalesce("value", NO_VALUE),
        "not_applicable",
        Case(When(text="", then=Value(0)), default=Value(1)),
    )
    columns = _columns(rows.iterator(chunk_size=CHUNK), 8)
    place = np.minimum(np.searchsorted(screens, columns[0]), screens.size - 1)
    here = screens[place] == columns[0]
    return [column[here] for column in columns]


def _columns(rows: Iterable[Iterable[Any]], n: int) -> list[Codes]:
    """Rows of whole numbers as `n` arrays."""
    flat = np.fromiter(chain.from_iterable(rows), dtype=np.int64)
    return list(np.ascontiguousarray(flat.reshape(-1, n).T))
