"""What statistics return as cells of tables: value, interval, or words why there is none."""

from __future__ import annotations

from scoring.reports.tables import Estimate
from scoring.reports.words import not_defined
from scoring.stats.result import AgreementResult, CorrelationResult, Interval

FEW = "too few items for a dependable interval"


def estimate_of(result: AgreementResult | CorrelationResult, *, n: int | None = None) -> Estimate:
    """A coefficient as a cell; its interval is pending where none was made yet."""
    if result.value is None:
        is_metric = isinstance(result, CorrelationResult)
        return Estimate(value=None, why=not_defined(result.reason, metric=is_metric), n=n)
    return estimate(
        result.value,
        result.interval,
        se=result.se,
        n=n,
        note=FEW if result.too_few_for_interval else "",
    )


def estimate(
    value: float | None,
    bounds: Interval | None,
    *,
    reason: str | None = None,
    se: float | None = None,
    n: int | None = None,
    note: str = "",
) -> Estimate:
    """A number with its interval as a cell; without `bounds` the interval is pending."""
    if value is None:
        return Estimate(value=None, why=not_defined(reason), n=n)
    if bounds is None:
        return Estimate(value=value, pending=True, n=n, note=note)
    if bounds.low is None or bounds.high is None:
        without = not_defined(bounds.reason).replace("not defined", "no interval")
        return Estimate(value=value, without=without, se=se, n=n)
    return Estimate(value=value, low=bounds.low, high=bounds.high, se=se, n=n, note=note)


def plain(value: float | None, reason: str | None, *, n: int | None = None) -> Estimate:
    """A number that has no interval by its nature, such as a count's share."""
    return Estimate(value=value, why="" if value is not None else not_defined(reason), n=n)
