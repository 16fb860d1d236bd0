"""Krippendorff's alpha a second time, by the independent `krippendorff` package.

The package is a check on our engine, never the engine: it needs the wide raters x units matrix.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np

from scoring.stats.agreement import Coefficient, estimate_agreement
from scoring.stats.counts import CodedRatings
from scoring.stats.scale import Level, Scale
from scoring.stats.sets import jaccard_similarity, masi_similarity
from scoring.stats.weights import SET_DISTANCES, Distance, disagreement_matrix

MAX_CELLS = 5_000_000
"""Largest array that is built for the check (40 MB; the package makes several).

The package holds units x values x values numbers, and the raters x units matrix where it is asked
by that. Where only the latter is too large it gets the counts of values.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfCheck:
    """Alpha by both engines. `package` and `difference` are None with the reason in `note`."""

    level: Level
    ours: float | None
    package: float | None
    difference: float | None
    package_version: str
    note: str


def check_alpha(
    *, ratings: CodedRatings, level: Level, weights: Distance | None = None
) -> SelfCheck:
    """Alpha by `agreement` and by the package on the same ratings, with the absolute difference.

    With `weights` it is alpha with that difference of categories (of sets: "jaccard", "masi"),
    which the package takes as a function. Raises ValueError where the level or the weights need
    what the scale has not.
    """
    (estimate,) = estimate_agreement(
        ratings=ratings, coefficients=[Coefficient("krippendorff_alpha", level, weights=weights)]
    )
    package: float | None = None
    note = ""
    if estimate.value is None:
        note = "Alpha is undefined here, so there is nothing to compare."
    elif ratings.n_units * len(ratings.scale.labels) ** 2 > MAX_CELLS:
        note = "The ratings are too many for the package, which holds units x values x values."
    else:
        package = _package_alpha(ratings, level, weights)
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


def _package_alpha(ratings: CodedRatings, level: Level, weights: Distance | None) -> float:
    import krippendorff

    scale = ratings.scale
    by_value = weights is None and level in ("interval", "ratio") and scale.values is not None
    domain = np.array(scale.values if by_value else range(len(scale.labels)), dtype=np.float64)
    measure = level if weights is None else _metric(weights, scale)
    if ratings.n_raters * ratings.n_units > MAX_CELLS:
        counts = ratings.count_matrix()
        return float(
            krippendorff.alpha(
                value_counts=counts, value_domain=domain, level_of_measurement=measure
            )
        )
    wide = np.full((ratings.n_raters, ratings.n_units), np.nan)
    wide[ratings.rater, ratings.unit] = domain[ratings.category]
    return float(krippendorff.alpha(reliability_data=wide, level_of_measurement=measure))


def _metric(weights: Distance, scale: Scale) -> Any:
    """The difference as the package takes it: a function of two arrays of category codes."""
    members = scale.members
    if members is None or weights not in SET_DISTANCES:
        apart = disagreement_matrix(weights, scale)
    else:
        alike = jaccard_similarity if weights == "jaccard" else masi_similarity
        apart = np.array([[1.0 - alike(one, other) for other in members] for one in members])
    return lambda v1, v2, **_: apart[v1.astype(np.intp), v2.astype(np.intp)]
