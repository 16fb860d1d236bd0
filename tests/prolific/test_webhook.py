"""Signed events: which are believed."""

import json
from datetime import UTC, datetime

import pytest

from annotation.prolific.webhook import (
    BadSignature,
    StaleEvent,
    UnreadableEvent,
    read_event,
    signature,
)

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
SECRET = "shared"
BODY = json.dumps(
    {
        "resource_id": "s1",
        "event_type": "submission.status.change",
        "participant_id": "p1",
        "status": "RETURNED",
    }
).encode()


def signed(body=BODY, *, at=NOW, secret=SECRET, **more):
    timestamp = str(int(at.timestamp()))
    return {
        "X-Prolific-Request-Timestamp": timestamp,
        "X-Prolific-Request-Signature": signature(secret=secret, timestamp=timestamp, body=body),
    } | more


def read(headers, body=BODY, secrets=(SECRET,)):
    return read_event(headers=headers, body=body, secrets=secrets, now=NOW)


def test_a_signature_is_the_base64_of_an_hmac_over_timestamp_and_body():
    # By openssl: printf '1700000000{"a":1}' | openssl dgst -sha256 -hmac shared -binary | base64
    made = signature(secret=SECRET, timestamp="1700000000", body=b'{"a":1}')
    assert made == "jEfNYRnHRIwMqWFl46xfvEwLIzQMKtjddYc95O5F9CA="


def test_a_signed_event_is_read():
    event = read(signed(**{"X-Event-ID": "e1"}))
    assert (event.id, event.submission_id, event.participant_id) == ("e1", "s1", "p1")
    assert (event.status, event.sent_at) == ("RETURNED", NOW)


def test_any_of_several_workspaces_may_have_signed():
    assert read(signed(secret="second"), secrets=("first", "second")).status == "RETURNED"


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        (signed(secret="another"), BODY),
        (signed(), BODY.replace(b"RETURNED", b"APPROVED")),
        ({}, BODY),
        (signed() | {"X-Prolific-Request-Timestamp": "1777630000"}, BODY),
        (signed() | {"X-Prolific-Request-Signature": "höchst"}, BODY),
    ],
)
def test_what_is_not_signed_is_not_believed(headers, body):
    with pytest.raises(BadSignature):
        read(headers, body)


def test_without_a_secret_nothing_is_believed():
    with pytest.raises(BadSignature):
        read(signed(secret=""), secrets=())


@pytest.mark.parametrize("minutes", [-6, 6])
def test_a_request_of_another_time_is_refused(minutes):
    at = datetime.fromtimestamp(NOW.timestamp() + 60 * minutes, UTC)
    with pytest.raises(StaleEvent):
        read(signed(at=at))


def test_the_time_of_the_event_may_be_earlier_than_the_request_never_later():
    earlier, later = NOW.timestamp() - 3600, NOW.timestamp() + 3600
    assert read(signed(**{"X-Timestamp": str(earlier)})).sent_at.timestamp() == earlier
    assert read(signed(**{"X-Timestamp": str(later)})).sent_at == NOW
    assert read(signed(**{"X-Timestamp": str(int(earlier * 1000))})).sent_at.timestamp() == earlier


@pytest.mark.parametrize(
    "body", [b"no json", b"[]", b'{"event_type": "submission.status.change"}', b"{}"]
)
def test_a_signed_body_that_says_nothing_is_refused(body):
    with pytest.raises(UnreadableEvent):
        read(signed(body), body)


def test_an_event_without_an_id_is_known_by_what_it_says():
    assert read(signed()).id == read(signed()).id
    assert read(signed()).id != read(signed(**{"X-Timestamp": "1777630000"})).id
