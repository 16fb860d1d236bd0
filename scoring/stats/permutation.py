"""Exact permutation p-values of correlations, over every order of one side."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import numpy.typing as npt

from scoring.stats.counts import Codes

Floats = npt.NDArray[np.float64]
Orders = npt.NDArray[np.intp]

EXACT_UP_TO = 9
"""Largest number of items whose orders are all tried (9! = 362,880)."""

TOLERANCE = 1e-12
"""Statistics this close, on the scale of a correlation, are as far from 0 as each other."""


def pearson_p(x: Floats, y: Floats) -> float:
    """Two-sided p of Pearson's r of x, y, shape (n,), neither constant, n up to 9.

    The share of all orders of y whose |r| is at least the seen one. Given mid-ranks it is
    Spearman's.
    """
    x, y = x - x.mean(), y - y.mean()
    # Unit length, so that the tolerance is on the scale of a correlation.
    x, y = x / math.sqrt(x @ x), y / math.sqrt(y @ y)
    return _share_as_far(x @ y[_orders(x.size)])


def kendall_p(x_group: Codes, y_group: Codes) -> float:
    """Two-sided p of Kendall's tau of ranks, shape (n,), ties equal, n up to 9."""
    orders = _orders(x_group.size)
    signs = np.sign(y_group[:, None] - y_group[None, :]).astype(np.int8)
    net = np.zeros(orders.shape[1], dtype=np.int8)  # at most 36 pairs either way
    for first, second in zip(*np.triu_indices(x_group.size, 1), strict=True):
        sign = int(np.sign(x_group[first] - x_group[second]))
        if sign:
            net += np.int8(sign) * signs[orders[first], orders[second]]
    return _share_as_far(net.astype(np.float64))


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
