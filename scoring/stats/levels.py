"""A metric against people at a named level, with interval and p-value.

The levels are those of `level_values`, what is drawn anew that of `rated_items`.

**Interval.** 95 % percentiles of the replicates. Where ratings are drawn too, replicates carry the
raters' noise twice and lie nearer to 0; the percentiles are then moved by (estimate - median of the
replicates), which keeps their spread, and the kind says "recentred percentile".

**p.** Pooled and over systems: exact up to 9, else asymptotic or by random orders. Within groups
and centred: random orders of the ratings within each group, since groups are not exchangeable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from scoring.stats.association import METHODS, VARIANTS, Method, Pairs
from scoring.stats.correlation import FEWEST_UNITS, why_undefined
from scoring.stats.intervals import percentile_interval, standard_error
from scoring.stats.level_values import (
    Level,
    LevelValues,
    Pooled,
    Systems,
    at_level,
)
from scoring.stats.permutation import FEWEST_FOR_P, TOLERANCE, PKind, two_sided_p
from scoring.stats.progress import Progress, ShouldStop, Watch
from scoring.stats.rated_items import RatedItems, Raters, Redraw
from scoring.stats.result import DEPENDABLE_UNITS, Interval

Floats = npt.NDArray[np.float64]

ORDERS_WITHIN = 1_999
"""Random orders within groups; with the seen one they make 2,000."""

FEWEST_ORDERS = 499
ORDERS_ITEMS = 4_000_000
"""Above this many orders times items fewer orders are tried, down to the fewest."""

ORDERS_CELLS = 500_000

AGGREGATIONS: dict[Level, str] = {
    "pooled": "mean rating of each item, pooled over items",
    "within": "mean rating of each item, correlated within each group, arithmetic mean over groups",
    "centred": "mean rating of each item, less the mean of its group on both sides",
    "system": "mean over the items of each system, of scores and of mean ratings",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupCorrelation:
    """One group's own correlation; `group` is its code. Undefined groups are listed too."""

    group: int
    value: float | None
    reason: str | None
    n_units: int
    n_without_score: int
    n_without_rating: int
    n_raters: int | None
    n_ratings: int
    p_value: float | None
    p_kind: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelCorrelation:
    """One correlation of a metric with mean ratings at one level.

    `value` is None exactly when `reason` is set. At the level "within" it is the arithmetic mean
    over the groups that have a value, and `fisher_mean` (None elsewhere, or where some group
    correlates perfectly) stands beside it; `groups` lists every group. `n_units` counts items with
    both sides, `n_points` those the value rests on (systems, or items: within groups those of the
    groups with a value, centred those that share a group; without a value all), `n_drawn` what a
    bootstrap draws (items, or clusters of them). p takes the items as independent.
    """

    level: Level
    method: Method
    variant: str
    value: float | None
    reason: str | None
    n_units: int
    n_points: int
    n_without_score: int
    n_without_rating: int
    n_raters: int | None
    n_ratings: int
    n_groups: int | None
    groups: tuple[GroupCorrelation, ...]
    aggregation: str
    unit_of_analysis: str
    n_drawn: int
    fisher_mean: float | None = None
    p_value: float | None = None
    p_kind: str | None = None
    se: float | None = None
    interval: Interval | None = None

    @property
    def n_items(self) -> int:
        """How many items the value rests on; of systems, those behind their means."""
        return self.n_units if self.level == "system" else self.n_points

    @property
    def n_groups_undefined(self) -> int:
        """How many groups have no correlation of their own."""
        return sum(group.value is None for group in self.groups)

    @property
    def n_left_out(self) -> int:
        """How many items could not be paired."""
        return self.n_without_score + self.n_without_rating

    @property
    def too_few_for_interval(self) -> bool:
        """Whether the items, or the clusters drawn, are too few for a dependable interval."""
        return self.n_drawn < DEPENDABLE_UNITS


