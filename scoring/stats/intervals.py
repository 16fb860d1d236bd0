"""Intervals from bootstrap replicates and from leave-one-out values.

**percentile**: quantiles of the replicates. **BCa** (Efron 1987): the quantiles moved by a bias
correction z0, from the share of replicates below the estimate, and an acceleration a, from the
skewness of the influences. **jackknife-t**: estimate -/+ t x SE with the jackknife's SE and
Satterthwaite's degrees of freedom; it needs no replicates.

What was drawn independently is a *sample*: the items, the items of each stratum, the clusters,
the raters. With n_s things in sample s, theta_(si) the value without thing i and theta_(s.) the
mean of those, the influence is l_si = (n_s - 1)(theta_(s.) - theta_(si)), and

    a      = 1/6 sum_s sum_i l_si^3 / n_s^3 / (sum_s sum_i l_si^2 / n_s^2)^(3/2)
    SE^2   = sum_s V_s,    V_s = sum_i l_si^2 / (n_s (n_s - 1))
    df     = SE^4 / sum_s V_s^2 / (n_s - 1)

(Davison and Hinkley 1997, equations 5.23 and 5.24 for a with several samples). Items x raters is
two samples; what belongs to an item-and-rater pair alone is then in V twice, so SE is a little too
large, never too small, on that account.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from scoring.stats.coefficients import Floats
from scoring.stats.result import Interval

IntervalKind = Literal["percentile", "BCa", "jackknife-t"]
INTERVAL_KINDS: tuple[IntervalKind, ...] = get_args(IntervalKind)

COVERAGE = 0.95
MAX_UNDEFINED_SHARE = 0.05

HIGHEST = 1.0
"""No agreement coefficient and no correlation exceeds this; jackknife-t bounds stop here."""


@dataclass(frozen=True, slots=True, eq=False)
class LeftOut:
    """Values without one thing of a sample: `values` (k,), each for `times` (k,) alike things.

    nan stands where the coefficient is undefined without that thing.
    """

    values: Floats
    times: Floats

    @property
    def size(self) -> float:
        """How many things the sample has."""
        return float(self.times.sum())

    def influences(self) -> Floats:
        """l_i, shape (k,)."""
        mean = float(self.values @ self.times) / self.size
        return np.asarray((self.size - 1.0) * (mean - self.values))


def percentile_interval(
    drawn: Floats, *, resampled: str, replicates: int, seed: int, reason: str | None
) -> Interval:
    """A 95 % percentile interval of replicates, shape (replicates,); nan counts as undefined.

    `reason` set, or more than 5 % undefined replicates: no bounds.
    """
    return _interval(
        "percentile",
        _percentile_bounds(drawn, COVERAGE) if reason is None else None,
        share=undefined_share(drawn),
        resampled=resampled,
        replicates=replicates,
        seed=seed,
        reason=reason,
    )


def bca_interval(
    drawn: Floats,
    *,
    estimate: float,
    left_out: Sequence[LeftOut],
    resampled: str,
    replicates: int,
    seed: int,
    reason: str | None,
) -> Interval:
    """A 95 % BCa interval of replicates, shape (replicates,), of `estimate`.

    `left_out`: one entry for each sample drawn independently. No bounds where `reason` is set,
    more than 5 % of the replicates or any leave-one-out value is undefined
    (`undefined_replicates`), or nearly all replicates lie on one side of the estimate so that the
    correction runs out of them (`one_sided_replicates`).
    """
    bounds = None
    share = undefined_share(drawn)
    if reason is None and _any_undefined(left_out):
        reason = "undefined_replicates"
    if reason is None and share is not None and share <= MAX_UNDEFINED_SHARE:
        bounds = bca_bounds(drawn, estimate=estimate, left_out=left_out, coverage=COVERAGE)
        reason = "one_sided_replicates" if bounds is None else None
    return _interval(
        "BCa",
        bounds,
        share=share,
        resampled=resampled,
        replicates=replicates,
        seed=seed,
        reason=reason,
    )


def jackknife_t_interval(
    *,
    estimate: float,
    left_out: Sequence[LeftOut],
    resampled: str,
    seed: int,
    reason: str | None,
) -> Interval:
    """A 95 % jackknife-t interval; its `replicates` are the leave-one-out values.

    One undefined leave-one-out value is enough for no bounds (`undefined_replicates`): where the
    coefficient hangs on one thing, a third of bootstrap draws would miss that thing.
    """
    n_values = int(sum(sample.size for sample in left_out))
    share = None
    if n_values:
        undefined = sum(float(one.times @ np.isnan(one.values)) for one in left_out)
        share = undefined / n_values
    if reason is None and _any_undefined(left_out):
        reason = "undefined_replicates"
    bounds = None
    if reason is None:
        bounds = jackknife_t_bounds(estimate=estimate, left_out=left_out, coverage=COVERAGE)
    return _interval(
        "jackknife-t",
        bounds,
        share=share,
        resampled=resampled,
        replicates=n_values,
        seed=seed,
        reason=reason,
    )


def bca_bounds(
    drawn: Floats, *, estimate: float, left_out: Sequence[LeftOut], coverage: float
) -> tuple[float, float] | None:
    """(low, high) of a BCa interval; None where the corrected quantiles do not exist."""
    from scipy.special import ndtr, ndtri

    defined = drawn[~np.isnan(drawn)]
    # Replicates equal to the estimate but for rounding count half on either side.
    near = np.isclose(defined, estimate, rtol=1e-12, atol=1e-12)
    share = float(((defined < estimate) & ~near).mean() + near.mean() / 2.0)
    if not 0.0 < share < 1.0:
        return None
    z0 = float(ndtri(share))
    a = acceleration(left_out)
    z = z0 + ndtri(np.array([(1.0 - coverage) / 2.0, (1.0 + coverage) / 2.0]))
    shrink = 1.0 - a * z
    if not (shrink > 0).all():
        return None
    low, high = np.quantile(defined, ndtr(z0 + z / shrink))
    return float(low), float(high)


def acceleration(left_out: Sequence[LeftOut]) -> float:
    """BCa's a over all samples; 0 where nothing has any influence.

    A sample of one thing is the same in every draw and has none.
    """
    cubes = squares = 0.0
    for sample in left_out:
        if sample.size < 2:
            continue
        influence = sample.influences()
        cubes += float(sample.times @ influence**3) / sample.size**3
        squares += float(sample.times @ influence**2) / sample.size**2
    return cubes / (6.0 * squares**1.5) if squares > 0 else 0.0


def jackknife_t_bounds(
    *, estimate: float, left_out: Sequence[LeftOut], coverage: float
) -> tuple[float, float]:
    """(low, high) of estimate -/+ t x SE, the upper bound at most 1."""
    from scipy.stats import t

    variances = np.array([_variance(sample) for sample in left_out])
    total = float(variances.sum())
    if total == 0.0:
        return estimate, estimate
    freedom = np.array([max(sample.size - 1.0, 1.0) for sample in left_out])
    df = total**2 / float((variances**2 / freedom).sum())
    reach = float(t.ppf((1.0 + coverage) / 2.0, df)) * total**0.5
    return estimate - reach, min(estimate + reach, HIGHEST)


def jackknife_error(left_out: Sequence[LeftOut]) -> float | None:
    """The jackknife's standard error; None where a leave-one-out value is undefined."""
    if not left_out or _any_undefined(left_out):
        return None
    return float(sum(_variance(sample) for sample in left_out) ** 0.5)


