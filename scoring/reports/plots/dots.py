"""Dots and whiskers: a number with its interval in each row, its name and figures beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from scoring.reports.palette import EDGE, FIRST, INK_3, PAPER
from scoring.reports.plots.canvas import beside, blank, label, number_along, write

ROW_INCHES = {"wide": 0.36, "narrow": 0.54}


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """One row. `low` and `high` bound the thin whisker, `thick` lies one standard error either
    way; `figures` is written at the end, `instead` where there is no value. `hollow` points are of
    real items."""

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    thick: float | None = None
    figures: str = ""
    instead: str = ""
    colour: str = FIRST
    marker: str = "o"
    hollow: bool = False
    strong: bool = False


def draw_dots(
    rows: Sequence[Dot],
    *,
    span: tuple[float, float],
    axis: str,
    tick: Callable[[float, int | None], str],
    line_at: float | None,
    width: str,
) -> Figure:
    """Rows from top to bottom over `span`; `line_at` is a dashed line of reference."""
    figure, axes = blank(width, 0.75 + ROW_INCHES[width] * len(rows))
    axes.grid(axis="x")
    if line_at is not None:
        axes.axvline(line_at, color=EDGE, linewidth=0.9, linestyle=(0, (4, 3)), zorder=1)
    for place, row in enumerate(rows):
        _draw(axes, place, row, span[0])
        _name(axes, place, row, width)
    axes.set_xlim(*span)
    axes.set_ylim(len(rows) - 0.4, -0.6 if width == "wide" else -0.75)
    axes.set_xlabel(axis)
    number_along(axes, tick)
    return figure


def _draw(axes: Axes, place: int, row: Dot, start: float) -> None:
    if row.value is None:
        write(axes, start, place, f" {row.instead}", va="center", fontsize=9, color=INK_3)
        return
    if row.low is not None and row.high is not None:
        axes.plot([row.low, row.high], [place, place], color=row.colour, linewidth=1.6)
    if row.thick is not None:
        ends = [row.value - row.thick, row.value + row.thick]
        axes.plot(ends, [place, place], color=row.colour, linewidth=4.0)
    face = PAPER if row.hollow else row.colour
    axes.plot(
        [row.value], [place], row.marker, color=row.colour, markersize=6.5, markerfacecolor=face
    )


def _name(axes: Axes, place: int, row: Dot, width: str) -> None:
    weight = "bold" if row.strong else "normal"
    if width == "wide":
        name = label(row.name, width=24)
        beside(axes, 0, place, name, shift=-6, ha="right", va="center", weight=weight)
        beside(axes, 1, place, row.figures, shift=8, ha="left", va="center", color=INK_3)
        return
    name = label(row.name, width=26, lines=1)
    beside(axes, 0, place - 0.22, name, shift=0, ha="left", va="bottom", weight=weight)
    beside(axes, 1, place - 0.22, row.figures, shift=0, ha="right", va="bottom", color=INK_3)
