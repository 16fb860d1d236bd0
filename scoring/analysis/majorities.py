"""People, and automatic answers, against the majority of people: two numbers, two names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt

from annotation.ratings import NOTHING, AnswerTable
from scoring.analysis.asked import AskedQuestion
from scoring.analysis.automatic_answers import AutomaticAnswers, automatic_answers
from scoring.analysis.coding import answers_to, by_group_and_dimension, dimension_of
from scoring.analysis.gather import StudyData
from scoring.analysis.measured import measured, measured_things
from scoring.analysis.narrowing import subject_codes
from scoring.analysis.parts.scores import (
    MajorityRow,
    MetricMajority,
    MetricMajorityRow,
    RaterMajority,
)
from scoring.analysis.rater_lines import against_others
from scoring.analysis.summaries import prompts_of, values_rows
from scoring.stats.binary import NO_CATEGORY, majority_vote
from scoring.stats.counts import CodedRatings, code_ratings
from scoring.stats.scale import declare_scale

Codes = npt.NDArray[np.int64]


def rater_majority(
    data: StudyData, question: AskedQuestion, groups: tuple[str, ...]
) -> RaterMajority:
    """Each group, all dimensions together and one by one; of multi-selects item by item."""
    answers = answers_to(data, question)
    answers = answers.only(values_rows(question, answers))
    parts = by_group_and_dimension(data, answers, groups)
    rows = tuple(_row(data, question, own, dimension, group) for group, dimension, own in parts)
    return RaterMajority(question=question.key, rows=rows)


def _row(
    data: StudyData, question: AskedQuestion, answers: AnswerTable, dimension: str, group: str
) -> MajorityRow:
    ratings = _coded(question, answers)
    vote = majority_vote(
        item=ratings.unit,
        category=ratings.category,
        n_items=ratings.n_units,
        n_categories=len(ratings.scale.labels),
    )
    own, others = against_others(ratings)
    most = vote.category[ratings.unit] if ratings.n_units else own
    several = np.bincount(ratings.unit, minlength=ratings.n_units)[ratings.unit] > 1
    prompt = prompts_of(data, answers)
    kept = [several & (most != NO_CATEGORY), others >= 0]
    return MajorityRow(
        dimension=dimension,
        group=group,
        of_all=measured(
            (own == most)[kept[0]], rater=answers.rater[kept[0]], prompt=prompt[kept[0]]
        ),
        of_others=measured(
            (own == others)[kept[1]], rater=answers.rater[kept[1]], prompt=prompt[kept[1]]
        ),
        n_tied=vote.n_tied,
    )


def metric_majorities(data: StudyData, question: AskedQuestion) -> Iterator[MetricMajority]:
    """Automatic yes or no to the very probes that people were asked about, item by item."""
    if not question.of_probes:
        return
    answers = answers_to(data, question)
    rows = [
        row
        for automatic in automatic_answers(data)
        for row in _against(data, question, answers, automatic)
    ]
    if rows:
        yield MetricMajority(question=question.key, rows=tuple(rows))


def _against(
    data: StudyData, question: AskedQuestion, answers: AnswerTable, automatic: AutomaticAnswers
) -> Iterator[MetricMajorityRow]:
    """All together, by dimension, by model."""
    about = answers.only((answers.item != NOTHING) & (answers.probe != NOTHING))
    if not about.size:
        return
    ratings = _coded(question, about)
    vote = majority_vote(
        item=ratings.unit, category=ratings.category, n_items=ratings.n_units, n_categories=2
    )
    first = np.unique(ratings.unit, return_index=True)[1]
    said = _said(about.only(first), automatic.answers)
    prompt = prompts_of(data, about)[first]
    dimensions = dimension_of(data, about)[first]
    systems = data.facts.of(about, "system")[first]
    every = np.ones(first.size, dtype=bool)
    cuts = [("", "", every)]
    cuts += [(name, "", dimensions == name) for name in np.unique(dimensions).tolist() if name]
    cuts += [("", name, systems == name) for name in np.unique(systems).tolist() if name]
    for dimension, system, within in cuts:
        scored = within & (said >= 0)
        both = scored & (vote.category != NO_CATEGORY)
        yield MetricMajorityRow(
            metric=automatic.metric,
            output=automatic.output,
            dimension=dimension,
            system=system,
            agreement=measured_things(said[both] == vote.category[both], prompt=prompt[both]),
            n_without_score=int((within & (said < 0)).sum()),
            n_tied=int((scored & (vote.category == NO_CATEGORY)).sum()),
        )


def _said(things: AnswerTable, answers: Mapping[tuple[int, int], bool]) -> Codes:
    """1 for yes, 0 for no, -1 where nothing was said, of each item and probe."""
    pairs = zip(things.item.tolist(), things.probe.tolist(), strict=True)
    return np.array([int(answers[pair]) if pair in answers else -1 for pair in pairs])


def _coded(question: AskedQuestion, answers: AnswerTable) -> CodedRatings:
    """Every answer on its own: of a multi-select each item marked or not."""
    values = [value for value, _ in question.points]
    scale = declare_scale(level="nominal", categories=values)
    unit, _ = subject_codes(answers, np.arange(answers.size))
    codes = np.array([scale.code(value) for value in answers.value.tolist()], dtype=np.intp)
    return code_ratings(unit=unit, rater=answers.rater, category=codes, scale=scale)
