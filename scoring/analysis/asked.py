"""What answers are about: questions of every kind, units, probes and descriptors."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from annotation.ratings import AnswerTable, RatedItem
from studies.models import Descriptor, Probe, Question, Study, UnitItem
from studies.models.question import LEVEL_OF_KIND

Codes = npt.NDArray[np.int64]

YES_NO = ((0, "No"), (1, "Yes"))
SELECTED = ((0, "Not marked"), (1, "Marked"))
VERDICTS = ((0, "Not right"), (1, "Right"))
OF_TWO = {"yes_no": YES_NO, "multi": SELECTED, "descriptors": VERDICTS}


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedQuestion:
    """A question of any kind but free text.

    `points` are the (value, label) of its scale, in order: those declared, no and yes, marked and
    not, right and not; empty for rankings and sliders. `scale` of a descriptor check is that of its
    coverage rating, empty where none is asked.
    """

    id: int
    key: str
    label: str
    kind: str
    level: str
    direction: str
    points: tuple[tuple[int, str], ...]
    scale: tuple[tuple[int, str], ...]
    of_probes: bool
    tier: int
    allow_na: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A probe or reference descriptor: its dimension, country and words."""

    dimension: str
    country: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Subjects:
    """`members`: {unit id: its item ids in order}; `probes` and `descriptors` by id."""

    members: Mapping[int, tuple[int, ...]]
    probes: Mapping[int, Fact]
    descriptors: Mapping[int, Fact]

    def units_with(self, answers: AnswerTable, items: Mapping[int, RatedItem]) -> Codes:
        """The units (positions in `answers.units`) that hold one of the items."""
        holds = [any(item in items for item in self.members.get(pk, ())) for pk in _ids(answers)]
        return np.flatnonzero(np.array(holds, dtype=bool))

    def of_units(
        self, answers: AnswerTable, items: Mapping[int, RatedItem], field: str
    ) -> list[str]:
        """A field of each unit's items where all of them have it in common, else ""."""
        found = []
        for pk in _ids(answers):
            values = {
                getattr(items[item], field) for item in self.members.get(pk, ()) if item in items
            }
            found.append(values.pop() if len(values) == 1 else "")
        return found


def asked_questions(study: Study) -> tuple[AskedQuestion, ...]:
    """The study's questions in their order, retired ones too."""
    questions = Question.objects.filter(study=study).exclude(kind=Question.Kind.TEXT)
    return tuple(_asked(question) for question in questions.prefetch_related("points"))


def subjects_of(study: Study) -> Subjects:
    """What units hold, and the facts of probes and reference descriptors. Three queries."""
    members: dict[int, list[int]] = defaultdict(list)
    rows = UnitItem.objects.filter(unit__study=study).order_by("position", "pk")
    for unit, item in rows.values_list("unit_id", "item_id"):
        members[unit].append(item)
    probes = Probe.objects.filter(study=study)
    descriptors = Descriptor.objects.filter(study=study, kind=Descriptor.Kind.REFERENCE)
    return Subjects(
        members={unit: tuple(items) for unit, items in members.items()},
        probes={
            pk: Fact(dimension=dimension, country=country, text=text)
            for pk, dimension, country, text in probes.values_list(
                "pk", "dimension", "country", "text"
            )
        },
        descriptors={
            pk: Fact(dimension=dimension, country=country, text=text)
            for pk, dimension, country, text in descriptors.values_list(
                "pk", "dimension", "country", "token"
            )
        },
    )


def _asked(question: Question) -> AskedQuestion:
    declared = tuple((point.value, point.label) for point in question.points.all())
    return AskedQuestion(
        id=question.pk,
        key=question.key,
        label=question.label,
        kind=question.kind,
        level=question.level or LEVEL_OF_KIND[question.kind],
        direction=question.direction,
        points=_points(question.kind, declared),
        scale=declared if question.kind == Question.Kind.DESCRIPTORS else (),
        of_probes=question.asked_of == Question.AskedOf.PROBE,
        tier=question.tier,
        allow_na=question.allow_na,
    )


def _points(kind: str, declared: tuple[tuple[int, str], ...]) -> tuple[tuple[int, str], ...]:
    """The values an answer of a kind can have; a study may word yes and no itself."""
    if kind in ("ranking", "slider"):
        return ()
    words = dict(declared) if kind == "yes_no" else {}
    return tuple((value, words.get(value) or label) for value, label in OF_TWO.get(kind, declared))


def _ids(answers: AnswerTable) -> list[int]:
    return [int(pk) for pk in answers.units]
