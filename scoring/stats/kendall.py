"""Kendall's tau-b of weighted items, for many weightings at once (Kendall 1945)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from scoring.stats.counts import Codes

Floats = npt.NDArray[np.float64]

FEW_LEVELS = 64
"""Up to this many levels on one side, going through them is cheaper than all pairs of items."""

BLOCK_PAIRS = 4_000_000
"""Pairs of items whose signs are held at once (16 MB)."""


def tau_b(x_group: Codes, y_group: Codes, weights: Floats) -> Floats:
    """(C - D) / sqrt((n0 - n1)(n0 - n2)) for each weighting, shape (b,); nan where constant.

    `x_group`, `y_group`: shape (n,), 0-based ranks with ties equal. `weights`: shape (b, n), whole
    numbers; an item of weight 2 counts as two items, tied with each other on both sides.
    """
    if int(x_group.max()) < int(y_group.max()):
        x_group, y_group = y_group, x_group
    if int(y_group.max()) < FEW_LEVELS:
        net = _net_by_levels(x_group, y_group, weights)
    else:
        net = _net_by_pairs(x_group, y_group, weights)
    # Twice the numbers of pairs that are not tied on x and on y.
    every = weights.sum(axis=1) ** 2
    x_untied = every - _squared_ties(x_group, weights)
    y_untied = every - _squared_ties(y_group, weights)
    defined = (x_untied > 0) & (y_untied > 0)
    scale = np.sqrt(x_untied) * np.sqrt(y_untied)
    tau = np.divide(2.0 * net, scale, out=np.full(net.shape, np.nan), where=defined)
    return np.asarray(np.clip(tau, -1.0, 1.0))


def _net_by_levels(x_group: Codes, y_group: Codes, weights: Floats) -> Floats:
    """Concordant less discordant pairs: each level of y against all lower ones, by x."""
    order = np.argsort(x_group, kind="stable")
    columns = weights[:, order]
    levels = y_group[order]
    groups = x_group[order]
    below = np.zeros((weights.shape[0], int(x_group.max()) + 1))
    net = np.zeros(weights.shape[0])
    for level in range(int(y_group.max()) + 1):
        members = np.flatnonzero(levels == level)
        group = groups[members]
        starts = np.flatnonzero(np.diff(group, prepend=-1))
        here = np.add.reduceat(columns[:, members], starts, axis=1)
        present = group[starts]
        up_to = np.cumsum(below, axis=1)
        lower = up_to[:, present] - below[:, present]
        higher = up_to[:, -1:] - up_to[:, present]
        net += (here * (lower - higher)).sum(axis=1)
        below[:, present] += here
    return net


def _net_by_pairs(x_group: Codes, y_group: Codes, weights: Floats) -> Floats:
    """The same as half of w' S w, S the product of both sides' signs, in blocks of columns."""
    n = x_group.size
    # Whole numbers up to 2^24 are exact in single precision, and the products twice as fast.
    precision = np.float32 if weights.sum(axis=1).max() < 2**24 else np.float64
    rows = weights.astype(precision)
    twice = np.zeros(weights.shape[0])
    step = max(1, BLOCK_PAIRS // n)
    for start in range(0, n, step):
        part = slice(start, start + step)
        signs = np.sign(x_group[:, None] - x_group[None, part]) * np.sign(
            y_group[:, None] - y_group[None, part]
        )
        twice += ((rows @ signs.astype(precision)) * weights[:, part]).sum(axis=1)
    return twice / 2.0


def _squared_ties(group: Codes, weights: Floats) -> Floats:
    """Sum over groups of the squared weight, shape (b,)."""
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.diff(group[order], prepend=-1))
    return np.asarray((np.add.reduceat(weights[:, order], starts, axis=1) ** 2).sum(axis=1))
