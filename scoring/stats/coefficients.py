"""The coefficients of the count family as functions of sums over items (`totals.Totals`).

Every one of them is 1 - (observed disagreement) / (disagreement expected by chance); what differs
is what is averaged and what chance is taken to be. With D from `weights`, pi the mean over rated
items of a category's share of the item's ratings, n the margins of the coincidence matrix and N
their sum:

| coefficient | observed | expected |
| --- | --- | --- |
| krippendorff_alpha | sum of O D / N | sum of n n' D / (N (N - 1)) |
| fleiss_kappa | mean over items | sum of pi pi' D |
| gwet_ac1, gwet_ac2 | mean over items | 1 - sum(W) sum of pi (1 - pi) / (q (q - 1)) |
| brennan_prediger | mean over items | sum(D) / q^2 |
| percent_agreement | mean over items | 1 |
| average_pairwise_jaccard, _masi | mean over items, or over all pairs | 1 |

Sources: Krippendorff 2011; Fleiss 1971; Brennan and Prediger 1981; Gwet 2008 and 2014 (the chance
term of AC takes single-rated items in); Passonneau 2006. q counts the declared categories. Arrays
carry nan where a replicate is undefined; what leaves `agreement` and `bootstrap` carries None and a
reason. Coefficients that need to know who rated what are in `rater_margins`, `anova` and
`concordance`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from scoring.stats.anova import ICC_FORMS, IccForm
from scoring.stats.scale import LEVELS, Level, Scale
from scoring.stats.totals import Needs, Totals
from scoring.stats.weights import (
    DISTANCES,
    SET_DISTANCES,
    Distance,
    expected_disagreement,
    total_disagreement,
)

Floats = npt.NDArray[np.float64]

CoefficientName = Literal[
    "krippendorff_alpha",
    "percent_agreement",
    "gwet_ac1",
    "gwet_ac2",
    "fleiss_kappa",
    "brennan_prediger",
    "average_pairwise_jaccard",
    "average_pairwise_masi",
    "cohen_kappa",
    "scott_pi",
    "conger_kappa",
    "icc",
    "kendall_w",
]
COEFFICIENTS: tuple[CoefficientName, ...] = get_args(CoefficientName)

BY_RATER: tuple[CoefficientName, ...] = (
    "cohen_kappa",
    "scott_pi",
    "conger_kappa",
    "icc",
    "kendall_w",
)
"""Coefficients that need to know who gave which rating; see `by_rater`."""

WITHOUT_WEIGHTS: tuple[CoefficientName, ...] = ("icc", "kendall_w")

OF_SETS: dict[CoefficientName, Distance] = {
    "average_pairwise_jaccard": "jaccard",
    "average_pairwise_masi": "masi",
}

Aggregate = Literal["items", "pairs"]
AGGREGATES: tuple[Aggregate, ...] = get_args(Aggregate)


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A coefficient to compute.

    `level` matters to alpha, whose difference it names; `weights` names the difference of the
    others, and of alpha when given (alpha of sets: "jaccard" or "masi"). Left out, they are
    quadratic for AC2 and identity elsewhere. `aggregate` and `skip_empty` matter to the average
    pairwise similarities: a mean over items or over all pairs, and whether pairs of two empty sets
    are left out (they count as 1 otherwise). `form` matters to the intraclass correlation.
    """

    name: CoefficientName
    level: Level = "nominal"
    weights: Distance | None = None
    aggregate: Aggregate = "items"
    skip_empty: bool = False
    form: IccForm = "ICC2"

    def __post_init__(self) -> None:
        _require_known("Coefficient", self.name, COEFFICIENTS)
        _require_known("Level", self.level, LEVELS)
        _require_known("Aggregation", self.aggregate, AGGREGATES)
        if self.weights is not None:
            _require_known("Weighting", self.weights, DISTANCES)
        if self.name == "gwet_ac1" and self.weights not in (None, "identity"):
            raise ValueError(f"AC1 has identity weights; with {self.weights} weights it is AC2.")
        _require_known("ICC form", self.form, ICC_FORMS)
        if self.name in WITHOUT_WEIGHTS and self.weights is not None:
            raise ValueError(f"{self.name} takes no weights.")
        if self.name in OF_SETS and self.weights not in (None, OF_SETS[self.name]):
            raise ValueError(f"{self.name} compares sets; it takes no {self.weights} weights.")

    @property
    def computed_level(self) -> Level:
        """The level of measurement the number is computed at."""
        if self.name == "krippendorff_alpha" and self.weights is None:
            return self.level
        if self.name in WITHOUT_WEIGHTS:
            return "interval" if self.name == "icc" else "ordinal"
        if self.distance in ("identity", *SET_DISTANCES):
            return "nominal"
        # Weights that grade differences need an order at least.
        return "ordinal" if self.level == "nominal" else self.level

    @property
    def by_rater(self) -> bool:
        """Whether it needs to know who gave which rating; `by_rater` computes it then."""
        return self.name in BY_RATER

    @property
    def named_weights(self) -> Distance | None:
        """The weights to report: those of `distance`, but none where alpha goes by its level."""
        if self.name == "krippendorff_alpha" and self.weights is None:
            return None
        return self.distance

    @property
    def distance(self) -> Distance | None:
        """The fixed difference of categories.

        None for alpha at the ordinal level, whose difference depends on the margins, and for
        coefficients without weights.
        """
        if self.name in WITHOUT_WEIGHTS:
            return None
        if self.weights is not None:
            return self.weights
        if self.name in OF_SETS:
            return OF_SETS[self.name]
        if self.name == "gwet_ac2":
            return "quadratic"
        if self.name != "krippendorff_alpha":
            return "identity"
        by_level: dict[Level, Distance | None] = {
            "nominal": "identity",
            "ordinal": None,
            "interval": "quadratic",
            "ratio": "ratio",
        }
        return by_level[self.level]


