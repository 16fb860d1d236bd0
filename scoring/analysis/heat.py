"""Questions and metrics among each other: every pair of series over the items that have both."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import cast

import numpy as np
import numpy.typing as npt

from scoring.analysis.paired import Held
from scoring.analysis.parts.against import Heat, HeatCell, PlannedCorrelation, QuestionAgainst
from scoring.analysis.prompts import prompt_clusters
from scoring.analysis.series import Scored, ScoreData
from scoring.stats.association import Method
from scoring.stats.correlation import correlate_scores
from scoring.stats.result import Interval

Floats = npt.NDArray[np.float64]


def heat_of(
    *,
    data: ScoreData,
    held: Sequence[Held],
    questions: Sequence[QuestionAgainst],
    planned: PlannedCorrelation,
    replicates: int,
    on_step: Callable[[], None],
) -> Heat:
    """The lower triangle. A metric with a question is what the question's own table says."""
    known = _known(questions, planned.methods[0])
    asked = {question.key for question in questions}
    humans = [human for human in data.humans if human.question in asked]
    metrics = [one for one in held if not one.facts.dimension and not one.matched]
    facts = (*(human.facts for human in humans), *(one.facts for one in metrics))
    columns = [
        *(_column(human.series(data.items).values, data) for human in humans),
        *(_column(one.values, data) for one in metrics),
    ]
    cells = []
    for row in range(1, len(facts)):
        for column in range(row):
            cell = known.get((facts[row].key, facts[column].output))
            if cell is None or facts[column].kind != "human" or facts[row].kind != "metric":
                cell = _pair(columns[row], columns[column], data, planned, replicates)
            cells.append(_placed(row, column, cell))
        on_step()
    return Heat(
        method=planned.methods[0],
        series=tuple(facts),
        cells=tuple(cells),
        resampled="items of one prompt together where there are 20 prompts or more",
    )


Cell = tuple[float | None, str | None, int, Interval | None]
"""(value, reason, items, interval)"""


def _known(questions: Sequence[QuestionAgainst], method: str) -> Mapping[tuple[str, str], Cell]:
    """{(metric's series, question): its pooled coefficient}."""
    found = {}
    for question in questions:
        for row in question.rows:
            pooled = row.level("pooled", method)
            if pooled is not None:
                one = pooled.correlation
                cell = (one.value, one.reason, one.n_units, one.interval)
                found[row.series.key, question.key] = cell
    return found


def _pair(
    one: Floats, two: Floats, data: ScoreData, planned: PlannedCorrelation, replicates: int
) -> Cell:
    (found,) = correlate_scores(
        scores=one,
        mean_ratings=two,
        methods=(cast(Method, planned.methods[0]),),
        replicates=replicates,
        seed=data.seed,
        clusters=prompt_clusters(_prompts(data), counted=~np.isnan(one) & ~np.isnan(two)),
    )
    # Neither side need be a metric: two questions may be constant too.
    reason = "no_variation" if found.reason == "constant_metric" else found.reason
    return found.value, reason, found.n_units, found.interval


def _placed(row: int, column: int, cell: Cell) -> HeatCell:
    value, reason, n, interval = cell
    return HeatCell(
        row=row, column=column, value=value, reason=reason, n_units=n, interval=interval
    )


def _column(values: Scored, data: ScoreData) -> Floats:
    found = [values.get(item, (None, ""))[0] for item in data.items]
    return np.array([np.nan if value is None else value for value in found], dtype=np.float64)


def _prompts(data: ScoreData) -> npt.NDArray[np.intp]:
    number: dict[str, int] = {}
    codes = [number.setdefault(unit.cluster, len(number)) for unit in data.items.values()]
    return np.array(codes, dtype=np.intp)
