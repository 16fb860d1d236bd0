"""How often each option of a choice was taken, by model: a column of bars for each option.

Options have no order and no better or worse, so nothing is centred and colour says the model. All
bars start at 0 on one scale, and every share is printed beside its bar.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from scoring.analysis.report import QuestionReport, SystemAnswers
from scoring.reports.palette import EDGE, INK_2, INK_3, PAPER
from scoring.reports.plots.canvas import beside, blank, label, write
from scoring.reports.score_words import MOST_OPTIONS, chosen_by_model, is_choice, most_chosen
from scoring.reports.words import NBSP, counted, share

ROW_INCHES = {"wide": 0.36, "narrow": 0.24}
FULL = 0.6
"""How much of its column the longest bar takes; the rest is for the number."""

LETTERS_ACROSS = 58
"""Letters that fit beside each other over the columns of the wide drawing."""

BLOCK_GAP = 0.5

ColourOf = Callable[[str], tuple[str, bool]]
"""A model's (colour, whether it is hollow)."""


def choices_fit(question: QuestionReport) -> bool:
    """Whether the question is a choice with answers and no more options than a chart can hold."""
    return (
        is_choice(question)
        and 2 <= len(question.points) <= MOST_OPTIONS
        and any(one.summary.n_ratings for one in question.systems)
    )


def draw_choices(question: QuestionReport, colour_of: ColourOf, width: str) -> Figure:
    if width == "wide":
        return _draw_columns(question, colour_of)
    return _draw_blocks(question, colour_of)


def choices_alt(question: QuestionReport) -> str:
    """What was chosen most, and which models it was chosen for most and least often."""
    return " ".join(
        filter(
            None,
            (
                f"Bars of {question.label}: share of answers for each of "
                f"{counted(len(question.points), 'option')} and "
                f"{counted(len(question.systems), 'model')}.",
                most_chosen(question, question.groups[0].summary),
                chosen_by_model(question),
                "Table follows.",
            ),
        )
    )


def _draw_columns(question: QuestionReport, colour_of: ColourOf) -> Figure:
    """A row for each model, a column for each option."""
    systems, n = question.systems, len(question.points)
    heads = [label(point.label, width=LETTERS_ACROSS // n, lines=3) for point in question.points]
    above = 0.3 + 0.42 * max(head.count("\n") + 1 for head in heads)
    figure, axes = blank("wide", ROW_INCHES["wide"] * (len(systems) + above) + 0.1)
    top = _longest(systems)
    for place, head in enumerate(heads):
        axes.plot([place, place], [-0.5, len(systems) - 0.5], color=EDGE, linewidth=0.8)
        write(axes, place, -0.65, head, va="bottom", fontsize=9, color=INK_2)
    for row, answers in enumerate(systems):
        beside(axes, 0, row, label(answers.system, width=22), shift=-6, ha="right", va="center")
        beside(
            axes, 1, row, f"n{NBSP}{answers.summary.n_ratings:,}", shift=4, ha="left", va="center",
            color=INK_3,
        )  # fmt: skip
        for place, part in enumerate(_shares(answers)):
            _draw_bar(axes, (place, row), part / top * FULL, part, colour_of(answers.system))
    axes.set_xlim(-0.02, n)
    axes.set_ylim(len(systems) - 0.4, -0.5 - above)
    _without_axis(axes)
    return figure


def _draw_blocks(question: QuestionReport, colour_of: ColourOf) -> Figure:
    """A block for each model, a row for each option in it."""
    systems, n = question.systems, len(question.points)
    height = (n + 1 + BLOCK_GAP) * len(systems)
    figure, axes = blank("narrow", ROW_INCHES["narrow"] * height + 0.1)
    top = _longest(systems)
    for number, answers in enumerate(systems):
        start = number * (n + 1 + BLOCK_GAP)
        name = label(answers.system, width=26, lines=1)
        beside(axes, 0, start, name, shift=0, ha="left", va="center", weight="bold")
        beside(
            axes, 1, start, f"n{NBSP}{answers.summary.n_ratings:,}", shift=0, ha="right",
            va="center", color=INK_3,
        )  # fmt: skip
        axes.plot([0, 0], [start + 0.5, start + n + 0.5], color=EDGE, linewidth=0.8)
        for place, (point, part) in enumerate(
            zip(question.points, _shares(answers), strict=True), start=1
        ):
            words = label(point.label, width=18, lines=1)
            beside(axes, 0, start + place, words, shift=-6, ha="right", va="center", fontsize=9)
            bar = (0.0, start + place)
            _draw_bar(axes, bar, part / top * 0.8, part, colour_of(answers.system))
    axes.set_xlim(-0.01, 1.0)
    axes.set_ylim(height - BLOCK_GAP - 0.4, -0.6)
    _without_axis(axes)
    return figure


def _draw_bar(
    axes: Axes, at: tuple[float, float], length: float, part: float, look: tuple[str, bool]
) -> None:
    """One bar from `at` on, its share beside it."""
    (start, row), (colour, hollow) = at, look
    if length > 0:
        axes.barh(
            row, length, left=start, height=0.6, color=PAPER if hollow else colour,
            edgecolor=colour, linewidth=1.0,
        )  # fmt: skip
    write(axes, start + length, row, f"{NBSP}{share(part)}", va="center", fontsize=9)


def _shares(answers: SystemAnswers) -> list[float]:
    total = sum(answers.summary.counts)
    return [count / total if total else 0.0 for count in answers.summary.counts]


def _longest(systems: Sequence[SystemAnswers]) -> float:
    return max(part for answers in systems for part in _shares(answers))


def _without_axis(axes: Axes) -> None:
    """The shares are printed; an axis repeated in each column would say nothing more."""
    axes.spines["bottom"].set_visible(False)
    axes.set_xticks([])
