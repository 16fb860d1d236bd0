"""Two metrics against the same people, on the same items.

First the two that assume little: a **paired bootstrap** interval of the difference (both metrics
in each replicate, from the same draw) and a **paired permutation** p (the two metrics' scores of an
item change places, whole clusters together). Scores on different scales can only change places
after they are put on one: ranks for Spearman and Kendall, z-scores for Pearson and over systems,
within each group where the level is "within" (Deutsch, Dror and Roth 2021, "PERM-INPUTS", with
standardised scores). Then, for Pearson and Spearman over items, the analytic tests of
`dependent_correlations` as checks.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass

import numpy as np
import numpy.typing as npt

from scoring.stats.association import VARIANTS, Method, Pairs, midranks
from scoring.stats.correlation import why_undefined
from scoring.stats.counts import Codes
from scoring.stats.dependent_correlations import (
    DependentInterval,
    DependentTest,
    dependent_tests,
    zou_interval,
)
from scoring.stats.intervals import standard_error
from scoring.stats.level_values import Level, LevelValues, at_level
from scoring.stats.levels import AGGREGATIONS, level_interval, refuse_unknown
from scoring.stats.permutation import FEWEST_FOR_P
from scoring.stats.progress import Progress, ShouldStop, Watch
from scoring.stats.rated_items import RatedItems, Raters, Redraw
from scoring.stats.result import DEPENDABLE_UNITS, Interval

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

EXACT_UP_TO = 13
"""Largest number of items or clusters for which every exchange is tried (2^13 = 8,192)."""

TOLERANCE = 1e-8
"""Differences this close are as large as each other; standardised scores are rounded."""

PERMUTATIONS = 9_999
BLOCK_CELLS = 500_000


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricComparison:
    """Metric 1 less metric 2, each correlated with the same mean ratings of the same items.

    `difference` is None exactly when `reason` is set. `between` is the correlation of the two
    metrics with each other. `n_units` items have both scores and a rating, `n_drawn` is what a
    bootstrap draws of them (items or clusters), `n_left_out` items lack a side. `tests` and `zou`
    are empty or None at levels and methods they do not fit.
    """

    level: Level
    method: Method
    variant: str
    aggregation: str
    first: float | None
    second: float | None
    difference: float | None
    between: float | None
    reason: str | None
    n_units: int
    n_drawn: int
    n_left_out: int
    se: float | None
    interval: Interval | None
    p_value: float | None
    p_kind: str | None
    tests: tuple[DependentTest, ...]
    zou: DependentInterval | None

    @property
    def too_few_for_interval(self) -> bool:
        """Whether the items, or the clusters drawn, are too few for a dependable interval."""
        return self.n_drawn < DEPENDABLE_UNITS


def compare_metrics(
    *,
    items: RatedItems,
    other: npt.ArrayLike,
    level: Level = "pooled",
    method: Method = "spearman",
    replicates: int = 0,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
    raters: Raters = "fixed",
    progress: Progress | None = None,
    should_stop: ShouldStop | None = None,
) -> MetricComparison:
    """The items' own scores (metric 1) against `other` (metric 2), shape (n_items,), nan missing.

    Both metrics must point the same way: reverse one whose lower scores are better. At the level
    "within" only groups where both metrics have a correlation count. p is exact up to 13 items or
    clusters, and None below 4. Raises what `correlate_at_level` raises.
    """
    refuse_unknown([method], replicates)
    one, two, n_left_out = _shared_items(items, other, level)
    redraw = Redraw(one, raters)
    levels = [
        at_level(level, side.score, side.mean, side.group, whole_groups=redraw.whole_groups)
        for side in (one, two)
    ]
    point = _point(one, two, level, method, levels)
    p_value, p_kind = _permutation_p(one, two, level, method, point, permutations, seed)
    interval = se = None
    if replicates:
        watch = Watch(total=replicates, progress=progress, should_stop=should_stop)
        interval, se = _interval(point, levels, method, redraw, seed, watch)
    tests, zou = _analytic(point, level, method, one.n_items)
    return MetricComparison(
        level=level,
        method=method,
        variant=VARIANTS[method],
        aggregation=AGGREGATIONS[level],
        **asdict(point),
        n_units=one.n_items,
        n_drawn=redraw.n_things,
        n_left_out=n_left_out,
        se=se,
        interval=interval,
        p_value=p_value,
        p_kind=p_kind,
        tests=tests,
        zou=zou,
    )


@dataclass(frozen=True, slots=True)
class _Point:
    first: float | None
    second: float | None
    difference: float | None
    between: float | None
    reason: str | None


def _point(
    one: RatedItems, two: RatedItems, level: Level, method: Method, levels: list[LevelValues]
) -> _Point:
    reason = levels[0].reason or levels[1].reason
    if reason is not None:
        return _Point(None, None, None, None, reason)
    first, second = (_value(values, method, one.mean) for values in levels)
    if first is None or second is None:
        return _Point(first, second, None, None, "no_variation")
    between = _value(at_level(level, one.score, two.score, one.group), method, two.score)
    return _Point(first, second, first - second, between, None)


def _shared_items(
    items: RatedItems, other: npt.ArrayLike, level: Level
) -> tuple[RatedItems, RatedItems, int]:
    """(the shared items with metric 1, the same with metric 2, how many others there are)."""
    rival = items.scored_by(other)
    both = ~np.isnan(items.score) & ~np.isnan(rival.score) & ~np.isnan(items.mean)
    n_left_out = int((~both).sum())
    if level == "within" and items.group is not None:
        both &= _in_shared_groups(items, rival, both)
    return items.only(both), rival.only(both), n_left_out


def _in_shared_groups(items: RatedItems, rival: RatedItems, both: Mask) -> Mask:
    """Items of the groups in which both metrics and the ratings vary, shape (n_items,)."""
    kept = np.zeros(items.n_items, dtype=bool)
    if items.group is None:
        return kept
    for code in np.unique(items.group):
        of = both & (items.group == code)
        reasons = [why_undefined(side.score[of], side.mean[of]) for side in (items, rival)]
        if reasons == [None, None]:
            kept |= of
    return kept


def _value(values: LevelValues, method: Method, means: Floats) -> float | None:
    if values.reason is not None:
        return None
    found = float(values.values(method, np.ones((1, means.size)), means)[0, 0])
    return None if math.isnan(found) else found


def _interval(
    point: _Point,
    levels: list[LevelValues],
    method: Method,
    redraw: Redraw,
    seed: int,
    watch: Watch,
) -> tuple[Interval, float | None]:
    """(interval of the difference, its standard error); both metrics share each draw."""
    obstacle = point.reason or ("one_cluster" if redraw.n_things < 2 else None)
    parts = [np.empty(0)]
    if obstacle is None:
        for weights, means in redraw.blocks(np.random.default_rng(seed), watch.total):
            one, two = (values.values(method, weights, means)[:, 0] for values in levels)
            parts.append(one - two)
            watch.add(weights.shape[0])
    drawn = np.concatenate(parts)
    interval = level_interval(
        drawn,
        estimate=point.difference,
        redraw=redraw,
        replicates=watch.total,
        seed=seed,
        reason=obstacle,
        limit=2.0,
    )
    return interval, standard_error(drawn) if interval.reason is None else None


def _permutation_p(
    one: RatedItems,
    two: RatedItems,
    level: Level,
    method: Method,
    point: _Point,
    permutations: int,
    seed: int,
) -> tuple[float | None, str | None]:
    """(two-sided p, how): exchanged as often as it takes a difference at least as large."""
    if point.difference is None:
        return None, None
    difference = point.difference
    things = np.arange(one.n_items) if one.cluster is None else one.cluster
    thing = np.unique(things, return_inverse=True)[1]
    n_things = int(thing.max()) + 1
    if n_things < FEWEST_FOR_P:
        return None, None
    first, second = (_standardised(side, level, method) for side in (one, two))
    # The coefficients are symmetric: people's ratings take the place that stays.
    values = at_level(level, one.mean, first, one.group)
    exact = n_things <= EXACT_UP_TO
    # An exchange and its complement give opposite differences: half of them are enough.
    n_orders = 2 ** (n_things - 1) if exact else permutations
    rng = np.random.default_rng(seed)
    as_far = 0
    block = max(1, BLOCK_CELLS // one.n_items)
    for start in range(0, n_orders, block):
        size = min(block, n_orders - start)
        if exact:
            exchanged = (np.arange(start, start + size)[:, None] >> np.arange(n_things)) & 1 == 1
        else:
            exchanged = rng.random((size, n_things)) < 0.5
        swapped = exchanged[:, thing]
        weights = np.ones(swapped.shape)
        up = values.values(method, weights, np.where(swapped, second, first))[:, 0]
        down = values.values(method, weights, np.where(swapped, first, second))[:, 0]
        # An exchange that leaves a side without variation cannot count against the difference.
        apart = np.where(np.isnan(up - down), np.inf, np.abs(up - down))
        as_far += int((apart >= abs(difference) - TOLERANCE).sum())
    what = "items" if one.cluster is None else "clusters"
    if exact:
        return as_far / n_orders, f"exact paired permutation of {what}, two-sided"
    p = (1 + as_far) / (1 + n_orders)
    return p, f"paired permutation of {what}, {n_orders} random exchanges, seed {seed}, two-sided"


def _standardised(side: RatedItems, level: Level, method: Method) -> Floats:
    """Scores on a scale both metrics share, without changing this metric's correlation."""
    scores = side.score
    group = np.zeros(scores.size, dtype=np.intp) if side.group is None else side.group
    if level == "centred":
        scores = _by_group(scores, group, lambda part: part - part.mean())
        return _z_scores(scores)
    ranks = method != "pearson" and level != "system"
    transform = _rank_scores if ranks else _z_scores
    return _by_group(scores, group, transform) if level == "within" else transform(scores)


def _by_group(scores: Floats, group: Codes, transform: Callable[[Floats], Floats]) -> Floats:
    found = np.empty_like(scores)
    for code in np.unique(group):
        of = group == code
        found[of] = transform(scores[of])
    return found


def _rank_scores(scores: Floats) -> Floats:
    ranks = midranks(Pairs(scores, scores).x_group, np.ones((1, scores.size)))[0]
    return np.asarray(ranks)


def _z_scores(scores: Floats) -> Floats:
    spread = float(scores.std())
    return np.asarray((scores - scores.mean()) / (spread if spread > 0 else 1.0))


def _analytic(
    point: _Point, level: Level, method: Method, n: int
) -> tuple[tuple[DependentTest, ...], DependentInterval | None]:
    """The tests from r12, r13, r23 and n, where they are correlations over items."""
    first, second, between = point.first, point.second, point.between
    fits = level == "pooled" and method in ("pearson", "spearman")
    if not fits or first is None or second is None or between is None:
        return (), None
    return (
        dependent_tests(r12=first, r13=second, r23=between, n=n),
        zou_interval(r12=first, r13=second, r23=between, n=n),
    )
