"""Means over items with intervals that draw whole prompts: many means from the same draws.

A column is one mean: the values of some items and the cluster (prompt) each belongs to. With W the
weights of a block of replicates, shape (b, n_clusters), and S and N the sums and sizes of each
column's clusters, shape (n_columns, n_clusters), all replicates are (W S') / (W N'): a ratio
estimator, since a column's size differs from draw to draw. Clusters are drawn within strata
(countries), which stay as they are. A mean of paired differences is a column like any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from scoring.stats.counts import Codes
from scoring.stats.draws import Pool
from scoring.stats.intervals import percentile_interval, standard_error
from scoring.stats.progress import Progress, ShouldStop, Watch
from scoring.stats.result import DEPENDABLE_UNITS, Interval

Floats = npt.NDArray[np.float64]

BLOCK_CELLS = 1_000_000
"""Weights, or replicates of all columns, held at once."""


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """The items of one mean: `values` (k,), finite, and `cluster` (k,), 0-based codes."""

    values: Floats
    cluster: Codes


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanResult:
    """A mean over items, or the reason why there is none (`value` is then None).

    `sd` is the standard deviation over the items (n - 1), None with `sd_reason`. `n_units` items
    have a value; `n_drawn` is how many things a bootstrap draws of them (items or clusters).
    """

    value: float | None
    reason: str | None
    sd: float | None
    sd_reason: str | None
    n_units: int
    n_drawn: int
    se: float | None = None
    interval: Interval | None = None
    unit_of_analysis: str = "item"
    aggregation: str = "mean over items"

    @property
    def too_few_for_interval(self) -> bool:
        """Whether the items, or the clusters drawn, are too few for a dependable interval."""
        return self.n_drawn < DEPENDABLE_UNITS


def clustered_means(
    *,
    columns: Sequence[Column],
    n_clusters: int,
    strata: npt.ArrayLike | None = None,
    replicates: int = 0,
    seed: int = 0,
    resampled: str = "items",
    aggregation: str = "mean over items",
    unit_of_analysis: str = "item",
    progress: Progress | None = None,
    should_stop: ShouldStop | None = None,
) -> tuple[MeanResult, ...]:
    """The mean of each column with a 95 % percentile interval; the seed decides the draws.

    `strata`: a 0-based code for each cluster, shape (n_clusters,). `replicates` 0: no intervals.

    Raises ValueError for values that are not finite, clusters out of range or another shape.
    """
    checked = [_checked(column, n_clusters) for column in columns]
    strata_of = _checked_strata(strata, n_clusters)
    results = [_estimate(column, aggregation, unit_of_analysis) for column in checked]
    if not replicates:
        return tuple(results)
    watch = Watch(total=replicates, progress=progress, should_stop=should_stop)
    drawn = _replicates(checked, n_clusters, strata_of, seed, watch)
    sizes = np.bincount(strata_of, minlength=1)
    return tuple(
        _with_interval(
            result,
            drawn[:, number],
            reason=result.reason or _obstacle(column, strata_of, sizes),
            resampled=resampled,
            replicates=replicates,
            seed=seed,
        )
        for number, (result, column) in enumerate(zip(results, checked, strict=True))
    )


def _estimate(column: Column, aggregation: str, unit_of_analysis: str) -> MeanResult:
    values = column.values
    return MeanResult(
        value=float(values.mean()) if values.size else None,
        reason=None if values.size else "no_values",
        sd=float(values.std(ddof=1)) if values.size > 1 else None,
        sd_reason=None if values.size > 1 else "one_item" if values.size else "no_values",
        n_units=int(values.size),
        n_drawn=int(np.unique(column.cluster).size),
        aggregation=aggregation,
        unit_of_analysis=unit_of_analysis,
    )


def _replicates(
    columns: Sequence[Column], n_clusters: int, strata: Codes, seed: int, watch: Watch
) -> Floats:
    """Shape (replicates, n_columns); nan where no item of a column was drawn."""
    from scipy import sparse

    shape = (len(columns), n_clusters)
    row = np.repeat(np.arange(len(columns)), [column.values.size for column in columns])
    cluster = np.concatenate([column.cluster for column in columns] or [np.empty(0, np.intp)])
    values = np.concatenate([column.values for column in columns] or [np.empty(0)])
    sums = sparse.csr_array((values, (row, cluster)), shape=shape)
    sizes = sparse.csr_array((np.ones(values.size), (row, cluster)), shape=shape)
    pool = Pool(n_clusters, strata)
    rng = np.random.default_rng(seed)
    parts = [np.empty((0, len(columns)))]
    block = max(1, BLOCK_CELLS // max(n_clusters, len(columns), 1))
    for start in range(0, watch.total, block):
        size = min(block, watch.total - start)
        weights = pool.draw(rng, size).astype(np.float64).T if n_clusters else np.empty((0, size))
        total, count = (sums @ weights).T, (sizes @ weights).T
        parts.append(np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0))
        watch.add(size)
    return np.concatenate(parts)


def _obstacle(column: Column, strata: Codes, sizes: Codes) -> str | None:
    """Why a column cannot be drawn anew, or None."""
    clusters = np.unique(column.cluster)
    if clusters.size < 2:
        return "one_item" if column.values.size < 2 else "one_cluster"
    return "one_per_stratum" if int(sizes[strata[clusters]].max()) < 2 else None


def _with_interval(
    result: MeanResult,
    drawn: Floats,
    *,
    reason: str | None,
    resampled: str,
    replicates: int,
    seed: int,
) -> MeanResult:
    interval = percentile_interval(
        drawn if reason is None else np.empty(0),
        resampled=resampled,
        replicates=replicates,
        seed=seed,
        reason=reason,
    )
    se = standard_error(drawn) if interval.reason is None else None
    return replace(result, interval=interval, se=se)


def _checked(column: Column, n_clusters: int) -> Column:
    values = np.asarray(column.values, dtype=np.float64)
    cluster = np.asarray(column.cluster)
    if values.ndim != 1 or values.shape != cluster.shape:
        raise ValueError(
            f"{values.shape} values and {cluster.shape} clusters came; one cluster a value is "
            "needed."
        )
    if not np.isfinite(values).all():
        raise ValueError("A value is missing or infinite; leave such items out and count them.")
    codes = cluster.astype(np.intp)
    if codes.size and not 0 <= int(codes.min()) <= int(codes.max()) < n_clusters:
        raise ValueError(f"A cluster lies outside 0 to {n_clusters - 1}.")
    return Column(values, codes)


def _checked_strata(strata: npt.ArrayLike | None, n_clusters: int) -> Codes:
    if strata is None:
        return np.zeros(n_clusters, dtype=np.intp)
    codes = np.asarray(strata)
    if codes.shape != (n_clusters,):
        raise ValueError(f"Strata of shape {codes.shape} came for {n_clusters} clusters.")
    return np.asarray(np.unique(codes, return_inverse=True)[1], dtype=np.intp)
