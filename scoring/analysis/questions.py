"""Mean, spread, distribution and agreement of each question, for everybody and by panel."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from annotation.ratings import RatedItem, RatedQuestion, RatingTable
from scoring.analysis.gather import StudyData
from scoring.analysis.prompts import prompt_clusters
from scoring.analysis.report import (
    POOLED,
    REAL,
    UNNAMED,
    AlphaCheck,
    GroupAnswers,
    Point,
    QuestionReport,
    Summary,
    SystemAnswers,
)
from scoring.stats.agreement import Coefficient
from scoring.stats.bootstrap import bootstrap_agreement
from scoring.stats.counts import CodedRatings, code_ratings
from scoring.stats.scale import declare_scale
from scoring.stats.self_check import check_alpha

Mask = npt.NDArray[np.bool_]

ALPHA = Coefficient("krippendorff_alpha", "ordinal")
SAME_POINT = Coefficient("percent_agreement")


def question_report(
    *,
    data: StudyData,
    question: int,
    groups: tuple[str, ...],
    replicates: int,
    on_step: Callable[[], None],
) -> QuestionReport:
    """The `question`-th question in every group. `on_step` is called after each group."""
    asked = data.table.questions[question]
    reports = []
    for group in groups:
        mask = answers_of(data.table, question=question, group=group)
        alpha, agreement = bootstrap_agreement(
            ratings=coded_answers(data.table, asked, mask),
            coefficients=[ALPHA, SAME_POINT],
            replicates=replicates,
            seed=data.study.seed,
        )
        summary = summarise(data.table, asked, mask)
        reports.append(GroupAnswers(group=group, summary=summary, alpha=alpha, agreement=agreement))
        on_step()
    return QuestionReport(
        key=asked.key,
        label=asked.label,
        direction=asked.direction,
        points=tuple(Point(value=value, label=label) for value, label in asked.points),
        groups=tuple(reports),
        systems=_by_system(data.table, asked, question),
    )


def answers_of(table: RatingTable, *, question: int, group: str) -> Mask:
    """Which answers are to this question and by this group's annotators, shape (n_answers,)."""
    mask = table.question == question
    if group == POOLED:
        return mask
    if group not in table.countries:
        return np.zeros_like(mask)
    return mask & (table.country == table.countries.index(group))


def coded_answers(table: RatingTable, question: RatedQuestion, mask: Mask) -> CodedRatings:
    """The chosen answers for the statistics engine, on the scale that the question declares.

    Units of one prompt share a cluster where there are enough prompts to draw from. Raises
    UnknownCategoryError for an answer that is no point of the scale.
    """
    scale = declare_scale(level="ordinal", categories=[value for value, _ in question.points])
    distinct, inverse = np.unique(table.value[mask], return_inverse=True)
    codes = np.array([scale.code(int(value)) for value in distinct], dtype=np.intp)
    return code_ratings(
        unit=table.unit[mask],
        rater=table.rater[mask],
        category=codes[inverse],
        scale=scale,
        cluster=_clusters(table, mask),
    )


def summarise(table: RatingTable, question: RatedQuestion, mask: Mask) -> Summary:
    values = table.value[mask]
    return Summary(
        mean=float(values.mean()) if values.size else None,
        reason=None if values.size else "no_ratings",
        sd=float(values.std(ddof=1)) if values.size > 1 else None,
        sd_reason=None if values.size > 1 else "one_rating" if values.size else "no_ratings",
        counts=tuple(int((values == value).sum()) for value, _ in question.points),
        n_items=int(np.unique(table.item[mask]).size),
        n_raters=int(np.unique(table.rater[mask]).size),
        n_ratings=int(values.size),
    )


def alpha_checks(*, data: StudyData, groups: tuple[str, ...]) -> tuple[AlphaCheck, ...]:
    """Each alpha of the report by the independent package."""
    checks = []
    for number, question in enumerate(data.table.questions):
        for group in groups:
            mask = answers_of(data.table, question=number, group=group)
            check = check_alpha(ratings=coded_answers(data.table, question, mask), level="ordinal")
            checks.append(
                AlphaCheck(
                    question=question.key,
                    group=group,
                    ours=check.ours,
                    package=check.package,
                    difference=check.difference,
                    package_version=check.package_version,
                    note=check.note,
                )
            )
    return tuple(checks)


def _clusters(table: RatingTable, mask: Mask) -> npt.NDArray[np.intp] | None:
    """The prompt of each answer's unit, where whole prompts are to be drawn."""
    number: dict[str, int] = {}
    of_item = np.array(
        [number.setdefault(item.cluster, len(number)) for item in table.items], dtype=np.intp
    )
    units, first = np.unique(table.unit[mask], return_index=True)
    of_unit = prompt_clusters(of_item[table.item[mask][first]])
    return None if of_unit is None else of_unit[np.searchsorted(units, table.unit[mask])]


def _by_system(
    table: RatingTable, question: RatedQuestion, number: int
) -> tuple[SystemAnswers, ...]:
    names = [_system_name(item) for item in table.items]
    distinct = list(dict.fromkeys(names))
    of_item = np.array([distinct.index(name) for name in names], dtype=np.int64)
    asked = table.question == number
    systems = []
    for index, (name, real) in enumerate(distinct):
        mask = asked & (of_item[table.item] == index) if of_item.size else asked
        if mask.any():
            summary = summarise(table, question, mask)
            systems.append(SystemAnswers(system=name, real=real, summary=summary))
    lower_is_better = question.direction == "lower"

    def best_first(answers: SystemAnswers) -> tuple[bool, float, str]:
        mean = answers.summary.mean or 0.0
        return not answers.real, mean if lower_is_better else -mean, answers.system

    return tuple(sorted(systems, key=best_first))


def _system_name(item: RatedItem) -> tuple[str, bool]:
    real = item.origin == "real"
    return item.system or (REAL if real else UNNAMED), real
