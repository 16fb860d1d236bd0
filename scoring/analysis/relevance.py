"""Whether the probes fit their country: shares of yes, and of probes that a majority lets stay."""

from __future__ import annotations

from collections.abc import Iterator

from annotation.ratings import NO_VALUE, AnswerTable
from scoring.analysis.coding import by_group_and_dimension
from scoring.analysis.gather import StudyData
from scoring.analysis.measured import measured, measured_things
from scoring.analysis.parts.scores import Relevance, RelevanceRow
from scoring.analysis.relevance_rule import probe_keys, relevance_questions, verdicts
from scoring.analysis.summaries import prompts_of


def relevance_of(data: StudyData, groups: tuple[str, ...]) -> Iterator[Relevance]:
    """Each question of relevance by group and dimension, all dimensions together first."""
    for question, later in relevance_questions(data.asked):
        chosen = (data.answers.question == question.id) & (data.answers.value != NO_VALUE)
        answers = data.answers.only(chosen)
        parts = by_group_and_dimension(data, answers, groups)
        yield Relevance(
            question=question.key,
            drops=tuple(one.key for one in later),
            rows=tuple(_row(data, own, dimension, group) for group, dimension, own in parts),
        )


def _row(data: StudyData, answers: AnswerTable, dimension: str, group: str) -> RelevanceRow:
    prompt = prompts_of(data, answers)
    keys, verdict, first = verdicts(probe_keys(answers), answers.value)
    return RelevanceRow(
        dimension=dimension,
        group=group,
        answers=measured(answers.value == 1, rater=answers.rater, prompt=prompt),
        probes=measured_things(verdict >= 0, prompt=prompt[first]),
        n_probes=int(keys.size),
        n_relevant=int((verdict > 0).sum()),
        n_irrelevant=int((verdict < 0).sum()),
        n_tied=int((verdict == 0).sum()),
    )
