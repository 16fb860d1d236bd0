"""Pearson, Spearman and Kendall of weighted items, for many weightings at once.

A bootstrap replicate is a weighting of the items by how often they were drawn. Whole weights give
exactly the coefficient of the drawn sample: ranks are weighted mid-ranks (the weight below, plus
half of the tie's own, plus 1/2), and an item of weight 2 is two items tied with each other. With
weights 1 a replicate is the estimate.

Ratings are rounded to 9 decimals before anything is ranked: (1 + 2 + 2) / 3 and its like would
otherwise break ties by floating-point noise. Scores are means too, but of any size: they are
rounded to 40 binary digits (a relative 1e-12), so that (0.1 + 0.5) / 2 is (0.2 + 0.4) / 2.
"""

from __future__ import annotations

from functools import cached_property
from typing import Literal, TypeVar, get_args

import numpy as np
import numpy.typing as npt

from scoring.stats.counts import Codes
from scoring.stats.kendall import ROUNDING, KendallSums, within_one
from scoring.stats.scale import DECIMALS

Floats = npt.NDArray[np.float64]
Number = TypeVar("Number", np.float64, np.intp)

Method = Literal["spearman", "pearson", "kendall", "kendall_c"]
METHODS: tuple[Method, ...] = get_args(Method)

VARIANTS: dict[Method, str] = {
    "spearman": "Spearman's rho, mid-ranks",
    "pearson": "Pearson's r",
    "kendall": "Kendall's tau-b",
    "kendall_c": "Kendall's tau-c (Stuart)",
}

SCORE_BITS = 40
DIFFERENCE_BITS = 29

MOST_FOR_TABLES = 100
"""Up to so many items a table of all pairs is faster than sorting each row by itself."""

MOST_LEVELS = 128
"""Up to so many values of y, sums over them are a matrix product."""

WEAK = 1e-4
"""A weighted variance below this share of the unweighted one is computed from differences."""

BLOCK_CELLS = 2_000_000
"""Pairs held at once by a block of rows."""


class Pairs:
    """Paired values, shape (n,) each, with order and ties worked out once.

    Weights are taken in the order of x: sums over items are then sums along memory, and with x
    sorted beforehand no weight has to be moved.
    """

    def __init__(self, x: Floats, y: Floats) -> None:
        self.x = x
        self.y = y
        self.x_group: Codes = np.unique(x, return_inverse=True)[1]
        self.y_group: Codes = np.unique(y, return_inverse=True)[1]
        in_order = bool((np.diff(self.x_group) >= 0).all())
        self._order: Codes | None = None if in_order else np.argsort(self.x_group, kind="stable")

    @cached_property
    def _ranks(self) -> RankSums:
        return RankSums(_taken(self.x_group, self._order), _taken(self.y_group, self._order))

    @cached_property
    def _moments(self) -> Moments:
        return Moments(_taken(self.x, self._order), _taken(self.y, self._order))

    @cached_property
    def _pairs_of_pairs(self) -> KendallSums:
        return KendallSums(_taken(self.x_group, self._order), _taken(self.y_group, self._order))

    def values(self, method: Method, weights: Floats) -> Floats:
        """The coefficient for each weighting, shape (b,), from weights (b, n); nan undefined."""
        if self._order is not None:
            weights = weights[:, self._order]
        if method == "pearson":
            return self._moments.values(weights)
        if method == "spearman":
            return self._ranks.values(weights)
        sums = self._pairs_of_pairs
        return sums.tau_b(weights) if method == "kendall" else sums.tau_c(weights)

    def row_values(self, method: Method, weights: Floats, y: Floats) -> Floats:
        """The same with values of y, shape (b, n), that differ from weighting to weighting."""
        if method != "spearman" or self._order is not None:
            return row_values(method, np.broadcast_to(self.x, weights.shape), y, weights)
        return self._ranks.row_values(weights, y)

    def value(self, method: Method) -> float | None:
        """The coefficient with every item once; None where a side is constant."""
        found = float(self.values(method, np.ones((1, self.x.size)))[0])
        return None if np.isnan(found) else found


