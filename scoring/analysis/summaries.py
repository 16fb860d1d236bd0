"""Mean, spread and distribution of any answers to one question."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from annotation.ratings import NO_VALUE, NOTHING, AnswerTable
from scoring.analysis.asked import AskedQuestion
from scoring.analysis.gather import StudyData
from scoring.analysis.report import Point, Summary
from scoring.stats.clustered import clustered_mean
from scoring.stats.normalisation import DeclaredRange

Codes = npt.NDArray[np.int64]

TENTHS = 10
SLIDER_TOP = 100
OF_TWO = {"yes_no", "multi", "descriptors"}
"""Kinds whose mean is a share."""


def points_of(question: AskedQuestion, answers: AnswerTable) -> tuple[Point, ...]:
    """What the counts of a question's summaries count, in order."""
    if question.kind == "ranking":
        places = int(answers.value.max(initial=0))
        return tuple(Point(value=n, label=f"Place {n}") for n in range(1, places + 1))
    if question.kind == "slider":
        edges = range(0, SLIDER_TOP, TENTHS)
        return tuple(Point(value=low, label=_tenth(low)) for low in edges)
    return tuple(Point(value=value, label=label) for value, label in question.points)


def values_rows(question: AskedQuestion, answers: AnswerTable) -> Codes:
    """Rows whose values a summary is over; of a descriptor check the verdicts."""
    given = answers.value != NO_VALUE
    if question.kind == "descriptors":
        given &= answers.descriptor != NOTHING
    return np.flatnonzero(given)


def summarise(
    data: StudyData,
    question: AskedQuestion,
    answers: AnswerTable,
    points: tuple[Point, ...],
) -> Summary:
    """A summary of answers to one question; those to be left out must be left out before."""
    rows = values_rows(question, answers)
    values = answers.value[rows]
    counts = _counts(question, values, points)
    ordered = question.level != "nominal" or question.kind in OF_TWO
    span = _range(question, points)
    found = clustered_mean(
        values=values if ordered else values[:0],
        rater=answers.rater[rows] if ordered else values[:0],
        prompt=prompts_of(data, answers.only(rows)) if ordered else values[:0],
        bounds=span,
    )
    n = int(values.size)
    return Summary(
        mean=found.value,
        reason=found.reason if ordered or not n else "no_order",
        se=found.se,
        interval=found.interval,
        sd=float(values.std(ddof=1)) if n > 1 and ordered else None,
        sd_reason=_sd_reason(n, ordered),
        rescaled=_rescaled(data, question, found.value, span),
        counts=counts,
        n_items=_n_items(data, answers.only(rows)),
        n_raters=int(np.unique(answers.rater[rows]).size),
        n_ratings=n,
    )


def prompts_of(data: StudyData, answers: AnswerTable) -> Codes:
    """A code of each answer's prompt; a unit whose items share none is a prompt of its own."""
    of_answer = data.facts.of(answers, "cluster")
    codes = np.unique(of_answer, return_inverse=True)[1].astype(np.int64)
    alone = of_answer == ""
    codes[alone] = int(codes.max(initial=0)) + 1 + answers.unit[alone]
    return codes


def _counts(question: AskedQuestion, values: Codes, points: tuple[Point, ...]) -> tuple[int, ...]:
    if question.kind == "slider":
        values = np.minimum(values, SLIDER_TOP - 1) // TENTHS * TENTHS
    return tuple(int((values == point.value).sum()) for point in points)


def _range(question: AskedQuestion, points: tuple[Point, ...]) -> tuple[float, float] | None:
    """The declared range of the answers, None where there is none."""
    if question.kind == "slider":
        return 0.0, float(SLIDER_TOP)
    values = [point.value for point in points]
    return (float(min(values)), float(max(values))) if len(values) > 1 else None


def _rescaled(
    data: StudyData, question: AskedQuestion, mean: float | None, span: tuple[float, float] | None
) -> float | None:
    """(mean - lowest) / (highest - lowest), declared, where the plan asks for it."""
    if not data.rescaled or mean is None or span is None or question.kind == "ranking":
        return None
    return float(DeclaredRange(*span).to_unit([mean])[0])


def _n_items(data: StudyData, answers: AnswerTable) -> int:
    named = answers.item[answers.item != NOTHING]
    of_units = {
        item
        for unit in np.unique(answers.unit[answers.item == NOTHING]).tolist()
        for item in data.subjects.members.get(int(answers.units[unit]), ())
    }
    return len(of_units | set(np.unique(named).tolist()))


def _sd_reason(n: int, ordered: bool) -> str | None:
    if not n:
        return "no_ratings"
    if not ordered:
        return "no_order"
    return "one_rating" if n == 1 else None


def _tenth(low: int) -> str:
    high = low + TENTHS - 1 if low + TENTHS < SLIDER_TOP else SLIDER_TOP
    return f"{low} to {high}"
