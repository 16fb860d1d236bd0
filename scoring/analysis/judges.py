"""A metric that answers on the question's own scale, against the majority of people."""

from __future__ import annotations

import numpy as np

from scoring.analysis.directions import expected_sign
from scoring.analysis.paired import Held, Units
from scoring.analysis.parts.against import JudgeTable
from scoring.analysis.series import HumanSeries
from scoring.stats.binary import judge_agreement, majority_vote

DECIMALS = 9
NONE = -1


def judge_table(human: HumanSeries, held: Held, units: Units) -> JudgeTable | None:
    """None where the metric gives anything but declared points, points the other way, or people's
    answers are places."""
    if len(human.points) < 2 or held.matched or human.kind == "ranking":
        return None
    if expected_sign(held.facts.better, human.facts.better) == -1:
        return None
    place = {round(point, DECIMALS): number for number, point in enumerate(human.points)}
    scores = [held.score(item, "")[0] for item in units.item]
    given = [None if score is None else place.get(round(score, DECIMALS)) for score in scores]
    defined = [score for score in scores if score is not None]
    if not defined or any(
        code is None for code, score in zip(given, scores, strict=True) if score is not None
    ):
        return None
    judge = np.array([NONE if code is None else code for code in given], dtype=np.intp)
    return _table(human, held, units, judge)


def _table(human: HumanSeries, held: Held, units: Units, judge: np.ndarray) -> JudgeTable | None:
    n = len(human.points)
    position = {item: number for number, item in enumerate(units.item)}
    place = {round(point, DECIMALS): number for number, point in enumerate(human.points)}
    majority = majority_vote(
        item=[position[item] for item in human.item.tolist()],
        category=[place[round(value, DECIMALS)] for value in human.value.tolist()],
        n_items=len(units.item),
        n_categories=n,
    )
    both = (judge >= 0) & (majority.category >= 0)
    counts = np.zeros((n, n), dtype=np.int64)
    np.add.at(counts, (majority.category[both], judge[both]), 1)
    points = tuple(f"{point:g}" for point in human.points)
    return JudgeTable(
        series=held.facts.key,
        points=points,
        counts=tuple(tuple(row) for row in counts.tolist()),
        agreement=judge_agreement(judge=judge, majority=majority, categories=points),
        tie_rule=majority.tie_rule,
        n_tied=majority.n_tied,
        n_unrated=majority.n_unrated,
        n_without_score=int(((judge < 0) & (majority.category >= 0)).sum()),
        n_items=int(both.sum()),
    )
