"""Events, lists and exports, from the request to the row."""

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone

from annotation import tasks
from annotation.models import Attempt, Identity, Place, ProlificEvent, Reconciliation
from annotation.prolific import polling, receiving
from annotation.prolific.client import Client, NoToken, TokenRefused
from annotation.prolific.export import read_export
from annotation.prolific.polling import AskedAlready, NotLinked, poll_study, take_export
from studies.models import Recruitment
from tests.prolific.conftest import attempt_of, came, finish, rate

URL = "/hooks/prolific/"


def post(client, headers, body):
    names = {f"HTTP_{k.upper().replace('-', '_')}": v for k, v in headers.items() if k[0] == "X"}
    return client.post(URL, body, content_type="application/json", **names)


def test_a_signed_event_is_applied_and_its_repeat_is_not(client, prolific, study):
    person = came(study)
    rate(study, person, 1)
    prolific.add("s1", pid="p1", study="st1", status="RETURNED")
    headers, body = prolific.event("s1")
    assert post(client, headers, body).status_code == 200
    assert attempt_of(person).status == "RETURNED"
    assert not Place.objects.filter(holder=person).exists()
    Attempt.objects.update(status="ACTIVE")
    assert post(client, headers, body).status_code == 200
    assert attempt_of(person).status == "ACTIVE"
    assert ProlificEvent.objects.get().result == "applied"
    assert Reconciliation.objects.get().event_at is not None


def test_events_in_the_wrong_order_end_with_the_newest(client, prolific, study):
    person = came(study)
    prolific.add("s1", pid="p1", study="st1")
    now = timezone.now().timestamp()
    for status, ago in (("AWAITING REVIEW", 10), ("ACTIVE", 90), ("APPROVED", 5), ("RETURNED", 7)):
        post(client, *prolific.event("s1", status=status, happened=now - ago))
    assert attempt_of(person).status == "APPROVED"
    assert list(ProlificEvent.objects.order_by("id").values_list("result", flat=True)) == [
        "applied",
        "older",
        "applied",
        "older",
    ]


def test_an_event_that_fails_half_way_is_taken_when_it_is_sent_again(
    client, prolific, study, monkeypatch
):
    person = came(study)
    prolific.add("s1", pid="p1", study="st1", status="RETURNED")
    headers, body = prolific.event("s1")

    def fail(**_):
        raise RuntimeError("the database is gone")

    monkeypatch.setattr(receiving, "apply_status", fail)
    with pytest.raises(RuntimeError):
        post(client, headers, body)
    monkeypatch.undo()
    assert post(client, headers, body).status_code == 200
    assert attempt_of(person).status == "RETURNED"


@pytest.mark.parametrize("kwargs", [{"secret": "wrong"}, {"requested": 1_700_000_000}])
def test_an_event_that_is_not_believed_changes_nothing(client, prolific, study, kwargs):
    person = came(study)
    prolific.add("s1", pid="p1", study="st1", status="RETURNED")
    assert post(client, *prolific.event("s1", **kwargs)).status_code == 401
    assert attempt_of(person).status == "" and not ProlificEvent.objects.exists()


def test_without_a_secret_the_address_says_so(client, prolific, settings, study):
    settings.PROLIFIC_WEBHOOK_SECRETS = []
    prolific.add("s1", pid="p1", study="st1")
    assert post(client, *prolific.event("s1")).status_code == 503
    assert client.get(URL).status_code == 405


def test_a_body_that_is_too_large_is_not_read(client, prolific, db):
    assert post(client, {}, b"x" * 70_000).status_code == 413


def test_an_event_of_another_kind_is_kept_and_passed_over(client, prolific, study):
    prolific.add("s1", pid="p1", study="st1")
    _, body = prolific.event("s1")
    body = body.replace(b"submission.status.change", b"study.status.change")
    stamp = str(int(timezone.now().timestamp()))
    from annotation.prolific.webhook import signature

    signed = signature(secret=prolific.secret, timestamp=stamp, body=body)
    headers = {
        "X-Prolific-Request-Timestamp": stamp,
        "X-Prolific-Request-Signature": signed,
        "X-Event-ID": "e",
    }
    assert post(client, headers, body).status_code == 200
    event = ProlificEvent.objects.get()
    assert (event.result, event.submission_id) == ("ignored", "")


def test_an_event_of_somebody_unknown_is_explained_by_prolific(client, prolific, study):
    prolific.add("s7", pid="p7", study="st1", status="ACTIVE")
    post(client, *prolific.event("s7"))
    event = ProlificEvent.objects.get()
    assert event.result == "waiting"
    tasks.place_prolific_event(event.pk)
    event.refresh_from_db()
    assert event.result == "applied"
    attempt = Attempt.objects.get(session_id="s7")
    assert (attempt.status, attempt.arrived_at) == ("ACTIVE", None)
    assert Identity.objects.get(external_id="p7").participation is None


def test_an_event_of_another_study_in_the_workspace_leaves_nobodys_id_here(client, prolific, study):
    prolific.add("s8", pid="p8", study="another")
    post(client, *prolific.event("s8"))
    tasks.place_prolific_event(ProlificEvent.objects.get().pk)
    assert ProlificEvent.objects.get().result == "unknown"
    assert not Identity.objects.exists()


def test_what_prolific_does_not_explain_now_waits_and_is_given_up_after_a_day(
    client, prolific, study
):
    prolific.add("s7", pid="p7", study="st1")
    post(client, *prolific.event("s7"))
    event = ProlificEvent.objects.get()
    prolific.fail_next(500, times=9)
    tasks.place_prolific_event(event.pk)
    ProlificEvent.objects.update(received_at=timezone.now() - timezone.timedelta(minutes=5))
    assert receiving.waiting_events() == [event]
    ProlificEvent.objects.update(received_at=timezone.now() - timezone.timedelta(days=2))
    assert receiving.waiting_events() == []
    assert ProlificEvent.objects.get().result == "unknown"


