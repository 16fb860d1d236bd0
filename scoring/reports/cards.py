"""The card behind each number: "How this number was made", with a sentence for the paper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scoring.analysis.report import Report
from scoring.reports.moments import moment
from scoring.reports.words import (
    TOO_FEW,
    num,
    share,
    why,
)
from scoring.stats.result import AgreementResult, CorrelationResult, Interval

Facts = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """`id` is unique on the page; `sentences` are ready for a paper; `facts` are term and text."""

    id: str
    title: str
    sentences: tuple[str, ...]
    facts: Facts


def named(parameters: Mapping[str, float | str | None]) -> list[str]:
    """ "tau 0.52" for each."""
    return [f"{name} {value}" for name, value in parameters.items()]


def precise(result: AgreementResult | CorrelationResult) -> str:
    if result.value is not None:
        return num(result.value, 4)
    return f"not defined: {why(result.reason, metric=isinstance(result, CorrelationResult))}"


def interval_facts(bounds: Interval | None, too_few: bool) -> Facts:
    if bounds is None:
        return (("Interval", "being computed"),)
    if not bounds.replicates:
        return _without_draws(bounds, too_few)
    made = (
        f"{share(bounds.level)} {bounds.kind} bootstrap, {bounds.resampled} drawn anew, "
        f"{bounds.replicates:,} draws, seed {bounds.seed}"
    )
    if bounds.low is None or bounds.high is None:
        return (("Interval", f"none: {why(bounds.reason)}"),)
    undefined = f"{share(bounds.undefined_share)} of the draws" if bounds.undefined_share else ""
    return (
        ("Interval", f"{num(bounds.low, 4)} to {num(bounds.high, 4)}"),
        ("How", made),
        ("Undefined", undefined),
        ("Note", TOO_FEW if too_few else ""),
    )


def _without_draws(bounds: Interval, too_few: bool) -> Facts:
    if bounds.low is None or bounds.high is None:
        return (("Interval", f"none: {why(bounds.reason)}"),)
    return (
        ("Interval", f"{num(bounds.low, 4)} to {num(bounds.high, 4)}"),
        ("How", f"{share(bounds.level)}, {bounds.kind}"),
        ("Note", TOO_FEW if too_few else ""),
    )


def software(report: Report) -> Facts:
    return (("Made by", f"{report.method.software}, as of {moment(report.method.as_of)}"),)


def filled(facts: list[tuple[str, str]]) -> Facts:
    return tuple(fact for fact in facts if fact[1])
