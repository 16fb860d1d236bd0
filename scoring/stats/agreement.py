"""Agreement between raters: each coefficient of a set of ratings, without interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from scoring.stats.anova import OneWay, TwoWay
from scoring.stats.by_rater import RaterStatistic, statistic_of
from scoring.stats.coefficients import (
    COEFFICIENTS,
    Coefficient,
    CoefficientName,
    coefficient_values,
    needs_of,
    require_numbers,
)
from scoring.stats.concordance import KendallW
from scoring.stats.counts import CodedRatings
from scoring.stats.many_values import SpreadRatings, has_many_values
from scoring.stats.rater_margins import PairwiseKappa
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

    Raises ValueError where a level, weighting or form needs what the scale has not.
    """
    of_counts = [one for one in coefficients if not one.by_rater]
    numbers = iter(_count_values(ratings, of_counts))
    facts = _facts(ratings)
    results = []
    for one in coefficients:
        if one.by_rater:
            results.append(_by_rater(ratings, one, facts))
            continue
        value = next(numbers)
        defined = not np.isnan(value)
        results.append(
            AgreementResult(
                **_named(one),
                **facts,
                value=value if defined else None,
                reason=None if defined else _why_undefined(ratings, facts["n_units_paired"], one),
                n_units_used=facts["n_units_paired"],
                aggregation=_AGGREGATION[one.aggregate],
            )
        )
    return tuple(results)


_AGGREGATION = {"items": "pooled over items", "pairs": "pooled over pairs of ratings"}


def _count_values(ratings: CodedRatings, coefficients: Sequence[Coefficient]) -> list[float]:
    """The coefficients of the count family; nan where undefined."""
    if not coefficients:
        return []
    for one in coefficients:
        require_numbers(one, ratings.scale)
    if has_many_values(ratings.scale):
        spread = SpreadRatings.of(ratings)
        every = np.ones(ratings.n_units), np.ones(ratings.n_raters)
        return [float(value) for value in spread.values(coefficients, *every)]
    totals = totals_of_counts(
        ratings.count_matrix(), coefficients=coefficients, scale=ratings.scale
    )
    return [float(coefficient_values(totals, one, ratings.scale)[0]) for one in coefficients]


def _by_rater(
    ratings: CodedRatings, coefficient: Coefficient, facts: dict[str, Any]
) -> AgreementResult:
    statistic = statistic_of(ratings, coefficient)
    value = float("nan")
    reason = "no_ratings" if ratings.n_ratings == 0 else statistic.obstacle
    if reason is None:
        value = statistic.value(np.ones(ratings.n_units), np.ones(ratings.n_raters))
        reason = _why_not_by_rater(statistic) if np.isnan(value) else None
    left_out = 0
    aggregation = f"{statistic.n_units_used} items rated by every rater"
    if isinstance(statistic, PairwiseKappa):
        left_out = statistic.n_left_out()
        aggregation = "mean over pairs of raters" if ratings.n_raters > 2 else "pooled over items"
    elif not isinstance(statistic, TwoWay | KendallW):
        aggregation = "pooled over items"
    return AgreementResult(
        **_named(coefficient),
        **facts,
        value=None if reason else value,
        reason=reason,
        n_units_used=statistic.n_units_used,
        n_left_out=left_out,
        aggregation=aggregation,
    )


def _named(coefficient: Coefficient) -> dict[str, Any]:
    return {
        "coefficient": coefficient.name,
        "level": coefficient.computed_level,
        "weights": coefficient.named_weights,
        "form": coefficient.form if coefficient.name == "icc" else None,
    }


def _facts(ratings: CodedRatings) -> dict[str, Any]:
    sizes = np.bincount(ratings.unit, minlength=ratings.n_units)
    used = np.bincount(ratings.category, minlength=len(ratings.scale.labels)) > 0
    labels = ratings.scale.labels
    return {
        "n_units": ratings.n_units,
        "n_units_paired": int((sizes > 1).sum()),
        "n_units_single": int((sizes == 1).sum()),
        "n_raters": ratings.n_raters,
        "n_ratings": ratings.n_ratings,
        "categories_declared": labels,
        "categories_used": tuple(labels[i] for i in np.flatnonzero(used)),
    }


def _why_not_by_rater(statistic: RaterStatistic) -> str:
    if isinstance(statistic, OneWay | TwoWay) and statistic.varies:
        return "no_item_variance"
    return "no_variation"


def _why_undefined(ratings: CodedRatings, n_paired: int, coefficient: Coefficient) -> str:
    if ratings.n_ratings == 0:
        return "no_ratings"
    if n_paired == 0:
        return "no_pairs"
    # Without pairs of empty sets an average has nothing else to be undefined by.
    return "only_empty_sets" if coefficient.skip_empty else "no_variation"
