"""Kendall's tau-b (Kendall 1945) and tau-c (Stuart 1953) of weighted items.

Both for many weightings at once. C and D are the concordant and discordant pairs, m the smaller
number of distinct values of the two sides.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from scoring.stats.counts import Codes

Floats = npt.NDArray[np.float64]

ROUNDING = 1e-12
"""A correlation this close to 1 is 1: sums of some thousand products are off by less."""


def tau_b(x_group: Codes, y_group: Codes, weights: Floats) -> Floats:
    """(C - D) / sqrt((n0 - n1)(n0 - n2)) for each weighting, shape (b,); nan where constant.

    `x_group`, `y_group`: shape (n,), 0-based ranks with ties equal. `weights`: shape (b, n), whole
    numbers; an item of weight 2 counts as two items, tied with each other on both sides.
    """
    if int(x_group.max()) < int(y_group.max()):
        x_group, y_group = y_group, x_group
    net = _net_concordance(x_group, y_group, weights)
    # Twice the numbers of pairs that are not tied on x and on y.
    every = weights.sum(axis=1) ** 2
    x_untied = every - _squared_ties(x_group, weights)
    y_untied = every - _squared_ties(y_group, weights)
    defined = (x_untied > 0) & (y_untied > 0)
    scale = np.sqrt(x_untied) * np.sqrt(y_untied)
    tau = np.divide(2.0 * net, scale, out=np.full(net.shape, np.nan), where=defined)
    return within_one(tau)


def tau_c(x_group: Codes, y_group: Codes, weights: Floats) -> Floats:
    """2 (C - D) m / (n^2 (m - 1)) for each weighting, shape (b,); nan where constant.

    Arguments as for `tau_b`. n is the sum of the weights; only values that were drawn count for m.
    """
    if int(x_group.max()) < int(y_group.max()):
        x_group, y_group = y_group, x_group
    net = _net_concordance(x_group, y_group, weights)
    squared = weights.sum(axis=1) ** 2
    m = np.minimum(_levels_drawn(x_group, weights), _levels_drawn(y_group, weights))
    tau = np.divide(2.0 * net * m, squared * (m - 1.0), out=np.full(net.shape, np.nan), where=m > 1)
    return within_one(tau)


def within_one(values: Floats) -> Floats:
    """Correlations within -1..1, those that only rounding keeps from -1 or 1 made exactly that."""
    whole = np.abs(values) > 1.0 - ROUNDING
    return np.where(whole, np.sign(values), values)


def _net_concordance(x_group: Codes, y_group: Codes, weights: Floats) -> Floats:
    """Concordant less discordant pairs, shape (b,), in O(b n log q) for q levels of y.

    Two different y, as binary numbers, agree down to one bit and differ there. For each bit the
    items that agree above it form a block, and those with the bit set have the higher y: they are
    held against the block's others, lower and higher on x, by running sums in the order of x.
    """
    net = np.zeros(weights.shape[0])
    for bit in range(int(y_group.max()).bit_length()):
        block, is_upper = y_group >> (bit + 1), (y_group >> bit) & 1
        order = np.lexsort((x_group, block))
        columns = weights[:, order]
        upper = columns * is_upper[order]
        # Runs of items tied on x within a block.
        blocks, groups = block[order], x_group[order]
        is_start = (np.diff(blocks, prepend=-1) != 0) | (np.diff(groups, prepend=-1) != 0)
        starts = np.flatnonzero(is_start)
        upper = np.add.reduceat(upper, starts, axis=1)
        other = np.add.reduceat(columns, starts, axis=1) - upper
        up_to = np.cumsum(other, axis=1)
        # Of the runs: where each one's block begins and ends.
        begins = np.flatnonzero(np.diff(blocks[starts], prepend=-1))
        of_block = np.cumsum(np.isin(np.arange(starts.size), begins)) - 1
        before = (up_to - other)[:, begins][:, of_block]
        last = np.append(begins[1:], starts.size) - 1
        total = up_to[:, last][:, of_block]
        net += (upper * ((up_to - other - before) - (total - up_to))).sum(axis=1)
    return net


def _squared_ties(group: Codes, weights: Floats) -> Floats:
    """Sum over groups of the squared weight, shape (b,)."""
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.diff(group[order], prepend=-1))
    return np.asarray((np.add.reduceat(weights[:, order], starts, axis=1) ** 2).sum(axis=1))


def _levels_drawn(group: Codes, weights: Floats) -> Floats:
    """How many different values have a weight above 0, shape (b,)."""
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.diff(group[order], prepend=-1))
    drawn = np.add.reduceat(weights[:, order], starts, axis=1) > 0
    return np.asarray(drawn.sum(axis=1), dtype=np.float64)
