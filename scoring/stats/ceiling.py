"""How well people predict people: what a metric can be held against.

- **Ceiling**: sqrt(reliability of the mean of k ratings), the highest correlation with that mean
  that a metric free of error could reach (the attenuation bound of Spearman 1904). Reliability is
  ICC(C,k) where everybody rated everything, else the one-way ICC(1,k) with k the harmonic mean of
  the ratings an item has (McGraw and Wong 1996); intervals from the F distribution, exact where
  items have equally many ratings.
- **Leave one out**, the like-for-like line: each person against the mean of the others, and the
  metric against that same mean on the same items.
- **Mean pairwise** correlation of two people. Shown, but no ceiling for a metric that is compared
  with a mean of k.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scoring.stats.association import Method, rounded_ratings
from scoring.stats.correlation import FEWEST_IN_GROUP, why_too_few
from scoring.stats.counts import Codes
from scoring.stats.level_values import fisher_mean
from scoring.stats.rated_items import RatedItems
from scoring.stats.runs import run_values

Floats = npt.NDArray[np.float64]

COVERAGE = 0.95

BLOCK_CELLS = 2_000_000
"""Values of pairs of raters that are laid side by side at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanCeiling:
    """sqrt(reliability), 0..1, with a 95 % interval; None with the reason in `reason`.

    `form` names the reliability, `k` the ratings whose mean it is of (harmonic mean where items
    differ). A reliability or bound below 0 counts as 0.
    """

    value: float | None
    low: float | None
    high: float | None
    reason: str | None
    reliability: float | None
    form: str
    k: float | None
    level: float
    interval_kind: str
    n_items: int
    n_ratings: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterLine:
    """One person against the mean of the others on `n_units` items, and the metric against it."""

    rater: int
    n_units: int
    human: float | None
    metric: float | None
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaveOneOut:
    """Means over the people who have a line; `raters` lists everybody, undefined lines too.

    `human` and `metric` are means over the same people. `metric` is None where there are no scores
    or the metric is constant.
    """

    method: Method
    human: float | None
    metric: float | None
    reason: str | None
    raters: tuple[RaterLine, ...]
    n_raters_undefined: int
    aggregation: str = "each rater against the mean of the other raters, mean over raters"


@dataclass(frozen=True, slots=True, kw_only=True)
class PairwiseHumans:
    """Mean over the pairs of people who share four items or more and vary on them."""

    method: Method
    value: float | None
    fisher_mean: float | None
    reason: str | None
    n_pairs: int
    n_pairs_undefined: int
    aggregation: str = "mean over pairs of raters"


def human_ceiling(*, items: RatedItems) -> HumanCeiling:
    """The ceiling of the items' mean ratings. Raters need names for ICC(C,k).

    Raises ValueError where a rater has rated an item twice.
    """
    items.refuse_repeats()
    sizes = np.bincount(items.item, minlength=items.n_items)
    sizes = sizes[sizes > 0]
    crossed = items.rater is not None and bool((sizes == items.n_raters).all())
    form = "ICC(C,k)" if crossed and sizes.size and int(sizes[0]) > 1 else "ICC(1,k)"
    reason = "no_pairs" if not (sizes > 1).any() else "one_item" if sizes.size < 2 else None
    parts = None if reason else _mean_squares(items, two_way=form == "ICC(C,k)")
    if reason is None and parts is None:
        reason = "no_variation"
    k = float(sizes.size / (1.0 / sizes).sum()) if sizes.size else None
    reliability = None
    bounds: tuple[float, float, float] | None = None
    if parts is not None and k is not None:
        bounds = parts.reliability_of_mean(k)
        reliability = bounds[0]
        reason = "no_reliability" if reliability == 0 else None
    value, low, high = (None, None, None)
    if bounds is not None and reason is None:
        value, low, high = (float(np.sqrt(bound)) for bound in bounds)
    return HumanCeiling(
        value=value,
        low=low,
        high=high,
        reason=reason,
        reliability=reliability,
        form=form,
        k=k,
        level=COVERAGE,
        interval_kind="F" if np.unique(sizes).size < 2 else "F, approximate",
        n_items=int(sizes.size),
        n_ratings=int(items.item.size),
    )


