"""Chart 8: ratings collected over time, a step line a panel, its wanted number dashed."""

from __future__ import annotations

from datetime import datetime

from matplotlib.axes import Axes
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter, date2num
from matplotlib.figure import Figure

from scoring.analysis.parts.overview import Collected, Timeline
from scoring.analysis.report import Report
from scoring.reports.palette import INK_3, LINE, SYSTEMS
from scoring.reports.plots.canvas import INCHES, label
from scoring.reports.words import counted

HEIGHT = {"wide": 2.9, "narrow": 2.6}
STEPS = {"hour": 1 / 24, "day": 1.0}
"""Length of a step in days, the unit of matplotlib's dates."""


def draw_timeline(report: Report, width: str) -> Figure:
    timeline = report.overview.timeline
    figure = Figure(figsize=(INCHES[width], HEIGHT[width]))
    axes = figure.add_subplot()
    axes.grid(axis="y")
    moments = [date2num(datetime.fromisoformat(moment)) for moment in timeline.moments]
    start = moments[0] - STEPS[timeline.step]
    few = len(timeline.lines) <= len(SYSTEMS)
    for number, line in enumerate(timeline.lines):
        colour = SYSTEMS[number] if few else INK_3
        _draw_line(axes, [start, *moments], line, colour, report, is_named=few)
    # By itself it wants five dates, and finds no step for spans of some hours or days.
    locator = AutoDateLocator(minticks=2, maxticks=6 if width == "wide" else 4)
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(ConciseDateFormatter(locator, show_offset=False))
    axes.yaxis.set_major_formatter(lambda y, _: f"{y:,.0f}")
    axes.yaxis.set_tick_params(labelsize=9)
    axes.set_ylim(bottom=0)
    axes.set_ylabel("Ratings so far")
    return figure


def timeline_alt(report: Report) -> str:
    """What was collected, when it began and ended, the panel with most and with least."""
    timeline = report.overview.timeline
    ordered = sorted(timeline.lines, key=lambda line: line.counts[-1])
    least, most = ordered[0], ordered[-1]
    opening = f"Ratings over time of {counted(len(ordered), 'panel')}, by {timeline.step}."
    days = f"From {timeline.moments[0][:10]} to {timeline.moments[-1][:10]}."
    if least is most:
        return f"{opening} {days} {_name(report, most)} ends at {most.counts[-1]:,}. Table follows."
    ends = (
        f"{_name(report, most)} ends highest at {most.counts[-1]:,}, "
        f"{_name(report, least)} lowest at {least.counts[-1]:,}."
    )
    return f"{opening} {days} {ends} Table follows."


def has_timeline(timeline: Timeline) -> bool:
    """Whether there is anything to draw."""
    return bool(timeline.lines)


def _draw_line(
    axes: Axes,
    moments: list[float],
    line: Collected,
    colour: str,
    report: Report,
    *,
    is_named: bool,
) -> None:
    axes.step(moments, [0, *line.counts], where="post", color=colour, linewidth=1.8)
    axes.plot([moments[-1]], [line.counts[-1]], "o", color=colour, markersize=4)
    if line.wanted:
        axes.axhline(line.wanted, color=LINE, linewidth=1.0, linestyle=(0, (4, 3)), zorder=0.5)
    if is_named:
        axes.annotate(
            label(_name(report, line), width=14, lines=1),
            xy=(moments[-1], line.counts[-1]),
            xytext=(5, 0),
            textcoords="offset points",
            va="center",
            fontsize=9,
            parse_math=False,
            annotation_clip=False,
        )


def _name(report: Report, line: Collected) -> str:
    for group in report.groups:
        if group.key == line.group:
            return group.name
    return line.group or "No panel"
