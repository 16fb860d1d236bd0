"""Asking Prolific for every submission of a study, and taking what an export says of them."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from annotation.models import Attempt, ProlificEvent, Reconciliation
from annotation.prolific.client import Client, ProlificError, Submission
from annotation.prolific.erased import erased_mark
from annotation.prolific.export import ExportRow
from annotation.prolific.receiving import catch_up
from annotation.prolific.statuses import Applied, News, Source, Status, apply_status, known_attempt
from studies.models import Recruitment, Study

logger = logging.getLogger("concord.prolific")

LOST_AFTER = timedelta(minutes=10)
FINAL = {Status.APPROVED, Status.RETURNED, Status.REJECTED, Status.SCREENED_OUT}


class NotLinked(ProlificError):
    """The study names no study on Prolific."""


class AskedAlready(ProlificError):
    """Prolific is being asked about this study at the moment."""


@dataclass(slots=True)
class Taken:
    """What came of a list of submissions. ``unnamed``: nobody's id stands with them any more."""

    seen: int = 0
    changed: int = 0
    never_arrived: int = 0
    unnamed: int = 0

    def sentence(self) -> str:
        parts = [f"{self.seen} submission{'' if self.seen == 1 else 's'} read"]
        parts.append(f"{self.changed} changed")
        if self.never_arrived:
            parts.append(f"{self.never_arrived} of people who never opened our link")
        if self.unnamed:
            parts.append(f"{self.unnamed} left out: consent was taken back, nobody is named")
        return ", ".join(parts) + "."


def request_poll(*, study: Study) -> None:
    """Ask a worker to ask Prolific. Raises NotLinked, or AskedAlready where one is at it."""
    if not _prolific_ids(study):
        raise NotLinked(
            "No study on Prolific is linked to this one, so there is nothing to ask for. "
            "Write its id on the page of this study's ways to come in."
        )
    if not _claim(study):
        raise AskedAlready("Prolific is being asked already. The page shows it when it is done.")


def _claim(study: Study) -> bool:
    """Of many who want a study asked about, one gets to send the message."""
    now = timezone.now()
    Reconciliation.objects.get_or_create(study=study)
    free = Q(poll_asked_at=None) | Q(poll_asked_at__lt=now - LOST_AFTER)
    return bool(
        _row(study)
        .filter(free)
        .update(poll_asked_at=now, poll_began_at=None, poll_done=0, poll_total=0)
    )


def poll_study(*, study: Study, client: Client | None = None) -> Taken:
    """Ask for every submission and apply what is said. What came before a failure stays applied.

    Raises ProlificError, which is also kept for the page.
    """
    Reconciliation.objects.get_or_create(study=study)
    began, taken = timezone.now(), Taken()
    _row(study).update(poll_asked_at=began, poll_began_at=began, poll_done=0, poll_total=0)

    def told(came: int, total: int) -> None:
        _row(study).update(poll_done=came, poll_total=max(came, total))

    try:
        ids = _prolific_ids(study)
        if not ids:
            raise NotLinked("No study on Prolific is linked to this one.")
        asking = client or Client(longest_wait=30)
        for prolific_id in ids:
            _take_list(study, asking.submissions(prolific_id, told=told), began, taken)
    except ProlificError as error:
        _row(study).update(poll_asked_at=None, poll_error=str(error), poll_failed_at=timezone.now())
        raise
    _row(study).update(poll_asked_at=None, polled_at=began, poll_error="", poll_failed_at=None)
    return taken


def _take_list(study: Study, submissions, began: datetime, taken: Taken) -> None:
    stored = {row.session_id: row for row in Attempt.objects.filter(study=study)}
    for submission in submissions:
        attempt = stored.get(submission.id) or stored.get(erased_mark(submission.id))
        if attempt is not None and _says_nothing_new(attempt, submission):
            _count(taken, attempt, Applied.KNOWN)
            continue
        attempt = attempt or known_attempt(
            study=study,
            submission_id=submission.id,
            participant_id=submission.participant_id,
            prolific_study_id=submission.study_id,
        )
        if attempt is None:
            taken.seen += 1
            taken.unnamed += 1
            continue
        _count(taken, attempt, apply_status(attempt=attempt, news=_news(submission, began)))