def leave_one_out(*, items: RatedItems, method: Method = "spearman") -> LeaveOneOut:
    """Each named rater against the mean of the others, and the metric against that same mean.

    Where there are scores, only scored items count, on both sides. Raises ValueError where nobody
    is named, and where a rater has rated an item twice.
    """
    items.refuse_repeats()
    raters = np.unique(_named(items, "Leaving one rater out"))
    has_scores = not bool(np.isnan(items.score).all())
    used = items.only(~np.isnan(items.score)) if has_scores else items
    sums = np.bincount(used.item, weights=used.value, minlength=used.n_items)
    sizes = np.bincount(used.item, minlength=used.n_items)
    rater = _named(used, "Leaving one rater out")
    own = np.flatnonzero(sizes[used.item] > 1)
    own = own[np.argsort(rater[own], kind="stable")]  # each rater's ratings, by item
    item, value = used.item[own], used.value[own]
    others = rounded_ratings((sums[item] - value) / (sizes[item] - 1))
    starts = np.append(np.searchsorted(rater[own], raters), own.size)
    human = run_values(method, rounded_ratings(value), others, starts)
    metric = np.full(raters.size, np.nan)
    if has_scores:
        metric = run_values(method, used.score[item], others, starts)
    lines = [
        _line(*of_rater)
        for of_rater in zip(
            raters.tolist(), np.diff(starts).tolist(), human.tolist(), metric.tolist(), strict=True
        )
    ]
    return _over_raters(lines, method)


def _named(items: RatedItems, what: str) -> Codes:
    if items.rater is None:
        raise ValueError(f"{what} needs to know who gave each rating.")
    return items.rater


def _line(rater: int, n_units: int, human: float, metric: float) -> RaterLine:
    """`human` and `metric` may be nan: undefined."""
    reason = why_too_few(n_units) or ("no_variation" if np.isnan(human) else None)
    metric_known = reason is None and not np.isnan(metric)
    return RaterLine(
        rater=rater,
        n_units=n_units,
        human=human if reason is None else None,
        metric=metric if metric_known else None,
        reason=reason,
    )


def mean_pairwise(*, items: RatedItems, method: Method = "spearman") -> PairwiseHumans:
    """The mean correlation of two people over the items both rated.

    Raises ValueError where nobody is named, and where a rater has rated an item twice.
    """
    from scipy import sparse

    items.refuse_repeats()
    rater = np.unique(_named(items, "Holding pairs of raters"), return_inverse=True)[1]
    shape = (int(rater.max(initial=-1)) + 1, items.n_items)
    ones = np.ones(rater.size)
    rated = sparse.csr_array((ones, (rater, items.item)), shape=shape)
    shared = sparse.triu(rated @ rated.T, k=1).tocoo()
    enough = shared.data >= FEWEST_IN_GROUP
    found = _of_pairs(items, rater, shared.row[enough], shared.col[enough], method)
    found = found[~np.isnan(found)]
    n_pairs = int(shared.nnz)
    fisher = float(fisher_mean(found[None])[0]) if found.size else np.nan
    return PairwiseHumans(
        method=method,
        value=float(found.mean()) if found.size else None,
        fisher_mean=None if np.isnan(fisher) else fisher,
        reason=None if found.size else "no_pairs" if n_pairs == 0 else "no_defined_pair",
        n_pairs=int(found.size),
        n_pairs_undefined=n_pairs - int(found.size),
    )


