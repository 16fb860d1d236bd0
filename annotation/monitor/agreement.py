"""Agreement so far, by panel: the primary coefficient on the study's first question.

From the pure core, with few seeded draws: enough to see where a collection goes. What a paper
reports is the report's, with more draws and every question.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict, dataclass
from typing import get_args

import numpy as np

from annotation.models import Rating
from scoring.stats.agreement import Coefficient, CoefficientName
from scoring.stats.bootstrap import bootstrap_agreement
from scoring.stats.counts import code_ratings
from scoring.stats.result import AgreementResult
from scoring.stats.scale import Level, Scale, declare_scale
from studies.models import AnalysisPlan, Question, Study

DRAWS = 200
CHUNK = 5_000
Kind = Question.Kind

TO_ONE_VALUE = (Kind.LIKERT, Kind.YES_NO, Kind.CHOICE, Kind.SLIDER, Kind.MULTI, Kind.RANKING)
"""Kinds whose answers are one number each about a subject."""

BY_COUNTS: tuple[CoefficientName, ...] = (
    "krippendorff_alpha",
    "gwet_ac1",
    "gwet_ac2",
    "fleiss_kappa",
    "brennan_prediger",
    "percent_agreement",
)
"""What a plan may name as its primary coefficient to be shown here; for others, alpha."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """A coefficient with its 95 % interval (two-way bootstrap); ``reason`` why it has no value.

    ``low`` and ``high`` are None where there is no interval (yet).
    """

    value: float | None
    reason: str | None
    low: float | None
    high: float | None
    n_units: int
    n_raters: int
    n_ratings: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """What is computed: a coefficient of the answers to one question."""

    question: Question
    coefficient: Coefficient
    scale: Scale


def measure_of(study: Study) -> Measure | None:
    """The primary coefficient on the first question that it can be computed of; None without."""
    asked = study.questions.filter(retired=False, kind__in=TO_ONE_VALUE)
    question = asked.prefetch_related("points").first()
    if question is None:
        return None
    level: Level = _level(question)
    name = _primary(study)
    return Measure(
        question=question,
        coefficient=Coefficient(name, level),
        scale=declare_scale(level=level, categories=_categories(question, study)),
    )


def _level(question: Question) -> Level:
    level = question.measurement_level
    return level if level in get_args(Level) else "nominal"


def _primary(study: Study) -> CoefficientName:
    plan = AnalysisPlan.objects.filter(study=study).first()
    named = plan.coefficients[0] if plan is not None and plan.coefficients else ""
    return next((name for name in BY_COUNTS if name == named), "krippendorff_alpha")


def _categories(question: Question, study: Study) -> list[int]:
    if question.kind in (Kind.LIKERT, Kind.CHOICE):
        return [point.value for point in question.points.all()]
    if question.kind == Kind.RANKING:
        return list(range(1, study.items_per_unit + 1))
    return list(range(101)) if question.kind == Kind.SLIDER else [0, 1]


def agreement_by_panel(*, study: Study, measure: Measure, pilot: bool) -> dict[int, Agreement]:
    """Panel id -> agreement of its people on the question so far."""
    rows = defaultdict(list)
    for panel, unit, subject, person, value in _answers(study, measure.question, pilot):
        rows[panel].append((unit, subject, person, value))
    return {panel: _agreement(answers, measure, seed=study.seed) for panel, answers in rows.items()}


def _answers(study: Study, question: Question, pilot: bool):
    answers = Rating.objects.filter(
        question=question,
        value__isnull=False,
        descriptor=None,
        assignment__repeat_of=None,
        assignment__gold=False,
        assignment__excluded="",
        assignment__participation__study=study,
        assignment__participation__pilot=pilot,
        assignment__participation__panel__isnull=False,
    )
    if not pilot:
        answers = answers.filter(assignment__counted=True)
    return answers.values_list(
        "assignment__participation__panel",
        "assignment__unit",
        "subject",
        "assignment__participation",
        "value",
    ).iterator(chunk_size=CHUNK)


def _agreement(answers: list[tuple[int, str, int, int]], measure: Measure, seed: int) -> Agreement:
    units: dict[tuple[int, str], int] = {}
    people: dict[int, int] = {}
    coded = np.array(
        [
            (
                units.setdefault((unit, subject), len(units)),
                people.setdefault(person, len(people)),
                measure.scale.code(value),
            )
            for unit, subject, person, value in answers
        ],
        dtype=np.intp,
    ).reshape(-1, 3)
    ratings = code_ratings(
        unit=coded[:, 0], rater=coded[:, 1], category=coded[:, 2], scale=measure.scale
    )
    (result,) = bootstrap_agreement(
        ratings=ratings, coefficients=[measure.coefficient], replicates=DRAWS, seed=seed
    )
    return _of(result)


def _of(result: AgreementResult) -> Agreement:
    interval = result.interval
    return Agreement(
        value=result.value,
        reason=result.reason,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        n_units=result.n_units_paired,
        n_raters=result.n_raters,
        n_ratings=result.n_ratings,
    )


def to_json(agreement: Agreement) -> dict:
    return asdict(agreement)
