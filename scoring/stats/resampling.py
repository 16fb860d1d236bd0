"""Replicates and leave-one-out values of several coefficients, all from the same draws."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from scoring.stats.by_rater import statistic_of
from scoring.stats.coefficients import Coefficient, coefficient_values, needs_of
from scoring.stats.counts import CodedRatings
from scoring.stats.draws import ItemPool, rater_pool
from scoring.stats.intervals import LeftOut
from scoring.stats.item_sums import BLOCK_CELLS, ClusterDraws, ItemSums, Patterns, RowDraws
from scoring.stats.left_out import left_out_of_sums, left_out_of_weights, n_passes
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
        self._by_sums, self._by_weights = _divided(ratings, self.coefficients)
        counted = [self.coefficients[column] for column in self._by_sums]
        self._counted = counted
        self._needs = needs_of(counted)
        weighted = [self.coefficients[column] for column in self._by_weights]
        self._weighted = _Weighted(ratings, weighted) if weighted else None

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

    @property
    def n_passes(self) -> int:
        """How many passes over the ratings `left_out` takes and tells its watch of."""
        return 0 if self._weighted is None else n_passes(self.items, self.raters)

    def left_out(self, watch: Watch | None = None) -> list[list[LeftOut]]:
        """For each coefficient, one entry for each sample that is drawn independently.

        Raises what the callbacks of `watch` raise, and BootstrapStopped.
        """
        by_column: list[list[LeftOut]] = [[] for _ in self.coefficients]
        if self._by_sums:
            samples = left_out_of_sums(self._item_sums(), self._of_totals, self.items, self.raters)
            for place, column in enumerate(self._by_sums):
                by_column[column] = [sample.of(place) for sample in samples]
        if self._weighted is not None:
            values_of = self._weighted.values
            samples = left_out_of_weights(self.ratings, values_of, self.items, self.raters, watch)
            for place, column in enumerate(self._by_weights):
                by_column[column] = [sample.of(place) for sample in samples]
        return by_column

    def _item_blocks(
        self, items: ItemPool, replicates: int, rng: np.random.Generator
    ) -> Iterator[Floats]:
        """Replicates that draw items alone."""
        sums = self._item_sums()
        drawing: ClusterDraws | RowDraws
        drawing = (ClusterDraws if items.clustered else RowDraws)(sums.patterns, items, rng)
        held = len(sums.patterns.rows) + items.pool.n + sums.width + 2 * sums.q**2
        held += 0 if self._weighted is None else self.ratings.n_units
        every_rater = np.ones(self.ratings.n_raters)
        for size in _block_sizes(replicates, BLOCK_CELLS // held):
            drawn = drawing.draw(size)
            values = np.empty((size, len(self.coefficients)))
            if self._by_sums:
                weighted = sums.weighted(drawing.of_patterns(drawn))
                values[:, self._by_sums] = self._of_totals(sums.totals(weighted))
            if self._weighted is not None:
                values[:, self._by_weights] = [
                    self._weighted.values(w, every_rater) for w in drawing.of_units(drawn)
                ]
            yield values

    def _pair_blocks(self, replicates: int, rng: np.random.Generator) -> Iterator[Floats]:
        """Replicates that draw raters, and items where they are drawn as well."""
        n_units = self.ratings.n_units
        sums = None
        at_once = BLOCK_CELLS // (8 * n_units)
        if self._by_sums:
            sums = PairSums(self.ratings, self._needs, memory_cells=BLOCK_CELLS)
            at_once = sums.at_once
        for size in _block_sizes(replicates, at_once):
            w = np.ones((size, n_units))
            v = np.ones((size, self.ratings.n_raters))
            # Replicate by replicate, so that the size of a block changes no draw.
            for row in range(size):
                if self.items is not None:
                    w[row] = self.items.draw(rng, 1)[0]
                if self.raters is not None:
                    v[row] = self.raters.draw_pairable(rng, 1)[0]
            values = np.empty((size, len(self.coefficients)))
            if sums is not None:
                values[:, self._by_sums] = self._of_totals(sums.totals(w, v))
            if self._weighted is not None:
                values[:, self._by_weights] = [
                    self._weighted.values(*pair) for pair in zip(w, v, strict=True)
                ]
            yield values

    def _item_sums(self) -> ItemSums:
        strata = None if self.items is None else self.items.strata
        return ItemSums(self.ratings, Patterns.of(self.ratings, strata), self._needs)

    def _of_totals(self, totals: Totals) -> Floats:
        scale = self.ratings.scale
        return np.column_stack([coefficient_values(totals, one, scale) for one in self._counted])


class _Weighted:
    """Coefficients that take the weights of single items and raters, not sums over items."""

    def __init__(self, ratings: CodedRatings, coefficients: Sequence[Coefficient]) -> None:
        self._columns = [place for place, one in enumerate(coefficients) if not one.by_rater]
        self._counted = [coefficients[place] for place in self._columns]
        self._spread = SpreadRatings.of(ratings) if self._counted else None
        self._n = len(coefficients)
        self._statistics = [
            (place, statistic_of(ratings, one))
            for place, one in enumerate(coefficients)
            if one.by_rater
        ]

    def values(self, w: Floats, v: Floats) -> Floats:
        """Shape (n_coefficients,), from item weights (n_units,) and rater weights (n_raters,)."""
        values = np.full(self._n, np.nan)
        if self._spread is not None:
            values[self._columns] = self._spread.values(self._counted, w, v)
        for place, statistic in self._statistics:
            if statistic.obstacle is None:
                values[place] = statistic.value(w, v)
        return values


def _divided(
    ratings: CodedRatings, coefficients: Sequence[Coefficient]
) -> tuple[list[int], list[int]]:
    """(places of the coefficients that need sums over items only, places of the others)."""
    many = has_many_values(ratings.scale)
    by_weights = [n for n, one in enumerate(coefficients) if many or one.by_rater]
    return [n for n in range(len(coefficients)) if n not in by_weights], by_weights


def _block_sizes(replicates: int, at_once: int) -> Iterator[int]:
    step = max(1, at_once)
    for start in range(0, replicates, step):
        yield min(step, replicates - start)
