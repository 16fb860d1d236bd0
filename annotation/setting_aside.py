"""Work that was taken back on Prolific, or excluded: kept, counted for nothing, its places given to
others.

The reverse of each verb is the other one. An answer set aside has ``counted`` empty, as a pilot's
has, so that nothing that fills places from surplus answers takes it up again.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.utils import timezone

from annotation.assignment import fill_place, release_place
from annotation.models import Assignment, Exclusion, Participation
from annotation.places import free_places


def set_aside(*, person: Participation) -> int:
    """Count nothing of this person any more; how many answers that concerns.

    Their places are open again at once, or filled by answers that were surplus so far. Call with
    the person locked, in a transaction.
    """
    if person.set_aside_at is not None:
        return 0
    person.set_aside_at = timezone.now()
    person.save(update_fields=["set_aside_at"])
    n_counted = _answers(person).filter(counted=True).update(set_aside=True)
    _answers(person).update(counted=None)
    free_places(person=person)
    return n_counted


def take_back(*, person: Participation, but: Iterable[int] = ()) -> int:
    """Count this person's answers again where their units still lack some; how many do.

    The others are surplus: somebody else has filled their units meanwhile. Screens ``but`` these:
    they stay aside for a reason of their own. Call with the person locked, in a transaction.
    """
    if person.set_aside_at is None:
        return 0
    person.set_aside_at = None
    person.save(update_fields=["set_aside_at"])
    answers = _answers(person).exclude(pk__in=list(but))
    return sum(_count_again(person, answer) for answer in answers.order_by("unit_id"))


def resume(*, person: Participation) -> bool:
    """Let somebody go on whose session ended early because they had taken their work back.

    Nobody whose answers are excluded: those to come would count. Call with the person locked, in a
    transaction.
    """
    if person.outcome != Participation.Outcome.TAKEN_BACK or _in_force(person).exists():
        return False
    begun = person.instructed_at is not None
    person.state = Participation.State.RATING if begun else Participation.State.ARRIVED
    person.outcome, person.finished_at = "", None
    person.save(update_fields=["state", "outcome", "finished_at"])
    return True


def set_screen_aside(*, person: Participation, assignment: Assignment) -> None:
    """``set_aside`` for one sent screen. Call with the person locked, in a transaction."""
    answer = _answers(person).filter(pk=assignment.pk)
    if person.set_aside_at is None and answer.exists():
        answer.filter(counted=True).update(set_aside=True)
        answer.update(counted=None)
        free_places(person=person, unit=assignment.unit_id)


def take_screen_back(*, person: Participation, assignment: Assignment) -> None:
    """``take_back`` for one screen. Call with the person locked, in a transaction."""
    for answer in _answers(person).filter(pk=assignment.pk):
        _count_again(person, answer)


def is_excluded(person: Participation) -> bool:
    """Whether all of a person's answers are excluded, and their places were given to others."""
    return _in_force(person).filter(reopened=True).exists()


def screens_excluded(person: Participation) -> list[int]:
    """The screens that are excluded one by one, and whose places were given to others."""
    of_screens = Exclusion.objects.filter(
        participation=person, assignment__isnull=False, lifted_at=None, reopened=True
    )
    return list(of_screens.values_list("assignment", flat=True))


def _in_force(person: Participation):
    """Exclusions of all that the person answered."""
    return Exclusion.objects.filter(participation=person, assignment=None, lifted_at=None)


def _count_again(person: Participation, answer: Assignment) -> bool:
    answer.participation = person
    answer.counted, answer.set_aside = fill_place(assignment=answer), False
    answer.save(update_fields=["counted", "set_aside"])
    return bool(answer.counted)


def free_open_screens(*, person: Participation) -> None:
    """Give back what the person has before them. What they still send counts if it is wanted then.

    Call with the person locked, in a transaction.
    """
    for assignment in person.assignments.filter(submitted_at=None, skipped_at=None):
        release_place(assignment=assignment)


def _answers(person: Participation):
    return Assignment.objects.filter(
        participation=person, submitted_at__isnull=False, repeat_of=None, gold=False
    )
