"""Krippendorff's alpha a second time, by the independent `krippendorff` package.

The package is a check on our engine, never the engine: it needs the wide raters x units matrix.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version

import numpy as np

from scoring.stats.agreement import Coefficient, estimate_agreement
from scoring.stats.counts import CodedRatings
from scoring.stats.scale import Level

MAX_WIDE_CELLS = 2_000_000
"""Largest raters x units matrix that is built for the check."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfCheck:
    """Alpha by both engines. `package` and `difference` are None with the reason in `note`."""

    level: Level
    ours: float | None
    package: float | None
    difference: float | None
    package_version: str
    note: str


def check_alpha(*, ratings: CodedRatings, level: Level) -> SelfCheck:
    """Alpha by `agreement` and by the package on the same ratings, with the absolute difference.

    Raises ValueError where the level needs numbers and the scale has none.
    """
    (estimate,) = estimate_agreement(
        ratings=ratings, coefficients=[Coefficient("krippendorff_alpha", level)]
    )
    package: float | None = None
    note = ""
    if estimate.value is None:
        note = "Alpha is undefined here, so there is nothing to compare."
    elif ratings.n_raters * ratings.n_units > MAX_WIDE_CELLS:
        note = "The ratings are too many for the package's raters x units matrix."
    else:
        package = _package_alpha(ratings, level)
    return SelfCheck(
        level=level,
        ours=estimate.value,
        package=package,
        difference=None
        if package is None or estimate.value is None
        else abs(package - estimate.value),
        package_version=version("krippendorff"),
        note=note,
    )


def _package_alpha(ratings: CodedRatings, level: Level) -> float:
    import krippendorff

    by_value = level in ("interval", "ratio") and ratings.scale.values is not None
    numbers = np.array(ratings.scale.values if by_value else range(len(ratings.scale.labels)))
    wide = np.full((ratings.n_raters, ratings.n_units), np.nan)
    wide[ratings.rater, ratings.unit] = numbers[ratings.category]
    return float(krippendorff.alpha(reliability_data=wide, level_of_measurement=level))
