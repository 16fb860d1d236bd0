"""Countries as points of two means, each with its name."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from scoring.reports.country_scatter import CountryPoint
from scoring.reports.palette import ACCENT, INK_2
from scoring.reports.plots.canvas import INCHES, label
from scoring.reports.words import num


def draw_countries(points: Sequence[CountryPoint], width: str) -> Figure:
    side = INCHES[width]
    figure = Figure(figsize=(side, side * (0.62 if width == "wide" else 0.9)))
    axes = figure.add_subplot()
    axes.spines["left"].set_visible(True)
    axes.grid(axis="both")
    axes.plot(
        [one.align for one in points], [one.hal for one in points], "o", color=ACCENT, markersize=5
    )
    for one in points:
        axes.annotate(
            label(one.name, width=18, lines=1), (one.align, one.hal), xytext=(5, 4),
            textcoords="offset points", fontsize=9, color=INK_2, parse_math=False,
        )  # fmt: skip
    axes.margins(0.14)
    axes.set_xlabel("mean ALIGN (higher is better)")
    axes.set_ylabel("mean HAL (lower is better)")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(lambda value, _: num(value))
    return figure