def correlate_at_level(
    *,
    items: RatedItems,
    level: Level,
    methods: Sequence[Method] = ("spearman",),
    replicates: int = 0,
    seed: int = 0,
    raters: Raters = "fixed",
    p_kind: PKind = "asymptotic",
    p_within: bool = True,
    fewest_units: int = FEWEST_UNITS,
    progress: Progress | None = None,
    should_stop: ShouldStop | None = None,
) -> tuple[LevelCorrelation, ...]:
    """Each method's correlation at a level, all from the same draws; the seed decides them.

    Fewer than `fewest_units` items have no pooled correlation (reason `too_few_items`). Without
    `p_within` there is no p within groups: its permutations take far longer than the estimate.

    Raises ValueError for an unknown method or level, a negative number of replicates, a level that
    needs groups and has none, and "crossed" raters who are not named; BootstrapStopped where
    `should_stop` says so.
    """
    refuse_unknown(methods, replicates)
    paired = items.paired()
    redraw = Redraw(paired, raters)
    values = at_level(
        level,
        paired.score,
        paired.mean,
        paired.group,
        whole_groups=redraw.whole_groups,
        fewest_units=fewest_units,
    )
    results = [
        _estimate(items, paired, level, method, values, n_drawn=redraw.n_things)
        for method in methods
    ]
    if p_within or isinstance(values, Pooled | Systems):
        results = [_with_p(result, values, paired, p_kind, seed) for result in results]
    if replicates:
        watch = Watch(total=replicates, progress=progress, should_stop=should_stop)
        drawn = _replicates(values, methods, redraw, seed, watch)
        results = [
            _with_interval(result, column, values=values, redraw=redraw, seed=seed, watch=watch)
            for result, column in zip(results, drawn.T, strict=True)
        ]
    return tuple(results)


def refuse_unknown(methods: Sequence[Method], replicates: int) -> None:
    """Raises ValueError for an unknown method or a negative number of replicates."""
    for method in methods:
        if method not in METHODS:
            raise ValueError(f"Method {method!r} is unknown; choose from {', '.join(METHODS)}.")
    if replicates < 0:
        raise ValueError(f"{replicates} bootstrap replicates were asked for; 0 or more is needed.")


def level_interval(
    drawn: Floats,
    *,
    estimate: float | None,
    redraw: Redraw,
    replicates: int,
    seed: int,
    reason: str | None,
    limit: float = 1.0,
) -> Interval:
    """The percentile interval of replicates (see the module's text), within -limit..limit."""
    interval = percentile_interval(
        drawn, resampled=redraw.what, replicates=replicates, seed=seed, reason=reason
    )
    if not redraw.redraws_ratings or interval.low is None or interval.high is None:
        return interval
    shift = (estimate or 0.0) - float(np.nanmedian(drawn))
    return replace(
        interval,
        low=max(interval.low + shift, -limit),
        high=min(interval.high + shift, limit),
        kind="recentred percentile",
    )


def _estimate(
    items: RatedItems,
    paired: RatedItems,
    level: Level,
    method: Method,
    values: LevelValues,
    *,
    n_drawn: int,
) -> LevelCorrelation:
    value = fisher = None
    reason = values.reason
    if reason is None:
        found = values.values(method, np.ones((1, paired.n_items)), paired.mean)[0]
        value = None if np.isnan(found[0]) else float(found[0])
        reason = "no_variation" if value is None else None
        fisher = float(found[1]) if found.size > 1 and not np.isnan(found[1]) else None
    system = level == "system"
    n_groups = None if paired.group is None else int(np.unique(paired.group).size)
    return LevelCorrelation(
        level=level,
        method=method,
        variant=VARIANTS[method],
        value=value,
        fisher_mean=fisher,
        reason=reason,
        n_units=paired.n_items,
        n_points=values.n_points if system or value is not None else paired.n_items,
        n_without_score=items.n_without_score,
        n_without_rating=items.n_without_rating,
        n_raters=paired.n_raters,
        n_ratings=int(paired.item.size),
        n_groups=n_groups if level != "pooled" else None,
        groups=_group_correlations(items, method) if level == "within" else (),
        aggregation=AGGREGATIONS[level],
        unit_of_analysis="system" if system else "item",
        n_drawn=n_drawn,
    )