def standard_error(drawn: Floats) -> float | None:
    """Standard deviation of the defined replicates; None for fewer than two."""
    defined = drawn[~np.isnan(drawn)]
    return float(defined.std(ddof=1)) if defined.size > 1 else None


def undefined_share(drawn: Floats) -> float | None:
    """Share of replicates without a value, 0..1; None without replicates."""
    return float(np.isnan(drawn).mean()) if drawn.size else None


def _variance(sample: LeftOut) -> float:
    # A stratum of one thing is the same in every draw, so it adds nothing.
    if sample.size < 2:
        return 0.0
    squares = float(sample.times @ sample.influences() ** 2)
    return squares / (sample.size * (sample.size - 1.0))


def _any_undefined(left_out: Sequence[LeftOut]) -> bool:
    return any(bool(np.isnan(sample.values).any()) for sample in left_out if sample.size > 1)


def _percentile_bounds(drawn: Floats, coverage: float) -> tuple[float, float] | None:
    share = undefined_share(drawn)
    if share is None or share > MAX_UNDEFINED_SHARE:
        return None
    tail = (1.0 - coverage) / 2.0
    low, high = np.nanquantile(drawn, [tail, 1.0 - tail])
    return float(low), float(high)


def _interval(
    kind: IntervalKind,
    bounds: tuple[float, float] | None,
    *,
    share: float | None,
    resampled: str,
    replicates: int,
    seed: int,
    reason: str | None,
) -> Interval:
    if reason is None and kind != "jackknife-t" and share is not None:
        reason = "undefined_replicates" if share > MAX_UNDEFINED_SHARE else None
    low, high = bounds if bounds is not None and reason is None else (None, None)
    return Interval(
        low=low,
        high=high,
        reason=reason,
        level=COVERAGE,
        kind=kind,
        resampled=resampled,
        replicates=replicates,
        seed=seed,
        undefined_share=share,
    )
