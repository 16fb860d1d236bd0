"""p-values of correlations: over every order of one side, over random orders, or asymptotic."""

from __future__ import annotations

from functools import cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from scoring.stats.association import Method, Pairs, midranks, row_values
from scoring.stats.counts import Codes

Floats = npt.NDArray[np.float64]
Orders = npt.NDArray[np.intp]

PKind = Literal["asymptotic", "permutation"]

EXACT_UP_TO = 9
"""Largest number of items whose orders are all tried (9! = 362,880)."""

FEWEST_FOR_P = 4
"""Below this the smallest two-sided permutation p is 1/3 and says nothing."""

TOLERANCE = 1e-12
"""Statistics this close, on the scale of a correlation, are as far from 0 as each other."""

PERMUTATIONS = 9_999
"""Random orders tried beyond nine items; with the seen one they make 10,000."""

BLOCK_CELLS = 2_000_000


def two_sided_p(
    *, method: Method, value: float, pairs: Pairs, kind: PKind, seed: int
) -> tuple[float | None, str | None]:
    """(p, how it was found) of a correlation `value` of `pairs`, neither side constant.

    Exact over all orders up to 9 items; beyond, asymptotic or over random orders (`kind`). None
    below 4 items. Items are taken as independent.
    """
    n = pairs.x.size
    if n < FEWEST_FOR_P:
        return None, None
    if n <= EXACT_UP_TO:
        return _exact_p(method, pairs), "exact permutation, two-sided"
    if kind == "permutation":
        p = random_p(method=method, pairs=pairs, rng=np.random.default_rng(seed))
        return p, f"permutation, {PERMUTATIONS} random orders, seed {seed}, two-sided"
    return _asymptotic_p(method, value, pairs)


def random_p(
    *, method: Method, pairs: Pairs, rng: np.random.Generator, permutations: int = PERMUTATIONS
) -> float:
    """(1 + orders at least as far from 0) / (1 + orders tried), two-sided (Phipson, Smyth 2010)."""
    n = pairs.x.size
    x, y = pairs.x, pairs.y
    if method == "spearman":
        x, y = _plain_ranks(pairs.x_group), _plain_ranks(pairs.y_group)
    seen = abs(float(pairs.values(method, np.ones((1, n)))[0]))
    as_far = 0
    block = max(1, BLOCK_CELLS // n)
    for start in range(0, permutations, block):
        size = min(block, permutations - start)
        shuffled = rng.permuted(np.broadcast_to(y, (size, n)), axis=1)
        if method in ("pearson", "spearman"):
            found = _unit_length(x) @ _unit_length(shuffled).T
        else:
            found = row_values(method, np.broadcast_to(x, (size, n)), shuffled, np.ones((size, n)))
        as_far += int((np.abs(found) >= seen - TOLERANCE).sum())
    return (1 + as_far) / (1 + permutations)


def pearson_p(x: Floats, y: Floats) -> float:
    """Two-sided p of Pearson's r of x, y, shape (n,), neither constant, n up to 9.

    The share of all orders of y whose |r| is at least the seen one. Given mid-ranks it is
    Spearman's.
    """
    # Unit length, so that the tolerance is on the scale of a correlation.
    return _share_as_far(_unit_length(x) @ _unit_length(y)[_orders(x.size)])


def kendall_p(x_group: Codes, y_group: Codes) -> float:
    """Two-sided p of Kendall's tau of ranks, shape (n,), ties equal, n up to 9.

    tau-b and tau-c differ by a factor that no order changes, so they have the same p.
    """
    orders = _orders(x_group.size)
    signs = np.sign(y_group[:, None] - y_group[None, :]).astype(np.int8)
    net = np.zeros(orders.shape[1], dtype=np.int8)  # at most 36 pairs either way
    for first, second in zip(*np.triu_indices(x_group.size, 1), strict=True):
        sign = int(np.sign(x_group[first] - x_group[second]))
        if sign:
            net += np.int8(sign) * signs[orders[first], orders[second]]
    return _share_as_far(net.astype(np.float64))


def _exact_p(method: Method, pairs: Pairs) -> float:
    if method in ("kendall", "kendall_c"):
        return kendall_p(pairs.x_group, pairs.y_group)
    if method == "pearson":
        return pearson_p(pairs.x, pairs.y)
    return pearson_p(_plain_ranks(pairs.x_group), _plain_ranks(pairs.y_group))


def _asymptotic_p(method: Method, value: float, pairs: Pairs) -> tuple[float, str]:
    from scipy import stats

    n = pairs.x.size
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


def _plain_ranks(group: Codes) -> Floats:
    return np.asarray(midranks(group, np.ones((1, group.size)))[0])


def _unit_length(values: Floats) -> Floats:
    centred = values - values.mean(axis=-1, keepdims=True)
    return np.asarray(centred / np.sqrt((centred**2).sum(axis=-1, keepdims=True)))


def _share_as_far(statistic: Floats) -> float:
    # The first order is the one that was seen.
    return float((np.abs(statistic) >= abs(statistic[0]) - TOLERANCE).mean())


@cache
def _orders(n: int) -> Orders:
    """Every order of n things, shape (n, n!), the given one first (26 MB for the largest n)."""
    if n > EXACT_UP_TO:
        raise ValueError(f"{n} items have too many orders; up to {EXACT_UP_TO} are tried.")
    orders = np.zeros((1, 1), dtype=np.intp)
    for size in range(2, n + 1):
        # The new thing at each place, the last place first.
        orders = np.concatenate(
            [np.insert(orders, place, size - 1, axis=1) for place in range(size - 1, -1, -1)]
        )
    return np.ascontiguousarray(orders.T)
