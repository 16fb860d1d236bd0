"""How right people call the reference descriptors, and how complete their lists."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from annotation.ratings import NOTHING, AnswerTable
from scoring.analysis.asked import AskedQuestion
from scoring.analysis.coding import answers_to, by_group_and_dimension
from scoring.analysis.gather import StudyData
from scoring.analysis.measured import measured, measured_things
from scoring.analysis.narrowing import subject_codes
from scoring.analysis.parts.scores import CoverageRow, Precision, PrecisionRow
from scoring.analysis.report import POOLED
from scoring.analysis.summaries import points_of, prompts_of, summarise, values_rows


def precision_of(data: StudyData, question: AskedQuestion, groups: tuple[str, ...]) -> Precision:
    """Each group, all dimensions together and one by one; coverage by group."""
    every = answers_to(data, question)
    verdicts = every.only(values_rows(question, every))
    parts = by_group_and_dimension(data, verdicts, groups)
    return Precision(
        question=question.key,
        points=tuple(f"{value} {label}".strip() for value, label in question.scale),
        rows=tuple(_row(data, own, dimension, group) for group, dimension, own in parts),
        coverage=tuple(_coverage(data, question, every, group) for group in groups),
    )


def _row(data: StudyData, verdicts: AnswerTable, dimension: str, group: str) -> PrecisionRow:
    prompt = prompts_of(data, verdicts)
    codes, n_things = subject_codes(verdicts, np.arange(verdicts.size))
    first = np.unique(codes, return_index=True)[1]
    signs = np.where(verdicts.value == 1, 1.0, -1.0)
    sums = np.bincount(codes, weights=signs, minlength=n_things)
    decided = sums != 0
    return PrecisionRow(
        dimension=dimension,
        group=group,
        verdicts=measured(verdicts.value == 1, rater=verdicts.rater, prompt=prompt),
        descriptors=measured_things(sums[decided] > 0, prompt=prompt[first][decided]),
        n_tied=int((~decided).sum()),
    )


def _coverage(
    data: StudyData, question: AskedQuestion, every: AnswerTable, group: str
) -> CoverageRow:
    lists = every.only(every.descriptor == NOTHING)
    if group != POOLED:
        lists = lists.only(lists.country == group)
    rated = replace(question, kind="likert", level="ordinal", points=question.scale)
    # Everybody who gave a verdict saw the list, whether or not they found it wanting.
    seen = every if group == POOLED else every.only(every.country == group)
    return CoverageRow(
        group=group,
        summary=summarise(data, rated, lists, points_of(rated, lists)),
        n_lists=int(np.unique(seen.screen).size),
        n_with_gap=int(np.unique(lists.screen[lists.has_text]).size),
        n_raters=int(np.unique(seen.rater).size),
        n_raters_gap=int(np.unique(lists.rater[lists.has_text]).size),
    )
