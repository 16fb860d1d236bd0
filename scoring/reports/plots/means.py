"""Means of one metric by model or country, each with its interval."""

from __future__ import annotations

import math

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from scoring.analysis.parts.automatic import Breakdown, Cell, Factor, SeriesResult
from scoring.reports.palette import ACCENT, INK_3, PAPER
from scoring.reports.plots.canvas import beside, blank, label, write
from scoring.reports.plots.systems import Look, looks
from scoring.reports.series_words import better_words
from scoring.reports.words import interval, listed, not_defined, num

SMALLEST_SHARE = 0.05
"""Of a declared range, below which the axis shows the means alone."""

ROW_INCHES = {"wide": 0.34, "narrow": 0.52}


def draw_means(one: SeriesResult, breakdown: Breakdown, factor: Factor, width: str) -> Figure:
    cells = ordered(breakdown, one.facts.better)
    names = {level.key: level.name for level in factor.levels}
    found = looks([level.key for level in factor.levels]) if factor.key == "system" else {}
    figure, axes = blank(width, 0.75 + ROW_INCHES[width] * len(cells))
    axes.grid(axis="x")
    low, high = _limits(cells, one.facts.low, one.facts.high)
    axes.set_xlim(low, high)
    for row, cell in enumerate(cells):
        look = found.get(cell.level, Look(ACCENT, "o"))
        _draw_row(axes, row, cell, look, low)
        _name_row(axes, row, cell, names.get(cell.level, cell.level), width)
    axes.set_ylim(len(cells) - 0.4, -0.6 if width == "wide" else -0.75)
    axes.set_xlabel(f"mean ({better_words(one.facts.better)})")
    axes.xaxis.set_major_formatter(lambda x, _: num(x, 2 if high - low < 1 else 1))
    return figure


def ordered(breakdown: Breakdown, better: str) -> list[Cell]:
    """Best mean first; levels without one at the end."""
    sign = 1.0 if better == "lower" else -1.0

    def place(cell: Cell) -> tuple[bool, float]:
        value = cell.mean.value
        return value is None, sign * (value or 0.0)

    return sorted(breakdown.cells, key=place)


def means_alt(one: SeriesResult, breakdown: Breakdown, factor: Factor, name: str) -> str:
    """What the chart shows, best and worst with numbers, what is not defined."""
    names = {level.key: level.name for level in factor.levels}
    defined = [cell for cell in breakdown.cells if cell.mean.value is not None]
    cells = sorted(defined, key=lambda cell: -(cell.mean.value or 0.0))
    parts = [f"Mean {name} by {factor.name.lower()} with 95 % intervals, {len(cells)} of them."]
    if len(cells) > 1:
        high, low = cells[0], cells[-1]
        parts.append(
            f"Highest {names[high.level]}, {num(high.mean.value or 0.0)}; lowest "
            f"{names[low.level]}, {num(low.mean.value or 0.0)}."
        )
    missing = [names[cell.level] for cell in breakdown.cells if cell.mean.value is None]
    if missing:
        parts.append(f"Not defined: {listed(missing)}.")
    return " ".join([*parts, "Table follows."])


def _limits(cells: list[Cell], low: float | None, high: float | None) -> tuple[float, float]:
    """The declared range, unless what is drawn is lost in it; then that, with a margin."""
    values = [cell.mean.value for cell in cells if cell.mean.value is not None]
    for cell in cells:
        bounds = cell.mean.interval
        if bounds is not None and bounds.low is not None and bounds.high is not None:
            values += [bounds.low, bounds.high]
    least, most = min(values, default=0.0), max(values, default=1.0)
    declared = low is not None and high is not None and math.isfinite(low) and math.isfinite(high)
    if declared and (high - low) * SMALLEST_SHARE <= most - least:
        return low, high
    margin = (most - least) * 0.08 or 0.5
    return least - margin, most + margin


def _draw_row(axes: Axes, row: int, cell: Cell, look: Look, start: float) -> None:
    found = cell.mean
    if found.value is None:
        words = not_defined(found.reason)
        write(axes, start, row, f" {words}", va="center", fontsize=9, color=INK_3)
        return
    bounds = found.interval
    if bounds is not None and bounds.low is not None and bounds.high is not None:
        axes.plot([bounds.low, bounds.high], [row, row], color=look.colour, linewidth=1.8)
    axes.plot(
        [found.value], [row], look.marker, color=look.colour, markersize=6.5,
        markerfacecolor=PAPER if look.open else look.colour,
    )  # fmt: skip


def _name_row(axes: Axes, row: int, cell: Cell, name: str, width: str) -> None:
    found = cell.mean
    units = f" ({found.n_units:,})"
    value = "" if found.value is None else num(found.value)
    bounds = interval(found.interval) if found.interval and found.value is not None else ""
    if width == "wide":
        shown = label(name, width=22) + units
        beside(axes, 0, row, shown, shift=-6, ha="right", va="center")
        beside(axes, 1, row, value, shift=40, ha="right", va="center")
        beside(axes, 1, row, bounds, shift=46, ha="left", va="center", color=INK_3)
        return
    shown = label(name, width=20, lines=1) + units
    beside(axes, 0, row - 0.22, shown, shift=0, ha="left", va="bottom")
    beside(axes, 1, row - 0.22, f"{value} {bounds}".strip(), shift=0, ha="right", va="bottom")
