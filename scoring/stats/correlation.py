"""Correlation of a metric's scores with mean human ratings, over items.

Pearson, Spearman (Pearson of mid-ranks) and Kendall's tau-b, each for weighted items: a bootstrap
replicate is a weighting of the items by how often they were drawn, so ranks are weighted mid-ranks
and nothing is sorted anew. Whole weights give exactly the coefficient of the drawn sample.

Mean ratings are rounded to 9 decimals before anything is ranked: (1 + 2 + 2) / 3 and its like
would otherwise break ties by floating-point noise. Scores are means too, but of any size: they are
rounded to 40 binary digits (a relative 1e-12), so that (0.1 + 0.5) / 2 is (0.2 + 0.4) / 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, cast, get_args

import numpy as np
import numpy.typing as npt

from scoring.stats.bootstrap import BLOCK_CELLS, percentile_interval, standard_error
from scoring.stats.counts import Codes
from scoring.stats.kendall import tau_b
from scoring.stats.permutation import EXACT_UP_TO, kendall_p, pearson_p
from scoring.stats.result import CorrelationResult
from scoring.stats.scale import DECIMALS

Floats = npt.NDArray[np.float64]

Method = Literal["spearman", "pearson", "kendall"]
METHODS: tuple[Method, ...] = get_args(Method)

VARIANTS: dict[Method, str] = {
    "spearman": "Spearman's rho, mid-ranks",
    "pearson": "Pearson's r",
    "kendall": "Kendall's tau-b",
}

SCORE_BITS = 40

FEWEST_UNITS = 3
"""With two items every correlation is 1, -1 or undefined."""

FEWEST_IN_GROUP = 4
"""One group among several, with fewer items, has no correlation worth reading."""

FEWEST_FOR_P = 4
"""Below this the smallest two-sided permutation p is 1/3 and says nothing."""


def correlate_scores(
    *,
    scores: npt.ArrayLike,
    mean_ratings: npt.ArrayLike,
    methods: Sequence[Method] = ("spearman",),
    replicates: int = 0,
    seed: int = 0,
    clusters: npt.ArrayLike | None = None,
    fewest_units: int = FEWEST_UNITS,
) -> tuple[CorrelationResult, ...]:
    """Each correlation of scores with mean ratings, with a 95 % percentile interval.

    `scores` and `mean_ratings` have shape (n_items,); nan on either side is a missing value, the
    item is left out and counted. Items are drawn anew, by cluster where `clusters` (n_items,)
    names one for each (0-based codes); all methods share the draws. `replicates` 0 gives no
    interval. Fewer than `fewest_units` pairs give no value (reason `too_few_items`).

    Raises ValueError for infinite values, different lengths, an unknown method or negative
    `replicates`.
    """
    x, y = _checked_sides(scores, mean_ratings)
    _check_request(methods, replicates)
    both = ~np.isnan(x) & ~np.isnan(y)
    cluster = None if clusters is None else _checked_clusters(clusters, x.size)[both]
    reason = _why_undefined(x[both], y[both], fewest_units)
    results = tuple(
        CorrelationResult(
            method=method,
            variant=VARIANTS[method],
            value=None,
            reason=reason,
            n_units=int(both.sum()),
            n_without_score=int((np.isnan(x) & ~np.isnan(y)).sum()),
            n_without_rating=int(np.isnan(y).sum()),
        )
        for method in methods
    )
    pairs = _Pairs(x[both], y[both])
    if reason is None:
        results = tuple(_with_value(result, pairs) for result in results)
    if replicates:
        results = _with_intervals(results, pairs, cluster, replicates, seed)
    return results


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
    return np.asarray(np.round(means, DECIMALS))


class _Pairs:
    """Paired values with their ties worked out once: shape (n,) each."""

    def __init__(self, x: Floats, y: Floats) -> None:
        self.x = x
        self.y = y
        self.x_group = np.unique(x, return_inverse=True)[1]
        self.y_group = np.unique(y, return_inverse=True)[1]

    def values(self, method: Method, weights: Floats) -> Floats:
        """The coefficient for each weighting, shape (b,), from weights (b, n); nan undefined."""
        if method == "kendall":
            return tau_b(self.x_group, self.y_group, weights)
        if method == "spearman":
            return _weighted_pearson(
                _midranks(self.x_group, weights), _midranks(self.y_group, weights), weights
            )
        return _weighted_pearson(self.x[None], self.y[None], weights)


def _with_value(result: CorrelationResult, pairs: _Pairs) -> CorrelationResult:
    method = cast(Method, result.method)
    value = float(pairs.values(method, np.ones((1, pairs.x.size)))[0])
    p_value, p_kind = _two_sided_p(method, value, pairs)
    return replace(result, value=value, p_value=p_value, p_kind=p_kind)


def _with_intervals(
    results: tuple[CorrelationResult, ...],
    pairs: _Pairs,
    cluster: Codes | None,
    replicates: int,
    seed: int,
) -> tuple[CorrelationResult, ...]:
    reason = results[0].reason if results else None
    if reason is None and cluster is not None and np.unique(cluster).size == 1:
        reason = "one_cluster"
    drawn = np.empty((0, len(results)))
    if reason is None:
        methods = [cast(Method, result.method) for result in results]
        drawn = _replicates(pairs, methods, cluster, replicates, np.random.default_rng(seed))
    finished = []
    for column, result in enumerate(results):
        interval = percentile_interval(
            drawn[:, column],
            resampled="items" if cluster is None else "clusters of items",
            replicates=replicates,
            seed=seed,
            reason=reason,
        )
        se = standard_error(drawn[:, column]) if interval.reason is None else None
        finished.append(replace(result, interval=interval, se=se))
    return tuple(finished)


def _replicates(
    pairs: _Pairs,
    methods: Sequence[Method],
    cluster: Codes | None,
    replicates: int,
    rng: np.random.Generator,
) -> Floats:
    """Bootstrap replicates, shape (replicates, n_methods)."""
    n = pairs.x.size
    codes = np.arange(n) if cluster is None else np.unique(cluster, return_inverse=True)[1]
    n_drawn = int(codes.max()) + 1
    block = max(1, BLOCK_CELLS // (8 * n))
    parts = []
    for start in range(0, replicates, block):
        size = min(block, replicates - start)
        draws = rng.integers(n_drawn, size=(size, n_drawn)) + n_drawn * np.arange(size)[:, None]
        weights = np.bincount(draws.ravel(), minlength=size * n_drawn).reshape(size, n_drawn)
        of_items = weights[:, codes].astype(np.float64)
        parts.append(np.column_stack([pairs.values(method, of_items) for method in methods]))
    return np.concatenate(parts)


def _midranks(group: Codes, weights: Floats) -> Floats:
    """Weighted mid-ranks, shape (b, n): weight below, plus half of the tie's own, plus 1/2."""
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.diff(group[order], prepend=-1))
    tied = np.add.reduceat(weights[:, order], starts, axis=1)
    return (np.cumsum(tied, axis=1) - tied / 2.0 + 0.5)[:, group]


