"""Lines of the launch check list on quick checks, practice, gold units and contradictions."""

from __future__ import annotations

from collections.abc import Iterator

from django.core.exceptions import ValidationError
from django.urls import reverse

from studies.check_lines import Fault, LaunchCheck, counted, line
from studies.models import Item, Question, Study
from studies.models.item import Purpose
from studies.models.question import SCALES_OF_CHECKS
from studies.ranges import left_out_middle
from studies.special_units import gold_of, gold_per_session, practice_of

JUDGED = frozenset((*SCALES_OF_CHECKS, Question.Kind.SLIDER))
"""Kinds of questions whose answers can lie in a range."""


def special_lines(study: Study, page: str) -> list[LaunchCheck]:
    """A line for each of them that the study has."""
    return [
        *_screening(study, page),
        *_comprehension(study, page),
        *_gold_and_practice(study),
        *_contradictions(study, page),
    ]


def _screening(study: Study, page: str) -> list[LaunchCheck]:
    rows = list(study.screening_questions.filter(active=True))
    url = f"{page}#screening_questions-group"
    stops = [(fault, url) for row in rows if (fault := _own_fault(row))]
    ok = f"{counted(len(rows), 'question')} of your own"
    return line("Screening", url, stops, [], ok) if rows else []


def _own_fault(row) -> str:
    """What a row refuses of itself, with the text it is about; '' where it is in order."""
    try:
        row.clean()
    except ValidationError as error:
        return f"“{row.text}”: {' '.join(error.messages)}"
    return ""


def _comprehension(study: Study, page: str) -> list[LaunchCheck]:
    rows = list(study.comprehension_questions.filter(active=True))
    url = f"{page}#comprehension_questions-group"
    stops: list[Fault] = [(fault, url) for row in rows if (fault := _own_fault(row))]
    ok = f"{counted(len(rows), 'question')}, two chances"
    return line("Quick check", url, stops, [], ok) if rows else []


def _gold_and_practice(study: Study) -> list[LaunchCheck]:
    special = study.items.filter(purpose__in=[Purpose.PRACTICE, Purpose.GOLD])
    items = list(special.order_by("external_id"))
    if not items:
        return []
    url = reverse("admin:studies_study_special", args=[study.pk])
    asked = study.questions.filter(retired=False).prefetch_related("points")
    questions = {row.key: row for row in asked}
    stops = [(fault, url) for item in items for fault in _expected_faults(item, questions)]
    warnings = [(doubt, url) for item in items for doubt in item_doubts(item, questions)]
    gold = gold_of(study)
    if gold and study.units_per_session < 2:
        warnings.append(("sessions of one unit have no room for gold: it is never last", url))
    shown = min(len(gold), gold_per_session(study, gold))
    practice = counted(len(practice_of(study)), "practice screen")
    ok = f"{practice}, {counted(len(gold), 'gold unit')}, {shown} a session"
    return line("Practice and gold", url, stops, warnings, ok)


def _expected_faults(item: Item, questions: dict[str, Question]) -> Iterator[str]:
    if item.purpose == Purpose.GOLD and not item.expected:
        yield f"{item.external_id}: a gold item without accepted answers"
    for key, (low, high) in item.expected.items():
        question = questions.get(key)
        if question is None:
            yield f"{item.external_id}: there is no question “{key}”"
        elif question.kind not in JUDGED:
            yield f"{item.external_id}: {question.label} has no numbers to accept"
        elif not any(low <= value <= high for value in _values(question)):
            yield f"{item.external_id}: {question.label} has no point from {low} to {high}"


def item_doubts(item: Item, questions: dict[str, Question]) -> Iterator[str]:
    """What to think about in a practice or gold item."""
    if item.purpose == Purpose.PRACTICE and not (item.expected or item.feedback):
        yield f"{item.external_id}: practice without accepted answers or words says nothing"
    if item.purpose != Purpose.GOLD:
        return
    for key, (low, high) in item.expected.items():
        question = questions.get(key)
        if question is None or question.kind != Question.Kind.LIKERT:
            continue
        values = _values(question)
        middle = left_out_middle(values, low, high)
        if middle is not None:
            yield (
                f"{item.external_id}: {question.label} has a middle, and {middle} would fail; "
                "Prolific would not accept it as a check"
            )


def _values(question: Question) -> list[int]:
    if question.kind == Question.Kind.YES_NO:
        return [0, 1]
    if question.kind == Question.Kind.SLIDER:
        return list(range(101))
    return sorted(point.value for point in question.points.all())


def _contradictions(study: Study, page: str) -> list[LaunchCheck]:
    rows = list(study.contradictions.filter(active=True).select_related("question", "other"))
    url = f"{page}#contradictions-group"
    warnings = [
        (f"{row}: {gone.label} is no longer asked, so nothing is judged", url)
        for row in rows
        for gone in (row.question, row.other)
        if gone.retired
    ]
    return line("Contradictions", url, [], warnings, f"{len(rows)} looked for") if rows else []
