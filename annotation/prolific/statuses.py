"""What a status of Prolific's changes here: the one way in for events, answers and uploaded files.

News may come twice, late and in any order. Two pieces that carry Prolific's own time are compared
by it. An export does not say when it was made; its news counts where it is further on in the life
of a submission than what is known. Nothing takes an approval back.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from django.db import transaction

from annotation.assignment import lock_person
from annotation.entry import leave
from annotation.models import Attempt, Identity, Participation, Reconciliation
from annotation.prolific.erased import attempts_of
from annotation.setting_aside import (
    free_open_screens,
    is_excluded,
    resume,
    screens_excluded,
    set_aside,
    take_back,
)
from studies.models import Study

Status = Attempt.Status
Source = Attempt.StatusSource

# How far on in its life a submission is. A rejection may become an approval, never the reverse.
_STAGE = {
    "": 0,
    Status.RESERVED: 1,
    Status.ACTIVE: 2,
    Status.TIMED_OUT: 3,
    Status.AWAITING_REVIEW: 4,
    Status.RETURNED: 5,
    Status.SCREENED_OUT: 6,
    Status.REJECTED: 7,
    Status.PARTIALLY_APPROVED: 8,
    Status.APPROVED: 9,
}
AT_WORK = frozenset({Status.RESERVED, Status.ACTIVE})
GIVES_PLACES_BACK = frozenset({Status.RETURNED, Status.TIMED_OUT, Status.REJECTED})


class Applied(Enum):
    """What became of a piece of news."""

    APPLIED = "applied"
    KNOWN = "known"
    OLDER = "older"
    MEANINGLESS = "meaningless"  # a status that says nothing yet, such as PROCESSING


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """What Prolific says of one submission, ``at`` a moment when that was true."""

    status: str
    source: str
    at: datetime
    entered_code: str = ""
    started_at: datetime | None = None
    completed_at: datetime | None = None
    returned_at: datetime | None = None


@transaction.atomic
def apply_status(*, attempt: Attempt, news: News) -> Applied:
    """Take what Prolific says, and do here what follows from it.

    RETURNED, TIMED-OUT and REJECTED give the screen in hand back at once. Whether work that was
    sent still counts is the study's choice for returned and rejected submissions; after a time-out
    it counts. The person is locked first, so an answer that is being sent is saved before or after
    this, never beside it.
    """
    if news.status not in _STAGE or not news.status:
        return Applied.MEANINGLESS
    identity = Identity.objects.select_for_update().get(pk=attempt.identity_id)
    person = lock_person(identity.participation_id) if identity.participation_id else None
    row = Attempt.objects.select_for_update().get(pk=attempt.pk)
    outcome = _compare(row, news)
    _write(row, news, outcome)
    if person is not None:
        ends = outcome is Applied.APPLIED and row.status in GIVES_PLACES_BACK
        if ends and _is_latest(row, identity):
            free_open_screens(person=person)
        _settle(person, identity, rules_of(person.study))
    return outcome


def _compare(row: Attempt, news: News) -> Applied:
    if news.status == row.status:
        return Applied.KNOWN
    if row.status == Status.APPROVED:
        return Applied.OLDER
    if row.status_at is None or _is_newer(row, news):
        return Applied.APPLIED
    return Applied.OLDER


def _is_newer(row: Attempt, news: News) -> bool:
    further_on = _STAGE[news.status] > _STAGE[row.status]
    if news.source == Source.CSV:
        return further_on
    if row.status_source == Source.CSV:
        return news.at > row.status_at or further_on
    return news.at > row.status_at or (news.at == row.status_at and further_on)


def _write(row: Attempt, news: News, outcome: Applied) -> None:
    """Store what is new; older news only fills what is still empty."""
    changed = set()

    def put(field: str, value: object) -> None:
        if value and getattr(row, field) != value:
            setattr(row, field, value)
            changed.add(field)

    if outcome is Applied.APPLIED:
        put("status", news.status)
        put("status_source", news.source)
    if outcome is not Applied.OLDER and (row.status_at is None or news.at > row.status_at):
        put("status_at", news.at)
    for field in ("entered_code", "started_at", "completed_at", "returned_at"):
        if outcome is not Applied.OLDER or not getattr(row, field):
            put(field, getattr(news, field))
    if row.status == Status.RETURNED and row.returned_at is None:
        put("returned_at", news.at)
    if changed:
        row.save(update_fields=sorted(changed))


def rules_of(study: Study) -> Reconciliation:
    """How a study takes statuses; a study that says nothing has the defaults."""
    return Reconciliation.objects.filter(study=study).first() or Reconciliation(study=study)


def latest_attempt(attempts: Iterable[Attempt]) -> Attempt | None:
    """The attempt that says how a person stands: the one begun last of those Prolific named.

    A link can be opened with any SESSION_ID, so one that Prolific has not spoken of decides nothing
    where there is another.
    """
    listed = list(attempts)
    known = [row for row in listed if row.status] or listed
    begun = {row.pk: row.started_at or row.arrived_at for row in known}
    if None in begun.values():
        return max(known, key=lambda row: row.pk, default=None)
    return max(known, key=lambda row: (begun[row.pk], row.pk), default=None)


def _is_latest(row: Attempt, identity: Identity) -> bool:
    latest = latest_attempt(identity.attempts.all())
    return latest is not None and latest.pk == row.pk


def _settle(person: Participation, identity: Identity, rules: Reconciliation) -> None:
    """Set the person's work aside, or take it back, as their latest attempt and the rules say.

    Who is at work anew after a return goes on where they were stopped. What was excluded here stays
    aside, whatever Prolific says.
    """
    taken_back = _is_to_be_set_aside(identity, rules)
    if taken_back != person.taken_back:
        person.taken_back = taken_back
        person.save(update_fields=["taken_back"])
    if taken_back:
        set_aside(person=person)
        if person.state == Participation.State.ARRIVED:  # nothing to finish: it ends here
            leave(participation=person, outcome=Participation.Outcome.TAKEN_BACK)
    elif not is_excluded(person):
        latest = latest_attempt(identity.attempts.all())
        if latest is not None and latest.status in AT_WORK:
            resume(person=person)
        take_back(person=person, but=screens_excluded(person))


def _is_to_be_set_aside(identity: Identity, rules: Reconciliation) -> bool:
    latest = latest_attempt(identity.attempts.all())
    choices = {Status.RETURNED: rules.returned_work, Status.REJECTED: rules.rejected_work}
    choice = choices.get(latest.status) if latest is not None else None
    return choice == Reconciliation.Work.REOPEN


@transaction.atomic
def settle(*, identity: Identity) -> None:
    """Look again whether a person's work counts: they came anew, or the study's rules changed."""
    locked = Identity.objects.select_for_update().get(pk=identity.pk)
    if locked.participation_id is not None:
        person = lock_person(locked.participation_id)
        _settle(person, locked, rules_of(person.study))


def change_rules(*, study: Study, returned_work: str, rejected_work: str) -> int:
    """Change what happens to returned and rejected work, of those before as well; how many people.

    Raises ValueError for what is no choice.
    """
    for choice in (returned_work, rejected_work):
        Reconciliation.Work(choice)
    Reconciliation.objects.update_or_create(
        study=study, defaults={"returned_work": returned_work, "rejected_work": rejected_work}
    )
    touched = Identity.objects.filter(
        study=study,
        participation__isnull=False,
        attempts__status__in=[Status.RETURNED, Status.REJECTED],
    ).distinct()
    for identity in touched:
        settle(identity=identity)
    return len(touched)


@transaction.atomic
def known_attempt(
    *, study: Study, submission_id: str, participant_id: str, prolific_study_id: str = ""
) -> Attempt | None:
    """The attempt of a submission, made where nobody ever came with it; None without an id.

    One that never arrived is kept, so that both lists can be held against each other.
    """
    attempt = attempts_of(submission_id).filter(study=study).first()
    if attempt is not None or not participant_id:
        return attempt
    identity, _ = Identity.objects.get_or_create(
        study=study, source=Identity.Source.PROLIFIC, external_id=participant_id
    )
    attempt, _ = Attempt.objects.get_or_create(
        study=study,
        session_id=submission_id,
        defaults={"identity": identity, "prolific_study_id": prolific_study_id},
    )
    return attempt
