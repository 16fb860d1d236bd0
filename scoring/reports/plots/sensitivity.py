"""Chart 9: the primary coefficient of each question under each layer of exclusions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from scoring.analysis.report import Report
from scoring.reports.agreement_words import short_name
from scoring.reports.palette import EDGE, INK_3, MARKERS, SYSTEMS
from scoring.reports.plots.canvas import INCHES, label
from scoring.reports.plots.drawing import Drawing
from scoring.reports.sensitivity_page import LAYERS, sensitivity_finding
from scoring.reports.words import num
from scoring.stats.result import AgreementResult

HEIGHT = 3.2
APART = 0.06
"""How far the lines of two questions stand apart sideways, so that their whiskers do not meet."""


def drawings(report: Report) -> Iterator[Drawing]:
    """One chart where anything is left out and some coefficient is defined."""
    if any(one.alpha.value is not None for layer in report.layers for one in layer.answers):
        yield Drawing(
            key="sensitivity",
            alt=f"Agreement under {len(report.layers)} layers of exclusions. "
            f"{sensitivity_finding(report)} Table follows.",
            draw=partial(_draw, report),
        )


def _draw(report: Report, width: str) -> Figure:
    figure = Figure(figsize=(INCHES[width], HEIGHT))
    axes = figure.add_subplot()
    axes.grid(axis="y")
    axes.axhline(0, color=EDGE, linewidth=0.9, zorder=1)
    n = len(report.questions)
    few = n <= len(SYSTEMS)
    for number, question in enumerate(report.questions):
        line = [layer.answers[number].alpha for layer in report.layers]
        shift = (number - (n - 1) / 2) * APART
        colour = SYSTEMS[number] if few else INK_3
        marker = MARKERS[number] if few else "o"
        _draw_line(axes, line, shift, colour, marker)
        _name(axes, line, shift, question.label, width)
    names = [LAYERS[layer.layer] for layer in report.layers]
    axes.set_xticks(range(len(names)), [label(name, width=14) for name in names])
    axes.set_xlim(-0.4, len(names) - 0.6)
    axes.set_ylim(top=1.0)
    axes.yaxis.set_tick_params(labelsize=9)
    axes.yaxis.set_major_formatter(lambda y, _: num(y, 1))
    kinds = dict.fromkeys(short_name(one.alpha) for one in report.layers[0].answers)
    axes.set_ylabel(", ".join(kinds))
    return figure


def _draw_line(
    axes: Axes, line: list[AgreementResult], shift: float, colour: str, marker: str
) -> None:
    known = [(place + shift, one) for place, one in enumerate(line) if one.value is not None]
    axes.plot([x for x, _ in known], [one.value for _, one in known], color=colour, linewidth=1.4)
    for x, one in known:
        bounds = one.interval
        if bounds is not None and bounds.low is not None:
            axes.plot([x, x], [bounds.low, bounds.high], color=colour, linewidth=1.2)
        axes.plot([x], [one.value], marker, color=colour, markersize=6)


def _name(axes: Axes, line: list[AgreementResult], shift: float, name: str, width: str) -> None:
    first, last = line[0].value, line[-1].value
    if last is None:
        return
    change = ""
    if first is not None:
        sign = "+" if last > first and num(last - first) != "0.00" else ""
        change = f" {sign}{num(last - first)}"
    axes.annotate(
        label(name, width=16 if width == "wide" else 10, lines=1) + change,
        xy=(len(line) - 1 + shift, last),
        xytext=(8, 0),
        textcoords="offset points",
        va="center",
        fontsize=9,
        parse_math=False,
        annotation_clip=False,
    )
