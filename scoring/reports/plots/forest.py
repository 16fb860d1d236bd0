"""Chart 2: agreement on one question by country with 95 % intervals, the pooled value on top.

A circle is the primary coefficient; where AC1 or AC2 stands beside it, a square below.
"""

from __future__ import annotations

import math

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from scoring.analysis.report import POOLED, GroupAnswers, QuestionReport, Report
from scoring.reports.agreement_words import (
    column_title,
    extremes,
    name_of,
    short_name,
    undefined,
)
from scoring.reports.palette import ACCENT, EDGE, FIRST, INK_3, LINE, PAPER
from scoring.reports.plots.canvas import beside, blank, label, number_along, write
from scoring.reports.words import includes_zero, interval, not_defined, num
from scoring.stats.result import AgreementResult

ROW_INCHES = {"wide": 0.4, "narrow": 0.56}
LOWEST_SHOWN = -0.2
"""The axis never starts higher, so that no interval looks far from 0 that is not."""

BELOW = 0.24
"""How far below its row's middle the second coefficient lies, in rows."""


def draw_forest(report: Report, question: QuestionReport, width: str) -> Figure:
    groups = question.groups
    figure, axes = blank(width, 0.75 + ROW_INCHES[width] * len(groups))
    axes.grid(axis="x")
    axes.axvline(0, color=EDGE, linewidth=0.9, zorder=1)
    _draw_pooled_band(axes, groups[0].alpha)
    for row, answers in enumerate(groups):
        _draw_row(axes, row, answers)
        _name_row(axes, row, report, answers, width)
    if len(groups) > 1:
        axes.axhline(0.5, color=LINE, linewidth=0.9, zorder=0.6)
    axes.set_xlim(_axis_start(groups), 1.0)
    axes.set_ylim(len(groups) - 0.4, -0.6 if width == "wide" else -0.75)
    axes.set_xlabel(" and ".join(column_title(one) for one in _drawn(groups[0])))
    number_along(axes)
    return figure


def forest_alt(report: Report, question: QuestionReport) -> str:
    """What the chart shows, its extremes with numbers, what is not defined, in words."""
    pooled, *panels = question.groups
    name = short_name(pooled.alpha)
    opening = f"{name[0].upper()}{name[1:]} for {question.label} by country with 95 % intervals."
    return " ".join(
        filter(
            None,
            [
                opening,
                _pooled_words(pooled.alpha),
                extremes(report, panels),
                undefined(report, panels, said=pooled.alpha.reason),
                "Table follows.",
            ],
        )
    )


def _pooled_words(primary: AgreementResult) -> str:
    name = f"Pooled {short_name(primary)}"
    if primary.value is None:
        return f"{name} is {not_defined(primary.reason)}."
    bounds = primary.interval
    if bounds is None or bounds.low is None or bounds.high is None:
        return f"{name} {num(primary.value)}, without an interval."
    zero = ", which includes 0" if includes_zero(bounds) else ""
    return f"{name} {num(primary.value)}, from {num(bounds.low)} to {num(bounds.high)}{zero}."


def _drawn(answers: GroupAnswers) -> list[AgreementResult]:
    """The primary coefficient, and AC1 or AC2 where there is one."""
    primary, *others = answers.coefficients
    return [primary, *(one for one in others if one.coefficient in ("gwet_ac1", "gwet_ac2"))]


def _draw_pooled_band(axes: Axes, primary: AgreementResult) -> None:
    bounds = primary.interval
    if bounds is not None and bounds.low is not None and bounds.high is not None:
        axes.axvspan(bounds.low, bounds.high, color=LINE, alpha=0.4, linewidth=0, zorder=0.4)


def _draw_row(axes: Axes, row: int, answers: GroupAnswers) -> None:
    pooled = answers.group == POOLED
    primary, *second = _drawn(answers)
    if primary.value is None:
        write(axes, 0.02, row, not_defined(primary.reason), va="center", fontsize=9, color=INK_3)
    else:
        _draw_point(axes, row, primary, marker="o", colour=FIRST, heavy=pooled)
    for one in second:
        if one.value is not None:
            _draw_point(axes, row + BELOW, one, marker="s", colour=ACCENT, heavy=False)


def _draw_point(
    axes: Axes, y: float, result: AgreementResult, *, marker: str, colour: str, heavy: bool
) -> None:
    bounds = result.interval
    if bounds is not None and bounds.low is not None:
        line = 3.0 if heavy else 1.8 if marker == "o" else 1.2
        axes.plot([bounds.low, bounds.high], [y, y], color=colour, linewidth=line)
    size = 7.5 if heavy else 6 if marker == "o" else 4.5
    face = PAPER if marker == "s" else colour
    axes.plot([result.value], [y], marker, color=colour, markersize=size, markerfacecolor=face)


def _name_row(axes: Axes, row: int, report: Report, answers: GroupAnswers, width: str) -> None:
    weight = "bold" if answers.group == POOLED else "normal"
    name = name_of(report, answers.group)
    units = f" ({answers.alpha.n_units_paired:,})"
    value, bounds = _figures(answers.alpha)
    if width == "wide":
        shown = label(name, width=20) + units
        beside(axes, 0, row, shown, shift=-6, ha="right", va="center", weight=weight)
        beside(axes, 1, row, value, shift=36, ha="right", va="center", weight=weight)
        beside(axes, 1, row, bounds, shift=42, ha="left", va="center", color=INK_3)
        return
    shown = label(name, width=22, lines=1) + units
    beside(axes, 0, row - 0.22, shown, shift=0, ha="left", va="bottom", weight=weight)
    figures = f"{value} {bounds}".strip()
    beside(axes, 1, row - 0.22, figures, shift=0, ha="right", va="bottom")


def _figures(primary: AgreementResult) -> tuple[str, str]:
    if primary.value is None:
        return "", ""
    return num(primary.value), interval(primary.interval) if primary.interval else ""


def _axis_start(groups: tuple[GroupAnswers, ...]) -> float:
    results = [one for answers in groups for one in _drawn(answers)]
    lows = [one.interval.low for one in results if one.interval is not None]
    values = [one.value for one in results]
    lowest = min((value for value in [*values, *lows] if value is not None), default=0.0)
    return min(LOWEST_SHOWN, math.floor(lowest * 5 - 1e-9) / 5)
