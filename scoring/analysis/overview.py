"""What was asked of whom, how much of it there is, and whether the plan came first."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime

import numpy as np

from annotation.ratings import BY_PERSON, BY_RULE, NO_VALUE, AnswerTable
from scoring.analysis.asked import AskedQuestion
from scoring.analysis.collection import timeline_of
from scoring.analysis.gather import StudyData
from scoring.analysis.parts.overview import (
    LeftOutFacts,
    Overview,
    PerItem,
    PlanFacts,
    QuestionFacts,
)
from scoring.analysis.report import POOLED
from studies.models import Panel


def overview_part(*, data: StudyData, groups: tuple[str, ...]) -> Overview:
    """The facts of a study's collection, of the chosen data."""
    moments = data.given.screens.at[np.unique(data.given.screen)]
    panels = {panel.country: panel for panel in data.study.panels.all()}
    first = float(moments.min()) if moments.size else None
    return Overview(
        questions=tuple(_question(data, question) for question in data.asked),
        per_item=tuple(_per_item(data, group, panels) for group in groups),
        left_out=_left_out(data),
        plan=_plan(data, first),
        first_at=_moment(first),
        last_at=_moment(float(moments.max()) if moments.size else None),
        timeline=timeline_of(data, panels),
    )


def _question(data: StudyData, question: AskedQuestion) -> QuestionFacts:
    given = data.given.only(data.given.question == question.id)
    left = int((data.answers.question == question.id).sum())
    counts = [one for one in data.not_applicable if one.question == question.key]
    without = int(given.not_applicable.sum())
    removed = sum(one.n_removed_answers for one in counts)
    about = "probe" if question.of_probes else "item"
    if not question.of_probes and question.kind in ("multi", "ranking"):
        about = "unit"
    return QuestionFacts(
        key=question.key,
        label=question.label,
        kind=question.kind,
        level=question.level,
        about=about,
        points=tuple(f"{value} {label}".strip() for value, label in question.points),
        n_answers=int((given.value != NO_VALUE).sum()),
        n_not_applicable=without,
        n_removed_answers=removed,
        n_irrelevant=given.size - without - removed - left,
    )


def _per_item(data: StudyData, group: str, panels: dict[str, Panel]) -> PerItem:
    """Ratings of an item are screens that showed it."""
    answers = data.given
    if group != POOLED:
        answers = answers.only(answers.country == group)
    rated = Counter(_items_shown(data, answers))
    asked = [pk for pk, item in data.items.items() if item.purpose == "rated"]
    if group != POOLED:
        asked = [pk for pk in asked if pk in data.shown_to.get(group, ())]
    counts = [rated.get(pk, 0) for pk in {*asked, *rated}]
    panel = panels.get(group)
    return PerItem(
        group=group,
        languages=tuple(panel.languages) if panel else (),
        wanted=panel.ratings_per_unit if panel else None,
        n_items=len(counts),
        n_unrated=counts.count(0),
        least=min(counts) if counts else None,
        median=float(np.median(counts)) if counts else None,
        most=max(counts) if counts else None,
        n_raters=int(np.unique(answers.rater).size),
        n_ratings=int(np.unique(answers.screen).size),
    )


def _items_shown(data: StudyData, answers: AnswerTable) -> list[int]:
    """The items of every screen, one entry a screen and item."""
    screens = np.unique(answers.screen)
    units, times = np.unique(answers.screens.unit[screens], return_counts=True)
    return [
        item
        for unit, n in zip(units.tolist(), times.tolist(), strict=True)
        for item in data.subjects.members.get(int(answers.units[unit]), ())
        if item in data.items
        for _ in range(n)
    ]


def _left_out(data: StudyData) -> LeftOutFacts:
    by_rule = [one for one in data.exclusions if one.rule]
    by_hand = [one for one in data.exclusions if not one.rule]
    # A screen that is left out alone and with all of its person's is one rating, by one of the two.
    out = data.every.screens.out
    return LeftOutFacts(
        raters_by_rule=len({one.rater for one in by_rule}),
        ratings_by_rule=int((out == BY_RULE).sum()),
        raters_by_hand=len({one.rater for one in by_hand}),
        ratings_by_hand=int((out == BY_PERSON).sum()),
        surplus=data.surplus,
        pilot=int(np.unique(data.pilot.screen).size),
        repeats=int(np.unique(data.repeats.screen).size),
    )


def _plan(data: StudyData, first: float | None) -> PlanFacts:
    plan = data.plan
    written = plan is not None and bool(plan.coefficients or plan.correlations or plan.is_fixed)
    standing = "none"
    if plan is not None and written:
        standing = "open"
        if plan.fixed_at is not None:
            in_time = first is None or plan.fixed_at.timestamp() <= first
            standing = "in_time" if in_time else "late"
    return PlanFacts(
        standing=standing,
        fixed_at=plan.fixed_at.isoformat(timespec="seconds") if plan and plan.fixed_at else "",
        changed_after_opening=plan is not None and plan.changed_after_opening,
        changes=len(plan.history) if plan else 0,
        coefficients=tuple(map(str, plan.coefficients)) if plan else (),
        aggregation=plan.get_aggregation_display() if plan and written else "",
        rescaled=data.rescaled,
        correlations=tuple(map(str, plan.correlations)) if plan else (),
        correlation_level=plan.correlation_level if plan and written else "",
        metrics=tuple(map(str, plan.metrics)) if plan else (),
        exclusions=plan.exclusions if plan else "",
        notes=plan.notes if plan else "",
    )


def _moment(seconds: float | None) -> str:
    if seconds is None:
        return ""
    return datetime.fromtimestamp(seconds, tz=UTC).isoformat(timespec="seconds")
