"""Charts 4 and 7: correlations as tables of coloured cells, with the number in each.

Cells are rectangles of our own: a picture inside the drawing would be refused by the page's policy.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from scoring.analysis.parts.against import Heat, QuestionAgainst, SliceResult
from scoring.reports.heat_words import heat_words
from scoring.reports.palette import BAND_EDGES, BANDS, COLOURS, INK, INK_2, INK_3, LINE, PAPER
from scoring.reports.plots.canvas import blank, label, write
from scoring.reports.series_words import METHODS, names_of
from scoring.reports.words import includes_zero, num
from scoring.stats.result import Interval

CELL_INCHES = {"wide": 0.36, "narrow": 0.34}
OUTERMOST = {BANDS[0], BANDS[-1]}


@dataclass(frozen=True, slots=True)
class Tile:
    """One coloured cell; without a value it is hatched and says n/d."""

    row: float
    column: float
    value: float | None
    interval: Interval | None = None


def token_of(value: float) -> str:
    """The band a correlation falls into."""
    return BANDS[bisect_right(BAND_EDGES, value)]


def draw_heat(heat: Heat, width: str) -> Figure:
    """The lower triangle; on narrow pages the block of metrics against questions alone."""
    names = names_of(heat.series)
    n_people = sum(one.kind == "human" for one in heat.series)
    rows, columns = list(range(1, len(heat.series))), list(range(len(heat.series) - 1))
    if width == "narrow" and 0 < n_people < len(heat.series):
        rows, columns = list(range(n_people, len(heat.series))), list(range(n_people))
    place = ({row: i for i, row in enumerate(rows)}, {c: i for i, c in enumerate(columns)})
    tiles = [
        Tile(place[0][cell.row], place[1][cell.column], cell.value, cell.interval)
        for cell in heat.cells
        if cell.row in place[0] and cell.column in place[1]
    ]
    figure, axes = _tiled(
        tiles,
        [names[heat.series[row].key] for row in rows],
        [names[heat.series[column].key] for column in columns],
        width,
    )
    if width == "wide" and 0 < n_people < len(heat.series):
        frame = (-0.5, n_people - 1.5)
        axes.add_patch(
            Rectangle(
                frame, n_people, len(heat.series) - n_people, fill=False, edgecolor=INK,
                linewidth=1.4, zorder=4,
            )
        )  # fmt: skip
    return figure


def heat_alt(heat: Heat) -> str:
    people = sum(one.kind == "human" for one in heat.series)
    opening = (
        f"{METHODS[heat.method]} among {people} questions and {len(heat.series) - people} metrics."
    )
    return " ".join(filter(None, [opening, heat_words(heat), "Table follows."]))


def draw_countries(
    question: QuestionAgainst, names: Mapping[str, str], method: str, width: str
) -> Figure:
    """Metrics by countries, then the mean and the Fisher mean over countries."""
    rows = [row for row in question.rows if _countries(row.slices, method)]
    heads = [one.name for one in _countries(rows[0].slices, method)]
    tiles = []
    for place, row in enumerate(rows):
        for column, one in enumerate(_countries(row.slices, method)):
            tiles.append(Tile(place, column, one.value, one.interval))
        average = next(
            (one.average for one in row.averages if (one.method, one.origin) == (method, "")), None
        )
        if average is not None:
            tiles.append(Tile(place, len(heads) + 0.3, average.arithmetic))
            tiles.append(Tile(place, len(heads) + 1.3, average.fisher))
    averaged = any(tile.column > len(heads) for tile in tiles)
    columns = [*heads, "mean", "Fisher mean"] if averaged else heads
    places = [*range(len(heads)), len(heads) + 0.3, len(heads) + 1.3]
    row_names = [names[row.series.key] for row in rows]
    return _tiled(tiles, row_names, columns, width, places=places)[0]


def countries_alt(question: QuestionAgainst, names: Mapping[str, str], method: str) -> str:
    """The range over countries of the metric that lies furthest from 0 on average."""
    found = [
        (abs(one.average.arithmetic or 0.0), row, one.average)
        for row in question.rows
        for one in row.averages
        if (one.method, one.origin) == (method, "")
    ]
    opening = f"{METHODS[method]} with mean {question.label} by metric and country."
    if not found:
        return f"{opening} Table follows."
    _, row, average = max(found, key=lambda one: one[0])
    missing = f" Not defined in {average.n_undefined} countries." if average.n_undefined else ""
    return (
        f"{opening} {names[row.series.key]}: mean {num(average.arithmetic or 0.0)} over "
        f"{average.n_groups} countries, from {num(average.low or 0.0)} to "
        f"{num(average.high or 0.0)}.{missing} Table follows."
    )


def _countries(slices: Sequence[SliceResult], method: str) -> list[SliceResult]:
    return [one for one in slices if (one.kind, one.method) == ("country", method)]


def _tiled(
    tiles: Sequence[Tile],
    rows: Sequence[str],
    columns: Sequence[str],
    width: str,
    *,
    places: Sequence[float] | None = None,
) -> tuple[Figure, Axes]:
    at = list(range(len(columns))) if places is None else list(places)[: len(columns)]
    letters = 22 if width == "wide" else 14
    size = CELL_INCHES[width]
    figure, axes = blank(width, 1.25 + size * len(rows))
    axes.spines["bottom"].set_visible(False)
    small = len(columns) > (14 if width == "wide" else 6)
    for tile in tiles:
        _draw_tile(axes, tile, 7.5 if small else 9)
    for number, name in enumerate(rows):
        write(
            axes, -0.6, number, label(name, width=letters, lines=1), ha="right", va="center",
            fontsize=9,
        )  # fmt: skip
    for place, name in zip(at, columns, strict=True):
        write(
            axes, place + 0.25, len(rows) - 0.35, label(name, width=letters, lines=1), ha="right",
            va="top", rotation=40, rotation_mode="anchor", fontsize=9, color=INK_2,
        )  # fmt: skip
    axes.set_xlim(-0.55, max(at, default=0) + 0.55)
    axes.set_ylim(len(rows) - 0.45, -0.55)
    axes.set_xticks([])
    return figure, axes


def _draw_tile(axes: Axes, tile: Tile, size: float) -> None:
    corner = (tile.column - 0.5, tile.row - 0.5)
    if tile.value is None:
        axes.add_patch(Rectangle(corner, 1, 1, facecolor=PAPER, edgecolor=LINE, linewidth=1))
        axes.plot([corner[0], corner[0] + 1], [corner[1] + 1, corner[1]], color=LINE, linewidth=0.8)
        write(axes, tile.column, tile.row, "n/d", ha="center", va="center", fontsize=size,
              color=INK_3)  # fmt: skip
        return
    token = token_of(tile.value)
    axes.add_patch(
        Rectangle(corner, 1, 1, facecolor=COLOURS[token], edgecolor=PAPER, linewidth=1.5)
    )
    bounds = tile.interval
    apart = bounds is not None and bounds.low is not None and not includes_zero(bounds)
    write(
        axes, tile.column, tile.row, num(tile.value), ha="center", va="center_baseline",
        fontsize=size, weight="bold" if apart else "normal",
        color=PAPER if token in OUTERMOST else INK,
    )  # fmt: skip
