"""The items behind a coefficient: points of a scatter, and those furthest from the trend."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from scoring.analysis.directions import expected_sign
from scoring.analysis.factors import system_of
from scoring.analysis.paired import Held, Units
from scoring.analysis.parts.against import Point, Scatter
from scoring.analysis.series import HumanSeries, ScoreData
from scoring.stats.association import Pairs, midranks
from scoring.stats.rated_items import RatedItems

MOST_POINTS = 1_500
"""More points than these make a blot; above, a chart shows how many lie where."""

FURTHEST = 20
BINS = 24

Floats = npt.NDArray[np.float64]


def scatter_of(
    data: ScoreData, human: HumanSeries, held: Held, units: Units, items: RatedItems
) -> Scatter | None:
    """None where no item has both sides."""
    both = np.flatnonzero(~np.isnan(items.score) & ~np.isnan(items.mean))
    if not both.size:
        return None
    score, mean = items.score[both], items.mean[both]
    points = [
        Point(
            item=units.item[place],
            name=data.items[units.item[place]].name,
            link=data.items[units.item[place]].link,
            human=float(items.mean[place]),
            score=float(items.score[place]),
            system=system_of(data.items[units.item[place]]),
        )
        for place in both.tolist()
    ]
    sign = expected_sign(held.facts.better, human.facts.better) or 1
    far = np.argsort(-np.abs(_rank_apart(sign * score, mean)), kind="stable")[:FURTHEST]
    shown = len(points) <= MOST_POINTS
    counts, x_edges, y_edges = _bins(mean, score, human, held) if not shown else ((), (), ())
    return Scatter(
        n_points=len(points),
        points=tuple(points) if shown else (),
        furthest_points=tuple(points[place] for place in far.tolist()),
        x_edges=tuple(x_edges),
        y_edges=tuple(y_edges),
        counts=tuple(tuple(row) for row in counts),
    )


def _rank_apart(score: Floats, mean: Floats) -> Floats:
    """Mid-rank of the score less that of the rating, as shares of the items, shape (n,)."""
    pairs = Pairs(score, mean)
    one = np.ones((1, score.size))
    apart = midranks(pairs.x_group, one)[0] - midranks(pairs.y_group, one)[0]
    return np.asarray(apart / score.size)


def _bins(
    mean: Floats, score: Floats, human: HumanSeries, held: Held
) -> tuple[list[list[int]], list[float], list[float]]:
    """(counts by row of scores and column of ratings, edges of ratings, edges of scores)."""
    x_range = _range(mean, human.facts.low, human.facts.high)
    y_range = _range(score, held.facts.low, held.facts.high)
    counts, x_edges, y_edges = np.histogram2d(mean, score, bins=BINS, range=(x_range, y_range))
    return counts.T.astype(int).tolist(), x_edges.tolist(), y_edges.tolist()


def _range(values: Floats, low: float | None, high: float | None) -> tuple[float, float]:
    least, most = float(values.min()), float(values.max())
    low = least if low is None else min(low, least)
    high = most if high is None else max(high, most)
    return (low, high) if high > low else (low - 0.5, high + 0.5)
