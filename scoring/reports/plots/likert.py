"""Chart 1: how often each point of a scale was chosen, by system, as diverging stacked bars.

Every bar is centred on the middle of the middle point (between the halves of an even scale), so
that agreement leans to one side. Length is the share of ratings; colour says better or worse.
"""

from __future__ import annotations

from itertools import accumulate

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from scoring.analysis.report import QuestionReport, Summary, SystemAnswers
from scoring.reports.palette import (
    COLOURS,
    EDGE,
    INK,
    INK_3,
    MOST_POINTS,
    PAPER,
    point_tokens,
)
from scoring.reports.plots.canvas import beside, blank, label, write
from scoring.reports.words import NBSP, counted, num, share

PRINTED_FROM = {"wide": 0.06, "narrow": 0.1}
"""Smallest share whose number fits into its segment."""

BAR = {"wide": 0.62, "narrow": 0.46}
ROW_INCHES = {"wide": 0.42, "narrow": 0.56}
MEAN_AT, N_AT = 36, 72
"""Where the two columns of figures end, in points from the end of the axes."""

ENDS = {"v1", "v5"}
"""Tokens dark enough (in both themes) to carry the paper's colour as text."""


def likert_fits(question: QuestionReport) -> bool:
    """Whether the question has answers and a scale that has colours."""
    return bool(question.systems) and 2 <= len(question.points) <= MOST_POINTS


def draw_likert(question: QuestionReport, width: str) -> Figure:
    systems = question.systems
    figure, axes = blank(width, 0.75 + ROW_INCHES[width] * len(systems))
    tokens = point_tokens(len(question.points), question.direction)
    reach = [_edges(answers.summary) for answers in systems]
    low = min(edges[0] for edges in reach)
    high = max(edges[-1] for edges in reach)
    axes.axvline(0, color=EDGE, linewidth=0.8, zorder=0.5)
    for row, answers in enumerate(systems):
        _draw_bar(axes, row, answers.summary, tokens, width)
        _name_row(axes, row, answers, width)
    if width == "wide":
        _head(axes)
    _draw_axis(axes, low, high)
    axes.set_ylim(len(systems) - 0.4, -0.85 if width == "wide" else -0.7)
    return figure


def likert_alt(question: QuestionReport) -> str:
    """What the chart shows, its extremes with numbers, in words."""
    systems = question.systems
    opening = f"Bars of {question.label} ratings for {counted(len(systems), 'model')}."
    ordered = sorted(systems, key=lambda answers: answers.summary.mean or 0.0)
    lowest, highest = ordered[0], ordered[-1]
    means = f"{highest.system}: mean {num(highest.summary.mean or 0.0)}."
    if len(systems) > 1:
        means = (
            f"Highest mean: {highest.system}, {num(highest.summary.mean or 0.0)}; "
            f"lowest: {lowest.system}, {num(lowest.summary.mean or 0.0)}."
        )
    return f"{opening} {means} {_upper_share(question, highest)} Table follows."


def _upper_share(question: QuestionReport, answers: SystemAnswers) -> str:
    top = question.points[-2:] if len(question.points) > 3 else question.points[-1:]
    chosen = sum(answers.summary.counts[-len(top) :]) / answers.summary.n_ratings
    values = " or ".join(str(point.value) for point in top)
    return f"{answers.system}: {share(chosen)} of ratings at {values}."


def _shares(summary: Summary) -> list[float]:
    return [count / summary.n_ratings for count in summary.counts]


def _edges(summary: Summary) -> list[float]:
    """Where the segments begin and end, the middle of the scale at 0: n + 1 numbers."""
    shares = _shares(summary)
    half, odd = divmod(len(shares), 2)
    below = sum(shares[:half]) + (shares[half] / 2 if odd else 0.0)
    return list(accumulate(shares, initial=-below))


def _draw_bar(axes: Axes, row: int, summary: Summary, tokens: tuple[str, ...], width: str) -> None:
    edges = _edges(summary)
    for start, part, token in zip(edges, _shares(summary), tokens, strict=False):
        if part == 0:
            continue
        axes.barh(
            row, part, left=start, height=BAR[width], color=COLOURS[token], edgecolor=PAPER,
            linewidth=1.0,
        )  # fmt: skip
        if part >= PRINTED_FROM[width]:
            write(
                axes, start + part / 2, row, num(100 * part, 0), ha="center", va="center_baseline",
                fontsize=9, color=PAPER if token in ENDS else INK,
            )  # fmt: skip


def _name_row(axes: Axes, row: int, answers: SystemAnswers, width: str) -> None:
    mean, n = num(answers.summary.mean or 0.0), f"{answers.summary.n_ratings:,}"
    if width == "wide":
        name = label(answers.system, width=22)
        beside(axes, 0, row, name, shift=-6, ha="right", va="center")
        beside(axes, 1, row, mean, shift=MEAN_AT, ha="right", va="center")
        beside(axes, 1, row, n, shift=N_AT, ha="right", va="center", color=INK_3)
        return
    name = label(answers.system, width=26, lines=1)
    beside(axes, 0, row - 0.3, name, shift=0, ha="left", va="bottom")
    beside(axes, 1, row - 0.3, f"{mean}, n{NBSP}{n}", shift=0, ha="right", va="bottom")


def _head(axes: Axes) -> None:
    for shift, word in ((MEAN_AT, "mean"), (N_AT, "n")):
        beside(axes, 1, -0.62, word, shift=shift, ha="right", va="center", fontsize=9, color=INK_3)


def _draw_axis(axes: Axes, low: float, high: float) -> None:
    margin = 0.02
    axes.set_xlim(min(low, -0.25) - margin, max(high, 0.25) + margin)
    ticks = [tick / 4 for tick in range(-4, 5) if low - 0.13 <= tick / 4 <= high + 0.13]
    if len(ticks) > 5:
        ticks = [tick for tick in ticks if (tick * 2).is_integer()]
    axes.set_xticks(ticks, [f"{abs(round(100 * tick))}{NBSP}%" for tick in ticks])
