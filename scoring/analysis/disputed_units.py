"""The units on which people disagree: all of them in order, the first with what each said."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from annotation.ratings import NOTHING, texts_of
from scoring.analysis.asked import AskedQuestion
from scoring.analysis.coding import Judged
from scoring.analysis.gather import StudyData
from scoring.analysis.parts.agreement import DisputedUnit, GivenAnswer, UnitOrder
from scoring.stats.counts import CodedRatings
from scoring.stats.sets import jaccard_similarity

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]

MOST_UNITS = 12
MOST_ANSWERS = 12
MOST_WORDS = 3
WORD_LENGTH = 240

MOST_LISTED = 5_000
"""So many units are listed in order, which keeps the stored report small."""


class Disputed:
    """The units of one question by how far people disagree on them."""

    def __init__(self, data: StudyData, question: AskedQuestion, given: Judged) -> None:
        self._data, self._question, self._given = data, question, given
        ratings = given.ratings
        self._figures = disagreement(ratings)
        self._by_unit = np.argsort(ratings.unit, kind="stable")
        self._starts = np.searchsorted(ratings.unit[self._by_unit], np.arange(ratings.n_units + 1))
        sizes = np.diff(self._starts)
        self._n_alone = int((sizes == 1).sum())
        paired = np.flatnonzero(sizes > 1)
        self._unit_of = given.answers.unit
        of_unit = self._unit_of[self._by_unit[self._starts[paired]]]
        self._order = paired[np.lexsort((of_unit, -self._figures[paired]))]

    def top(self) -> tuple[DisputedUnit, ...]:
        """At most `MOST_UNITS` units with any disagreement, with what each person said."""
        top = [unit for unit in self._order[:MOST_UNITS].tolist() if self._figures[unit] > 0]
        answers = self._given.answers
        screens = {
            int(answers.screens.id[answers.screen[row]]) for unit in top for row in self._rows(unit)
        }
        texts = texts_of(sorted(screens))
        return tuple(self._unit(unit, texts) for unit in top)

    def order(self) -> UnitOrder:
        """Every unit that two people judged, as columns; of very many the first."""
        listed = self._order[:MOST_LISTED].tolist()
        shown = [self._shown(unit) for unit in listed]
        return UnitOrder(
            n_units=int(self._order.size),
            n_alone=self._n_alone,
            name=tuple(self._name(items) for items in shown),
            about=tuple(self._about(unit) for unit in listed),
            items=tuple(shown),
            figure=tuple(self._figures[listed].tolist()),
            said=tuple(tuple(self._counted(unit)) for unit in listed),
            n_answers=tuple(int(self._rows(unit).size) for unit in listed),
        )

    def _rows(self, unit: int) -> Codes:
        """Where the unit's answers stand."""
        return self._by_unit[self._starts[unit] : self._starts[unit + 1]]

    def _shown(self, unit: int) -> tuple[int, ...]:
        """The item that the answers are about, or those of the whole unit."""
        answers, scale = self._given.answers, self._given.ratings.scale
        row = int(self._rows(unit)[0])
        item = int(answers.item[row])
        alone = item != NOTHING and scale.members is None and self._question.kind != "ranking"
        whole = self._data.subjects.members.get(int(answers.units[self._unit_of[row]]), ())
        return tuple(one for one in ((item,) if alone else whole) if one in self._data.items)

    def _name(self, items: tuple[int, ...]) -> str:
        return ", ".join(self._data.items[one].external_id for one in items)

    def _about(self, unit: int) -> str:
        answers, subjects = self._given.answers, self._data.subjects
        row = int(self._rows(unit)[0])
        probe, descriptor = int(answers.probe[row]), int(answers.descriptor[row])
        fact = subjects.probes.get(probe) or subjects.descriptors.get(descriptor)
        return fact.text if fact is not None else ""

    def _label(self, category: int) -> str:
        return _said(self._question, self._given.ratings.scale.labels[category])

    def _counted(self, unit: int) -> Iterator[str]:
        """ "2", "4 \u00d7 3": each answer in the scale's order, and how many gave it."""
        categories = self._given.ratings.category[self._rows(unit)]
        found, times = np.unique(categories, return_counts=True)
        for category, n in list(zip(found.tolist(), times.tolist(), strict=True))[:MOST_ANSWERS]:
            yield self._label(category) + (f" \u00d7 {n}" if n > 1 else "")

    def _unit(self, unit: int, texts: dict[int, list[str]]) -> DisputedUnit:
        answers, rows = self._given.answers, self._rows(unit)
        shown = self._shown(unit)
        screens = [int(answers.screens.id[answers.screen[one]]) for one in rows]
        words = [text[:WORD_LENGTH] for screen in screens for text in texts.get(screen, ())]
        return DisputedUnit(
            name=self._name(shown),
            about=self._about(unit),
            items=shown,
            figure=float(self._figures[unit]),
            answers=tuple(
                GivenAnswer(
                    rater=answers.raters[answers.screens.rater[answers.screen[one]]].code,
                    answer=self._label(int(self._given.ratings.category[one])),
                )
                for one in rows[:MOST_ANSWERS].tolist()
            ),
            words=tuple(words[:MOST_WORDS]),
        )


def disagreement(ratings: CodedRatings) -> Floats:
    """Mean disagreement of two answers in each unit, shape (n_units,); 0 for a single one.

    The squared difference where the scale has numbers and an order, 1 - Jaccard of sets, else the
    share of pairs that differ.
    """
    if ratings.scale.members is not None:
        return _of_sets(ratings)
    n = np.bincount(ratings.unit, minlength=ratings.n_units).astype(np.float64)
    pairs = np.maximum(n * (n - 1), 1)
    if ratings.scale.level != "nominal" and ratings.scale.values is not None:
        x = np.array(ratings.scale.values)[ratings.category]
        first = np.bincount(ratings.unit, weights=x, minlength=ratings.n_units)
        second = np.bincount(ratings.unit, weights=x * x, minlength=ratings.n_units)
        return np.where(n > 1, np.maximum(2 * (n * second - first**2), 0.0) / pairs, 0.0)
    q = len(ratings.scale.labels)
    cells, times = np.unique(ratings.unit * q + ratings.category, return_counts=True)
    alike = np.bincount(cells // q, weights=times * (times - 1.0), minlength=ratings.n_units)
    return np.where(n > 1, 1.0 - alike / pairs, 0.0)


def _of_sets(ratings: CodedRatings) -> Floats:
    members = ratings.scale.members or ()
    order = np.argsort(ratings.unit, kind="stable")
    starts = np.searchsorted(ratings.unit[order], np.arange(ratings.n_units + 1))
    found = np.zeros(ratings.n_units)
    for unit in range(ratings.n_units):
        sets = [members[c] for c in ratings.category[order[starts[unit] : starts[unit + 1]]]]
        apart = [
            1.0 - jaccard_similarity(one, other)
            for place, one in enumerate(sets)
            for other in sets[place + 1 :]
        ]
        found[unit] = sum(apart) / len(apart) if apart else 0.0
    return found


def _said(question: AskedQuestion, label: str) -> str:
    words = {str(value): text for value, text in question.points}
    if question.kind in ("yes_no", "descriptors", "choice"):
        return words.get(label, label)
    if question.kind == "multi":
        return "none" if label == "∅" else label.replace("|", ", ")
    return label
