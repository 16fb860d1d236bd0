"""Events that Prolific sends: signed, in any order, some of them twice.

docs.prolific.com (API reference, Webhooks): ``X-Prolific-Request-Signature`` is the base64 of an
HMAC-SHA256 over the request's timestamp and its body; ``X-Event-ID`` names the event and stays the
same when it is sent again; ``X-Timestamp`` says when the event happened, so that an older one can
be told. An event of a submission names it, the person and the new status, but no study.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from annotation.prolific.client import as_status

STALE = timedelta(minutes=5)
SUBMISSION_CHANGED = "submission.status.change"


class EventRefused(Exception):
    """Not an event of Prolific's, or too old to be one. Nothing was changed."""


class BadSignature(EventRefused):
    """Nobody who knows the secret has signed this."""


class StaleEvent(EventRefused):
    """Signed, but sent long ago: somebody may be repeating it."""


class UnreadableEvent(EventRefused):
    """Signed, but not what the documentation says."""


@dataclass(frozen=True, slots=True)
class Event:
    id: str
    type: str
    submission_id: str
    participant_id: str
    status: str
    sent_at: datetime

    @property
    def is_of_a_submission(self) -> bool:
        return self.type == SUBMISSION_CHANGED


def signature(*, secret: str, timestamp: str, body: bytes) -> str:
    digest = hmac.new(secret.encode(), timestamp.encode() + body, hashlib.sha256).digest()
    return base64.b64encode(digest).decode()


def read_event(
    *, headers: Mapping[str, str], body: bytes, secrets: Sequence[str], now: datetime
) -> Event:
    """The event in a request, once it is known to be Prolific's.

    Raises BadSignature, StaleEvent or UnreadableEvent. ``secrets``: one a workspace; any may have
    signed it. ``X-Timestamp`` is not signed itself, so it can make an event older, never newer
    than the request.
    """
    timestamp = headers.get("X-Prolific-Request-Timestamp", "")
    signed = headers.get("X-Prolific-Request-Signature", "").encode()
    matches = [
        hmac.compare_digest(
            signature(secret=secret, timestamp=timestamp, body=body).encode(), signed
        )
        for secret in secrets
    ]
    if not any(matches):
        raise BadSignature("The signature does not match.")
    requested = _moment(timestamp)
    if requested is None or abs(now - requested) > STALE:
        raise StaleEvent("The request is older than 5 minutes, or its time is missing.")
    happened = _moment(headers.get("X-Timestamp", "")) or requested
    return _event(body, headers.get("X-Event-ID", ""), min(happened, requested))


def _event(body: bytes, event_id: str, sent_at: datetime) -> Event:
    try:
        content = json.loads(body)
    except ValueError as error:
        raise UnreadableEvent("The body is no JSON.") from error
    if not isinstance(content, dict) or not isinstance(content.get("event_type"), str):
        raise UnreadableEvent("The body names no event type.")
    event = Event(
        # Without an id of its own, an event is what it says.
        id=event_id[:80] or hashlib.sha256(str(sent_at).encode() + body).hexdigest(),
        type=content["event_type"][:60],
        submission_id=str(content.get("resource_id") or ""),
        participant_id=str(content.get("participant_id") or ""),
        status=as_status(str(content.get("status") or "")),
        sent_at=sent_at,
    )
    if event.is_of_a_submission and not (event.submission_id and event.status):
        raise UnreadableEvent("The event names no submission or no status.")
    return event


def _moment(text: str) -> datetime | None:
    """A UNIX time in seconds; some write milliseconds."""
    try:
        seconds = float(text)
        if seconds > 1e11:
            seconds /= 1000
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None
