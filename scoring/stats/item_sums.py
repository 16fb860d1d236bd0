"""The sums of weighted items, every rater once: for drawing items only, and for leaving things out.

An item enters only through its count row, so items with the same row are exchangeable: instead of n
items the K distinct rows are drawn, multinomial with their shares, which is the same bootstrap with
fewer numbers (K is hundreds where n is ten thousands). Sums for a block of replicates are one
product W (b x K) @ F (K x p). Each stratum has and draws rows of its own; with clusters whole
clusters are drawn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scoring.stats.counts import CodedRatings, Codes
from scoring.stats.draws import ItemPool
from scoring.stats.totals import Floats, Needs, Totals, item_rows, n_rows, unpack

Counts = npt.NDArray[np.int32]

BLOCK_CELLS = 4_000_000
"""Numbers held at once by a block of replicates (32 MB)."""


@dataclass(frozen=True, slots=True, eq=False)
class Patterns:
    """Distinct count rows, each stratum's apart and in the order of strata.

    `rows` (k, q), `times` (k,) how often each comes, `stratum` (k,), and `of_unit` (n_units,) which
    one a unit has.
    """

    rows: Counts
    times: Codes
    stratum: Codes
    of_unit: Codes

    @classmethod
    def of(cls, ratings: CodedRatings, strata: Codes | None) -> Patterns:
        """The patterns of some ratings; `strata` (n_units,) are 0-based codes."""
        counts = ratings.count_matrix()
        key = _row_numbers(counts)
        stratum = np.zeros_like(key) if strata is None else strata
        key += stratum * (int(key.max(initial=0)) + 1)
        _, first, of_unit, times = np.unique(
            key, return_index=True, return_inverse=True, return_counts=True
        )
        return cls(counts[first], times, stratum[first], of_unit)


class ItemSums:
    """Sums of weighted count rows of some ratings."""

    def __init__(self, ratings: CodedRatings, patterns: Patterns, needs: Needs) -> None:
        self.ratings = ratings
        self.patterns = patterns
        self.needs = needs
        self.q = len(ratings.scale.labels)
        self.width = n_rows(needs, self.q)

    def of_rows(self, rows: Counts) -> Floats:
        """What each count row adds to the sums, shape (n_rows, width), from rows (n_rows, q)."""
        counts = np.ascontiguousarray(rows.T, dtype=np.float64)
        return item_rows(counts, counts, self.needs, self.ratings.scale).T

    def totals(self, sums: Floats) -> Totals:
        """Totals from sums of `of_rows`, shape (b, width)."""
        return unpack(sums, self.needs, self.q)

    def weighted(self, weights: Floats) -> Floats:
        """Sums over the patterns, shape (b, width), from their weights (b, k)."""
        sums = np.zeros((weights.shape[0], self.width))
        step = max(1, BLOCK_CELLS // max(self.width, weights.shape[0]))
        for first in range(0, weights.shape[1], step):
            part = slice(first, first + step)
            sums += weights[:, part] @ self.of_rows(self.patterns.rows[part])
        return sums


class RowDraws:
    """Draws of items by pattern; where single units matter, the draw is divided among them after.

    Patterns come from the generator itself and units from one it spawns, so that the same seed
    draws the same patterns whether or not units are asked for.
    """

    def __init__(self, patterns: Patterns, items: ItemPool, rng: np.random.Generator) -> None:
        self._n_units = items.thing.size
        self._times = patterns.times
        self._order = np.argsort(patterns.of_unit, kind="stable")
        self._ends = np.cumsum(patterns.times)
        sizes = np.bincount(patterns.stratum)
        self._parts = np.split(np.arange(patterns.times.size), np.cumsum(sizes)[:-1])
        # Each stratum draws from a stream of its own, whatever the size of a block.
        self._streams = rng.spawn(sizes.size) if sizes.size > 1 else [rng]
        self._units = rng.spawn(1)[0]

    def draw(self, size: int) -> Floats:
        """How often each pattern came in each of `size` draws, shape (size, k)."""
        drawn = []
        for part, stream in zip(self._parts, self._streams, strict=True):
            n = int(self._times[part].sum())
            drawn.append(stream.multinomial(n, self._times[part] / n, size=size))
        return np.concatenate(drawn, axis=1, dtype=np.float64)

    def of_patterns(self, drawn: Floats) -> Floats:
        """Weights of patterns, shape (size, k)."""
        return drawn

    def of_units(self, drawn: Floats) -> Floats:
        """Weights of units, shape (size, n_units): units of one pattern are equally likely."""
        weights = np.empty((drawn.shape[0], self._n_units))
        for row, times in zip(weights, drawn.astype(np.int64), strict=True):
            high = np.repeat(self._ends, times)
            low = high - np.repeat(self._times, times)
            units = self._order[self._units.integers(low, high)]
            row[:] = np.bincount(units, minlength=self._n_units)
        return weights


class ClusterDraws:
    """Draws of whole clusters."""

    def __init__(self, patterns: Patterns, items: ItemPool, rng: np.random.Generator) -> None:
        from scipy.sparse import csr_array

        shape = (patterns.times.size, items.pool.n)
        ones = np.ones(items.thing.size)
        self._matrix = csr_array((ones, (patterns.of_unit, items.thing)), shape=shape)
        self._items = items
        self._rng = rng

    def draw(self, size: int) -> Floats:
        """How often each cluster came in each of `size` draws, shape (size, n_clusters)."""
        return self._items.pool.draw(self._rng, size).astype(np.float64)

    def of_patterns(self, drawn: Floats) -> Floats:
        """Weights of patterns, shape (size, k)."""
        return np.ascontiguousarray((self._matrix @ drawn.T).T)

    def of_units(self, drawn: Floats) -> Floats:
        """Weights of units, shape (size, n_units)."""
        return drawn[:, self._items.thing]


def _row_numbers(counts: Counts) -> Codes:
    """A number for each row, shape (n_units,), the same for the same rows, as small as can be."""
    n_columns = counts.shape[1]
    base = int(counts.max(initial=0)) + 1
    if base**n_columns < 2**62:
        # A row read as a number in base (largest count + 1): sorting numbers, not rows.
        key = counts @ (base ** np.arange(n_columns, dtype=np.int64))
        return np.asarray(np.unique(key, return_inverse=True)[1], dtype=np.intp)
    return np.asarray(np.unique(counts, axis=0, return_inverse=True)[1].ravel(), dtype=np.intp)
