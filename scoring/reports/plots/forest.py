"""Chart 2: alpha of one question by panel with 95 % intervals, the pooled value on top."""

from __future__ import annotations

import math

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from scoring.analysis.report import POOLED, GroupAnswers, QuestionReport, Report
from scoring.reports.palette import EDGE, FIRST, INK_3, LINE
from scoring.reports.plots.canvas import beside, blank, label, write
from scoring.reports.words import (
    extremes,
    includes_zero,
    interval,
    not_defined,
    num,
    undefined,
)
from scoring.stats.result import AgreementResult

ROW_INCHES = {"wide": 0.36, "narrow": 0.52}
LOWEST_SHOWN = -0.2
"""The axis never starts higher, so that no interval looks far from 0 that is not."""


def draw_forest(report: Report, question: QuestionReport, width: str) -> Figure:
    figure, axes = blank(width, 0.75 + ROW_INCHES[width] * len(question.groups))
    axes.grid(axis="x")
    axes.axvline(0, color=EDGE, linewidth=0.9, zorder=1)
    _draw_pooled_band(axes, question.groups[0].alpha)
    for row, answers in enumerate(question.groups):
        _draw_row(axes, row, answers)
        _name_row(axes, row, report, answers, width)
    if len(question.groups) > 1:
        axes.axhline(0.5, color=LINE, linewidth=0.9, zorder=0.6)
    axes.set_xlim(_axis_start(question.groups), 1.0)
    axes.set_ylim(len(question.groups) - 0.4, -0.6 if width == "wide" else -0.75)
    axes.set_xlabel("Krippendorff\u2019s alpha (ordinal)")
    axes.xaxis.set_major_formatter(lambda x, _: num(x, 1) if x % 1 else num(x, 0))
    return figure


def forest_alt(report: Report, question: QuestionReport) -> str:
    """What the chart shows, its extremes with numbers, what is not defined, in words."""
    pooled, *panels = question.groups
    opening = f"Alpha for {question.label} by country with 95 % intervals."
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


def _pooled_words(alpha: AgreementResult) -> str:
    if alpha.value is None:
        return f"Pooled alpha is {not_defined(alpha.reason)}."
    bounds = alpha.interval
    if bounds is None or bounds.low is None or bounds.high is None:
        return f"Pooled alpha {num(alpha.value)}, without an interval."
    zero = ", which includes 0" if includes_zero(bounds) else ""
    return f"Pooled alpha {num(alpha.value)}, from {num(bounds.low)} to {num(bounds.high)}{zero}."


def _draw_pooled_band(axes: Axes, alpha: AgreementResult) -> None:
    bounds = alpha.interval
    if bounds is not None and bounds.low is not None and bounds.high is not None:
        axes.axvspan(bounds.low, bounds.high, color=LINE, alpha=0.4, linewidth=0, zorder=0.4)


def _draw_row(axes: Axes, row: int, answers: GroupAnswers) -> None:
    alpha = answers.alpha
    if alpha.value is None:
        write(axes, 0.02, row, not_defined(alpha.reason), va="center", fontsize=9, color=INK_3)
        return
    pooled = answers.group == POOLED
    bounds = alpha.interval
    if bounds is not None and bounds.low is not None:
        axes.plot(
            [bounds.low, bounds.high], [row, row], color=FIRST, linewidth=3.0 if pooled else 1.8
        )
    axes.plot([alpha.value], [row], "o", color=FIRST, markersize=7.5 if pooled else 6)


def _name_row(axes: Axes, row: int, report: Report, answers: GroupAnswers, width: str) -> None:
    weight = "bold" if answers.group == POOLED else "normal"
    name = report.group(answers.group).name
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


def _figures(alpha: AgreementResult) -> tuple[str, str]:
    if alpha.value is None:
        return "", ""
    return num(alpha.value), interval(alpha.interval) if alpha.interval else ""


def _axis_start(groups: tuple[GroupAnswers, ...]) -> float:
    values = [answers.alpha.value for answers in groups]
    lows = [answers.alpha.interval.low for answers in groups if answers.alpha.interval is not None]
    lowest = min((value for value in [*values, *lows] if value is not None), default=0.0)
    return min(LOWEST_SHOWN, math.floor(lowest * 5 - 1e-9) / 5)
