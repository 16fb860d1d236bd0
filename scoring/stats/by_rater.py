"""Coefficients that need to know who gave which rating, all behind one interface.

    statistic = statistic_of(ratings, coefficient)
    statistic.obstacle                       # reason code where there is nothing to compute
    statistic.value(unit_weights, rater_weights)   # nan where undefined

`unit_weights` (n_units,) and `rater_weights` (n_raters,) are multiplicities, so a bootstrap only
has to draw them. With every weight 1 the value is the estimate. Building a statistic costs a pass
over the ratings (or over their pairs), so it is built once and asked many times.
"""

from __future__ import annotations

from typing import Protocol

from scoring.stats.anova import icc_statistic
from scoring.stats.coefficients import Coefficient
from scoring.stats.concordance import KendallW
from scoring.stats.counts import CodedRatings, Floats
from scoring.stats.rater_margins import CongerKappa, PairwiseKappa


class RaterStatistic(Protocol):
    """A coefficient of some ratings as a function of weights."""

    @property
    def n_units_used(self) -> int:
        """How many units it rests on: those rated by all raters, or by two or more."""

    @property
    def obstacle(self) -> str | None:
        """Why there is nothing to compute, as a reason code."""

    def value(self, unit_weights: Floats, rater_weights: Floats) -> float:
        """The coefficient of weighted ratings; nan where it is undefined."""


def statistic_of(ratings: CodedRatings, coefficient: Coefficient) -> RaterStatistic:
    """The ratings made ready for a coefficient with `by_rater`.

    Raises ValueError for a coefficient of another family, for a scale without the order or the
    numbers it needs, and for more pairs of ratings than can be listed.
    """
    if coefficient.name == "icc":
        return icc_statistic(ratings, coefficient.form)
    if coefficient.name == "kendall_w":
        return KendallW.of(ratings)
    distance = coefficient.distance
    if distance is not None:
        if coefficient.name == "conger_kappa":
            return CongerKappa.of(ratings, distance=distance)
        if coefficient.name == "cohen_kappa" or coefficient.name == "scott_pi":
            return PairwiseKappa.of(ratings, kind=coefficient.name, distance=distance)
    raise ValueError(f"{coefficient.name} does not depend on who rated; see `coefficients`.")
