"""Work that was taken back on Prolific: kept, counted for nothing, its places given to others.

The reverse of each verb is the other one. An answer set aside has ``counted`` empty, as a pilot's
has, so that nothing that fills places from surplus answers takes it up again.
"""

from __future__ import annotations

from django.utils import timezone

from annotation.assignment import fill_place, release_place
from annotation.models import Assignment, Participation
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
    n_counted = _answers(person).filter(counted=True).count()
    _answers(person).update(counted=None)
    free_places(person=person)
    return n_counted


def take_back(*, person: Participation) -> int:
    """Count this person's answers again where their units still lack some; how many do.

    The others are surplus: somebody else has filled their units meanwhile. Call with the person
    locked, in a transaction.
    """
    if person.set_aside_at is None:
        return 0
    person.set_aside_at = None
    person.save(update_fields=["set_aside_at"])
    n_counted = 0
    for answer in _answers(person).order_by("unit_id"):
        answer.participation = person
        answer.counted = fill_place(assignment=answer)
        answer.save(update_fields=["counted"])
        n_counted += bool(answer.counted)
    return n_counted


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