class Moments:
    """Pearson's r of weighted items: five sums of each weighting are one matrix product."""

    def __init__(self, x: Floats, y: Floats) -> None:
        self._x, self._y = x, y
        dx, dy = _standardised(x), _standardised(y)
        self._products = np.column_stack([np.ones_like(dx), dx, dy, dx * dx, dy * dy, dx * dy])

    def values(self, weights: Floats) -> Floats:
        """Shape (b,), from weights (b, n); nan where constant."""
        total, x, y, xx, yy, xy = (weights @ self._products).T
        total = np.where(total > 0, total, 1.0)
        xx, yy, xy = xx - x * x / total, yy - y * y / total, xy - x * y / total
        # Differences of nearly equal sums, and constant draws, are looked at by the values.
        weak = (xx < WEAK * total) | (yy < WEAK * total)
        scale = np.sqrt(np.where(weak, 1.0, xx)) * np.sqrt(np.where(weak, 1.0, yy))
        r = xy / scale
        if weak.any():
            r[weak] = weighted_pearson(self._x[None], self._y[None], weights[weak])
        return within_one(r)


class RankSums:
    """Spearman's rho of weighted items, from ranks with ties equal, x in rising order.

    Mid-ranks of a weighting of total N average (N + 1) / 2 whatever the ties are, and an item's
    rank on y is that of its level: with few levels, sums over them are a matrix product.
    """

    def __init__(self, x_group: Codes, y_group: Codes) -> None:
        self._starts = np.flatnonzero(np.diff(x_group, prepend=-1))
        self._x_group = x_group if self._starts.size < x_group.size else None
        self._y_group = y_group
        n_levels = int(y_group.max(initial=-1)) + 1
        few = n_levels <= MOST_LEVELS
        self._one_hot = np.eye(n_levels)[y_group] if few else None

    def values(self, weights: Floats) -> Floats:
        """Shape (b,), from weights (b, n); nan where constant."""
        xx, products = self._x_sums(weights)
        if self._one_hot is not None:
            y_tied = weights @ self._one_hot
            y_ranks = np.cumsum(y_tied, axis=1) - y_tied / 2.0 + 0.5
            yy = np.einsum("bi,bi->b", y_tied * y_ranks, y_ranks)
            xy = np.einsum("bi,bi->b", products @ self._one_hot, y_ranks)
            return _rho(weights.sum(axis=1), xx, yy, xy)
        return self._with_ranks(weights, xx, products, midranks(self._y_group, weights))

    def row_values(self, weights: Floats, y: Floats) -> Floats:
        """The same with the values of y beside each weighting, shape (b, n)."""
        return self._with_ranks(weights, *self._x_sums(weights), row_midranks(y, weights))

    def _x_sums(self, weights: Floats) -> tuple[Floats, Floats]:
        """(sum of squared ranks of x, shape (b,); each item's weight times its rank, (b, n))."""
        x_tied = weights
        if self._x_group is not None:
            x_tied = np.add.reduceat(weights, self._starts, axis=1)
        x_ranks = np.cumsum(x_tied, axis=1)
        x_ranks -= x_tied / 2.0
        x_ranks += 0.5
        x_sums = x_tied * x_ranks
        xx = np.einsum("bi,bi->b", x_sums, x_ranks)
        return xx, x_sums if self._x_group is None else weights * x_ranks[:, self._x_group]

    def _with_ranks(self, weights: Floats, xx: Floats, products: Floats, ranks: Floats) -> Floats:
        yy = np.einsum("bi,bi->b", weights * ranks, ranks)
        return _rho(weights.sum(axis=1), xx, yy, np.einsum("bi,bi->b", products, ranks))