def test_a_poll_takes_every_submission_and_says_what_came(prolific, study):
    person = came(study)
    finish(study, person)
    prolific.add("s1", pid="p1", study="st1", status="AWAITING REVIEW", code="DONE42")
    prolific.add("s2", pid="p2", study="st1", status="RETURNED")
    prolific.add("s3", pid="p3", study="st2", status="RETURNED")
    taken = poll_study(study=study)
    assert taken.sentence() == (
        "2 submissions read, 2 changed, 1 of people who never opened our link."
    )
    row = Reconciliation.objects.get()
    assert row.polled_at is not None and row.poll_asked_at is None
    assert (row.poll_done, row.poll_total) == (2, 2)
    assert attempt_of(person).entered_code == "DONE42"
    assert poll_study(study=study).changed == 0


def test_a_study_with_a_study_a_country_there_is_asked_about_each(prolific, study):
    Recruitment.objects.update(prolific_study_id="st1 st2")
    prolific.add("s1", pid="p1", study="st1")
    prolific.add("s2", pid="p2", study="st2")
    assert poll_study(study=study).seen == 2


def test_a_poll_that_fails_keeps_what_came_and_says_why(prolific, study, monkeypatch):
    came(study)
    prolific.add("s1", pid="p1", study="st1", status="RETURNED")
    Recruitment.objects.update(prolific_study_id="st1 unknown")
    with pytest.raises(polling.ProlificError):
        poll_study(study=study)
    row = Reconciliation.objects.get()
    assert "knows nothing by this id" in row.poll_error and row.poll_failed_at
    assert Attempt.objects.get(session_id="s1").status == "RETURNED"
    Recruitment.objects.update(prolific_study_id="st1")
    poll_study(study=study)
    assert Reconciliation.objects.get().poll_error == ""


def test_a_wrong_token_changes_nothing(prolific, study):
    with pytest.raises(TokenRefused):
        poll_study(study=study, client=Client(token="wrong"))
    tasks.poll_prolific(study.pk)
    assert Reconciliation.objects.get().poll_error == ""


def test_without_a_token_a_poll_says_what_to_do(study, settings):
    settings.PROLIFIC_TOKEN = ""
    with pytest.raises(NoToken):
        poll_study(study=study)
    assert "PROLIFIC_TOKEN" in Reconciliation.objects.get().poll_error


def test_the_button_asks_once_and_only_where_a_study_is_linked(study):
    polling.request_poll(study=study)
    with pytest.raises(AskedAlready):
        polling.request_poll(study=study)
    Recruitment.objects.update(prolific_study_id="")
    with pytest.raises(NotLinked):
        polling.request_poll(study=study)


def test_studies_that_collect_are_asked_about_now_and_then(prolific, study, settings):
    assert polling.studies_due() == [study]
    poll_study(study=study)
    assert polling.studies_due() == []
    Reconciliation.objects.update(polled_at=timezone.now() - timezone.timedelta(minutes=11))
    assert polling.studies_due() == [study]
    type(study).objects.update(state="closed")
    assert polling.studies_due() == []
    came_late = Identity.objects.create(study=study, source="prolific", external_id="p1")
    Attempt.objects.create(identity=came_late, study=study, session_id="s1")
    assert polling.studies_due() == [study]
    settings.PROLIFIC_POLL_MINUTES = 0
    assert polling.studies_due() == []


def test_a_worker_takes_up_what_lost_its_message(prolific, study, monkeypatch):
    sent = []
    monkeypatch.setattr(receiving, "send_off", lambda task, pk: sent.append((task.name, pk)))
    monkeypatch.setattr(tasks, "close_old_connections", lambda: None)
    polling.request_poll(study=study)
    Reconciliation.objects.update(poll_asked_at=timezone.now() - timezone.timedelta(minutes=2))
    tasks.take_up()
    assert sent == [("annotation.poll_prolific", study.pk)]
    # Nobody asked, but it is due: one look sends a message, the next one none.
    Reconciliation.objects.update(poll_asked_at=None, polled_at=None)
    tasks.take_up()
    tasks.take_up()
    assert len(sent) == 2


def test_the_command_asks_about_one_or_all(prolific, study, capsys):
    prolific.add("s1", pid="p1", study="st1")
    call_command("poll_prolific")
    call_command("poll_prolific", "weddings")
    assert capsys.readouterr().out.startswith("weddings: 1 submission read, 1 changed")
    with pytest.raises(CommandError, match="no study"):
        call_command("poll_prolific", "funerals")
    prolific.fail_next(401)
    with pytest.raises(CommandError, match="1 of 1"):
        call_command("poll_prolific")


def test_an_export_is_taken_row_by_row(study):
    person = came(study)
    rate(study, person, 1)
    table = (
        "Submission id,Participant id,Status,Completion code\n"
        "s1,p1,RETURNED,\ns2,p2,AWAITING REVIEW,NOCODE\ns3,CONSENT_REVOKED,APPROVED,\n"
    )
    taken = take_export(study=study, rows=read_export(table.encode()))
    assert (taken.seen, taken.changed, taken.never_arrived, taken.unnamed) == (3, 2, 1, 1)
    assert attempt_of(person).status_source == "csv"
    assert not Place.objects.filter(holder=person).exists()
    assert Reconciliation.objects.get().uploaded_at is not None


def test_the_hook_has_one_address():
    assert reverse("prolific:event") == URL
