"""Erasing who somebody is: ids of Prolific, names of invitations, accounts. One person at a time.

The pseudonym stays, so that reports and exports of before and after name the same annotators. The
answers stay with it, or go too where the person wants that.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotation.assignment import lock_person
from annotation.entry import Outcome, leave
from annotation.invitations import forget_unopened
from annotation.models import Identity, Invitation, Participation, ProlificEvent
from annotation.prolific.erased import erased_mark
from annotation.removal import remove_answers
from annotation.setting_aside import free_open_screens
from studies.models import Study
from studies.recruiting import recruitment_of

Ratings = Literal["anonymous", "removed"]


@transaction.atomic
def erase_identity(*, identity: Identity, ratings: Ratings = "anonymous") -> None:
    """Forget who this person is. Their answers stay under the pseudonym, or are ``removed``.

    What Prolific said of their submissions stays, without its ids. An invitation loses its name
    and its link. Whoever comes again by the same id is somebody new. Erasing twice changes nothing.
    """
    if ratings not in {"anonymous", "removed"}:
        raise ValueError(f"Answers are kept anonymous or removed; {ratings!r} is neither.")
    identity = Identity.objects.select_for_update(no_key=True).get(pk=identity.pk)
    if identity.erased_at is None:
        identity.external_id, identity.erased_at = f"erased-{identity.pk}", timezone.now()
        identity.save(update_fields=["external_id", "erased_at"])
        for attempt in identity.attempts.all():
            attempt.session_id = erased_mark(attempt.session_id)
            attempt.save(update_fields=["session_id"])
        ProlificEvent.objects.filter(attempt__identity=identity).update(submission_id="")
        Invitation.objects.filter(identity=identity).update(
            label="(erased)", revoked_at=timezone.now()
        )
    if ratings == "removed" and identity.participation_id is not None:
        _take_away(lock_person(identity.participation_id))


def _take_away(person: Participation) -> None:
    """Remove the answers. Who had some, finished or not, has left as one whose answers are gone."""
    free_open_screens(person=person)
    remove_answers(person=person)
    if person.state != Participation.State.OUT or person.outcome in _ANSWERS_KEPT:
        leave(participation=person, outcome=Outcome.WITHDREW_REMOVED)


_ANSWERS_KEPT = (Outcome.WITHDREW, Outcome.TAKEN_BACK)


def due_identities(study: Study, *, now: datetime | None = None) -> QuerySet[Identity]:
    """Those whose days are over: counted from the end, or from when they were last seen."""
    days = timedelta(days=recruitment_of(study).erase_after_days)
    last = Coalesce("participation__finished_at", "participation__last_seen_at", "created_at")
    return (
        Identity.objects.filter(study=study, erased_at=None)
        .annotate(last=last)
        .filter(last__lt=(now or timezone.now()) - days)
        .order_by("pk")
    )


def erase_expired(*, now: datetime | None = None) -> int:
    """Erase every identity whose days are over, in all studies; the answers stay. How many.

    Names of people who were invited and never came are deleted with them.
    """
    n = forget_unopened(now=now)
    kept = Identity.objects.filter(erased_at=None).order_by().values("study")
    for study in Study.objects.filter(pk__in=kept):
        for identity in due_identities(study, now=now):
            erase_identity(identity=identity)
            n += 1
    return n
