"""Chart 5: each metric against one question with its interval; people's own lines beside them."""

from __future__ import annotations

import math
from collections.abc import Mapping

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator

from scoring.analysis.parts.against import LevelResult, QuestionAgainst
from scoring.reports.aggregation import Found, Results
from scoring.reports.palette import ACCENT, EDGE, INK, INK_2, INK_3, LINE, PAPER
from scoring.reports.plots.canvas import beside, blank, label, write
from scoring.reports.series_words import LEVELS, METHODS
from scoring.reports.words import counted, includes_zero, interval, listed, not_defined, num
from scoring.stats.ceiling import HumanCeiling
from scoring.stats.result import Interval

ROW_INCHES = {"wide": 0.34, "narrow": 0.52}
TOP = {"wide": -0.95, "narrow": -1.3}
"""Where the axes end above the first row: room for the ceiling's words."""

LOWEST_SHOWN = -0.2
"""The axis reaches at least from here to 1, so that no coefficient looks larger than it is."""


def draw_against(
    question: QuestionAgainst, names: Mapping[str, str], found: Found, width: str
) -> Figure:
    results, person = found.results, found.person
    first = 1 if person is not None else 0
    n = len(results) + first
    figure, axes = blank(width, 0.95 + ROW_INCHES[width] * n)
    axes.grid(axis="x")
    axes.axvline(0, color=EDGE, linewidth=0.9, zorder=1)
    if found.ceiling is not None:
        _draw_ceiling(axes, found.ceiling, TOP[width] + 0.3)
    if person is not None:
        _draw_person(axes, person, question, width)
        axes.axhline(0.5, color=LINE, linewidth=0.9, zorder=0.6)
    for place, (row, one) in enumerate(results):
        _draw_row(axes, place + first, one, names[row.series.key], width)
    start = _start(results)
    axes.set_xlim(start, 1.0)
    axes.set_ylim(n - 0.4, TOP[width])
    axes.xaxis.set_major_locator(MultipleLocator(0.2 if start > -0.5 else 0.5))
    at = found.aggregation
    axes.set_xlabel(at.words if width == "wide" else METHODS[at.method])
    axes.xaxis.set_major_formatter(lambda x, _: num(x, 1) if x % 1 else num(x, 0))
    return figure


def against_alt(question: QuestionAgainst, names: Mapping[str, str], found: Found) -> str:
    """The metric furthest from 0, people's lines, which intervals include 0, what is undefined."""
    at, metrics = found.aggregation, counted(len(found.results), "metric")
    level = LEVELS[at.level, at.grouping]
    parts = [f"{METHODS[at.method]} of {metrics} with mean {question.label}, {level}."]
    if found.defined:
        row, one = found.defined[0]
        parts.append(
            f"{names[row.series.key]} is furthest from 0, {num(one.correlation.value or 0.0)}."
        )
    if found.person is not None:
        parts.append(f"One person reaches {num(found.person)}.")
    if found.ceiling is not None and found.ceiling.value is not None:
        parts.append(f"The human ceiling is {num(found.ceiling.value)}.")
    crossing = [
        names[row.series.key]
        for row, one in found.defined
        if includes_zero(one.correlation.interval)
    ]
    if crossing:
        parts.append(f"Intervals that include 0: {_few(crossing)}.")
    missing = [names[row.series.key] for row, one in found.results if one.correlation.value is None]
    if missing:
        parts.append(f"Not defined: {_few(missing)}.")
    return " ".join([*parts, "Table follows."])


def _few(names: list[str]) -> str:
    """Up to four names; of more, how many."""
    return listed(names) if len(names) <= 4 else f"{len(names)} metrics"


def _draw_ceiling(axes: Axes, ceiling: HumanCeiling, at: float) -> None:
    if ceiling.value is None:
        return
    if ceiling.low is not None and ceiling.high is not None:
        axes.axvspan(ceiling.low, ceiling.high, color=LINE, alpha=0.55, linewidth=0, zorder=0.4)
    axes.axvline(ceiling.value, color=INK_2, linewidth=1.4, zorder=0.8)
    text = f"human ceiling {num(ceiling.value)}"
    side = "right" if ceiling.value > 0.55 else "left"
    write(axes, ceiling.value, at, f" {text} ", ha=side, va="center", fontsize=9, color=INK_2)


def _draw_person(axes: Axes, value: float, question: QuestionAgainst, width: str) -> None:
    axes.plot([value], [0], "D", color=INK, markersize=6.5)
    name = "One person, another" if question.slots else "One person, the rest"
    _name(axes, 0, name, num(value), "", width, weight="bold")


def _draw_row(axes: Axes, place: int, one: LevelResult, name: str, width: str) -> None:
    found = one.correlation
    if found.value is None:
        words = not_defined(found.reason, metric=True)
        short = label(words, width=44 if width == "wide" else 34, lines=1)
        write(axes, 0.02, place, short, va="center", fontsize=9, color=INK_3)
        _name(axes, place, name, "", "", width)
        return
    bounds = found.interval
    if bounds is not None and bounds.low is not None and bounds.high is not None:
        axes.plot([bounds.low, bounds.high], [place, place], color=ACCENT, linewidth=1.8)
    hollow = includes_zero(bounds)
    axes.plot(
        [found.value], [place], "o", color=ACCENT, markersize=6.5,
        markerfacecolor=PAPER if hollow else ACCENT,
    )  # fmt: skip
    _name(axes, place, name, num(found.value), _bounds(bounds), width)


def _bounds(bounds: Interval | None) -> str:
    return interval(bounds) if bounds is not None else ""


def _name(
    axes: Axes, row: int, name: str, value: str, bounds: str, width: str, weight: str = "normal"
) -> None:
    if width == "wide":
        beside(
            axes, 0, row, label(name, width=24), shift=-6, ha="right", va="center", weight=weight
        )
        beside(axes, 1, row, value, shift=36, ha="right", va="center", weight=weight)
        beside(axes, 1, row, bounds, shift=42, ha="left", va="center", color=INK_3)
        return
    shown = label(name, width=24, lines=1)
    # Lines cross the rows here; a little paper behind the words keeps them readable.
    paper = {"facecolor": PAPER, "edgecolor": "none", "pad": 0.8}
    figures = f"{value} {bounds}".strip()
    beside(axes, 0, row - 0.22, shown, shift=0, ha="left", va="bottom", weight=weight, bbox=paper)
    if figures:
        beside(axes, 1, row - 0.22, figures, shift=0, ha="right", va="bottom", bbox=paper)


def _start(results: Results) -> float:
    values = [one.correlation.value for _, one in results]
    values += [one.correlation.interval.low for _, one in results if one.correlation.interval]
    lowest = min((value for value in values if value is not None), default=0.0)
    return min(LOWEST_SHOWN, math.floor(lowest * 5 - 1e-9) / 5)