def _says_nothing_new(attempt: Attempt, submission: Submission) -> bool:
    """Most submissions, most of the time: no lock is taken for them."""
    has, said = attempt, submission
    return (has.status, has.entered_code, has.started_at, has.completed_at) == (
        *(said.status, said.entered_code or has.entered_code),
        *(said.started_at or has.started_at, said.completed_at or has.completed_at),
    )


def _news(submission: Submission, at: datetime) -> News:
    return News(
        status=submission.status,
        source=Source.POLL,
        at=at,
        entered_code=submission.entered_code,
        started_at=submission.started_at,
        completed_at=submission.completed_at,
    )


def take_export(*, study: Study, rows: list[ExportRow]) -> Taken:
    """Apply an uploaded export.."""
    taken, now = Taken(), timezone.now()
    Reconciliation.objects.get_or_create(study=study)
    for row in rows:
        attempt = known_attempt(
            study=study, submission_id=row.submission_id, participant_id=row.participant_id
        )
        if attempt is None:
            taken.seen += 1
            taken.unnamed += 1
            continue
        news = News(
            status=row.status,
            source=Source.CSV,
            at=now,
            entered_code=row.entered_code,
            started_at=row.started_at,
            completed_at=row.completed_at,
            returned_at=row.returned_at,
        )
        _count(taken, attempt, apply_status(attempt=attempt, news=news))
    _row(study).update(uploaded_at=now)
    return taken


def _count(taken: Taken, attempt: Attempt, outcome: Applied) -> None:
    taken.seen += 1
    taken.changed += outcome is Applied.APPLIED
    taken.never_arrived += attempt.arrived_at is None


def place_event(*, event: ProlificEvent, client: Client | None = None) -> None:
    """Ask Prolific whose an event is that no attempt here explains. Raises ProlificError."""
    if catch_up(row=event):
        return
    submission = (client or Client(longest_wait=30)).submission(event.submission_id)
    found = [
        row.study
        for row in Recruitment.objects.filter(uses_prolific=True).select_related("study")
        if submission.study_id in row.prolific_study_ids
    ]
    for study in found:
        attempt = known_attempt(
            study=study,
            submission_id=submission.id,
            participant_id=submission.participant_id,
            prolific_study_id=submission.study_id,
        )
        if attempt is not None:
            apply_status(attempt=attempt, news=_news(submission, timezone.now()))
            event.attempt, event.result = attempt, ProlificEvent.Result.APPLIED
    if not found:
        event.result = ProlificEvent.Result.UNKNOWN
    event.save(update_fields=["attempt", "result"])


def studies_due() -> list[Study]:
    """Studies that collect, or have submissions that may still change, not asked about lately."""
    if not settings.PROLIFIC_TOKEN or not settings.PROLIFIC_POLL_MINUTES:
        return []
    since = timezone.now() - timedelta(minutes=settings.PROLIFIC_POLL_MINUTES)
    quiet = (
        Study.objects.filter(recruitment__uses_prolific=True, archived_at=None)
        .exclude(recruitment__prolific_study_id="")
        .exclude(state=Study.State.DRAFT)
        .exclude(reconciliation__polled_at__gt=since)
        .exclude(reconciliation__poll_failed_at__gt=since)
        .exclude(reconciliation__poll_asked_at__gt=timezone.now() - LOST_AFTER)
    )
    unsettled = Attempt.objects.exclude(status__in=FINAL).values("study")
    live = [Study.State.LIVE, Study.State.PILOT]
    return list(quiet.filter(Q(state__in=live) | Q(pk__in=unsettled)))


def claim_due() -> list[Study]:
    """The studies that are due, each given to one who asks."""
    return [study for study in studies_due() if _claim(study)]


def asked_for() -> list[Study]:
    """Studies whose poll was asked for and begun by nobody: its message was lost."""
    waits = timezone.now() - timedelta(minutes=1)
    lost = Reconciliation.objects.filter(poll_asked_at__lt=waits, poll_began_at=None)
    return [row.study for row in lost.select_related("study")]


def _prolific_ids(study: Study) -> list[str]:
    row = Recruitment.objects.filter(study=study, uses_prolific=True).first()
    return row.prolific_study_ids if row is not None else []


def _row(study: Study):
    return Reconciliation.objects.filter(study=study)
