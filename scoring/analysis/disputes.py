"""Beside the coefficients: disputed units, pairs of people, each against the rest, repeats."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from scoring.analysis.asked import AskedQuestion
from scoring.analysis.coding import answers_to, judged
from scoring.analysis.disputed_units import Disputed
from scoring.analysis.gather import StudyData
from scoring.analysis.narrowing import subject_codes
from scoring.analysis.parts.agreement import (
    ApplicabilityAgreement,
    Disputes,
    QuestionDisputes,
)
from scoring.analysis.questions import coefficients_of
from scoring.analysis.rater_lines import MOST_LISTED, rater_lines
from scoring.analysis.rater_pairs import rater_pairs
from scoring.analysis.repeats import self_lines
from scoring.analysis.report import POOLED
from scoring.stats.applicability import agreement_on_applicability


def disputes_part(*, data: StudyData, on_step: Callable[[], None]) -> Disputes:
    """All questions in order; `on_step` is called after each."""
    found = []
    for question in data.asked:
        found.append(_of_question(data, question))
        on_step()
    return Disputes(questions=tuple(found))


def _of_question(data: StudyData, question: AskedQuestion) -> QuestionDisputes:
    given = judged(data, question, answers_to(data, question))
    primary = None if question.kind == "ranking" else coefficients_of(question)[0]
    disputed = Disputed(data, question, given)
    lines = rater_lines(question, given, primary)
    return QuestionDisputes(
        question=question.key,
        applicability=_applicability(data, question),
        units=disputed.top(),
        order=disputed.order(),
        pairs=rater_pairs(given),
        raters=lines[:MOST_LISTED],
        n_raters=len(lines),
        consistency=self_lines(data, question),
    )


def _applicability(data: StudyData, question: AskedQuestion) -> tuple[ApplicabilityAgreement, ...]:
    """Everybody, then each panel; empty where nobody could say that it does not apply."""
    counts = [one for one in data.not_applicable if one.question == question.key]
    if not counts:
        return ()
    found = []
    for group in (POOLED, *(one.group for one in counts)):
        answers = data.given.only(data.given.question == question.id)
        if group != POOLED:
            answers = answers.only(answers.country == group)
        own = counts if group == POOLED else [one for one in counts if one.group == group]
        codes, _ = subject_codes(answers, np.arange(answers.size))
        found.append(
            ApplicabilityAgreement(
                group=group,
                results=agreement_on_applicability(
                    item=codes, rater=answers.rater, not_applicable=answers.not_applicable
                ),
                n_units=sum(one.n_units for one in own),
                n_removed=sum(one.n_removed for one in own),
                n_tied=sum(one.n_tied for one in own),
                n_answers=sum(one.n_answers for one in own),
                n_not_applicable=sum(one.n_not_applicable for one in own),
                n_removed_answers=sum(one.n_removed_answers for one in own),
            )
        )
    return tuple(found)
