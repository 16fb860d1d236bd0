"""Each person against the rest: what leaving them out changes, and how they go with the others."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from scoring.analysis.asked import AskedQuestion
from scoring.analysis.coding import Judged
from scoring.analysis.parts.agreement import RaterLine
from scoring.stats.agreement import Coefficient
from scoring.stats.ceiling import leave_one_out
from scoring.stats.counts import CodedRatings
from scoring.stats.many_values import has_many_values
from scoring.stats.rated_items import rate_items
from scoring.stats.resampling import Resampling

Floats = npt.NDArray[np.float64]

MOST_LISTED = 100
MOST_BY_WEIGHTS = 300
"""With more people than this a coefficient that takes a pass for each of them is not repeated."""

BLOCK_CELLS = 4_000_000


def rater_lines(
    question: AskedQuestion, given: Judged, primary: Coefficient | None
) -> tuple[RaterLine, ...]:
    """A line for everybody who answered, those who go least with the others first."""
    ratings = given.ratings
    people = np.unique(given.answers.rater).tolist()
    without = _without(ratings, primary)
    units = np.bincount(ratings.rater, minlength=ratings.n_raters)
    numeric = ratings.scale.level != "nominal" and ratings.scale.values is not None
    others, reasons = _others(ratings) if numeric else ([None] * len(people), [None] * len(people))
    matches = [None] * len(people) if numeric else _matches(ratings)
    lines = [
        RaterLine(
            rater=given.answers.raters[who].code,
            group=given.answers.raters[who].country,
            n_units=int(units[code]),
            without=without[code],
            others=others[code],
            others_reason=reasons[code],
            matches=matches[code],
        )
        for code, who in enumerate(people)
    ]
    return tuple(sorted(lines, key=_least_alike))


def _least_alike(line: RaterLine) -> tuple[bool, float, str]:
    figure = line.others if line.others is not None else line.matches
    return figure is None, figure if figure is not None else 0.0, line.rater


def _without(ratings: CodedRatings, primary: Coefficient | None) -> list[float | None]:
    """The coefficient without each rater, by code; None where undefined, or not to be had."""
    nothing: list[float | None] = [None] * ratings.n_raters
    if primary is None or ratings.n_raters < 2:
        return nothing
    if has_many_values(ratings.scale) and ratings.n_raters > MOST_BY_WEIGHTS:
        return nothing
    drawing = Resampling(ratings=ratings, coefficients=[primary], resample="raters")
    ((left_out,),) = drawing.left_out()
    return [None if np.isnan(value) else float(value) for value in left_out.values]


def _others(ratings: CodedRatings) -> tuple[list[float | None], list[str | None]]:
    """Spearman of each person with the mean of the others, and why there is none."""
    values = np.array(ratings.scale.values)[ratings.category]
    items = rate_items(
        score=np.full(ratings.n_units, np.nan),
        item=ratings.unit,
        value=values,
        rater=ratings.rater,
    )
    if not values.size:
        return [], []
    found = {line.rater: line for line in leave_one_out(items=items).raters}
    lines = [found[code] for code in range(ratings.n_raters)]
    return [line.human for line in lines], [line.reason for line in lines]


def _matches(ratings: CodedRatings) -> list[float | None]:
    """The share of each person's answers that are the one majority of the others' on the unit."""
    own, others = against_others(ratings)
    counted = others >= 0
    n = np.bincount(ratings.rater[counted], minlength=ratings.n_raters)
    hits = np.bincount(
        ratings.rater[counted], weights=own[counted] == others[counted], minlength=ratings.n_raters
    )
    return [float(hit / size) if size else None for hit, size in zip(hits, n, strict=True)]


def against_others(ratings: CodedRatings) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """(own category, the others' majority) of every rating, shape (n_ratings,); -1 for a tie or
    where nobody else answered."""
    q = len(ratings.scale.labels)
    majority = np.full(ratings.n_ratings, -1, dtype=np.intp)
    if ratings.n_ratings == 0:
        return ratings.category, majority
    order = np.argsort(ratings.unit, kind="stable")
    step = max(1, BLOCK_CELLS // q)
    unit = ratings.unit[order]
    start = 0
    while start < order.size:
        stop = int(np.searchsorted(unit, unit[min(start + step, order.size) - 1], side="right"))
        rows = order[start:stop]
        local = unit[start:stop] - unit[start]
        counts = np.bincount(local * q + ratings.category[rows], minlength=(local[-1] + 1) * q)
        left = counts.reshape(-1, q)[local]
        left[np.arange(rows.size), ratings.category[rows]] -= 1
        most = left.max(axis=1)
        single = (most > 0) & ((left == most[:, None]).sum(axis=1) == 1)
        majority[rows] = np.where(single, left.argmax(axis=1), -1)
        start = stop
    return ratings.category, majority
