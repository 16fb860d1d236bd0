"""Mean, spread, distribution and agreement of each question, for everybody and by panel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from annotation.ratings import AnswerTable
from scoring.analysis.asked import AskedQuestion
from scoring.analysis.coding import (
    Judged,
    answers_to,
    chosen_sets,
    dimension_of,
    ranked,
    scored,
)
from scoring.analysis.gather import StudyData
from scoring.analysis.report import (
    REAL,
    UNNAMED,
    AlphaCheck,
    GroupAnswers,
    Point,
    QuestionReport,
    SystemAnswers,
)
from scoring.analysis.summaries import points_of, summarise
from scoring.stats.agreement import Coefficient
from scoring.stats.anova_intervals import icc_interval
from scoring.stats.bootstrap import bootstrap_agreement
from scoring.stats.counts import CodedRatings
from scoring.stats.ranking_agreement import concordance
from scoring.stats.result import AgreementResult, Interval
from scoring.stats.self_check import check_alpha

Mask = npt.NDArray[np.bool_]
Codes = npt.NDArray[np.intp]

AC2 = Coefficient("gwet_ac2", "ordinal", weights="quadratic")
SAME = Coefficient("percent_agreement")
ICC = (Coefficient("icc", form="ICC2"), Coefficient("icc", form="ICC2k"))
OF_SETS = (
    Coefficient("average_pairwise_jaccard"),
    Coefficient("krippendorff_alpha", weights="jaccard"),
)
NOMINAL = (Coefficient("krippendorff_alpha", "nominal"), Coefficient("gwet_ac1"), SAME)


def coefficients_of(question: AskedQuestion) -> tuple[Coefficient, ...]:
    """What goes with a kind of question and its level, the primary coefficient first."""
    if question.kind == "multi":
        return OF_SETS
    if question.level == "nominal":
        return NOMINAL
    alpha = Coefficient("krippendorff_alpha", question.level)  # type: ignore[arg-type]
    return (alpha, AC2, *ICC, SAME) if question.kind != "slider" else (alpha, *ICC)


def question_report(
    *,
    data: StudyData,
    question: AskedQuestion,
    groups: tuple[str, ...],
    replicates: int,
    on_step: Callable[[], None],
) -> QuestionReport:
    """One question in every group. `on_step` is called after each group."""
    everybody = answers_to(data, question)
    points = points_of(question, everybody)
    reports, by_dimension = [], []
    for group in groups:
        answers = answers_to(data, question, group)
        reports.append(_of_group(data, question, group, answers, points, replicates))
        on_step()
    for dimension in _dimensions(data, everybody):
        answers = answers_to(data, question, dimension=dimension)
        by_dimension.append(_of_group(data, question, dimension, answers, points, replicates))
        on_step()
    return QuestionReport(
        key=question.key,
        label=question.label,
        kind=question.kind,
        level=question.level,
        direction=question.direction,
        of_probes=question.of_probes,
        points=points,
        groups=tuple(reports),
        dimensions=tuple(by_dimension),
        systems=_by_system(data, question, everybody, points),
    )


def agreement_on(
    data: StudyData, question: AskedQuestion, answers: AnswerTable, replicates: int
) -> tuple[AgreementResult, ...]:
    """The coefficients that go with a question, of any of its answers."""
    seed = data.study.seed
    if question.kind == "ranking":
        rankings, _ = ranked(data, answers)
        return (concordance(rankings=rankings, replicates=replicates, seed=seed),)
    code = chosen_sets if question.kind == "multi" else scored
    given = code(data, question, answers)
    ratings = given.ratings
    asked = coefficients_of(question)
    found = bootstrap_agreement(
        ratings=ratings,
        coefficients=[one for one in asked if not one.by_rater],
        replicates=replicates,
        seed=seed,
        rater_strata=panels_of(given),
    )
    by_rater = bootstrap_agreement(
        ratings=ratings,
        coefficients=[one for one in asked if one.by_rater],
        replicates=0,
        seed=seed,
    )
    counted, icc = iter(found), iter(by_rater)
    return tuple(
        _with_f(next(icc), ratings, one) if one.by_rater else next(counted) for one in asked
    )


def panels_of(given: Judged) -> Codes | None:
    """The panel of each rater as a code, (n_raters,), where raters are of several panels.

    How many people each panel has was decided, not drawn: raters are drawn anew within panels.
    """
    people = np.unique(given.answers.rater)
    countries = [given.answers.raters[who].country for who in people.tolist()]
    distinct, codes = np.unique(np.array(countries, dtype=np.str_), return_inverse=True)
    divided = distinct.size > 1 and np.bincount(codes).max() > 1
    return codes.astype(np.intp) if divided else None


def alpha_checks(*, data: StudyData, groups: tuple[str, ...]) -> tuple[AlphaCheck, ...]:
    """Each alpha of a question on a scale by the independent package."""
    checks = []
    for question in data.asked:
        if question.kind in ("multi", "ranking"):
            continue
        for group in groups:
            ratings = scored(data, question, answers_to(data, question, group)).ratings
            check = check_alpha(ratings=ratings, level=question.level)  # type: ignore[arg-type]
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


def _of_group(
    data: StudyData,
    question: AskedQuestion,
    group: str,
    answers: AnswerTable,
    points: tuple[Point, ...],
    replicates: int,
) -> GroupAnswers:
    return GroupAnswers(
        group=group,
        summary=summarise(data, question, answers, points),
        coefficients=agreement_on(data, question, answers, replicates),
    )


def _with_f(
    result: AgreementResult, ratings: CodedRatings, coefficient: Coefficient
) -> AgreementResult:
    """An intraclass correlation with its F interval, which needs no draws."""
    bounds = None
    if result.value is not None:
        bounds = icc_interval(ratings=ratings, form=coefficient.form)
    low, high = bounds if bounds is not None else (None, None)
    reason = result.reason or ("no_f_interval" if bounds is None else None)
    made = Interval(
        low=low,
        high=high,
        reason=reason,
        level=0.95,
        kind="F",
        resampled="nothing",
        replicates=0,
        seed=0,
        undefined_share=None,
    )
    return replace(result, interval=made)


def _dimensions(data: StudyData, answers: AnswerTable) -> list[str]:
    found = np.unique(dimension_of(data, answers)).tolist() if answers.size else []
    named = [name for name in found if name]
    return named if len(named) > 1 else []


def _by_system(
    data: StudyData, question: AskedQuestion, answers: AnswerTable, points: tuple[Point, ...]
) -> tuple[SystemAnswers, ...]:
    """Answers about items, by what made them; none where the items of a unit are judged as one."""
    systems, origins = (data.facts.of(answers, field) for field in ("system", "origin"))
    systems = np.where((systems == "") & (origins == "real"), REAL, systems)
    found = []
    for name in np.unique(systems).tolist():
        cut = answers.only(systems == name)
        summary = summarise(data, question, cut, points)
        if summary.n_ratings and not (name == "" and _compares(data, cut)):
            real = bool((origins[systems == name] == "real").all())
            found.append(SystemAnswers(system=name or UNNAMED, real=real, summary=summary))
    sign = 1 if question.direction == "lower" or question.kind == "ranking" else -1

    def best_first(one: SystemAnswers) -> tuple[bool, float, str]:
        return not one.real, sign * (one.summary.mean or 0.0), one.system

    return tuple(sorted(found, key=best_first))


def _compares(data: StudyData, answers: AnswerTable) -> bool:
    """Whether the answers are about units of several items."""
    units = np.unique(answers.unit).tolist()
    return any(len(data.subjects.members.get(int(answers.units[unit]), ())) > 1 for unit in units)
