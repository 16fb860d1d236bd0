"""Agreement on scales with many values (sliders, sets), where a q x q matrix costs too much.

The same sums under the same items x raters weights as in `totals`, from passes over the ratings.
With n_i, P_i, w_i and v_r as there and g_i = w_i n_i / P_i, a rating j of item i by rater r takes
part in pairs of weight m_j = g_i v_r (n_i - v_r). Squared differences over pairs need sums only,
because a rating's difference from itself is zero:

    sum of O D = sum_i g_i 2 (n_i S2_i - S1_i^2),    S1_i = sum v_r x_j,   S2_i = sum v_r x_j^2
    sum of n n' D = 2 (N M2 - M1^2),                 M1 = sum m_j x_j,     M2 = sum m_j x_j^2

with x the values (interval level, quadratic weights) or the mid-ranks (ordinal level: the ordinal
difference of categories is the squared difference of their mid-ranks). Other differences do not
split into sums; they are looked up for every two categories that occur together in an item.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scoring.stats.coefficients import Coefficient, Floats, coefficient_values, needs_of
from scoring.stats.counts import CodedRatings, Codes
from scoring.stats.scale import Scale
from scoring.stats.totals import Comparable, Disagreement, Needs, Totals, disagreement_of_items
from scoring.stats.weights import Distance, category_numbers, disagreement_matrix

MANY = 30
"""Above this many categories passes over the ratings are cheaper than a coincidence matrix."""

MOST_CELL_PAIRS = 20_000_000
"""Up to this many pairs of categories within items are listed (320 MB)."""

BLOCK_CELLS = 4_000_000


def has_many_values(scale: Scale) -> bool:
    """Whether a scale has so many categories that this module is to be used."""
    return len(scale.labels) > MANY


@dataclass(frozen=True, eq=False)
class SpreadRatings:
    """Ratings with their (unit, category) cells: `cell` (n_ratings,), `cell_unit` (n_cells,)."""

    ratings: CodedRatings
    cell: Codes
    cell_unit: Codes
    cell_category: Codes

    @classmethod
    def of(cls, ratings: CodedRatings) -> SpreadRatings:
        """Finds the cells that occur; memory grows with the ratings only."""
        q = len(ratings.scale.labels)
        present, cell = np.unique(ratings.unit * q + ratings.category, return_inverse=True)
        return cls(ratings, cell, present // q, present % q)

    def values(
        self, coefficients: Sequence[Coefficient], item_weights: Floats, rater_weights: Floats
    ) -> Floats:
        """Coefficients, shape (n_coefficients,), of weighted ratings; nan where undefined.

        `item_weights` (n_units,) and `rater_weights` (n_raters,) are multiplicities. Raises
        ValueError where a difference that does not split into sums meets too many values.
        """
        weighted = _Weighted(self, item_weights, rater_weights)
        totals = weighted.totals(needs_of(coefficients))
        scale = self.ratings.scale
        return np.array(
            [
                weighted.ordinal_alpha()
                if one.distance is None
                else float(coefficient_values(totals, one, scale)[0])
                for one in coefficients
            ]
        )

    def totals(self, needs: Needs, item_weights: Floats, rater_weights: Floats) -> Totals:
        """The sums of `totals`, without coincidences, for one weighting (see `values`)."""
        return _Weighted(self, item_weights, rater_weights).totals(needs)

    @cached_property
    def cell_pairs(self) -> tuple[Codes, Codes] | None:
        """Every two cells of one unit, (first, second), each pair once; None for too many."""
        starts = np.flatnonzero(np.diff(self.cell_unit, prepend=-1))
        lengths = np.diff(starts, append=self.cell_unit.size)
        if int((lengths * (lengths - 1) // 2).sum()) > MOST_CELL_PAIRS:
            return None
        # Cells are sorted by unit: the partners of a cell are the rest of its unit.
        ends = np.repeat(starts + lengths, lengths)
        partners = ends - np.arange(self.cell_unit.size) - 1
        first = np.repeat(np.arange(self.cell_unit.size), partners)
        before = np.repeat(np.cumsum(partners) - partners, partners)
        second = first + 1 + np.arange(first.size) - before
        return first, second


class _Weighted:
    """The weighted pairs of one replicate."""

    def __init__(self, spread: SpreadRatings, w: Floats, v: Floats) -> None:
        ratings = spread.ratings
        self.spread = spread
        self.ratings = ratings
        self.w = w
        self.each = v[ratings.rater]
        squared = self.each * self.each
        self.sizes = np.bincount(ratings.unit, weights=self.each, minlength=w.size)
        self.self_pairs = np.bincount(ratings.unit, weights=squared, minlength=w.size)
        self.pairs = self.sizes * self.sizes - self.self_pairs
        self.paired = self.pairs > 0
        self.with_others = self.each * self.sizes[ratings.unit] - squared
        self.per_item = self._per_pair(w * self.sizes)
        self.counts = np.bincount(spread.cell, weights=self.each, minlength=spread.cell_unit.size)

    @cached_property
    def margin(self) -> Floats:
        """The weight of each rating in pairs, shape (n_ratings,)."""
        of_unit = self.with_others * self.sizes[self.ratings.unit]
        pairs = self.pairs[self.ratings.unit]
        share = np.divide(of_unit, pairs, out=np.zeros_like(of_unit), where=pairs > 0)
        return np.asarray(share * self.w[self.ratings.unit])

    @cached_property
    def margins(self) -> Floats:
        """The same of each category, shape (q,)."""
        return self._by_category(self.margin)

    def totals(self, needs: Needs) -> Totals:
        """The sums of `totals`, without coincidences, for this one weighting."""
        w = self.w
        return Totals(
            rated=np.array([w @ (self.sizes > 0)]),
            paired=np.array([w @ self.paired]),
            pairs=np.array([w @ self.pairs]),
            margins=self.margins[None] if needs.margins else None,
            shares=self._shares()[None] if needs.shares else None,
            coincidences=None,
            disagreements={one: self._disagreement(one) for one in needs.distances},
            comparable={one: self._comparable(one) for one in needs.comparable},
        )

    def ordinal_alpha(self) -> float:
        """Alpha at the ordinal level, at most 1; nan where it is not defined."""
        total = float(self.margins.sum())
        # Fewer than two categories in pairs: no pair, or no variation.
        if int(np.count_nonzero(self.margins)) < 2:
            return float("nan")
        midranks = np.cumsum(self.margins) - self.margins / 2.0
        # Centred, so that the sums of squares do not cancel each other's digits.
        centre = float(self.margins @ midranks) / total
        x = (midranks - centre)[self.ratings.category]
        observed = float(self.per_item @ self._squared_differences(x))
        m1 = float(self.margin @ x)
        m2 = float(self.margin @ (x * x))
        return 1.0 - (total - 1.0) * observed / (2.0 * (total * m2 - m1 * m1))

    def _shares(self) -> Floats:
        """Sum over items of the share of each category, among pairs or alone; shape (q,)."""
        per_pair = self._per_pair(self.w)
        alone = np.divide(
            self.w, self.sizes, out=np.zeros_like(self.w), where=(self.sizes > 0) & ~self.paired
        )
        unit = self.ratings.unit
        return self._by_category(per_pair[unit] * self.with_others + alone[unit] * self.each)

    def _disagreement(self, distance: Distance) -> Disagreement:
        differing = self._differing(distance)
        return Disagreement(
            coincident=np.array([self.per_item @ differing]),
            per_item=np.array([self.w @ self._per_pair(differing)]),
            pooled=np.array([self.w @ differing]),
        )

    def _comparable(self, distance: Distance) -> Comparable:
        differing = self._differing(distance)
        left = self.pairs.copy()
        members = self.ratings.scale.members or ()
        if frozenset() in members:
            both = self.ratings.category == members.index(frozenset())
            unit, each = self.ratings.unit[both], self.each[both]
            empty = np.bincount(unit, weights=each, minlength=left.size)
            left -= empty**2 - np.bincount(unit, weights=each * each, minlength=left.size)
        share = np.divide(differing, left, out=np.zeros_like(left), where=left > 0)
        return Comparable(
            per_item=np.array([self.w @ share]),
            pooled=np.array([self.w @ differing]),
            items=np.array([self.w @ (left > 0)]),
            pairs=np.array([self.w @ left]),
        )

    def _differing(self, distance: Distance) -> Floats:
        """d_i of every item, shape (n_units,)."""
        if distance == "identity":
            same = np.bincount(self.spread.cell_unit, weights=self.counts**2, minlength=self.w.size)
            return np.asarray(self.sizes * self.sizes - same)
        if distance == "quadratic":
            numbers = category_numbers(self.ratings.scale)
            x = (numbers - numbers.mean()) / (numbers.max() - numbers.min())
            return self._squared_differences(x[self.ratings.category])
        listed = self.spread.cell_pairs
        if listed is None:
            return self._differing_by_blocks(distance)
        first, second = listed
        category = self.spread.cell_category
        apart = disagreement_matrix(distance, self.ratings.scale)[category[first], category[second]]
        products = self.counts[first] * self.counts[second] * apart
        unit = self.spread.cell_unit[first]
        return np.asarray(2.0 * np.bincount(unit, weights=products, minlength=self.w.size))

    def _differing_by_blocks(self, distance: Distance) -> Floats:
        """The same by small dense count matrices, where the pairs are too many to list."""
        q = len(self.ratings.scale.labels)
        step = max(1, BLOCK_CELLS // q)
        differing = np.empty(self.w.size)
        for start in range(0, self.w.size, step):
            stop = min(start + step, self.w.size)
            low, high = np.searchsorted(self.spread.cell_unit, [start, stop])
            counts = np.zeros((q, stop - start))
            unit = self.spread.cell_unit[low:high] - start
            counts[self.spread.cell_category[low:high], unit] = self.counts[low:high]
            differing[start:stop] = disagreement_of_items(counts, distance, self.ratings.scale)
        return differing

    def _squared_differences(self, x: Floats) -> Floats:
        """d_i for the squared difference of x, shape (n_ratings,); exactly 0 in full agreement."""
        unit = self.ratings.unit
        weighted = self.each * x
        first = np.bincount(unit, weights=weighted, minlength=self.w.size)
        second = np.bincount(unit, weights=weighted * x, minlength=self.w.size)
        kinds = np.bincount(self.spread.cell_unit, minlength=self.w.size)
        return np.asarray(np.where(kinds < 2, 0.0, 2.0 * (self.sizes * second - first * first)))

    def _per_pair(self, numerator: Floats) -> Floats:
        quotient = np.divide(numerator, self.pairs, out=np.zeros_like(numerator), where=self.paired)
        return np.asarray(quotient)

    def _by_category(self, of_rating: Floats) -> Floats:
        q = len(self.ratings.scale.labels)
        summed = np.bincount(self.ratings.category, weights=of_rating, minlength=q)
        return np.asarray(summed, dtype=np.float64)
