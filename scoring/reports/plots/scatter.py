"""Chart 6: the items behind a coefficient, people's mean against the score, with both margins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from scoring.analysis.parts.against import Point, QuestionAgainst, Row, Scatter
from scoring.reports.palette import COLOURS, EDGE, INK_2, LINE, PAPER
from scoring.reports.plots.canvas import INCHES, axis_number, label
from scoring.reports.plots.svg import linked
from scoring.reports.plots.systems import looks
from scoring.reports.words import counted, num

Floats = npt.NDArray[np.float64]

COINCIDING = 0.3
"""Share of points on top of others from which ratings are shifted within their own step."""

BANDS = ("h6", "h7", "h8", "v5")
"""Few to many items of a bin."""

MARGIN_BINS = 20


def draw_scatter(
    question: QuestionAgainst, row: Row, name: str, systems: Sequence[str], width: str
) -> Figure:
    scatter = row.scatter
    if scatter is None:
        raise ValueError("This pair of metric and question has no items to draw.")
    side = INCHES[width]
    figure = Figure(figsize=(side, side * 0.78))
    grid = figure.add_gridspec(2, 2, width_ratios=(6, 1), height_ratios=(1, 5))
    axes = figure.add_subplot(grid[1, 0])
    top = figure.add_subplot(grid[0, 0], sharex=axes)
    right = figure.add_subplot(grid[1, 1], sharey=axes)
    axes.spines["left"].set_visible(True)
    if scatter.points:
        _draw_points(axes, scatter.points, systems)
        x = np.array([point.human for point in scatter.points])
        y = np.array([point.score for point in scatter.points])
        _margin(top, x, np.ones(x.size), upright=True)
        _margin(right, y, np.ones(y.size), upright=False)
    else:
        _draw_bins(axes, scatter)
        _bin_margins(top, right, scatter)
    _frame(axes, question, row, name)
    for beside in (top, right):
        beside.set_axis_off()
    return figure


def scatter_alt(question: QuestionAgainst, row: Row, name: str, method: str) -> str:
    """How many items, the coefficient, and the item furthest from the trend."""
    scatter = row.scatter
    pooled = row.level("pooled", method)
    value = pooled.correlation.value if pooled else None
    parts = [
        f"Scatter of {counted(scatter.n_points if scatter else 0, 'item')}: mean {question.label} "
        f"against {name}" + (f", {method} {num(value)}." if value is not None else ".")
    ]
    if scatter and scatter.furthest_points:
        point = scatter.furthest_points[0]
        parts.append(
            f"Furthest from the trend: {point.name}, people {num(point.human)}, score "
            f"{num(point.score)}."
        )
    return " ".join([*parts, f"Table of the {_listed(scatter)} furthest follows."])


def _listed(scatter: Scatter | None) -> int:
    return len(scatter.furthest_points) if scatter else 0


def _draw_points(axes: Axes, points: Sequence[Point], systems: Sequence[str]) -> None:
    styles = looks(systems)
    shift = _shifts(points)
    of_system: dict[str, list[int]] = {}
    for place, point in enumerate(points):
        of_system.setdefault(point.system, []).append(place)
    for system, places in of_system.items():
        look = styles.get(system)
        colour = look.colour if look else EDGE
        drawn = axes.scatter(
            [points[place].human + shift[place] for place in places],
            [points[place].score for place in places],
            s=20,
            marker=look.marker if look else "o",
            facecolors=PAPER if look and look.open else colour,
            edgecolors=colour if look and look.open else PAPER,
            linewidths=0.9 if look and look.open else 0.4,
            alpha=0.9,
        )
        drawn.set_urls([linked(points[place].link, _tooltip(points[place])) for place in places])


def _tooltip(point: Point) -> str:
    return f"{point.name}: people {num(point.human)}, score {num(point.score, 3)}, {point.system}"


def _shifts(points: Sequence[Point]) -> Floats:
    """Small seeded shifts of ratings, within a quarter of the smallest step, if many coincide."""
    places = Counter((point.human, point.score) for point in points)
    on_top = sum(n - 1 for n in places.values())
    steps = np.diff(np.unique([point.human for point in points]))
    if on_top <= COINCIDING * len(points) or not steps.size:
        return np.zeros(len(points))
    reach = float(steps.min()) / 4
    return np.random.default_rng(0).uniform(-reach, reach, len(points))


def _margin(axes: Axes, values: Floats, weights: Floats, *, upright: bool) -> None:
    axes.hist(
        values, bins=MARGIN_BINS, weights=weights, color=COLOURS["v3"], edgecolor=PAPER,
        linewidth=0.6, orientation="vertical" if upright else "horizontal",
    )  # fmt: skip


def _draw_bins(axes: Axes, scatter: Scatter) -> None:
    """How many items lie where, in four bands."""
    most = max((count for row in scatter.counts for count in row), default=1)
    for y, counts in enumerate(scatter.counts):
        for x, count in enumerate(counts):
            if not count:
                continue
            band = BANDS[min(len(BANDS) - 1, (count * len(BANDS) - 1) // max(most, 1))]
            corner = (scatter.x_edges[x], scatter.y_edges[y])
            axes.add_patch(
                Rectangle(
                    corner,
                    scatter.x_edges[x + 1] - corner[0],
                    scatter.y_edges[y + 1] - corner[1],
                    facecolor=COLOURS[band],
                    edgecolor=PAPER,
                    linewidth=0.4,
                )
            )


def _bin_margins(top: Axes, right: Axes, scatter: Scatter) -> None:
    counts = np.array(scatter.counts, dtype=np.float64)
    for axes, edges, sums, upright in (
        (top, scatter.x_edges, counts.sum(axis=0), True),
        (right, scatter.y_edges, counts.sum(axis=1), False),
    ):
        sides = np.array(edges)
        axes.hist(
            (sides[:-1] + sides[1:]) / 2, bins=sides.tolist(), weights=sums, color=COLOURS["v3"],
            edgecolor=PAPER, linewidth=0.6, orientation="vertical" if upright else "horizontal",
        )  # fmt: skip


def _frame(axes: Axes, question: QuestionAgainst, row: Row, name: str) -> None:
    """The declared range of the scale along x; of the metric along y where it is narrow enough."""
    low, high = question.low, question.high
    scale = ""
    if low is not None and high is not None:
        reach = (high - low) * 0.04
        axes.set_xlim(low - reach, high + reach)
        scale = f" ({num(low, 0)} to {num(high, 0)})"
    axes.set_xlabel(label(f"mean {question.label}{scale}", width=60, lines=1))
    axes.set_ylabel(label(name, width=40, lines=1), color=INK_2)
    axes.grid(color=LINE, linewidth=0.5)
    axes.xaxis.set_major_formatter(axis_number)
    axes.yaxis.set_major_formatter(lambda y, _: f"{y:g}".replace("-", "\u2212"))
    axes.tick_params(axis="y", labelsize=9, colors=INK_2)
