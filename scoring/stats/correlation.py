"""Correlation of a metric's scores with mean human ratings, pooled over items.

The coefficients are those of `association`, p-values those of `permutation`; `levels` has the same
within groups, group-centred and over systems.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from scoring.stats.association import (
    METHODS,
    VARIANTS,
    Method,
    Pairs,
    rounded_ratings,
    rounded_scores,
)
from scoring.stats.counts import Codes
from scoring.stats.draws import Pool
from scoring.stats.intervals import percentile_interval, standard_error
from scoring.stats.permutation import FEWEST_FOR_P, PKind, two_sided_p
from scoring.stats.progress import Progress, ShouldStop, Watch
from scoring.stats.result import CorrelationResult

__all__ = [
    "FEWEST_FOR_P",
    "FEWEST_IN_GROUP",
    "FEWEST_UNITS",
    "METHODS",
    "VARIANTS",
    "Method",
    "correlate_scores",
    "mean_by_unit",
    "why_undefined",
]

Floats = npt.NDArray[np.float64]

FEWEST_UNITS = 3
"""With two items every correlation is 1, -1 or undefined."""

FEWEST_IN_GROUP = 4
"""One group among several, with fewer items, has no correlation worth reading."""

BLOCK_CELLS = 150_000
"""Weights held at once by a block of replicates; some ten arrays of their size are needed."""


def correlate_scores(
    *,
    scores: npt.ArrayLike,
    mean_ratings: npt.ArrayLike,
    methods: Sequence[Method] = ("spearman",),
    replicates: int = 0,
    seed: int = 0,
    clusters: npt.ArrayLike | None = None,
    fewest_units: int = FEWEST_UNITS,
    p_kind: PKind = "asymptotic",
    progress: Progress | None = None,
    should_stop: ShouldStop | None = None,
) -> tuple[CorrelationResult, ...]:
    """Each correlation of scores with mean ratings, with a 95 % percentile interval.

    `scores` and `mean_ratings` have shape (n_items,); nan on either side is a missing value, the
    item is left out and counted. Items are drawn anew, by cluster where `clusters` (n_items,)
    names one for each (0-based codes); all methods share the draws. `replicates` 0 gives no
    interval. Fewer than `fewest_units` pairs give no value (reason `too_few_items`). p is exact up
    to 9 items, of the kind `p_kind` beyond, and None below 4.

    Raises ValueError for infinite values, different lengths, an unknown method or negative
    `replicates`, and BootstrapStopped where `should_stop` says so.
    """
    x, y = _checked_sides(scores, mean_ratings)
    _check_request(methods, replicates)
    both = ~np.isnan(x) & ~np.isnan(y)
    cluster = None if clusters is None else _checked_clusters(clusters, x.size)
    reason = why_undefined(x[both], y[both], fewest_units)
    counts = _counts_of(x, y)
    results = tuple(
        CorrelationResult(
            method=method,
            variant=VARIANTS[method],
            value=None,
            reason=reason,
            **counts,
        )
        for method in methods
    )
    # Sorted by score, so that no weight of a replicate has to be moved.
    rising = np.flatnonzero(both)[np.argsort(x[both], kind="stable")]
    pairs = Pairs(x[rising], y[rising])
    if reason is None:
        results = tuple(_with_value(result, pairs, p_kind, seed) for result in results)
    if replicates:
        watch = Watch(total=replicates, progress=progress, should_stop=should_stop)
        drawn = None if cluster is None else cluster[rising]
        results = _with_intervals(results, pairs, drawn, seed, watch)
    return results


def _counts_of(x: Floats, y: Floats) -> dict[str, Any]:
    """How many items have both sides, and how many lack one."""
    return {
        "n_units": int((~np.isnan(x) & ~np.isnan(y)).sum()),
        "n_without_score": int((np.isnan(x) & ~np.isnan(y)).sum()),
        "n_without_rating": int(np.isnan(y).sum()),
    }


def mean_by_unit(*, unit: npt.ArrayLike, values: npt.ArrayLike, n_units: int) -> Floats:
    """Mean rating of each unit, rounded to 9 decimals, shape (n_units,); nan where none.

    `unit` and `values` have shape (n_ratings,); nan values are missing. Raises ValueError for
    infinite values.
    """
    codes = np.asarray(unit, dtype=np.intp)
    numbers = np.asarray(values, dtype=np.float64)
    if np.isinf(numbers).any():
        raise ValueError("A rating is infinite; ratings must be finite numbers.")
    present = ~np.isnan(numbers)
    sums = np.bincount(codes[present], weights=numbers[present], minlength=n_units)
    sizes = np.bincount(codes[present], minlength=n_units)
    means = np.divide(sums, sizes, out=np.full(n_units, np.nan), where=sizes > 0)
    return rounded_ratings(means)


def why_undefined(x: Floats, y: Floats, fewest_units: int = FEWEST_IN_GROUP) -> str | None:
    """Why scores x and ratings y, shape (n,), have no correlation; None where they have one."""
    if x.size < max(fewest_units, 2):
        return why_too_few(x.size, fewest_units)
    if (y == y[0]).all():
        return "no_variation"
    return "constant_metric" if (x == x[0]).all() else None


def why_too_few(n_units: int, fewest_units: int = FEWEST_IN_GROUP) -> str | None:
    """Why so many units have no correlation; None where they are enough."""
    if n_units == 0:
        return "no_shared_items"
    if n_units == 1:
        return "one_item"
    return "too_few_items" if n_units < fewest_units else None


def _with_value(
    result: CorrelationResult, pairs: Pairs, kind: PKind, seed: int
) -> CorrelationResult:
    method = cast(Method, result.method)
    value = pairs.value(method)
    if value is None:
        return replace(result, reason="no_variation")
    p_value, p_kind = two_sided_p(method=method, value=value, pairs=pairs, kind=kind, seed=seed)
    return replace(result, value=value, p_value=p_value, p_kind=p_kind)


def _with_intervals(
    results: tuple[CorrelationResult, ...],
    pairs: Pairs,
    cluster: Codes | None,
    seed: int,
    watch: Watch,
) -> tuple[CorrelationResult, ...]:
    reason = results[0].reason if results else None
    if reason is None and cluster is not None and np.unique(cluster).size == 1:
        reason = "one_cluster"
    drawn = np.empty((0, len(results)))
    if reason is None:
        methods = [cast(Method, result.method) for result in results]
        drawn = _replicates(pairs, methods, cluster, np.random.default_rng(seed), watch)
    finished = []
    for column, result in enumerate(results):
        interval = percentile_interval(
            drawn[:, column],
            resampled="items" if cluster is None else "clusters of items",
            replicates=watch.total,
            seed=seed,
            reason=reason,
        )
        se = standard_error(drawn[:, column]) if interval.reason is None else None
        finished.append(replace(result, interval=interval, se=se))
    return tuple(finished)


def _replicates(
    pairs: Pairs,
    methods: Sequence[Method],
    cluster: Codes | None,
    rng: np.random.Generator,
    watch: Watch,
) -> Floats:
    """Bootstrap replicates, shape (replicates, n_methods)."""
    n = pairs.x.size
    codes = np.arange(n) if cluster is None else np.unique(cluster, return_inverse=True)[1]
    pool = Pool(int(codes.max()) + 1)
    block = max(1, BLOCK_CELLS // n)
    parts = []
    for start in range(0, watch.total, block):
        size = min(block, watch.total - start)
        weights = pool.draw(rng, size)[:, codes].astype(np.float64)
        parts.append(np.column_stack([pairs.values(method, weights) for method in methods]))
        watch.add(size)
    return np.concatenate(parts)


def _checked_sides(scores: npt.ArrayLike, mean_ratings: npt.ArrayLike) -> tuple[Floats, Floats]:
    x = np.asarray(scores, dtype=np.float64)
    y = np.asarray(mean_ratings, dtype=np.float64)
    if x.ndim != 1 or x.shape != y.shape:
        raise ValueError(
            f"Scores have shape {x.shape} and mean ratings {y.shape}; both need one dimension of "
            "the same length."
        )
    if np.isinf(x).any() or np.isinf(y).any():
        raise ValueError("A score or rating is infinite; only finite numbers can be correlated.")
    return rounded_scores(x), rounded_ratings(y)


def _check_request(methods: Sequence[Method], replicates: int) -> None:
    for method in methods:
        if method not in METHODS:
            raise ValueError(f"Method {method!r} is unknown; choose from {', '.join(METHODS)}.")
    if replicates < 0:
        raise ValueError(f"{replicates} bootstrap replicates were asked for; 0 or more is needed.")


def _checked_clusters(clusters: npt.ArrayLike, n_items: int) -> Codes:
    codes = np.asarray(clusters)
    if codes.shape != (n_items,) or not np.issubdtype(codes.dtype, np.integer):
        raise ValueError(
            f"Clusters of shape {codes.shape} and type {codes.dtype} came; one whole number for "
            f"each of the {n_items} items is needed."
        )
    return codes.astype(np.intp)
