"""The sums of weighted items and raters, for many weightings at a time.

A replicate draws items (multiplicity w_i) and raters (multiplicity v_r). A rater drawn twice is
not a second opinion, so pairs run over distinct original raters only, weighted v_r v_s. With n_ic
the sum of v_r over the raters who put item i into category c, s_ic the sum of v_r^2 over the same
and n_i the sum of n_ic over c:

    pairs_i(c, k) = n_ic n_ik - [c = k] s_ic
    P_i           = n_i^2 - sum_c s_ic                (all pairs of the item)
    O(c, k)       = sum_i w_i (n_i / P_i) pairs_i(c, k)

An item's coincidences O add up to n_i, the number of its (weighted) ratings, as they do in
Krippendorff's matrix: with all v_r = 1, n_i / P_i is 1 / (n_i - 1). Other sums are those of
`totals.item_rows`. An item left with one distinct rater (P_i = 0) has no pairs in that replicate;
its category still enters the chance terms of AC1 and Fleiss' kappa, as those of single-rated items
do.

n_ic for a block of replicates is one sparse product A @ V, s_ic is A @ V^2, with A the (category
and item) x rater matrix of ones. Items are taken in tiles that stay in the processor's cache.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from scoring.stats.counts import CodedRatings
from scoring.stats.totals import Floats, Needs, Totals, item_rows, unpack

TILE_CELLS = 20_000
"""Numbers in a tile: categories x items x replicates (160 kB)."""

MOST_AT_ONCE = 256
"""Replicates of a block at most; more gain nothing."""

FEWEST_AT_ONCE = 16
"""Replicates of a block unless memory forbids: with fewer the sparse product is slow."""


@dataclass(frozen=True, slots=True)
class _Tile:
    """Some items: `cells` is the sparse (category x item, rater) matrix of their ratings."""

    first: int
    size: int
    cells: Any


class PairSums:
    """Items x raters sums of some ratings; `at_once` replicates are best asked for together."""

    def __init__(self, ratings: CodedRatings, needs: Needs, *, memory_cells: int) -> None:
        self.ratings = ratings
        self.needs = needs
        q = max(1, len(ratings.scale.labels))
        fits_tile = TILE_CELLS // max(1, q * ratings.n_units)
        fits_memory = memory_cells // max(1, 2 * ratings.n_units + 4 * q * q)
        self.at_once = max(1, min(max(fits_tile, FEWEST_AT_ONCE), MOST_AT_ONCE, fits_memory))
        self._tiles = _tiles(ratings, max(1, TILE_CELLS // (q * self.at_once)))

    def totals(self, item_weights: npt.ArrayLike, rater_weights: npt.ArrayLike) -> Totals:
        """The sums of b weightings, from item weights (b, n_units) and rater weights (b, n_raters).

        Weights are multiplicities; all 1 gives the sums of the estimate. Raises ValueError for
        other shapes.
        """
        w = np.asarray(item_weights, dtype=np.float64)
        v = np.asarray(rater_weights, dtype=np.float64)
        n_units, n_raters = self.ratings.n_units, self.ratings.n_raters
        if w.ndim != 2 or (w.shape[1], v.shape) != (n_units, (w.shape[0], n_raters)):
            raise ValueError(
                f"Weights of shape {w.shape} and {v.shape} came for {n_units} units and "
                f"{n_raters} raters."
            )
        times = np.ascontiguousarray(v.T)
        sums = _Sums(self.ratings, self.needs, w.shape[0])
        for tile in self._tiles:
            counts, own = tile.cells @ times, tile.cells @ (times * times)
            sums.add(counts, own, np.ascontiguousarray(w[:, tile.first : tile.first + tile.size].T))
        return sums.totals()


class _Sums:
    """Running sums over the tiles, for b weightings."""

    def __init__(self, ratings: CodedRatings, needs: Needs, b: int) -> None:
        self.scale = ratings.scale
        self.q = len(ratings.scale.labels)
        self.b = b
        self.needs = needs
        # The coincidences are formed from the counts, without a row for each item.
        self.simple = replace(needs, coincidences=False)
        self.rows: Floats | float = 0.0
        self.coincidences = np.zeros((self.q, self.q, b)) if needs.coincidences else None

    def add(self, counts: Floats, own: Floats, w: Floats) -> None:
        """A tile of m items: counts and own (q x m, b), item weights (m, b)."""
        columns = (self.q, w.size)
        rows = item_rows(counts.reshape(columns), own.reshape(columns), self.simple, self.scale)
        self.rows = self.rows + np.einsum("pmb,mb->bp", rows.reshape(-1, *w.shape), w)
        if self.coincidences is not None:
            by_item = (self.q, *w.shape)
            _add_coincidences(self.coincidences, counts.reshape(by_item), own.reshape(by_item), w)

    def totals(self) -> Totals:
        """The sums of all tiles added so far, for each of the b replicates."""
        rows = np.asarray(self.rows, dtype=np.float64)
        totals = unpack(rows, self.simple, self.q)
        if self.coincidences is None:
            return totals
        lower = np.tril_indices(self.q, -1)
        self.coincidences[lower] = self.coincidences.transpose(1, 0, 2)[lower]
        return replace(totals, coincidences=np.ascontiguousarray(self.coincidences.T))


def _add_coincidences(into: Floats, counts: Floats, own: Floats, w: Floats) -> None:
    """Adds O(c, k) for c <= k to `into` (q, q, b), from counts and own (q, m, b)."""
    sizes = counts.sum(axis=0)
    pairs = sizes * sizes - own.sum(axis=0)
    per_item = np.divide(w * sizes, pairs, out=np.zeros_like(w), where=pairs > 0)
    for c in range(counts.shape[0]):
        into[c, c:] += np.einsum("kmb,mb->kb", counts[c:], counts[c] * per_item)
    diagonal = np.arange(counts.shape[0])
    into[diagonal, diagonal] -= np.einsum("cmb,mb->cb", own, per_item)


def _tiles(ratings: CodedRatings, size: int) -> list[_Tile]:
    from scipy.sparse import csr_array

    order = np.argsort(ratings.unit, kind="stable")
    unit = ratings.unit[order]
    q = len(ratings.scale.labels)
    tiles = []
    for first in range(0, ratings.n_units, size):
        n = min(size, ratings.n_units - first)
        start, stop = np.searchsorted(unit, [first, first + n])
        rows = order[start:stop]
        cell = ratings.category[rows] * n + (ratings.unit[rows] - first)
        shape = (q * n, ratings.n_raters)
        ones = np.ones(rows.size)
        tiles.append(_Tile(first, n, csr_array((ones, (cell, ratings.rater[rows])), shape=shape)))
    return tiles