def needs_of(coefficients: Sequence[Coefficient]) -> Needs:
    """The sums that these coefficients are functions of."""
    distances = {one.distance: None for one in coefficients if not one.skip_empty}
    if any(one.by_rater for one in coefficients):
        raise ValueError("Coefficients by rater are no functions of sums; see `by_rater`.")
    comparable = {one.distance: None for one in coefficients if one.skip_empty}
    return Needs(
        margins=any(one.name == "krippendorff_alpha" for one in coefficients),
        shares=any(one.name in ("gwet_ac1", "gwet_ac2", "fleiss_kappa") for one in coefficients),
        coincidences=None in distances,
        distances=tuple(distance for distance in distances if distance is not None),
        comparable=tuple(distance for distance in comparable if distance is not None),
    )


def coefficient_values(totals: Totals, coefficient: Coefficient, scale: Scale) -> Floats:
    """The coefficient for every weighting of the batch, shape (b,); nan where undefined.

    Raises ValueError where the scale lacks what the level or the weights need.
    """
    distance = coefficient.distance
    if distance is None:
        return _ordinal_alpha(totals)
    require_numbers(coefficient, scale)
    if coefficient.name == "krippendorff_alpha":
        margins = _present(totals.margins)
        observed = totals.disagreements[distance].coincident
        expected = expected_disagreement(distance, margins, scale)
        return 1.0 - ratio((margins.sum(axis=1) - 1.0) * observed, expected)
    observed = _observed(totals, coefficient, distance)
    if coefficient.name == "percent_agreement" or coefficient.name in OF_SETS:
        return 1.0 - observed
    return 1.0 - ratio(observed, _expected(totals, coefficient, distance, scale))


def require_numbers(coefficient: Coefficient, scale: Scale) -> None:
    """Raises ValueError where alpha's level needs numbers and the scale has words."""
    by_level = coefficient.name == "krippendorff_alpha" and coefficient.weights is None
    if by_level and coefficient.level in ("interval", "ratio") and scale.values is None:
        raise ValueError(
            f"The {coefficient.level} level needs numbers, but the scale "
            f"{', '.join(scale.labels)} has words."
        )


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Quotient of arrays, nan where the denominator is exactly zero."""
    shape = np.broadcast_shapes(numerator.shape, denominator.shape)
    undefined = np.full(shape, np.nan)
    return np.asarray(np.divide(numerator, denominator, out=undefined, where=denominator != 0))


def _ordinal_alpha(totals: Totals) -> Floats:
    """Alpha with the squared distance of mid-ranks, cumsum(n) - n/2, as the difference."""
    coincidences = _present(totals.coincidences)
    margins = coincidences.sum(axis=2)
    midranks = np.cumsum(margins, axis=1) - margins / 2.0
    distances = (midranks[:, :, None] - midranks[:, None, :]) ** 2
    observed = (coincidences * distances).sum(axis=(1, 2))
    expected = (margins[:, :, None] * margins[:, None, :] * distances).sum(axis=(1, 2))
    return 1.0 - ratio((margins.sum(axis=1) - 1.0) * observed, expected)


def _observed(totals: Totals, coefficient: Coefficient, distance: Distance) -> Floats:
    """Mean disagreement over items or over pairs, shape (b,); nan without a pair."""
    if coefficient.skip_empty:
        left = totals.comparable[distance]
        if coefficient.aggregate == "pairs":
            return ratio(left.pooled, left.pairs)
        return ratio(left.per_item, left.items)
    sums = totals.disagreements[distance]
    if coefficient.aggregate == "pairs":
        return ratio(sums.pooled, totals.pairs)
    return ratio(sums.per_item, totals.paired)


def _expected(totals: Totals, coefficient: Coefficient, distance: Distance, scale: Scale) -> Floats:
    """Disagreement expected by chance, shape (b,); 0 or nan where it is undefined."""
    q = len(scale.labels)
    if q < 2:
        return np.full(totals.rated.shape, np.nan)
    if coefficient.name == "brennan_prediger":
        return np.full(totals.rated.shape, total_disagreement(distance, scale) / q**2)
    prevalence = ratio(_present(totals.shares), totals.rated[:, None])
    if coefficient.name == "fleiss_kappa":
        return expected_disagreement(distance, prevalence, scale)
    agreement = q * q - total_disagreement(distance, scale)
    spread = (prevalence * (1.0 - prevalence)).sum(axis=1)
    return np.asarray(1.0 - agreement * spread / (q * (q - 1)))


def _present(sums: Floats | None) -> Floats:
    if sums is None:
        raise ValueError("These totals were formed for other coefficients; see `needs_of`.")
    return sums


def _require_known(what: str, name: str, known: Sequence[str]) -> None:
    if name not in known:
        raise ValueError(f"{what} {name!r} is unknown; choose from {', '.join(known)}.")
