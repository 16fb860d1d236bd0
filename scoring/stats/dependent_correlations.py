"""Two correlations that share a variable, from r12, r13, r23 and n alone.

Variable 1 is people's ratings, 2 and 3 are two metrics of the same items. All four assume normal
values and independent items; on ranks they are approximations. The paired bootstrap and the paired
permutation of `comparison` assume neither and come first; these check them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

FEWEST_ITEMS = 4
"""Fisher's transform needs n above 3, Williams' t degrees of freedom."""

TESTS = ("williams1959", "steiger1980", "meng1992")


@dataclass(frozen=True, slots=True, kw_only=True)
class DependentTest:
    """A test of r12 = r13. `statistic` and two-sided `p_value` are None where `reason` is set.

    `df` is None for the tests that give a z.
    """

    test: str
    statistic: float | None
    df: int | None
    p_value: float | None
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DependentInterval:
    """Zou's interval of r12 - r13; the bounds are None where `reason` is set."""

    low: float | None
    high: float | None
    level: float
    reason: str | None


def dependent_tests(*, r12: float, r13: float, r23: float, n: int) -> tuple[DependentTest, ...]:
    """Williams' t, Steiger's z and Meng, Rosenthal and Rubin's z of r12 - r13, two-sided.

    Positive where r12 is higher. Raises ValueError for correlations outside -1..1.
    """
    reason = _obstacle(r12, r13, r23, n)
    if reason is not None:
        return tuple(
            DependentTest(test=test, statistic=None, df=None, p_value=None, reason=reason)
            for test in TESTS
        )
    return (
        _test("williams1959", williams_t(r12, r13, r23, n), n - 3),
        _test("steiger1980", steiger_z(r12, r13, r23, n), None),
        _test("meng1992", meng_z(r12, r13, r23, n), None),
    )


def zou_interval(
    *, r12: float, r13: float, r23: float, n: int, level: float = 0.95
) -> DependentInterval:
    """Zou 2007, Psychological Methods 12: an interval of r12 - r13 from those of r12 and r13.

    Raises ValueError for correlations outside -1..1.
    """
    reason = _obstacle(r12, r13, r23, n)
    if reason is not None:
        return DependentInterval(low=None, high=None, level=level, reason=reason)
    low12, high12 = _fisher_bounds(r12, n, level)
    low13, high13 = _fisher_bounds(r13, n, level)
    between = (r23 - r12 * r13 / 2.0) * (1.0 - r12**2 - r13**2 - r23**2) + r23**3
    between /= (1.0 - r12**2) * (1.0 - r13**2)

    def reach(first: float, second: float) -> float:
        """How far a bound of the difference lies from it, given the two single distances."""
        return math.sqrt(max(first**2 + second**2 - 2.0 * between * first * second, 0.0))

    difference = r12 - r13
    return DependentInterval(
        low=difference - reach(r12 - low12, high13 - r13),
        high=difference + reach(high12 - r12, r13 - low13),
        level=level,
        reason=None,
    )


def williams_t(r12: float, r13: float, r23: float, n: int) -> float:
    """Williams 1959, with n - 3 degrees of freedom (Steiger 1980, equation 7)."""
    determinant = 1.0 - r12**2 - r13**2 - r23**2 + 2.0 * r12 * r13 * r23
    mean = (r12 + r13) / 2.0
    below = 2.0 * (n - 1) / (n - 3) * determinant + mean**2 * (1.0 - r23) ** 3
    return (r12 - r13) * math.sqrt((n - 1) * (1.0 + r23) / below)


def steiger_z(r12: float, r13: float, r23: float, n: int) -> float:
    """Steiger 1980, equation 14: Fisher z with the covariance at the mean of r12 and r13."""
    mean = (r12 + r13) / 2.0
    covariance = r23 * (1.0 - 2.0 * mean**2)
    covariance -= mean**2 * (1.0 - 2.0 * mean**2 - r23**2) / 2.0
    covariance /= (1.0 - mean**2) ** 2
    apart = math.atanh(r12) - math.atanh(r13)
    return math.sqrt(n - 3) * apart / math.sqrt(2.0 - 2.0 * covariance)


def meng_z(r12: float, r13: float, r23: float, n: int) -> float:
    """Meng, Rosenthal and Rubin 1992, Psychological Bulletin 111, equation 1."""
    squares = (r12**2 + r13**2) / 2.0
    f = min((1.0 - r23) / (2.0 * (1.0 - squares)), 1.0)
    h = (1.0 - f * squares) / (1.0 - squares)
    apart = math.atanh(r12) - math.atanh(r13)
    return apart * math.sqrt((n - 3) / (2.0 * (1.0 - r23) * h))


def _test(name: str, statistic: float, df: int | None) -> DependentTest:
    from scipy import stats

    distribution = stats.norm if df is None else stats.t(df)
    p_value = 2.0 * float(distribution.sf(abs(statistic)))
    return DependentTest(test=name, statistic=statistic, df=df, p_value=p_value, reason=None)


def _obstacle(r12: float, r13: float, r23: float, n: int) -> str | None:
    if not all(-1.0 <= r <= 1.0 for r in (r12, r13, r23)):
        raise ValueError(f"{r12}, {r13} and {r23} came; correlations lie between -1 and 1.")
    if n < FEWEST_ITEMS:
        return "too_few_items"
    if r23 == 1.0:
        return "same_metric"
    return "perfect_correlation" if max(abs(r12), abs(r13), abs(r23)) == 1.0 else None


def _fisher_bounds(r: float, n: int, level: float) -> tuple[float, float]:
    from scipy import stats

    reach = float(stats.norm.ppf((1.0 + level) / 2.0)) / math.sqrt(n - 3)
    return math.tanh(math.atanh(r) - reach), math.tanh(math.atanh(r) + reach)
