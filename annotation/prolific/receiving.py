"""Events that came and are believed: stored once, applied at once, in one transaction."""

from __future__ import annotations

import logging
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from kombu.exceptions import ChannelError, OperationalError

from annotation.models import ProlificEvent, Reconciliation
from annotation.prolific.erased import attempts_of
from annotation.prolific.statuses import Applied, News, Source, Status, apply_status
from annotation.prolific.webhook import Event

logger = logging.getLogger("concord.prolific")

Result = ProlificEvent.Result
GIVE_UP_AFTER = timedelta(days=1)


@transaction.atomic
def receive(*, event: Event) -> ProlificEvent:
    """Store an event and apply it; one that came before changes nothing.

    An event names no study, so it is applied where its submission is known. Where it is not, the
    row waits until a worker has asked Prolific; without a token nobody can, and the next uploaded
    export tells.
    """
    row, made = ProlificEvent.objects.get_or_create(
        event_id=event.id,
        defaults={
            "type": event.type,
            "submission_id": event.submission_id[:80] if event.is_of_a_submission else "",
            "status": event.status[:20] if event.is_of_a_submission else "",
            "sent_at": event.sent_at,
        },
    )
    if made:
        row.result = _apply(row) if event.is_of_a_submission else Result.IGNORED
        row.save(update_fields=["attempt", "result", "submission_id"])
    return row


def _apply(row: ProlificEvent) -> str:
    attempts = list(attempts_of(row.submission_id).select_related("identity").order_by("pk"))
    if not attempts:
        return Result.WAITING if settings.PROLIFIC_TOKEN else Result.UNKNOWN
    returned_at = row.sent_at if row.status == Status.RETURNED else None
    news = News(status=row.status, source=Source.WEBHOOK, at=row.sent_at, returned_at=returned_at)
    outcomes = set()
    for attempt in attempts:
        outcomes.add(apply_status(attempt=attempt, news=news))
        Reconciliation.objects.update_or_create(
            study=attempt.study, defaults={"event_at": timezone.now()}
        )
    row.attempt = attempts[0]
    if row.attempt.identity.erased_at is not None:
        row.submission_id = ""
    if Applied.APPLIED in outcomes:
        return Result.APPLIED
    return Result.OLDER if Applied.OLDER in outcomes else Result.KNOWN


def catch_up(*, row: ProlificEvent) -> bool:
    """Apply an event whose submission has become known since. False: it still has not."""
    if not attempts_of(row.submission_id).exists():
        return False
    with transaction.atomic():
        row.result = _apply(row)
        row.save(update_fields=["attempt", "result", "submission_id"])
    return True


def catch_up_with(*, session_id: str) -> int:
    """Apply the events of a submission that came before its person did; how many there were.

    Prolific may tell that somebody is at work before their browser has opened our link.
    """
    early = ProlificEvent.objects.filter(
        submission_id=session_id, result__in=[Result.WAITING, Result.UNKNOWN]
    )
    return sum(catch_up(row=row) for row in early.order_by("sent_at", "pk"))


def waiting_events() -> list[ProlificEvent]:
    """Events that lost their worker. Those nobody could explain for a day are given up."""
    now = timezone.now()
    waiting = ProlificEvent.objects.filter(result=Result.WAITING)
    waiting.filter(received_at__lt=now - GIVE_UP_AFTER).update(result=Result.UNKNOWN)
    return list(waiting.filter(received_at__lt=now - timedelta(minutes=1)))


def send_off(task, pk: int) -> None:
    """Give work to a worker. A message that gets lost is sent again by the next look for such."""
    try:
        task.delay(pk)
    except (OperationalError, ChannelError):
        logger.error("The broker took no message for %s %s; it waits", task.name, pk)
