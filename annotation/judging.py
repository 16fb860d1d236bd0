"""Judging a screen as it is sent, and again when its answers change: gold and contradictions.

The final answers decide; what was sent first is kept beside them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils import timezone

from annotation.kinds import Given
from annotation.models import Assignment, CheckAnswer, CheckOutcome, Rating
from annotation.verdicts import contradicts, keys_of, one_value, outside, values_of
from studies.design import Design, frozen_design
from studies.special_units import ContradictionSpec

Kind = CheckOutcome.Kind


@dataclass(frozen=True)
class _Verdict:
    """``screen`` None: of the screen that was sent. ``missed`` empty: passed."""

    kind: str
    check: int
    missed: tuple[int, ...]
    screen: int | None = None


def judge_screen(*, assignment: Assignment, given: Iterable[Given]) -> None:
    """Keep the verdicts on a screen's answers. No query where the design has nothing to judge.

    Call in the transaction that saves the answers, after them. A repeat is not judged: its unit
    was.
    """
    person = assignment.participation
    design = frozen_design(person.study_id, person.revision)
    if assignment.is_repeat or not (assignment.gold or design.contradictions):
        return
    values = values_of(given)
    found = [*_gold(assignment, design, values), *_contradictions(assignment, design, values)]
    for verdict in found:
        _keep(verdict, assignment, design)


def _gold(assignment: Assignment, design: Design, values) -> Iterable[_Verdict]:
    spec = next((row for row in design.gold if row.unit == assignment.unit_id), None)
    if assignment.gold and spec is not None:
        yield _Verdict(Kind.GOLD, 0, tuple(outside(spec.expected, values)))


def _contradictions(assignment: Assignment, design: Design, values) -> Iterable[_Verdict]:
    for spec in design.contradictions:
        screen: int | None = None
        first, second = one_value(values, spec.question), one_value(values, spec.other)
        if spec.unit is not None:
            if assignment.unit_id not in (spec.unit, spec.other_unit):
                continue
            is_first = assignment.unit_id == spec.unit
            screen, beside = _beside(assignment, spec, is_first)
            first, second = (first, beside) if is_first else (beside, second)
        found = contradicts(spec, first, second)
        if found is not None:
            missed = (spec.question, spec.other) if found else ()
            yield _Verdict(Kind.CONTRADICTION, spec.id, missed, screen)
        elif spec.unit is None:
            yield from _no_longer(assignment, spec)


def _beside(
    assignment: Assignment, spec: ContradictionSpec, is_first: bool
) -> tuple[int | None, int | None]:
    """The later screen, on which the verdict stands, and the answer about the other unit."""
    unit, question = (spec.other_unit, spec.other) if is_first else (spec.unit, spec.question)
    row = (
        Rating.objects.filter(
            assignment__participation=assignment.participation_id,
            assignment__unit=unit,
            assignment__repeat_of=None,
            question=question,
            probe=None,
            value__isnull=False,
        )
        .values_list("assignment", "assignment__n", "value")
        .first()
    )
    if row is None:
        return None, None
    screen, n, value = row
    return (screen if n > assignment.n else assignment.pk), value


def _no_longer(assignment: Assignment, spec: ContradictionSpec) -> Iterable[_Verdict]:
    """A change has closed one of the two questions: what was found is so no more."""
    was = CheckOutcome.objects.filter(
        assignment=assignment, kind=Kind.CONTRADICTION, check_id=spec.id
    )
    if assignment.changed_at is not None and was.exists():
        yield _Verdict(Kind.CONTRADICTION, spec.id, ())


def _keep(verdict: _Verdict, assignment: Assignment, design: Design) -> None:
    passed, details = not verdict.missed, keys_of(design, verdict.missed)
    outcome, is_new = CheckOutcome.objects.get_or_create(
        assignment_id=verdict.screen or assignment.pk,
        kind=verdict.kind,
        check_id=verdict.check,
        defaults={"passed": passed, "first_passed": passed, "details": details},
    )
    if not is_new and (outcome.passed, outcome.details) != (passed, details):
        outcome.passed, outcome.details = passed, details
        outcome.changed_at = timezone.now()
        outcome.save(update_fields=["passed", "details", "changed_at"])


def change_check_answer(answer: CheckAnswer, *, value: int, expected: int) -> None:
    """Another answer to an instructed response: it decides, what was sent first is kept."""
    if answer.first_passed is None:
        answer.first_passed = answer.passed
    answer.value, answer.passed = value, value == expected
    answer.save(update_fields=["value", "passed", "first_passed"])
