"""Practice before the first screen: real questions about units that are never rated, with feedback.

What is answered here is kept apart from ratings and counted by nothing. Every practice screen comes
once; what is said afterwards is about the very answers that were sent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.utils.translation import get_language_bidi
from django.utils.translation import gettext as _

from annotation.answers import Answers
from annotation.assignment import lock_person
from annotation.cards import wording
from annotation.kinds import Asked, FormData
from annotation.models import Participation, PracticeAnswer
from annotation.sheet import Sheet
from annotation.verdicts import keys_of, outside, values_of
from studies.design import Design, QuestionSpec, frozen_design
from studies.special_units import PracticeSpec


@dataclass(frozen=True)
class Expectation:
    """One question of a practice screen: what was answered and what is expected, in words."""

    number: int
    text: str
    answered: str
    expected: str
    fits: bool


@dataclass(frozen=True)
class Feedback:
    """``words`` are the study's own sentence about the unit."""

    answers: tuple[Expectation, ...]
    words: str

    @property
    def fits(self) -> bool:
        return all(row.fits for row in self.answers)


def practice_for(design: Design, country: str) -> tuple[PracticeSpec, ...]:
    """The practice screens that a panel's people see."""
    return tuple(spec for spec in design.practice if spec.country in ("", country))


def specs_of(person: Participation) -> tuple[PracticeSpec, ...]:
    if person.panel is None:
        return ()
    return practice_for(frozen_design(person.study_id, person.revision), person.panel.country)


def due_practice(person: Participation) -> int | None:
    """The number of the practice screen that comes next; None where rating may begin.

    No query where the study has none.
    """
    specs = specs_of(person)
    if not specs:
        return None
    done = person.practice_answers.count()
    if done >= len(specs) or person.assignments.exists():
        return None
    return done + 1


@transaction.atomic
def record_practice(
    *, participation: Participation, n: int, fields: FormData, answers: Answers | None
) -> None:
    """Keep what was sent on the n-th practice screen; ``answers`` None: it was passed over.

    Sent twice, or out of turn, it changes nothing: the first answer stays.
    """
    person = lock_person(participation.pk)
    if person.state != Participation.State.RATING or due_practice(person) != n:
        return
    spec = specs_of(person)[n - 1]
    design = frozen_design(person.study_id, person.revision)
    values = values_of(answers.given) if answers is not None else {}
    PracticeAnswer.objects.create(
        participation=person,
        n=n,
        unit_id=spec.unit,
        fields=fields,
        missed=keys_of(design, outside(spec.expected, values)),
    )


def feedback_on(spec: PracticeSpec, sheet: Sheet, answers: Answers) -> Feedback:
    """What is said about these answers, in the words of the sheet's design."""
    values = values_of(answers.given)
    rows = {row.question.id: row for row in sheet.rows if row.probe is None}
    missed = set(outside(spec.expected, values))
    judged = tuple(
        _expectation(rows[question], values[question], low, high, fits=question not in missed)
        for question, low, high in spec.expected
        if question in rows and question in values
    )
    words = sheet.design.worded(f"feedback.{spec.external_id}", spec.feedback)
    return Feedback(tuple(sorted(judged, key=lambda row: row.number)), words)


def _expectation(
    row: Asked, given: Sequence[int | None], low: int, high: int, *, fits: bool
) -> Expectation:
    question = row.question
    names = _names(question)
    expected = _name(names, low)
    if low != high:
        expected = _("%(low)s to %(high)s") % {"low": expected, "high": _name(names, high)}
    answered = [question.na_label if value is None else _name(names, value) for value in given]
    return Expectation(
        number=row.number,
        text=wording(question.text, row),
        answered=", ".join(answered),
        expected=expected,
        fits=fits,
    )


def _names(question: QuestionSpec) -> dict[int, str]:
    """Scale points with their numbers, options and yes or no by their words alone."""
    if question.kind == "yes_no":
        return {1: _("Yes"), 0: _("No")}
    if question.kind == "choice":
        return {point.value: point.label for point in question.points}
    return {point.value: f"{point.value} {point.label}".strip() for point in question.points}


def _name(names: Mapping[int, str], value: int) -> str:
    """Set apart from the words around it where these run the other way."""
    name = names.get(value, str(value))
    return f"\u2068{name}\u2069" if get_language_bidi() else name
