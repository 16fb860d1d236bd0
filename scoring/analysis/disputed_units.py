"""The units on which people disagree most, with what each of them said."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from annotation.ratings import NOTHING, texts_of
from scoring.analysis.asked import AskedQuestion
from scoring.analysis.coding import Judged
from scoring.analysis.gather import StudyData
from scoring.analysis.parts.agreement import DisputedUnit, GivenAnswer
from scoring.stats.counts import CodedRatings
from scoring.stats.sets import jaccard_similarity

Floats = npt.NDArray[np.float64]

MOST_UNITS = 12
MOST_ANSWERS = 12
MOST_WORDS = 3
WORD_LENGTH = 240


def disputed_units(
    data: StudyData, question: AskedQuestion, given: Judged
) -> tuple[DisputedUnit, ...]:
    """At most `MOST_UNITS` units with any disagreement, the most disputed first."""
    figures = disagreement(given.ratings)
    answers = given.answers
    first = np.zeros(given.ratings.n_units, dtype=np.int64)
    first[given.ratings.unit[::-1]] = np.arange(given.ratings.n_ratings)[::-1]
    order = np.lexsort((answers.unit[first], -figures)) if figures.size else np.empty(0, np.int64)
    top = [unit for unit in order[:MOST_UNITS].tolist() if figures[unit] > 0]
    rows = {unit: np.flatnonzero(given.ratings.unit == unit) for unit in top}
    screens = {int(answers.screens.id[answers.screen[row]]) for one in rows.values() for row in one}
    texts = texts_of(sorted(screens))
    return tuple(
        _unit(data, question, given, rows[unit], float(figures[unit]), texts) for unit in top
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


def _unit(
    data: StudyData,
    question: AskedQuestion,
    given: Judged,
    rows: npt.NDArray[np.int64],
    figure: float,
    texts: dict[int, list[str]],
) -> DisputedUnit:
    answers = given.answers
    row = int(rows[0])
    item = int(answers.item[row])
    whole = data.subjects.members.get(int(answers.units[answers.unit[row]]), ())
    alone = item != NOTHING and given.ratings.scale.members is None and question.kind != "ranking"
    items = (item,) if alone else whole
    shown = [one for one in items if one in data.items]
    screens = [int(answers.screens.id[answers.screen[one]]) for one in rows]
    words = [text[:WORD_LENGTH] for screen in screens for text in texts.get(screen, ())]
    return DisputedUnit(
        name=", ".join(data.items[one].external_id for one in shown),
        about=_about(data, int(answers.probe[row]), int(answers.descriptor[row])),
        items=tuple(shown),
        figure=figure,
        answers=tuple(
            GivenAnswer(
                rater=answers.raters[answers.rater[one]].code,
                answer=_said(question, given.ratings.scale.labels[given.ratings.category[one]]),
            )
            for one in rows[:MOST_ANSWERS].tolist()
        ),
        words=tuple(words[:MOST_WORDS]),
    )


def _about(data: StudyData, probe: int, descriptor: int) -> str:
    fact = data.subjects.probes.get(probe) or data.subjects.descriptors.get(descriptor)
    return fact.text if fact is not None else ""


def _said(question: AskedQuestion, label: str) -> str:
    words = {str(value): text for value, text in question.points}
    if question.kind in ("yes_no", "descriptors", "choice"):
        return words.get(label, label)
    if question.kind == "multi":
        return "none" if label == "∅" else label.replace("|", ", ")
    return label
