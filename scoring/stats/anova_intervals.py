"""F-based intervals of intraclass correlations (Shrout and Fleiss 1979; McGraw and Wong 1996).

Units are a sample. For ICC2 raters are too, with Satterthwaite's degrees of freedom. With unequal
numbers of ratings the interval of ICC1 is an approximation. With few raters the bootstrap over
items and raters is the more honest one.
"""

from __future__ import annotations

import numpy as np

from scoring.stats.anova import IccForm, OneWay, icc_statistic
from scoring.stats.counts import CodedRatings

COVERAGE = 0.95

SMALLEST = 1e-12
"""Differences of mean squares, as a share of them, below this are what rounding left of 0."""


def icc_interval(*, ratings: CodedRatings, form: IccForm) -> tuple[float, float] | None:
    """The 95 % interval of one form; None where it is not defined.

    It is not defined where the coefficient is not, where raters agree exactly, where the degrees of
    freedom of ICC2 are 0/0, and where a bound of a mean's form has no finite value. Raises what
    `icc_statistic` raises.
    """
    statistic = icc_statistic(ratings, form)
    if statistic.obstacle is not None:
        return None
    ones = np.ones(ratings.n_units), np.ones(ratings.n_raters)
    if isinstance(statistic, OneWay):
        squares = statistic.mean_squares(*ones)
        if squares is None:
            return None
        between, within, k, n = squares
        bounds = _of_ratio(between, within, n, n * (k - 1.0), k)
    else:
        table = statistic.mean_squares(*ones)
        if table is None:
            return None
        rows, columns, error, n, k = table
        if form.startswith("ICC3"):
            bounds = _of_ratio(rows, error, n, (n - 1.0) * (k - 1.0), k)
        else:
            bounds = _of_agreement(rows, columns, error, n, k)
    if bounds is None or not form.endswith("k"):
        return bounds
    # A mean of k has no lower bound where a single rating's bound is as low as it can be.
    if min(1.0 + (k - 1.0) * bound for bound in bounds) <= SMALLEST:
        return None
    low, high = (bound * k / (1.0 + (k - 1.0) * bound) for bound in bounds)
    return low, high


def _of_ratio(
    between: float, within: float, n: float, freedom: float, k: float
) -> tuple[float, float] | None:
    """Bounds of the single-rating form from F = between / within."""
    from scipy.stats import f

    if within <= 0.0:
        return None
    tail = (1.0 + COVERAGE) / 2.0
    ratio = between / within
    low = ratio / float(f.ppf(tail, n - 1.0, freedom))
    high = ratio * float(f.ppf(tail, freedom, n - 1.0))
    return (low - 1.0) / (low + k - 1.0), (high - 1.0) / (high + k - 1.0)


def _of_agreement(
    rows: float, columns: float, error: float, n: float, k: float
) -> tuple[float, float] | None:
    """Bounds of ICC2 from the mean squares of units, raters and the rest."""
    from scipy.stats import f

    if error <= 0.0:
        return None
    possible = rows + (k - 1.0) * error + k * (columns - error) / n
    if possible <= SMALLEST * (rows + columns + error):
        return None
    value = (rows - error) / possible
    of_raters = k * value * columns / error
    rest = n * (1.0 + (k - 1.0) * value) - k * value
    both = of_raters + rest
    # Raters alike on the whole and a coefficient at its lowest: nothing to weigh, 0/0.
    if abs(both) <= SMALLEST * (abs(of_raters) + n):
        return None
    freedom = (k - 1.0) * (n - 1.0) * both**2 / ((n - 1.0) * of_raters**2 + rest**2)
    tail = (1.0 + COVERAGE) / 2.0
    upper = float(f.ppf(tail, n - 1.0, freedom))
    lower = float(f.ppf(tail, freedom, n - 1.0))
    others = k * columns + (k * n - k - n) * error
    low = n * (rows - upper * error) / (upper * others + n * rows)
    high = n * (lower * rows - error) / (others + n * lower * rows)
    return low, high
