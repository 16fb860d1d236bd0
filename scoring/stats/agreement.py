"""Agreement between raters: each coefficient of a set of ratings, without interval."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from scoring.stats.coefficients import (
    COEFFICIENTS,
    Coefficient,
    CoefficientName,
    coefficient_values,
    needs_of,
    require_numbers,
)
from scoring.stats.counts import CodedRatings
from scoring.stats.many_values import SpreadRatings, has_many_values
from scoring.stats.result import AgreementResult
from scoring.stats.scale import Scale
from scoring.stats.totals import Totals, totals_of

__all__ = [
    "COEFFICIENTS",
    "Coefficient",
    "CoefficientName",
    "estimate_agreement",
    "totals_of_counts",
]


def totals_of_counts(
    counts: npt.ArrayLike, *, coefficients: Sequence[Coefficient], scale: Scale
) -> Totals:
    """The sums of a count matrix, shape (n_units, q), that the coefficients need; items once."""
    # Categories first: sums over a handful of categories are then sums of long rows.
    matrix = np.asarray(counts).T.astype(np.float64, order="C")
    return totals_of(matrix, matrix, needs_of(coefficients), scale)


def estimate_agreement(
    *, ratings: CodedRatings, coefficients: Sequence[Coefficient]
) -> tuple[AgreementResult, ...]:
    """Each coefficient of the ratings, without interval, in the order asked for.

    Raises ValueError where a level needs numbers and the scale has none.
    """
    for one in coefficients:
        require_numbers(one, ratings.scale)
    if has_many_values(ratings.scale):
        numbers = SpreadRatings.of(ratings).values(
            coefficients, np.ones(ratings.n_units), np.ones(ratings.n_raters)
        )
    else:
        totals = totals_of_counts(
            ratings.count_matrix(), coefficients=coefficients, scale=ratings.scale
        )
        numbers = np.array(
            [coefficient_values(totals, one, ratings.scale)[0] for one in coefficients]
        )
    sizes = np.bincount(ratings.unit, minlength=ratings.n_units)
    used = np.bincount(ratings.category, minlength=len(ratings.scale.labels)) > 0
    labels = ratings.scale.labels
    n_paired = int((sizes > 1).sum())
    undefined = _why_undefined(ratings, n_paired)
    results = []
    for coefficient, number in zip(coefficients, numbers.tolist(), strict=True):
        defined = not np.isnan(number)
        results.append(
            AgreementResult(
                coefficient=coefficient.name,
                level=coefficient.computed_level,
                value=number if defined else None,
                reason=None if defined else undefined,
                n_units=ratings.n_units,
                n_units_paired=n_paired,
                n_units_single=int((sizes == 1).sum()),
                n_raters=ratings.n_raters,
                n_ratings=ratings.n_ratings,
                categories_declared=labels,
                categories_used=tuple(labels[i] for i in np.flatnonzero(used)),
            )
        )
    return tuple(results)


def _why_undefined(ratings: CodedRatings, n_paired: int) -> str:
    if ratings.n_ratings == 0:
        return "no_ratings"
    return "no_variation" if n_paired else "no_pairs"
