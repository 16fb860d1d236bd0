"""Leaving answers out of results, and taking them in again. Nothing is deleted.

Whoever is excluded keeps their answers, their code and their pay. Where the places are opened
again, others fill them: the answers then count for nothing, and show only in results "without
exclusions". Lifted, they count again where their units still lack some; the others are surplus.
"""

from __future__ import annotations

from django.contrib.auth import get_user_model
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from annotation.assignment import lock_person
from annotation.models import Assignment, Exclusion, Flag, Participation
from annotation.setting_aside import (
    screens_excluded,
    set_aside,
    set_screen_aside,
    take_back,
    take_screen_back,
)
from studies.models import CheckRules, Study

User = get_user_model()
Excluded = Assignment.Excluded


class AlreadyExcluded(Exception):
    """These answers are left out already."""


class NotExcluded(Exception):
    """The exclusion was lifted before."""


class ReasonMissing(Exception):
    """An exclusion, and its end, are read by reviewers: both want a reason."""


def active_exclusions(study: Study) -> QuerySet[Exclusion]:
    """Those in force, the latest first."""
    return Exclusion.objects.filter(participation__study=study, lifted_at=None)


def reopens(study: Study) -> bool:
    """Whether the study wants the places of excluded answers opened again."""
    return (CheckRules.objects.filter(study=study).first() or CheckRules()).reopen_excluded


def set_reopening(*, study: Study, reopen: bool) -> None:
    """What follows for what is excluded from now on."""
    CheckRules.objects.update_or_create(study=study, defaults={"reopen_excluded": reopen})


@transaction.atomic
def exclude(
    *,
    participation: Participation,
    reason: str,
    by: User | None = None,
    rule: str = "",
    assignment: Assignment | None = None,
    reopen: bool = True,
) -> Exclusion:
    """Leave out all that a person answered, or one ``assignment``. ``rule``: the one that did it.

    With ``reopen`` the places are open for others at once. Whoever is still rating is always given
    no more places. Raises AlreadyExcluded where an exclusion covers the same, ReasonMissing for an
    empty reason, ValueError for somebody else's assignment.
    """
    if not reason.strip():
        raise ReasonMissing("Write why these answers are left out.")
    person = lock_person(participation.pk)
    if assignment is not None and assignment.participation_id != person.pk:
        raise ValueError("The screen is another person's.")
    same = Exclusion.objects.filter(
        participation=person, assignment=assignment, lifted_at=None
    ).exists()
    if same:
        raise AlreadyExcluded(f"{person} is left out already.")
    # Somebody who is still at work would otherwise go on filling places that results leave out.
    reopened = reopen or (assignment is None and person.state == Participation.State.RATING)
    exclusion = Exclusion.objects.create(
        participation=person,
        assignment=assignment,
        reason=reason.strip(),
        rule=rule,
        by=by,
        reopened=reopened,
    )
    if reopened and assignment is None:
        set_aside(person=person)
    elif reopened and assignment is not None:
        set_screen_aside(person=person, assignment=assignment)
    _mark(person)
    return exclusion


@transaction.atomic
def lift(*, exclusion: Exclusion, by: User | None, reason: str) -> None:
    """Take the answers in again. What was set aside counts where its unit still lacks some.

    Work that is returned or rejected on Prolific as well stays set aside. Raises NotExcluded on a
    second lift, ReasonMissing for an empty reason.
    """
    if not reason.strip():
        raise ReasonMissing("Write why these answers are taken in again.")
    person = lock_person(exclusion.participation_id)
    lifted = Exclusion.objects.filter(pk=exclusion.pk, lifted_at=None).update(
        lifted_at=timezone.now(), lifted_by=by, lift_reason=reason.strip()
    )
    if not lifted:
        raise NotExcluded("This exclusion was lifted before.")
    exclusion.refresh_from_db()
    if exclusion.reopened:
        _take_in(person, exclusion)
    if exclusion.assignment_id is None:
        _keep_flagged(person, by)
    _mark(person)


def _take_in(person: Participation, exclusion: Exclusion) -> None:
    held = _active(person).filter(reopened=True)
    if exclusion.assignment is not None:
        covered = held.filter(Q(assignment=None) | Q(assignment=exclusion.assignment)).exists()
        if not covered and person.set_aside_at is None:
            take_screen_back(person=person, assignment=exclusion.assignment)
    elif not held.filter(assignment=None).exists() and not person.taken_back:
        take_back(person=person, but=screens_excluded(person))


def _keep_flagged(person: Participation, by: User | None) -> None:
    """What was decided against the answers is decided for them now."""
    against = Flag.objects.filter(participation=person, decision=Flag.Decision.EXCLUDED)
    against.update(decision=Flag.Decision.KEPT, decided_by=by, decided_at=timezone.now())


def _active(person: Participation) -> QuerySet[Exclusion]:
    return Exclusion.objects.filter(participation=person, lifted_at=None)


def _mark(person: Participation) -> None:
    """Write on every screen by what it is left out. A rule goes before a person's decision: what a
    declared rule leaves out is out of results "after rules" too."""
    screens = Assignment.objects.filter(participation=person)
    marks: dict[int | None, str] = {}
    for screen, rule in _active(person).values_list("assignment", "rule"):
        mark = Excluded.RULE if rule else Excluded.PERSON
        marks[screen] = Excluded.RULE if Excluded.RULE in (mark, marks.get(screen)) else mark
    everything = marks.pop(None, "")
    screens.update(excluded=everything)
    for screen, mark in marks.items():
        if everything != Excluded.RULE:
            screens.filter(pk=screen).update(excluded=mark)
