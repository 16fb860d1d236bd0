"""Kendall's W: how far raters rank the same units alike, corrected for ties always.

Every rater's ratings are turned into mid-ranks over the n units that all m raters rated. With R_i a
unit's sum of ranks, S the sum of squared deviations of R_i and T the sum over raters of t^3 - t for
each group of t tied units (Kendall and Babington Smith 1939; Siegel 1956):

    W = 12 S / (m^2 (n^3 - n) - m T),        chi^2 = m (n - 1) W on n - 1 degrees of freedom

`value(unit_weights, rater_weights)` takes multiplicities: a unit drawn twice is two tied units. S
is a sum over pairs of raters, and a rater drawn twice is no pair: the mean over distinct raters,
weighted v_r v_s, stands for the pairs, so that with every weight 1 it is the estimate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scoring.stats.anova import complete_matrix, why_not_complete
from scoring.stats.counts import CodedRatings, Codes, Floats
from scoring.stats.weights import require_order


@dataclass(frozen=True, eq=False)
class KendallW:
    """Kendall's W over complete units; `matrix` (n, m) holds positions on the scale."""

    units: Codes
    matrix: Codes
    n_units_used: int
    obstacle: str | None

    @classmethod
    def of(cls, ratings: CodedRatings) -> KendallW:
        """Takes the units that every rater rated. Raises WithoutOrderError."""
        require_order(ratings.scale)
        units, matrix = complete_matrix(ratings)
        return cls(units, matrix, units.size, why_not_complete(ratings, units.size))

    def value(self, unit_weights: Floats, rater_weights: Floats) -> float:
        """W, from 0 to 1, of weighted units and raters; nan where it is undefined."""
        w, v = unit_weights[self.units], rater_weights
        n, total = float(w.sum()), float(v.sum())
        pairs = total * total - float(v @ v)
        if n < 2 or pairs <= 0:
            return float("nan")
        m = self.matrix.shape[1]
        ranks, ties = self._ranks(w)
        away = ranks - (n + 1.0) / 2.0
        products = (away * w[:, None]).T @ away
        own = np.diag(products)
        distinct = (float(v @ products @ v) - float((v * v) @ own)) / pairs
        spread = m * float(v @ own) / total + m * (m - 1) * distinct
        possible = m * m * (n**3 - n) - m * m * float(v @ ties) / total
        return 12.0 * spread / possible if possible > 0 else float("nan")

    def _ranks(self, w: Floats) -> tuple[Floats, Floats]:
        """(mid-ranks (n, m), sum of t^3 - t of each rater (m,)) where unit i counts w_i times."""
        ranks = np.empty(self.matrix.shape)
        ties = np.empty(self.matrix.shape[1])
        for rater, given in enumerate(self.matrix.T):
            tied = np.bincount(given, weights=w)
            ranks[:, rater] = (np.cumsum(tied) - (tied - 1.0) / 2.0)[given]
            ties[rater] = float((tied**3 - tied).sum())
        return ranks, ties


def kendall_w_p_value(w: float, *, n_units: int, n_raters: int) -> tuple[float, float]:
    """(chi^2, p) of W by the chi-squared approximation; rough below 8 units or so."""
    from scipy.stats import chi2

    statistic = n_raters * (n_units - 1) * w
    return statistic, float(chi2.sf(statistic, n_units - 1))
