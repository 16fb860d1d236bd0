"""One number as a page shows it: rounded once, with its interval, or words why there is none."""

from __future__ import annotations

from dataclasses import dataclass

from scoring.analysis.report import Summary
from scoring.reports.words import interval, not_defined, num
from scoring.stats.result import AgreementResult, CorrelationResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A number with its interval, or words why there is none. `note` stands below it."""

    text: str
    interval: str = ""
    undefined: bool = False
    pending: bool = False
    note: str = ""


def mean_value(summary: Summary) -> Value:
    if summary.mean is None:
        return Value(text=not_defined(summary.reason), undefined=True)
    spread = f"({num(summary.sd)})" if summary.sd is not None else "(SD not defined)"
    return Value(text=num(summary.mean), interval=spread)


def value_of(result: AgreementResult | CorrelationResult) -> Value:
    if result.value is None:
        return undefined(result)
    bounds = result.interval
    few = "too few items for a dependable interval" if result.too_few_for_interval else ""
    if bounds is None:
        return Value(text=num(result.value), pending=True, note=few)
    if bounds.low is None:
        return Value(text=num(result.value), note=_no_interval(bounds.reason))
    return Value(text=num(result.value), interval=interval(bounds), note=few)


def undefined(result: AgreementResult | CorrelationResult) -> Value:
    is_metric = isinstance(result, CorrelationResult)
    return Value(text=not_defined(result.reason, metric=is_metric), undefined=True)


def _no_interval(reason: str | None) -> str:
    return not_defined(reason).replace("not defined", "no interval")
