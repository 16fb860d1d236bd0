"""The agreement coefficients as functions of sums over items.

A coefficient needs only a few sums (`Totals`), so that a bootstrap only has to form other sums.
Sources: Krippendorff 2011 (alpha from the coincidence matrix), Fleiss 1971, Brennan and Prediger
1981, Gwet 2008 (AC1; its chance term takes single-rated items in). Arrays carry nan where a
replicate is undefined; what leaves `agreement` and `bootstrap` carries None and a reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from scoring.stats.scale import LEVELS, Level, Scale

Floats = npt.NDArray[np.float64]

CoefficientName = Literal[
    "krippendorff_alpha", "percent_agreement", "gwet_ac1", "fleiss_kappa", "brennan_prediger"
]
COEFFICIENTS: tuple[CoefficientName, ...] = get_args(CoefficientName)


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A coefficient to compute. `level` matters to alpha only; the others are nominal."""

    name: CoefficientName
    level: Level = "nominal"

    def __post_init__(self) -> None:
        if self.name not in COEFFICIENTS:
            raise ValueError(
                f"Coefficient {self.name!r} is unknown; choose from {', '.join(COEFFICIENTS)}."
            )
        if self.level not in LEVELS:
            raise ValueError(f"Level {self.level!r} is unknown; choose from {', '.join(LEVELS)}.")

    @property
    def computed_level(self) -> Level:
        """The level of measurement the number is computed at."""
        return self.level if self.name == "krippendorff_alpha" else "nominal"


@dataclass(frozen=True, slots=True, eq=False)
class Totals:
    """Sums over items, for a batch of b weightings of the items (b = 1: the estimate itself).

    `coincidences` (b, q, q): Krippendorff's coincidence matrix over items with two ratings or
    more. `agreeing` (b,): sum of the items' shares of agreeing pairs. `paired` (b,): number of
    items with two ratings or more. `shares` (b, q): sum over rated items of the share of their
    ratings in each category. `rated` (b,): number of rated items.
    """

    coincidences: Floats
    agreeing: Floats
    paired: Floats
    shares: Floats
    rated: Floats


def coefficient_values(totals: Totals, coefficient: Coefficient, scale: Scale) -> Floats:
    """The coefficient for every weighting of the batch, shape (b,); nan where undefined."""
    if coefficient.name == "krippendorff_alpha":
        return _alpha(totals.coincidences, coefficient.level, scale)
    observed = ratio(totals.agreeing, totals.paired)
    if coefficient.name == "percent_agreement":
        return observed
    chance = _chance_agreement(totals, coefficient.name)
    return ratio(observed - chance, 1.0 - chance)


def category_distances(level: Level, scale: Scale, margins: Floats) -> Floats:
    """Squared difference functions of Krippendorff 2011, shape (b, q, q) or (1, q, q).

    `margins` (b, q): how often each category occurs in pairs; only the ordinal difference depends
    on them: it is the squared distance of the categories' mid-ranks, cumsum(n) - n/2.
    """
    if level == "nominal":
        return (1.0 - np.eye(len(scale.labels)))[None]
    if level == "ordinal":
        midranks = np.cumsum(margins, axis=1) - margins / 2.0
        return np.asarray((midranks[:, :, None] - midranks[:, None, :]) ** 2)
    values = numeric_values(level, scale)
    difference = values[:, None] - values[None, :]
    if level == "interval":
        return np.asarray(difference[None] ** 2)
    if values.size and values.min() < 0:
        raise ValueError("The ratio level needs a true zero and no negative values.")
    total = values[:, None] + values[None, :]
    # Both values zero: no difference, and 0/0 is not formed.
    scaled = np.divide(difference, total, out=np.zeros_like(total), where=total > 0)
    return np.asarray(scaled[None] ** 2)


def numeric_values(level: Level, scale: Scale) -> Floats:
    """The number of each category, shape (q,). Raises ValueError for a scale of words."""
    if scale.values is None:
        raise ValueError(
            f"The {level} level needs numbers, but the scale {', '.join(scale.labels)} has words."
        )
    return np.array(scale.values, dtype=np.float64)


def _alpha(coincidences: Floats, level: Level, scale: Scale) -> Floats:
    """1 - (N - 1) sum(O D) / sum(n n' D); the diagonal of D is zero."""
    margins = coincidences.sum(axis=2)
    distances = category_distances(level, scale, margins)
    observed = (coincidences * distances).sum(axis=(1, 2))
    expected = (margins[:, :, None] * margins[:, None, :] * distances).sum(axis=(1, 2))
    return 1.0 - ratio((margins.sum(axis=1) - 1.0) * observed, expected)


def _chance_agreement(totals: Totals, name: CoefficientName) -> Floats:
    """Expected agreement by chance, shape (b,); nan where it is undefined.

    Fleiss: sum of pi^2. Gwet's AC1: sum of pi (1 - pi) / (q - 1). Brennan-Prediger: 1 / q. pi is
    the mean over rated items of the category's share; q counts the declared categories.
    """
    n_categories = totals.shares.shape[1]
    if name == "brennan_prediger":
        chance = 1.0 / n_categories if n_categories else np.nan
        return np.full(totals.rated.shape, chance)
    prevalence = ratio(totals.shares, totals.rated[:, None])
    if name == "fleiss_kappa":
        # With one category in use chance agreement is exactly 1, whatever rounding says.
        single = (totals.shares > 0).sum(axis=1) == 1
        return np.where(single, 1.0, (prevalence**2).sum(axis=1))
    if n_categories < 2:
        return np.full(totals.rated.shape, np.nan)
    return np.asarray((prevalence * (1.0 - prevalence)).sum(axis=1) / (n_categories - 1))


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Quotient of arrays, nan where the denominator is exactly zero."""
    shape = np.broadcast_shapes(numerator.shape, denominator.shape)
    undefined = np.full(shape, np.nan)
    return np.asarray(np.divide(numerator, denominator, out=undefined, where=denominator != 0))
