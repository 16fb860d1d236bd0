"""The client, against a server that speaks Prolific's API."""

import socket

import pytest

from annotation.prolific import client as module
from annotation.prolific.client import Busy, Client, NoToken, as_moment, as_status
from tests.prolific_server import ProlificServer


@pytest.fixture
def prolific():
    with ProlificServer() as server:
        yield server


@pytest.fixture
def slept():
    return []


@pytest.fixture
def client(prolific, slept):
    return Client(token=prolific.token, base_url=prolific.api, longest_wait=30, sleep=slept.append)


def test_every_submission_of_a_study_comes_over_all_pages(prolific, client, monkeypatch):
    monkeypatch.setattr(module, "PAGE_SIZE", 10)
    for i in range(25):
        prolific.add(f"s{i}", pid=f"p{i}", study="st1", status="TIMED-OUT")
    prolific.add("other", pid="p99", study="st2")
    told = []
    rows = list(client.submissions("st1", told=lambda came, total: told.append((came, total))))
    assert [row.id for row in rows] == [f"s{i}" for i in range(25)]
    assert {row.status for row in rows} == {"TIMED-OUT"}
    assert told == [(10, 25), (20, 25), (25, 25)]


def test_a_list_and_a_single_submission_read_alike(prolific, client):
    prolific.add("s1", pid="p1", study="st1", status="AWAITING REVIEW", code="DONE42")
    listed, single = next(client.submissions("st1")), client.submission("s1")
    assert listed == single
    assert (single.participant_id, single.entered_code) == ("p1", "DONE42")
    assert single.started_at is not None and single.started_at.tzinfo is not None


def test_a_busy_service_is_waited_for_as_long_as_it_asks(prolific, client, slept):
    prolific.add("s1", pid="p1", study="st1")
    prolific.fail_next(429, retry_after=7)
    assert client.submission("s1").id == "s1"
    assert slept == [7.0]


def test_a_message_is_sent_once_more_only_after_it_was_not_taken(prolific, client, slept):
    prolific.fail_next(429, retry_after=2)
    client.send_message(participant_id="p1", study_id="st1", text="Thank you.")
    assert slept == [2.0] and len(prolific.messages) == 1
    prolific.fail_next(500)
    with pytest.raises(module.ServiceFailed, match="may or may not have been taken"):
        client.send_message(participant_id="p1", study_id="st1", text="Thank you.")
    assert len(prolific.messages) == 1


def test_a_wait_longer_than_allowed_is_refused_with_the_time_it_takes(prolific, client, slept):
    prolific.fail_next(429, retry_after=90)
    with pytest.raises(Busy, match="wait 90 s"):
        client.submission("s1")
    assert slept == []


def test_a_service_that_stays_busy_is_given_up(prolific, client, slept):
    prolific.fail_next(429, retry_after=1, times=9)
    with pytest.raises(Busy):
        client.submission("s1")
    assert len(slept) == module.TRIES - 1


def test_a_failure_is_asked_again_then_said(prolific, client):
    prolific.add("s1", pid="p1", study="st1")
    prolific.fail_next(503, times=2)
    assert client.submission("s1").id == "s1"
    prolific.fail_next(500, times=module.TRIES)
    with pytest.raises(module.ServiceFailed, match="error 500"):
        client.submission("s1")


def test_refusals_have_names_and_their_own_words(prolific, client):
    with pytest.raises(module.NotThere):
        client.submission("nobody")
    with pytest.raises(module.Refused, match="message of 100 characters"):
        prolific.add("s1", pid="p1", study="st1", status="AWAITING REVIEW")
        client.reject("s1", message="too short")
    stranger = Client(token="wrong", base_url=prolific.api)
    with pytest.raises(module.TokenRefused, match="PROLIFIC_TOKEN"):
        stranger.submission("s1")


def test_a_redirect_is_not_followed_so_the_token_stays_here(prolific, client):
    prolific.fail_next(302)
    with pytest.raises(module.UnexpectedAnswer, match="sent us elsewhere"):
        client.submission("s1")
    assert len(prolific.calls) == 1


def test_nobody_at_the_address_is_said(slept):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    alone = Client(token="t", base_url=f"http://127.0.0.1:{port}/api/v1", sleep=slept.append)
    with pytest.raises(module.Unreachable, match="did not answer"):
        alone.submission("s1")


def test_a_slow_answer_ends_by_itself(prolific, client, monkeypatch):
    monkeypatch.setattr(module, "TIMEOUT", 0.05)
    prolific.fail_next(200, slow=0.5, times=module.TRIES)
    with pytest.raises(module.Unreachable):
        client.submission("s1")


def test_without_a_token_nothing_is_asked(settings):
    settings.PROLIFIC_TOKEN = ""
    with pytest.raises(NoToken, match="PROLIFIC_TOKEN"):
        Client()


def test_returns_approvals_and_rejections_reach_prolific(prolific, client):
    for name in ("s1", "s2", "s3"):
        prolific.add(name, pid="p1", study="st1", status="AWAITING REVIEW")
    client.request_return("s1", reason="Not finished.")
    client.approve("s2")
    client.reject("s3", message="x" * 100)
    assert prolific.return_requests == [("s1", ["Not finished."])]
    assert prolific.submissions["s2"]["status"] == "APPROVED"
    assert prolific.transitions[1][1]["rejection_category"] == "FAILED_CHECK"


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("AWAITING_REVIEW", "AWAITING REVIEW"),
        ("Awaiting review", "AWAITING REVIEW"),
        ("TIMED-OUT", "TIMED-OUT"),
        ("timed_out", "TIMED-OUT"),
        ("SCREENED OUT", "SCREENED OUT"),
    ],
)
def test_a_status_has_one_spelling(written, stored):
    assert as_status(written) == stored


def test_a_time_without_a_zone_is_in_utc():
    assert as_moment("2026-05-01 10:11:12.5").isoformat() == "2026-05-01T10:11:12.500000+00:00"
    assert as_moment("") is None
    with pytest.raises(ValueError, match="no date and time"):
        as_moment("yesterday")
