"""The error of a mean whose values belong to people and to items: neither are independent.

Values of one person are alike, and so are those of one item or prompt. The variance of the mean
allows for both at once (two-way clusters; Cameron, Gelbach and Miller 2011).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scoring.stats.counts import Codes
from scoring.stats.result import Interval

Floats = npt.NDArray[np.float64]

COVERAGE = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusteredMean:
    """A mean with its standard error and 95 % interval; None with the reason beside it.

    `se_kind` says what was clustered ("by rater and prompt"). The interval is mean +- t * SE with
    the smaller number of clusters less one as degrees of freedom, cut at the range of the values
    where one is given.
    """

    value: float | None
    reason: str | None
    se: float | None
    se_kind: str
    interval: Interval
    n: int


def clustered_mean(
    *,
    values: npt.ArrayLike,
    rater: npt.ArrayLike,
    prompt: npt.ArrayLike,
    bounds: tuple[float, float] | None = None,
) -> ClusteredMean:
    """The mean of values, shape (n,), with `rater` and `prompt` codes of the same shape.

    There is no interval below two values, with a single cluster, and where all values are the same.
    """
    numbers = np.asarray(values, dtype=np.float64)
    raters = np.asarray(rater, dtype=np.intp)
    prompts = np.asarray(prompt, dtype=np.intp)
    if not numbers.shape == raters.shape == prompts.shape or numbers.ndim != 1:
        raise ValueError("Values, raters and prompts must be of one length.")
    mean = float(numbers.mean()) if numbers.size else None
    se, kind, reason = clustered_error(numbers, raters, prompts)
    if reason is None and (numbers == numbers[0]).all():
        se, reason = None, "no_variation"
    low = high = None
    if se is not None and mean is not None:
        sizes = [np.unique(codes).size for codes in (raters, prompts)]
        away = _t(min(size for size in sizes if size > 1) - 1) * se
        low, high = mean - away, mean + away
        if bounds is not None:
            low, high = max(low, bounds[0]), min(high, bounds[1])
    return ClusteredMean(
        value=mean,
        reason=None if numbers.size else "no_ratings",
        se=se,
        se_kind=kind,
        interval=Interval(
            low=low,
            high=high,
            reason=reason,
            level=COVERAGE,
            kind="t, clustered " + kind if kind else "t, clustered",
            resampled="nothing",
            replicates=0,
            seed=0,
            undefined_share=None,
        ),
        n=int(numbers.size),
    )


def clustered_error(
    values: Floats, rater: Codes, prompt: Codes
) -> tuple[float | None, str, str | None]:
    """(standard error of the mean, how it was found, why there is none).

    V = V_rater + V_prompt - V_both. Where that is not positive, which a sample can give, the larger
    of the first two stands for it.
    """
    n = values.size
    if n < 2:
        return None, "", "one_rating" if n else "no_ratings"
    raters, prompts = np.unique(rater).size, np.unique(prompt).size
    if raters < 2 and prompts < 2:
        return None, "", "one_cluster"
    both = rater * (int(prompt.max()) + 1) + prompt
    away = values - values.mean()
    by_rater, by_prompt, by_both = (_variance(away, codes) for codes in (rater, prompt, both))
    if raters < 2:
        return by_prompt**0.5, "by prompt", None
    if prompts < 2:
        return by_rater**0.5, "by rater", None
    total = by_rater + by_prompt - by_both
    if total > 0:
        return total**0.5, "by rater and prompt", None
    return max(by_rater, by_prompt) ** 0.5, "the larger of by rater, by prompt", None


def _variance(away: Floats, codes: Codes) -> float:
    """G / (G - 1) sum_g (sum of deviations in g)^2 / n^2 of a mean, in G clusters."""
    sums = np.bincount(np.unique(codes, return_inverse=True)[1], weights=away)
    if sums.size < 2:
        return 0.0
    return float(sums.size / (sums.size - 1) * (sums**2).sum() / away.size**2)


def _t(freedom: int) -> float:
    from scipy.stats import t  # loads scipy, so only where an interval is made

    return float(t.ppf(0.5 + COVERAGE / 2, freedom))