def _of_pairs(
    items: RatedItems, rater: Codes, first: Codes, second: Codes, method: Method
) -> Floats:
    """The coefficient of each pair of raters on what both rated; nan where one is constant."""
    order = np.argsort(rater, kind="stable")
    starts = np.append(
        np.searchsorted(rater[order], np.arange(rater.max(initial=-1) + 1)), order.size
    )
    item, value = items.item[order], rounded_ratings(items.value[order])
    found = [np.empty(0)]
    for block in _pair_blocks(np.diff(starts)[first]):
        sides: list[tuple[Floats, Floats]] = []
        for one, other in zip(first[block].tolist(), second[block].tolist(), strict=True):
            mine, theirs = (slice(starts[who], starts[who + 1]) for who in (one, other))
            _, at, there = np.intersect1d(
                item[mine], item[theirs], assume_unique=True, return_indices=True
            )
            sides.append((value[mine][at], value[theirs][there]))
        ends = np.cumsum([0, *(one.size for one, _ in sides)])
        x, y = (np.concatenate(side) for side in zip(*sides, strict=True))
        found.append(run_values(method, x, y, ends))
    return np.concatenate(found)


def _pair_blocks(sizes: Codes) -> Iterator[slice]:
    """Blocks of pairs that hold at most so many values, of `sizes` at the most each."""
    area = np.cumsum(sizes) // BLOCK_CELLS
    edges = np.append(np.flatnonzero(np.diff(area, prepend=-1)), sizes.size)
    yield from (slice(*edge) for edge in zip(edges[:-1], edges[1:], strict=True))


def _over_raters(lines: list[RaterLine], method: Method) -> LeaveOneOut:
    human = [line.human for line in lines if line.human is not None]
    metric = [line.metric for line in lines if line.human is not None]
    known = [value for value in metric if value is not None]
    return LeaveOneOut(
        method=method,
        human=float(np.mean(human)) if human else None,
        metric=float(np.mean(known)) if known and len(known) == len(metric) else None,
        reason=None if human else "no_pairs" if not lines else "no_defined_rater",
        raters=tuple(lines),
        n_raters_undefined=len(lines) - len(human),
    )


@dataclass(frozen=True, slots=True)
class _MeanSquares:
    """Between items and of error, degrees of freedom, and ratings an item (k0)."""

    between: float
    error: float
    df_between: int
    df_error: int
    k0: float

    def reliability_of_mean(self, k: float) -> tuple[float, float, float]:
        """Reliability of the mean of k ratings: estimate and bounds of its 95 % interval."""
        from scipy.stats import f

        if self.error == 0:
            return 1.0, 1.0, 1.0
        observed = self.between / self.error
        upper = (1.0 + COVERAGE) / 2.0
        low = observed / float(f.ppf(upper, self.df_between, self.df_error))
        high = observed * float(f.ppf(upper, self.df_error, self.df_between))
        # Variance of the items (none below 0) over that of the error of a mean of k.
        one, two, three = (k * max(ratio - 1.0, 0.0) / self.k0 for ratio in (observed, low, high))
        return one / (1.0 + one), two / (1.0 + two), three / (1.0 + three)


def _mean_squares(items: RatedItems, *, two_way: bool) -> _MeanSquares | None:
    """None where nothing varies, or people differ in their levels alone: 0 divided by 0."""
    value = items.value - items.value.mean()
    if not (items.value != items.value[0]).any():
        return None
    sizes = np.bincount(items.item, minlength=items.n_items)
    sums = np.bincount(items.item, weights=value, minlength=items.n_items)
    rated = sizes > 0
    n, total = int(rated.sum()), int(sizes.sum())
    between = float((sums[rated] ** 2 / sizes[rated]).sum())
    error = float(value @ value) - between
    df_error = total - n
    if two_way and items.rater is not None:
        rater = np.unique(items.rater, return_inverse=True)[1]
        error -= float((np.bincount(rater, weights=value) ** 2).sum()) / n
        df_error -= int(rater.max())
    # Rounding leaves a trace of the total where there is no error at all.
    trace = 1e-12 * float(value @ value)
    between, error = (0.0 if part < trace else part for part in (between, error))
    if between == error == 0.0:
        return None
    k0 = (total - float((sizes.astype(float) ** 2).sum()) / total) / (n - 1)
    return _MeanSquares(between / (n - 1), error / df_error, n - 1, df_error, k0)
