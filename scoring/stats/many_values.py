"""Agreement on scales with many values (sliders), where a q x q matrix costs too much.

The same coefficients and the same items x raters weights as in `bootstrap`, from passes over the
ratings. With n_i, P_i, w_i and v_r as there and g_i = w_i n_i / P_i, a rating j of item i by rater
r takes part in pairs of weight m_j = g_i v_r (n_i - v_r). Squared differences over pairs need
sums only, because a rating's difference from itself is zero:

    sum of O D = sum_i g_i 2 (n_i S2_i - S1_i^2),    S1_i = sum v_r x_j,   S2_i = sum v_r x_j^2
    sum of n n' D = 2 (N M2 - M1^2),                 M1 = sum m_j x_j,     M2 = sum m_j x_j^2

with x the values (interval) or the mid-ranks (ordinal: the ordinal difference of categories is the
squared difference of their mid-ranks).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scoring.stats.coefficients import (
    Coefficient,
    Floats,
    Totals,
    coefficient_values,
    numeric_values,
)
from scoring.stats.counts import CodedRatings, Codes
from scoring.stats.scale import Scale

MANY = 30
"""Above this many categories passes over the ratings are cheaper than a coincidence matrix."""


MOST_FOR_RATIO = 500
"""Up to this many categories alpha at the ratio level, which needs a matrix, is computed by it."""


def has_many_values(scale: Scale, coefficients: Sequence[Coefficient]) -> bool:
    """Whether a scale has so many categories that this module is to be used."""
    if any(one.computed_level == "ratio" for one in coefficients):
        return len(scale.labels) > MOST_FOR_RATIO
    return len(scale.labels) > MANY


@dataclass(frozen=True, slots=True, eq=False)
class SpreadRatings:
    """Ratings with their (unit, category) cells: `cell` (n_ratings,), `cell_unit` (n_cells,)."""

    ratings: CodedRatings
    cell: Codes
    cell_unit: Codes

    @classmethod
    def of(cls, ratings: CodedRatings) -> SpreadRatings:
        """Finds the cells that occur; memory grows with the ratings only."""
        q = len(ratings.scale.labels)
        present, cell = np.unique(ratings.unit * q + ratings.category, return_inverse=True)
        return cls(ratings, cell, present // q)

    def values(
        self, coefficients: Sequence[Coefficient], item_weights: Floats, rater_weights: Floats
    ) -> Floats:
        """Coefficients, shape (n_coefficients,), of weighted ratings; nan where undefined.

        `item_weights` (n_units,) and `rater_weights` (n_raters,) are multiplicities. Raises
        ValueError for alpha at the ratio level, whose differences do not split into sums.
        """
        pairs = _Pairs(self, item_weights, rater_weights)
        scale = self.ratings.scale
        return np.array(
            [
                pairs.alpha(one)
                if one.name == "krippendorff_alpha"
                else float(coefficient_values(pairs.totals, one, scale)[0])
                for one in coefficients
            ]
        )


class _Pairs:
    """The weighted pairs of one replicate."""

    def __init__(self, spread: SpreadRatings, w: Floats, v: Floats) -> None:
        ratings = spread.ratings
        self.ratings = ratings
        self.each = v[ratings.rater]
        squared = self.each * self.each
        self.sizes = np.bincount(ratings.unit, weights=self.each, minlength=w.size)
        self_pairs = np.bincount(ratings.unit, weights=squared, minlength=w.size)
        pairs = self.sizes * self.sizes - self_pairs
        paired = pairs > 0
        self.per_item = np.divide(w * self.sizes, pairs, out=np.zeros_like(w), where=paired)
        with_others = self.each * self.sizes[ratings.unit] - squared
        self.margin = self.per_item[ratings.unit] * with_others
        q = len(ratings.scale.labels)
        self.margins = np.bincount(ratings.category, weights=self.margin, minlength=q)
        counts = np.bincount(spread.cell, weights=self.each, minlength=spread.cell_unit.size)
        self.same = (
            np.bincount(spread.cell_unit, weights=counts * counts, minlength=w.size) - self_pairs
        )
        self.differing = self.per_item @ (pairs - self.same)
        agreeing = np.divide(self.same, pairs, out=np.zeros_like(w), where=paired)
        rated = self.sizes > 0
        # A rating's share in its item: among the pairs it is part of, or alone.
        per_rated = np.divide(w, self.sizes, out=np.zeros_like(w), where=rated & ~paired)
        per_pair = np.divide(w, pairs, out=np.zeros_like(w), where=paired)
        share = per_pair[ratings.unit] * with_others + per_rated[ratings.unit] * self.each
        shares = np.bincount(ratings.category, weights=share, minlength=q)
        self.totals = Totals(
            coincidences=np.empty((1, 0, 0)),
            agreeing=np.array([w @ agreeing]),
            paired=np.array([w @ paired]),
            shares=np.asarray(shares[None], dtype=np.float64),
            rated=np.array([w @ rated]),
        )

    def alpha(self, coefficient: Coefficient) -> float:
        """Krippendorff's alpha of these sums, at most 1; nan where it is not defined.

        Raises ValueError at the ratio level, whose differences do not come apart into sums.
        """
        total = float(self.margins.sum())
        # Fewer than two categories in pairs: no pair, or no variation.
        if int(np.count_nonzero(self.margins)) < 2:
            return float("nan")
        if coefficient.level == "nominal":
            expected = total * total - float(self.margins @ self.margins)
            return 1.0 - (total - 1.0) * float(self.differing) / expected
        if coefficient.level == "ratio":
            raise ValueError(
                f"Alpha at the ratio level is computed for up to {MOST_FOR_RATIO} different values "
                f"and {len(self.margins)} came. Round them, or use the interval level."
            )
        if coefficient.level == "ordinal":
            by_category = np.cumsum(self.margins) - self.margins / 2.0
        else:
            by_category = numeric_values(coefficient.level, self.ratings.scale)
        # Centred, so that the sums of squares do not cancel each other's digits.
        centre = float(self.margins @ by_category) / total
        x = (by_category - centre)[self.ratings.category]
        observed, expected = self._squared_differences(x, total)
        return 1.0 - (total - 1.0) * observed / expected

    def _squared_differences(self, x: Floats, total: float) -> tuple[float, float]:
        """(sum of O D, sum of n n' D) for D the squared difference of x, shape (n_ratings,)."""
        unit = self.ratings.unit
        weighted = self.each * x
        first = np.bincount(unit, weights=weighted, minlength=self.sizes.size)
        second = np.bincount(unit, weights=weighted * x, minlength=self.sizes.size)
        observed = 2.0 * float(self.per_item @ (self.sizes * second - first * first))
        m1 = float(self.margin @ x)
        m2 = float(self.margin @ (x * x))
        return observed, 2.0 * (total * m2 - m1 * m1)
