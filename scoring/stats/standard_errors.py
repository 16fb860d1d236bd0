"""Analytic standard errors of the count family: items are a sample, raters and scale are given.

With n rated items, n2 of them with two ratings or more (ok_i = 1), pa_i an item's agreement and
pe_i its part in the chance term (Gwet 2008, 2014), both forms are sqrt(sum e_i^2 / (n (n - 1))):

    Gwet        e_i = ((n/n2) ok_i (pa_i - pe) / (1 - pe)  - AC) - 2 (1 - AC) (pe_i - pe) / (1 - pe)
    linearised  e_i = (n/n2) ok_i (pa_i - pa) / (1 - pe)         - 2 (1 - AC) (pe_i - pe) / (1 - pe)

They are the same where every item has two ratings. Where many have one, Gwet's treats a missing
second rating as disagreement with the mean and is far too wide; the linearised form is that of a
ratio of two sums, and the default. For alpha, a function of the coincidences, and for Cohen's kappa
e_i is n times the derivative by the item's weight; Gwet's is not defined there. Scott's pi of two
raters is Fleiss' kappa of the items both rated.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from scoring.stats.coefficients import (
    OF_SETS,
    Coefficient,
    coefficient_values,
    needs_of,
)
from scoring.stats.counts import CodedRatings, Floats, code_ratings
from scoring.stats.item_sums import BLOCK_CELLS, Patterns
from scoring.stats.many_values import has_many_values
from scoring.stats.rater_margins import PairwiseKappa
from scoring.stats.scale import Scale
from scoring.stats.totals import Totals, item_rows, n_rows, totals_of, unpack
from scoring.stats.weights import disagreement_matrix, total_disagreement

MOST_CATEGORIES = 200
"""Above this many categories no analytic error is given: the bootstrap is cheaper then."""


@dataclass(frozen=True, slots=True)
class StandardErrors:
    """Both forms; None where a form is not defined or there are fewer than two items."""

    linearised: float | None
    gwet: float | None


NONE = StandardErrors(None, None)


def standard_errors(*, ratings: CodedRatings, coefficient: Coefficient) -> StandardErrors:
    """The analytic standard errors of a coefficient, where it has any.

    The count family has, and Cohen's kappa and Scott's pi of two raters. Raises ValueError where a
    level or weighting needs what the scale has not.
    """
    if len(ratings.scale.labels) > MOST_CATEGORIES:
        return NONE
    if coefficient.by_rater:
        return _of_two_raters(ratings, coefficient)
    return _of_counts(ratings, coefficient)


def _of_two_raters(ratings: CodedRatings, coefficient: Coefficient) -> StandardErrors:
    if ratings.n_raters != 2 or coefficient.name not in ("cohen_kappa", "scott_pi"):
        return NONE
    shared = np.bincount(ratings.unit, minlength=ratings.n_units)[ratings.unit] == 2
    both = code_ratings(
        unit=ratings.unit[shared],
        rater=ratings.rater[shared],
        category=ratings.category[shared],
        scale=ratings.scale,
    )
    if coefficient.name == "scott_pi":
        return _of_counts(both, Coefficient("fleiss_kappa", weights=coefficient.distance))
    distance = coefficient.distance
    if distance is None or both.n_units < 2:
        return NONE
    kappa = PairwiseKappa.of(both, kind="cohen_kappa", distance=distance)
    apart = disagreement_matrix(distance, ratings.scale)
    q, n = len(ratings.scale.labels), float(both.n_units)
    left = np.bincount(kappa.first, minlength=q) / n
    right = np.bincount(kappa.second, minlength=q) / n
    expected = float(left @ apart @ right)
    if expected == 0.0:
        return NONE
    differing = apart[kappa.first, kappa.second]
    observed = float(differing.mean())
    chance = (apart @ right)[kappa.first] + (left @ apart)[kappa.second]
    residuals = (observed - differing) / expected
    residuals = residuals + observed * (chance - 2.0 * expected) / expected**2
    return StandardErrors(_spread(residuals), None)


def _of_counts(ratings: CodedRatings, coefficient: Coefficient) -> StandardErrors:
    scale = ratings.scale
    counts, times = _count_rows(ratings)
    needs = needs_of([coefficient])
    totals = totals_of(counts, counts, needs, scale, times)
    value = float(coefficient_values(totals, coefficient, scale)[0])
    if np.isnan(value) or ratings.n_units < 2:
        return NONE
    by_item = replace(needs, coincidences=False)
    step = max(1, BLOCK_CELLS // n_rows(by_item, counts.shape[0]))
    parts = []
    for first in range(0, times.size, step):
        some = np.ascontiguousarray(counts[:, first : first + step])
        each = unpack(item_rows(some, some, by_item, scale).T, by_item, counts.shape[0])
        parts.append(_residuals_of(totals, each, some, coefficient, scale, value))
    linearised = np.concatenate([one for one, _ in parts])
    gwet = [other for _, other in parts if other is not None]
    return StandardErrors(
        _spread(linearised, times), _spread(np.concatenate(gwet), times) if gwet else None
    )


def _count_rows(ratings: CodedRatings) -> tuple[Floats, Floats]:
    """(count rows as columns (q, k), how often each comes (k,)); alike ones once where few."""
    if has_many_values(ratings.scale):
        rows = ratings.count_matrix()
        return rows.T.astype(np.float64, order="C"), np.ones(len(rows))
    patterns = Patterns.of(ratings, None)
    return patterns.rows.T.astype(np.float64, order="C"), patterns.times.astype(np.float64)


def _spread(residuals: Floats, times: Floats | None = None) -> float:
    """sqrt(sum e^2 / (n (n - 1))): the standard error of a mean with these residuals."""
    weights = np.ones(residuals.size) if times is None else times
    n = float(weights.sum())
    return float(np.sqrt(weights @ residuals**2 / (n * (n - 1.0))))


def _residuals_of(
    totals: Totals,
    each: Totals,
    counts: Floats,
    coefficient: Coefficient,
    scale: Scale,
    value: float,
) -> tuple[Floats, Floats | None]:
    """(linearised, Gwet's or None) residuals of the items of a block, shape (n_items,) each."""
    if coefficient.name == "krippendorff_alpha":
        return _alpha_residuals(totals, each, counts, coefficient, scale), None
    if coefficient.aggregate == "pairs" or coefficient.skip_empty:
        return _ratio_residuals(totals, each, coefficient), None
    return _residuals(totals, each, coefficient, scale, value)


def _residuals(
    totals: Totals, each: Totals, coefficient: Coefficient, scale: Scale, value: float
) -> tuple[Floats, Floats]:
    """(linearised, Gwet's) residuals of every item, shape (n_items,)."""
    distance = coefficient.distance
    if distance is None:
        raise ValueError(f"{coefficient.name} has no fixed difference of categories.")
    n = float(totals.rated[0])
    scaled = n / float(totals.paired[0])
    ok = each.paired
    differing = each.disagreements[distance].per_item
    observed = float(totals.disagreements[distance].per_item[0] / totals.paired[0])
    expected, chance = _chance(totals, each, coefficient, scale)
    own = scaled * ok * (observed - differing) / expected
    # 1 - pa_i stands for d_i, and 1 - pe for what is expected.
    gwet = scaled * ok * (expected - differing) / expected - value
    tilt = 2.0 * (1.0 - value) * chance / expected
    return own - tilt, gwet - tilt


def _chance(
    totals: Totals, each: Totals, coefficient: Coefficient, scale: Scale
) -> tuple[float, Floats]:
    """(1 - pe, pe_i - pe of every item)."""
    none = np.zeros(each.rated.size)
    if coefficient.name == "percent_agreement" or coefficient.name in OF_SETS:
        return 1.0, none
    distance, q = coefficient.distance, len(scale.labels)
    if distance is None or totals.shares is None or each.shares is None:
        if coefficient.name != "brennan_prediger" or distance is None:
            raise ValueError(f"{coefficient.name} lacks its shares.")
        return total_disagreement(distance, scale) / q**2, none
    prevalence = totals.shares[0] / totals.rated[0]
    if coefficient.name == "fleiss_kappa":
        apart = disagreement_matrix(distance, scale) @ prevalence
        expected = float(prevalence @ apart)
        return expected, expected - each.shares @ apart
    agreement = (q * q - total_disagreement(distance, scale)) / (q * (q - 1))
    chance = agreement * float(prevalence @ (1.0 - prevalence))
    return 1.0 - chance, agreement * (each.shares @ (1.0 - prevalence)) - chance


def _ratio_residuals(totals: Totals, each: Totals, coefficient: Coefficient) -> Floats:
    """Residuals of a ratio of sums: pooled over pairs, or without pairs of empty sets."""
    distance = coefficient.distance
    if distance is None:
        raise ValueError(f"{coefficient.name} has no fixed difference of categories.")
    pooled = coefficient.aggregate == "pairs"
    if coefficient.skip_empty:
        all_, one = totals.comparable[distance], each.comparable[distance]
        above, below = (one.pooled, one.pairs) if pooled else (one.per_item, one.items)
        top, bottom = (all_.pooled, all_.pairs) if pooled else (all_.per_item, all_.items)
    else:
        above, below = each.disagreements[distance].pooled, each.pairs
        top, bottom = totals.disagreements[distance].pooled, totals.pairs
    ratio = float(top[0] / bottom[0])
    return np.asarray(-(above - ratio * below) * float(totals.rated[0]) / float(bottom[0]))


def _alpha_residuals(
    totals: Totals, each: Totals, counts: Floats, coefficient: Coefficient, scale: Scale
) -> Floats:
    """n times the derivative of alpha by each item's weight, shape (n_items,)."""
    if totals.margins is None or each.margins is None:
        raise ValueError("Alpha lacks its margins.")
    margins, parts = totals.margins[0], each.margins
    size, sizes = float(margins.sum()), parts.sum(axis=1)
    if coefficient.distance is None:
        observed, expected, d_observed, d_expected = _ordinal_parts(totals, each, counts)
    else:
        apart = disagreement_matrix(coefficient.distance, scale) @ margins
        observed = float(totals.disagreements[coefficient.distance].coincident[0])
        expected = float(margins @ apart)
        d_observed = each.disagreements[coefficient.distance].coincident
        d_expected = 2.0 * (parts @ apart)
    slope = sizes * observed + (size - 1.0) * d_observed
    residuals = -slope / expected + (size - 1.0) * observed * d_expected / expected**2
    # Were it not for the 1 in N - 1 they would add up to 0; centred, they do.
    return np.asarray(residuals * float(totals.rated[0]) + observed / expected)


def _ordinal_parts(
    totals: Totals, each: Totals, counts: Floats
) -> tuple[float, float, Floats, Floats]:
    """(sum O D, sum n n' D, and the derivatives of both) where D moves with the margins."""
    if totals.margins is None or each.margins is None or totals.coincidences is None:
        raise ValueError("Ordinal alpha lacks its margins or its coincidences.")
    margins, parts = totals.margins[0], each.margins
    coincidences = totals.coincidences[0]
    midranks = np.cumsum(margins) - margins / 2.0
    moved = np.cumsum(parts, axis=1) - parts / 2.0
    apart = midranks[:, None] - midranks[None, :]
    distances = apart**2
    by_margin = np.outer(margins, margins)
    sizes = counts.sum(axis=0)
    per_item = np.divide(1.0, sizes - 1.0, out=np.zeros_like(sizes), where=sizes > 1)
    d_observed = per_item * np.einsum("ci,ci->i", distances @ counts, counts)
    d_observed = d_observed + 4.0 * (moved @ (coincidences * apart).sum(axis=1))
    d_expected = 2.0 * (parts @ (distances @ margins))
    d_expected = d_expected + 4.0 * (moved @ (by_margin * apart).sum(axis=1))
    observed = float((coincidences * distances).sum())
    return observed, float((by_margin * distances).sum()), d_observed, d_expected


def t_interval(
    value: float, se: float, *, n_units: int, coverage: float = 0.95
) -> tuple[float, float]:
    """value +- t se on n - 1 degrees of freedom, its upper bound at most 1 (Gwet's interval)."""
    from scipy.stats import t

    reach = float(t.ppf((1.0 + coverage) / 2.0, n_units - 1)) * se
    return value - reach, min(1.0, value + reach)


def t_p_value(value: float, se: float, *, n_units: int) -> float | None:
    """Two-sided p of a coefficient of 0, t on n - 1 degrees of freedom; None without any spread."""
    from scipy.stats import t

    if se == 0.0:
        return None
    return float(2.0 * t.sf(abs(value) / se, n_units - 1))
