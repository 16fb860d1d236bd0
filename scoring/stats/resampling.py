"""Replicates and leave-one-out values of several coefficients, all from the same draws."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from scoring.stats.coefficients import Coefficient, coefficient_values, needs_of
from scoring.stats.counts import CodedRatings
from scoring.stats.draws import ItemPool, rater_pool
from scoring.stats.item_sums import BLOCK_CELLS, ClusterDraws, ItemSums, Patterns, RowDraws
from scoring.stats.left_out import LeftOutValues, left_out_of_sums, left_out_of_weights
from scoring.stats.many_values import SpreadRatings, has_many_values
from scoring.stats.pair_sums import PairSums
from scoring.stats.progress import Watch
from scoring.stats.totals import Floats, Totals

Resample = Literal["two-way", "items", "raters"]
RESAMPLES: tuple[Resample, ...] = get_args(Resample)


class Resampling:
    """What is drawn anew of some ratings, and what the coefficients are then.

    `items` and `raters` are what is drawn, None where they stay. `strata` (n_units,) and
    `rater_strata` (n_raters,) are codes: items and raters are then drawn within strata.

    Raises ValueError for an unknown `resample`, StratumError for strata that do not fit.
    """

    def __init__(
        self,
        *,
        ratings: CodedRatings,
        coefficients: Sequence[Coefficient],
        resample: Resample,
        strata: npt.ArrayLike | None = None,
        rater_strata: npt.ArrayLike | None = None,
    ) -> None:
        if resample not in RESAMPLES:
            known = ", ".join(RESAMPLES)
            raise ValueError(f"Resampling {resample!r} is unknown; choose from {known}.")
        self.ratings = ratings
        self.coefficients = tuple(coefficients)
        self.items = None if resample == "raters" else ItemPool(ratings, strata)
        self.raters = None if resample == "items" else rater_pool(ratings, rater_strata)
        self.needs = needs_of(self.coefficients)
        self._spread = SpreadRatings.of(ratings) if has_many_values(ratings.scale) else None

    @property
    def label(self) -> str:
        """What is drawn, in words: "items and raters", "clusters of items within strata"."""
        drawn = []
        if self.items is not None:
            things = "clusters of items" if self.items.clustered else "items"
            drawn.append(f"{things} within strata" if self.items.strata is not None else things)
        if self.raters is not None:
            drawn.append("raters within strata" if self.raters.divided else "raters")
        return " and ".join(drawn)

    def replicates(
        self, replicates: int, rng: np.random.Generator, watch: Watch | None = None
    ) -> Floats:
        """Shape (replicates, n_coefficients); nan where undefined.

        Raises what the callbacks of `watch` raise, and BootstrapStopped.
        """
        if self.raters is None and self.items is not None:
            blocks = self._item_blocks(self.items, replicates, rng)
        else:
            blocks = self._pair_blocks(replicates, rng)
        values = np.empty((replicates, len(self.coefficients)))
        done = 0
        for block in blocks:
            values[done : done + len(block)] = block
            done += len(block)
            if watch is not None:
                watch.add(len(block))
        return values

    def left_out(self) -> list[LeftOutValues]:
        """One entry for each sample that is drawn independently."""
        if self._spread is not None:
            return left_out_of_weights(self.ratings, self._of_weights, self.items, self.raters)
        return left_out_of_sums(self._item_sums(), self._of_totals, self.items, self.raters)

    def _item_blocks(
        self, items: ItemPool, replicates: int, rng: np.random.Generator
    ) -> Iterator[Floats]:
        """Replicates that draw items alone."""
        sums = self._item_sums()
        drawing: ClusterDraws | RowDraws
        drawing = (ClusterDraws if items.clustered else RowDraws)(sums.patterns, items, rng)
        held = len(sums.patterns.rows) + items.pool.n
        held += sums.width + 2 * sums.q**2 if self._spread is None else self.ratings.n_units
        every_rater = np.ones((1, self.ratings.n_raters))
        for size in _block_sizes(replicates, BLOCK_CELLS // held):
            drawn = drawing.draw(size)
            if self._spread is None:
                yield self._of_totals(sums.totals(sums.weighted(drawing.of_patterns(drawn))))
            else:
                yield self._each_of_weights(drawing.of_units(drawn), every_rater)

    def _pair_blocks(self, replicates: int, rng: np.random.Generator) -> Iterator[Floats]:
        """Replicates that draw raters, and items where they are drawn as well."""
        n_units = self.ratings.n_units
        sums = None
        if self._spread is None:
            sums = PairSums(self.ratings, self.needs, memory_cells=BLOCK_CELLS)
        at_once = BLOCK_CELLS // (8 * n_units) if sums is None else sums.at_once
        # Items and raters from a stream each, so that the size of a block changes no draw.
        item_stream, rater_stream = rng.spawn(2)
        for size in _block_sizes(replicates, at_once):
            w = np.ones((size, n_units))
            if self.items is not None:
                w[:] = self.items.draw(item_stream, size)
            v = np.ones((size, self.ratings.n_raters))
            if self.raters is not None:
                v[:] = self.raters.draw_pairable(rater_stream, size)
            if sums is None:
                yield self._each_of_weights(w, v)
            else:
                yield self._of_totals(sums.totals(w, v))

    def _item_sums(self) -> ItemSums:
        strata = None if self.items is None else self.items.strata
        return ItemSums(self.ratings, Patterns.of(self.ratings, strata), self.needs)

    def _of_totals(self, totals: Totals) -> Floats:
        scale = self.ratings.scale
        return np.column_stack(
            [coefficient_values(totals, one, scale) for one in self.coefficients]
        )

    def _each_of_weights(self, w: Floats, v: Floats) -> Floats:
        each = np.broadcast_to(v, (len(w), v.shape[1]))
        return np.array([self._of_weights(*pair) for pair in zip(w, each, strict=True)])

    def _of_weights(self, w: Floats, v: Floats) -> Floats:
        """Coefficients, shape (n_coefficients,), of item weights (n_units,) and rater weights."""
        if self._spread is None:
            raise ValueError("These coefficients are functions of sums, not of single ratings.")
        return self._spread.values(self.coefficients, w, v)


def _block_sizes(replicates: int, at_once: int) -> Iterator[int]:
    step = max(1, at_once)
    for start in range(0, replicates, step):
        yield min(step, replicates - start)