def _rho(total: Floats, xx: Floats, yy: Floats, xy: Floats) -> Floats:
    """Spearman's rho, shape (b,), from sums of squares and products of ranks; nan: constant."""
    middle = total * ((total + 1.0) / 2.0) ** 2
    xx, yy, xy = xx - middle, yy - middle, xy - middle
    # Sums of quarters are exact; beyond some 100,000 items nearly so.
    varies = (xx > ROUNDING * middle) & (yy > ROUNDING * middle)
    scale = np.sqrt(np.where(varies, xx, 1.0)) * np.sqrt(np.where(varies, yy, 1.0))
    return np.where(varies, within_one(xy / scale), np.nan)


def row_values(method: Method, x: Floats, y: Floats, weights: Floats) -> Floats:
    """The coefficient of each row of x, y and weights, shape (b, n) each; (b,), nan undefined.

    For values that differ from replicate to replicate; `Pairs` is faster where they do not.
    Values under a weight of 0 are not looked at, but must not be nan.
    """
    if method == "pearson":
        return weighted_pearson(x, y, weights)
    if method == "spearman":
        return weighted_pearson(row_midranks(x, weights), row_midranks(y, weights), weights)
    if x.shape[1] > MOST_FOR_TABLES:
        return _tau_row_by_row(method, x, y, weights)
    block = max(1, BLOCK_CELLS // x.shape[1] ** 2)
    rows = [slice(start, start + block) for start in range(0, x.shape[0], block)]
    return np.concatenate([_tau_of_tables(method, x[r], y[r], weights[r]) for r in rows])


def _tau_of_tables(method: Method, x: Floats, y: Floats, weights: Floats) -> Floats:
    """tau of each row from its table of all pairs, (b, n, n)."""
    x_signs = np.sign(x[:, :, None] - x[:, None, :])
    y_signs = np.sign(y[:, :, None] - y[:, None, :])
    # Twice the net concordance, and twice the pairs not tied on a side.
    net = np.einsum("bi,bij,bij,bj->b", weights, x_signs, y_signs, weights, optimize=True)
    if method == "kendall_c":
        m = np.minimum(_distinct(x_signs, weights), _distinct(y_signs, weights))
        below = weights.sum(axis=1) ** 2 * (m - 1.0)
        net = net * m
    else:
        x_untied, y_untied = (
            np.einsum("bi,bij,bj->b", weights, np.abs(signs), weights, optimize=True)
            for signs in (x_signs, y_signs)
        )
        below = np.sqrt(x_untied) * np.sqrt(y_untied)
    tau = np.divide(net, below, out=np.full(net.shape, np.nan), where=below > 0)
    return within_one(tau)


def _distinct(signs: Floats, weights: Floats) -> Floats:
    """How many different values of each row were drawn, from the signs of all pairs."""
    drawn = weights > 0
    n = weights.shape[1]
    earlier = np.tri(n, k=-1, dtype=bool)
    seen_before = ((signs == 0) & earlier & drawn[:, None, :]).any(axis=2)
    return np.asarray((drawn & ~seen_before).sum(axis=1), dtype=np.float64)


def _tau_row_by_row(method: Method, x: Floats, y: Floats, weights: Floats) -> Floats:
    from scipy.stats import kendalltau

    variant = "c" if method == "kendall_c" else "b"
    found = np.full(weights.shape[0], np.nan)
    for row, times in enumerate(weights.astype(np.intp)):
        if np.count_nonzero(times) > 1:
            drawn_x, drawn_y = np.repeat(x[row], times), np.repeat(y[row], times)
            # The p-value is not looked at: the cheap one, which two items do not have.
            p = "asymptotic" if drawn_x.size > 2 else "auto"
            found[row] = kendalltau(drawn_x, drawn_y, method=p, variant=variant).statistic
    return within_one(found)


def midranks(group: Codes, weights: Floats) -> Floats:
    """Weighted mid-ranks, shape (b, n), of ranks `group` (n,) with ties equal."""
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.diff(group[order], prepend=-1))
    tied = np.add.reduceat(weights[:, order], starts, axis=1)
    return (np.cumsum(tied, axis=1) - tied / 2.0 + 0.5)[:, group]