def _group_correlations(items: RatedItems, method: Method) -> tuple[GroupCorrelation, ...]:
    """Every group of the items, those without a single pair too."""
    if items.group is None:
        return ()
    found = []
    for code in np.unique(items.group):
        whole = items.only(items.group == code)
        part = whole.paired()
        reason = why_undefined(part.score, part.mean)
        value = p_value = p_kind = None
        if reason is None:
            pairs = Pairs(part.score, part.mean)
            value = pairs.value(method)
            if value is not None:
                p_value, p_kind = two_sided_p(
                    method=method, value=value, pairs=pairs, kind="asymptotic", seed=0
                )
        found.append(
            GroupCorrelation(
                group=int(code),
                value=value,
                reason=reason,
                n_units=part.n_items,
                n_without_score=whole.n_without_score,
                n_without_rating=whole.n_without_rating,
                n_raters=part.n_raters,
                n_ratings=int(part.item.size),
                p_value=p_value,
                p_kind=p_kind,
            )
        )
    return tuple(found)


def _with_p(
    result: LevelCorrelation, values: LevelValues, paired: RatedItems, kind: PKind, seed: int
) -> LevelCorrelation:
    if result.value is None:
        return result
    if isinstance(values, Pooled | Systems):
        p, how = two_sided_p(
            method=result.method, value=result.value, pairs=values.pairs, kind=kind, seed=seed
        )
        return replace(result, p_value=p, p_kind=how)
    if paired.group is None or result.n_units < FEWEST_FOR_P:
        return result
    # Fewer orders of many items: what each costs grows, and so does how much the items tell.
    orders = max(FEWEST_ORDERS, min(ORDERS_WITHIN, ORDERS_ITEMS // paired.n_items))
    p = _p_within_groups(result, values, paired, orders, seed)
    how = f"permutation within groups, {orders} random orders, seed {seed}, two-sided"
    return replace(result, p_value=p, p_kind=how)


def _p_within_groups(
    result: LevelCorrelation, values: LevelValues, paired: RatedItems, orders: int, seed: int
) -> float:
    """(1 + orders at least as far from 0) / (1 + orders), ratings shuffled within groups."""
    group = np.zeros(paired.n_items, dtype=np.intp) if paired.group is None else paired.group
    rng = np.random.default_rng(seed)
    by_group = np.argsort(group, kind="stable")
    seen = abs(result.value or 0.0)
    as_far = 0
    block = max(1, ORDERS_CELLS // paired.n_items)
    for start in range(0, orders, block):
        size = min(block, orders - start)
        # Sorted by group and, within it, by chance.
        keys = group + rng.random((size, paired.n_items))
        shuffled = np.empty((size, paired.n_items))
        shuffled[:, by_group] = paired.mean[np.argsort(keys, axis=1)]
        found = values.values(result.method, np.ones(shuffled.shape), shuffled)[:, 0]
        as_far += int((np.abs(found) >= seen - TOLERANCE).sum())
    return (1 + as_far) / (1 + orders)


def _replicates(
    values: LevelValues, methods: Sequence[Method], redraw: Redraw, seed: int, watch: Watch
) -> Floats:
    """Bootstrap replicates, shape (replicates, n_methods); none where there is no estimate."""
    if values.reason is not None or redraw.n_things < 2:
        return np.empty((0, len(methods)))
    parts = []
    for weights, means in redraw.blocks(np.random.default_rng(seed), watch.total):
        columns = [values.values(method, weights, means)[:, 0] for method in methods]
        parts.append(np.column_stack(columns))
        watch.add(weights.shape[0])
    return np.concatenate(parts)


def _with_interval(
    result: LevelCorrelation,
    drawn: Floats,
    *,
    values: LevelValues,
    redraw: Redraw,
    seed: int,
    watch: Watch,
) -> LevelCorrelation:
    obstacle = values.reason or ("one_cluster" if redraw.n_things < 2 else None)
    interval = level_interval(
        drawn,
        estimate=result.value,
        redraw=redraw,
        replicates=watch.total,
        seed=seed,
        reason=result.reason or obstacle,
    )
    se = standard_error(drawn) if interval.reason is None else None
    return replace(result, interval=interval, se=se)
