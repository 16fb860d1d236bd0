"""What people said of each question, by category, by country shown, by groups of countries."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from annotation.ratings import AnswerTable
from scoring.analysis.asked import AskedQuestion
from scoring.analysis.coding import answers_to
from scoring.analysis.descriptor_precision import precision_of
from scoring.analysis.gather import StudyData
from scoring.analysis.majorities import metric_majorities, rater_majority
from scoring.analysis.parts.scores import (
    Breakdown,
    BreakdownRow,
    QuestionScores,
    Scores,
)
from scoring.analysis.rank_scores import ranking_scores
from scoring.analysis.relevance import relevance_of
from scoring.analysis.report import Point
from scoring.analysis.summaries import points_of, summarise
from studies.names import country_name

BY_MAJORITY = {"yes_no", "choice", "multi", "descriptors"}


def scores_part(
    *,
    data: StudyData,
    groups: tuple[str, ...],
    replicates: int,
    on_step: Callable[[], None],
) -> Scores:
    """Everything beside means by country and model; `on_step` is called after each piece."""
    questions, majorities, metric, precision, rankings = [], [], [], [], []
    for question in data.asked:
        answers = answers_to(data, question)
        questions.append(
            QuestionScores(
                question=question.key, breakdowns=tuple(_breakdowns(data, question, answers))
            )
        )
        if question.kind in BY_MAJORITY:
            majorities.append(rater_majority(data, question, groups))
        if question.kind in ("multi", "yes_no"):
            metric += metric_majorities(data, question)
        if question.kind == "descriptors":
            precision.append(precision_of(data, question, groups))
        if question.kind == "ranking":
            rankings += [
                ranking_scores(data, question, group, replicates, on_step) for group in groups
            ]
        on_step()
    return Scores(
        rescaled=data.rescaled,
        questions=tuple(questions),
        relevance=tuple(relevance_of(data, groups)),
        rater_majority=tuple(majorities),
        metric_majority=tuple(metric),
        precision=tuple(precision),
        rankings=tuple(rankings),
    )


def _breakdowns(
    data: StudyData, question: AskedQuestion, answers: AnswerTable
) -> Iterator[Breakdown]:
    points = points_of(question, answers)
    categories = data.facts.of(answers, "category")
    yield from _by(data, question, answers, points, "category", "Category", categories)
    shown = data.facts.of(answers, "country")
    if (shown != answers.country).any():
        named = np.array([country_name(code) if code else "" for code in np.unique(shown)])
        column = named[np.searchsorted(np.unique(shown), shown)] if shown.size else shown
        yield from _by(data, question, answers, points, "shown", "Country shown", column)
    for grouping, members in data.groupings.items():
        column = np.full(answers.size, "", dtype=object)
        for name, codes in members.items():
            column[np.isin(answers.country, codes)] = name
        yield from _by(data, question, answers, points, "grouping", grouping, column.astype(str))


def _by(
    data: StudyData,
    question: AskedQuestion,
    answers: AnswerTable,
    points: tuple[Point, ...],
    by: str,
    title: str,
    column: np.ndarray,
) -> Iterator[Breakdown]:
    """A breakdown where the column names two things or more."""
    names = [name for name in np.unique(column).tolist() if name]
    if len(names) < 2:
        return
    yield Breakdown(
        by=by,
        title=title,
        rows=tuple(
            BreakdownRow(
                name=name,
                real=False,
                summary=summarise(data, question, answers.only(column == name), points),
            )
            for name in names
        ),
    )
