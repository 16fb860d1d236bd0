"""Kendall's tau-b (Kendall 1945) and tau-c (Stuart 1953) of weighted items.

Both for many weightings at once. C and D are the concordant and discordant pairs, n the sum of the
weights, m the smaller number of distinct values of the two sides:

    tau-b = (C - D) / sqrt((n0 - n1)(n0 - n2)),    tau-c = 2 (C - D) m / (n^2 (m - 1))

An item of weight 2 counts as two items, tied with each other on both sides.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from scoring.stats.counts import Codes

Floats = npt.NDArray[np.float64]

ROUNDING = 1e-12
"""A correlation this close to 1 is 1: sums of some thousand products are off by less."""

MOST_FOR_PRODUCT = 1_500
"""Up to so many items, one product with the table of all pairs' signs is fastest."""


def within_one(values: Floats) -> Floats:
    """Correlations within -1..1, those that only rounding keeps from -1 or 1 made exactly that."""
    whole = np.abs(values) > 1.0 - ROUNDING
    return np.where(whole, np.sign(values), values)


class KendallSums:
    """Sums over pairs of items from ranks, shape (n,), 0-based, ties equal, x in rising order.

    Weights are whole numbers, shape (b, n), in the same order.
    """

    def __init__(self, x_group: Codes, y_group: Codes) -> None:
        self._x = x_group
        self._y = y_group

    def tau_b(self, weights: Floats) -> Floats:
        """Shape (b,); nan where a side is constant."""
        # Twice the numbers of pairs that are not tied on x and on y.
        every = weights.sum(axis=1) ** 2
        x_untied, y_untied = (
            every - (tied**2).sum(axis=1) for tied in (self._x_tied(weights), self._y_tied(weights))
        )
        defined = (x_untied > 0) & (y_untied > 0)
        scale = np.sqrt(np.where(defined, x_untied, 1.0) * np.where(defined, y_untied, 1.0))
        return np.where(defined, within_one(2.0 * self.net(weights) / scale), np.nan)

    def tau_c(self, weights: Floats) -> Floats:
        """Shape (b,); nan where a side is constant. Only values that were drawn count for m."""
        x_levels, y_levels = (
            (tied > 0).sum(axis=1) for tied in (self._x_tied(weights), self._y_tied(weights))
        )
        m = np.minimum(x_levels, y_levels).astype(np.float64)
        squared = weights.sum(axis=1) ** 2
        below = np.where(m > 1, squared * (m - 1.0), 1.0)
        return np.where(m > 1, within_one(2.0 * self.net(weights) * m / below), np.nan)

    def net(self, weights: Floats) -> Floats:
        """Concordant less discordant pairs, shape (b,)."""
        # A single weighting is not worth the table.
        if self._x.size <= MOST_FOR_PRODUCT and weights.shape[0] > 1:
            # Whole numbers up to n times the largest weight are exact in single precision.
            ahead = weights.astype(np.float32) @ self._signs
            return np.asarray(np.einsum("bi,bi->b", weights, ahead.astype(np.float64)))
        return np.asarray(sum(bit.net(weights) for bit in self._bits))

    @cached_property
    def _signs(self) -> npt.NDArray[np.float32]:
        """+1 where a later x has the higher y, -1 where the lower, 0 where tied; (n, n)."""
        x, y = self._x, self._y
        later = x[:, None] < x[None, :]
        return np.asarray(np.where(later, np.sign(y[None, :] - y[:, None]), 0), dtype=np.float32)

    @cached_property
    def _bits(self) -> tuple[Bit, ...]:
        levels = int(self._y.max(initial=0)).bit_length()
        return tuple(Bit.of(self._x, self._y, bit) for bit in range(levels))

    def _x_tied(self, weights: Floats) -> Floats:
        starts = np.flatnonzero(np.diff(self._x, prepend=-1))
        return weights if starts.size == self._x.size else np.add.reduceat(weights, starts, axis=1)

    def _y_tied(self, weights: Floats) -> Floats:
        order = np.argsort(self._y, kind="stable")
        starts = np.flatnonzero(np.diff(self._y[order], prepend=-1))
        return np.asarray(np.add.reduceat(weights[:, order], starts, axis=1))


@dataclass(frozen=True, slots=True, eq=False)
class Bit:
    """The pairs of items whose y agree above one bit and differ there: O(n) for each weighting.

    Two different y, as binary numbers, agree down to one bit and differ there. The items that agree
    above it form a block; within it let s be 1 for those with the bit set, -1 for the others. With
    C the running weight in the order of x, pairs in order less pairs out of order are

        1/2 sum_j w_j s_j (C_before(j) + C_up_to(j) - C_of_block),

    runs of equal x counting as one place.
    """

    order: Codes
    signs: Floats
    run_starts: Codes | None
    block_starts: Codes

    @classmethod
    def of(cls, x: Codes, y: Codes, bit: int) -> Bit:
        """The bit, 0 the lowest, of ranks y in the order of x."""
        block = y >> (bit + 1)
        order = np.argsort(block, kind="stable")
        blocks, groups = block[order], x[order]
        begins = np.diff(blocks, prepend=-1) != 0
        runs = np.flatnonzero(begins | (np.diff(groups, prepend=-1) != 0))
        tied = runs.size < order.size
        places = blocks[runs] if tied else blocks
        return cls(
            order=order,
            signs=np.where((y[order] >> bit) & 1, 1.0, -1.0),
            run_starts=runs if tied else None,
            block_starts=np.flatnonzero(np.diff(places, prepend=-1)),
        )

    def net(self, weights: Floats) -> Floats:
        """Concordant less discordant among these pairs, shape (b,)."""
        columns = weights[:, self.order]
        signed = columns * self.signs
        if self.run_starts is not None:
            columns = np.add.reduceat(columns, self.run_starts, axis=1)
            signed = np.add.reduceat(signed, self.run_starts, axis=1)
        up_to = np.cumsum(columns, axis=1)
        both = 2.0 * np.einsum("bi,bi->b", signed, up_to) - np.einsum("bi,bi->b", signed, columns)
        # Where each block begins and ends, in running weight.
        ends = up_to[:, np.append(self.block_starts[1:], up_to.shape[1]) - 1]
        starts = np.hstack([np.zeros((weights.shape[0], 1)), ends[:, :-1]])
        of_blocks = np.add.reduceat(signed, self.block_starts, axis=1)
        return np.asarray((both - (of_blocks * (starts + ends)).sum(axis=1)) / 2.0)