def _weighted_pearson(x: Floats, y: Floats, weights: Floats) -> Floats:
    """Pearson's r of x, y, shape (b, n) or (1, n), under weights (b, n); nan where constant."""
    total = weights.sum(axis=1, keepdims=True)
    dx = x - (weights * x).sum(axis=1, keepdims=True) / total
    dy = y - (weights * y).sum(axis=1, keepdims=True) / total
    xx = (weights * dx * dx).sum(axis=1)
    yy = (weights * dy * dy).sum(axis=1)
    xy = (weights * dx * dy).sum(axis=1)
    # Constant draws are recognised by the values, not by a variance that may round to 1e-33.
    varies = _varies(x, weights) & _varies(y, weights) & (xx > 0) & (yy > 0)
    scale = np.sqrt(xx) * np.sqrt(yy)
    r = np.divide(xy, scale, out=np.full(xy.shape, np.nan), where=varies)
    return np.asarray(np.clip(r, -1.0, 1.0))


def _varies(values: Floats, weights: Floats) -> npt.NDArray[np.bool_]:
    drawn = weights > 0
    lowest = np.where(drawn, values, np.inf).min(axis=1)
    highest = np.where(drawn, values, -np.inf).max(axis=1)
    return np.asarray(highest > lowest)


def _two_sided_p(method: Method, value: float, pairs: _Pairs) -> tuple[float | None, str | None]:
    """(p, how): exact over all permutations up to 9 items, else scipy's; None below 4 items."""
    n = pairs.x.size
    if n < FEWEST_FOR_P:
        return None, None
    if n <= EXACT_UP_TO:
        return _exact_p(method, pairs), "exact permutation, two-sided"
    from scipy import stats

    if method == "pearson":
        # |r| = 1 up to rounding makes the t statistic infinite; its limit is 0.
        half = n / 2.0 - 1.0
        p = 2.0 * float(stats.beta.sf(abs(value), half, half, loc=-1, scale=2))
        return p, "beta distribution of r, two-sided"
    if method == "spearman":
        p = float(stats.spearmanr(pairs.x, pairs.y).pvalue)
        return p, "t approximation, two-sided"
    p = float(stats.kendalltau(pairs.x, pairs.y, method="asymptotic").pvalue)
    return p, "normal approximation, two-sided"


def _exact_p(method: Method, pairs: _Pairs) -> float:
    if method == "kendall":
        return kendall_p(pairs.x_group, pairs.y_group)
    if method == "pearson":
        return pearson_p(pairs.x, pairs.y)
    one = np.ones((1, pairs.x.size))
    return pearson_p(_midranks(pairs.x_group, one)[0], _midranks(pairs.y_group, one)[0])


def _why_undefined(x: Floats, y: Floats, fewest_units: int) -> str | None:
    if x.size == 0:
        return "no_shared_items"
    if x.size == 1:
        return "one_item"
    if x.size < fewest_units:
        return "too_few_items"
    if (y == y[0]).all():
        return "no_variation"
    return "constant_metric" if (x == x[0]).all() else None


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
    return _without_noise(x), np.round(y, DECIMALS)


def _without_noise(scores: Floats) -> Floats:
    fraction, exponent = np.frexp(scores)
    return np.asarray(np.ldexp(np.round(fraction * 2.0**SCORE_BITS) / 2.0**SCORE_BITS, exponent))


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
