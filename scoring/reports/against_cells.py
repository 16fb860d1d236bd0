"""Coefficients of metrics as cells of tables."""

from __future__ import annotations

from scoring.analysis.parts.against import Adjusted, SliceResult
from scoring.reports.estimates import FEW
from scoring.reports.tables import Estimate
from scoring.reports.words import not_defined
from scoring.stats.comparison import MetricComparison
from scoring.stats.correlation import FEWEST_FOR_P
from scoring.stats.levels import LevelCorrelation
from scoring.stats.result import Interval


def level_cell(found: LevelCorrelation) -> Estimate:
    """A coefficient at a level; its n is what was correlated."""
    return coefficient(
        found.value,
        found.interval,
        reason=found.reason,
        se=found.se,
        n=found.n_points,
        few=found.too_few_for_interval,
    )


def slice_cell(part: SliceResult) -> Estimate:
    return coefficient(
        part.value,
        part.interval,
        reason=part.reason,
        n=part.n_units,
        few=part.too_few_for_interval,
    )


def difference_cell(found: MetricComparison) -> Estimate:
    return coefficient(
        found.difference,
        found.interval,
        reason=found.reason,
        se=found.se,
        n=found.n_units,
        few=found.too_few_for_interval,
    )


def coefficient(
    value: float | None,
    bounds: Interval | None,
    *,
    reason: str | None,
    n: int | None = None,
    se: float | None = None,
    few: bool = False,
) -> Estimate:
    """A coefficient with its interval, or why there is none; few items are said."""
    if value is None:
        return Estimate(value=None, why=not_defined(reason, metric=True), n=n)
    note = FEW if few else ""
    if bounds is None:
        return Estimate(value=value, pending=True, n=n, note=note)
    if bounds.low is None or bounds.high is None:
        without = not_defined(bounds.reason).replace("not defined", "no interval")
        return Estimate(value=value, without=without, se=se, n=n, note=note)
    return Estimate(value=value, low=bounds.low, high=bounds.high, se=se, n=n, note=note)


def p_cells(
    value: float | None, p: float | None, adjusted: Adjusted, *, of: str = "item"
) -> tuple[Estimate, ...]:
    """p, p by Holm, p by Benjamini and Hochberg; nothing where there is no coefficient.

    `of`: what is correlated; below four of them there is no p.
    """
    if value is None:
        return tuple(Estimate(value=None, why="\u2013") for _ in range(3))
    if p is None:
        return tuple(Estimate(value=None, why=f"none below {FEWEST_FOR_P} {of}s") for _ in range(3))
    return tuple(Estimate(value=one) for one in (p, adjusted.holm, adjusted.bh))