def row_midranks(values: Floats, weights: Floats) -> Floats:
    """Weighted mid-ranks of each row of values under the weights beside it, shape (b, n)."""
    order = np.argsort(values, axis=1)
    ordered = np.take_along_axis(values, order, axis=1)
    up_to = np.cumsum(np.take_along_axis(weights, order, axis=1), axis=1)
    n = values.shape[1]
    changes = ordered[:, 1:] != ordered[:, :-1]
    place = np.broadcast_to(np.arange(n), values.shape)
    edge = np.ones((values.shape[0], 1), dtype=bool)
    # First and last place of each run of ties, for every place.
    first = np.maximum.accumulate(np.where(np.hstack([edge, changes]), place, 0), axis=1)
    last = np.where(np.hstack([changes, edge]), place, n - 1)
    last = np.minimum.accumulate(last[:, ::-1], axis=1)[:, ::-1]
    before = np.hstack([np.zeros((values.shape[0], 1)), up_to])
    ranks = (
        np.take_along_axis(before, first, axis=1) + np.take_along_axis(up_to, last, axis=1) + 1.0
    ) / 2.0
    found = np.empty_like(ranks)
    np.put_along_axis(found, order, ranks, axis=1)
    return found


def weighted_pearson(x: Floats, y: Floats, weights: Floats) -> Floats:
    """Pearson's r of x, y, shape (b, n) or (1, n), under weights (b, n); nan where constant."""
    total = weights.sum(axis=1, keepdims=True)
    total = np.where(total > 0, total, 1.0)
    dx = x - (weights * x).sum(axis=1, keepdims=True) / total
    dy = y - (weights * y).sum(axis=1, keepdims=True) / total
    xx = (weights * dx * dx).sum(axis=1)
    yy = (weights * dy * dy).sum(axis=1)
    xy = (weights * dx * dy).sum(axis=1)
    # Constant draws are recognised by the values, not by a variance that may round to 1e-33.
    defined = varies(x, weights) & varies(y, weights) & (xx > 0) & (yy > 0)
    scale = np.sqrt(xx) * np.sqrt(yy)
    r = np.divide(xy, scale, out=np.full(xy.shape, np.nan), where=defined)
    return within_one(r)


def varies(values: Floats, weights: Floats) -> npt.NDArray[np.bool_]:
    """Whether the values of each row that have a weight differ, shape (b,)."""
    drawn = weights > 0
    lowest = np.where(drawn, values, np.inf).min(axis=1)
    highest = np.where(drawn, values, -np.inf).max(axis=1)
    return np.asarray(highest > lowest)


def rounded_ratings(values: Floats) -> Floats:
    """Ratings or their means rounded to 9 decimals, so that equal means tie."""
    return np.asarray(np.round(values, DECIMALS))


def rounded_scores(scores: Floats) -> Floats:
    """Scores rounded to 40 binary digits, each by its own size, so that equal means tie."""
    fraction, exponent = np.frexp(scores)
    return np.asarray(np.ldexp(np.round(fraction * 2.0**SCORE_BITS) / 2.0**SCORE_BITS, exponent))


def rounded_again(values: Floats, size: float) -> Floats:
    """Differences and means of rounded numbers of magnitude `size`, rounded more coarsely.

    Each of the numbers may be off by half its last digit, so that equal differences would not tie
    at that digit. The step is a relative 2e-9 of the size; for ratings up to 16, 3e-8 or finer.
    """
    if size == 0:
        return values
    step = float(np.ldexp(1.0, int(np.frexp(size)[1]) - DIFFERENCE_BITS))
    return np.asarray(np.round(values / step) * step)


def _taken(values: npt.NDArray[Number], order: Codes | None) -> npt.NDArray[Number]:
    return values if order is None else values[order]


def _standardised(values: Floats) -> Floats:
    """Mean 0 and standard deviation 1; zeros where there is no spread."""
    if values.size == 0:
        return values
    # Halves first, so that no difference of large numbers overflows.
    apart = values / 2.0 - (values / 2.0).mean()
    largest = float(np.abs(apart).max())
    if largest == 0:
        return np.zeros_like(values)
    apart /= largest
    return np.asarray(apart / apart.std())
