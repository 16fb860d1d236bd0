"""Asking to return, approving, writing, rejecting: within the rules, recorded, sent once."""

import re

import pytest
from django.utils import timezone

from annotation.models import CheckAnswer, Identity, ProlificAction
from annotation.models.checks import ComprehensionTry
from annotation.prolific import client as client_module
from annotation.prolific.actions import (
    ActionRefused,
    allowed,
    perform,
    ready_text,
)
from annotation.prolific.client import NoToken
from annotation.prolific.grounds import grounds_of
from annotation.prolific.statuses import known_attempt
from studies.models import Recruitment
from tests.prolific.conftest import attempt_of, came, finish, hear, rate

LONG = (
    "On our side nothing came in from you. Please return the submission, or write to us here. " * 2
)


@pytest.fixture
def promised(request, draft_study):
    """The minutes that people are promised, before anybody comes."""
    draft_study.estimated_minutes = request.param
    draft_study.save(update_fields=["estimated_minutes"])


@pytest.fixture
def sent(prolific, study):
    """Somebody who finished and handed in."""
    person = came(study)
    finish(study, person)
    prolific.add("s1", pid="p1", study="st1", status="AWAITING REVIEW", code="DONE42")
    hear(person, "AWAITING REVIEW", entered_code="DONE42")
    return person


def fail_checks(person, n):
    CheckAnswer.objects.filter(assignment__participation=person).delete()
    for screen in person.assignments.all()[:n]:
        CheckAnswer.objects.create(assignment=screen, value=1, passed=False)


def do(person, kind, text="", key="a" * 32, by=None):
    return perform(attempt=attempt_of(person), kind=kind, text=text, by=by, key=key)


def test_a_return_is_asked_for_in_words_of_a_hundred_characters(prolific, sent, researcher):
    row = do(sent, "ask-to-return", LONG, by=researcher)
    assert (row.state, row.by, row.participation) == ("done", researcher, sent)
    assert prolific.return_requests == [("s1", [LONG.strip()])]
    with pytest.raises(ActionRefused, match="of at least 100"):
        do(sent, "ask-to-return", "Please return.", key="b" * 32)


def test_the_same_form_twice_sends_once(prolific, sent):
    first, second = do(sent, "message", "Thank you."), do(sent, "message", "Thank you.")
    assert first.pk == second.pk and len(prolific.messages) == 1
    assert prolific.messages[0] == {
        "recipient_id": "p1",
        "body": "Thank you.",
        "study_id": "st1",
    }


def test_an_approval_is_known_here_at_once_and_not_given_twice(prolific, sent):
    do(sent, "approve")
    assert attempt_of(sent).status == "APPROVED"
    with pytest.raises(ActionRefused, match="approved cannot be approved"):
        do(sent, "approve", key="b" * 32)
    assert len(prolific.transitions) == 1


@pytest.mark.parametrize(
    ("promised", "failed"), [(15, 0), (15, 1), (5, 1), (4, 0)], indirect=["promised"]
)
def test_no_rejection_before_the_rule_allows_it(promised, prolific, sent, failed):
    fail_checks(sent, failed)
    with pytest.raises(ActionRefused, match="Ask to return instead"):
        do(sent, "reject", LONG)
    assert not prolific.transitions and not ProlificAction.objects.exists()


@pytest.mark.parametrize(("promised", "failed"), [(15, 2), (4, 1)], indirect=["promised"])
def test_a_rejection_within_the_rule_sets_the_work_aside(promised, prolific, sent, failed):
    fail_checks(sent, failed)
    assert do(sent, "reject", LONG).state == "done"
    assert prolific.transitions[0][1]["rejection_category"] == "FAILED_CHECK"
    sent.refresh_from_db()
    assert sent.set_aside_at is not None
    assert attempt_of(sent).status == "REJECTED"


@pytest.mark.parametrize(("promised", "now"), [(15, 4), (4, 15)], indirect=["promised"])
def test_another_estimate_afterwards_allows_no_rejection_sooner(
    promised, prolific, study, sent, now
):
    type(study).objects.update(estimated_minutes=now)
    fail_checks(sent, 1)
    with pytest.raises(ActionRefused, match="takes 15 min"):
        do(sent, "reject", LONG)
    assert not prolific.transitions


def test_missed_comprehension_questions_are_no_ground(sent):
    for number in (1, 2):
        ComprehensionTry.objects.create(
            participation=sent, number=number, chosen={"q": 2}, missed=["q"]
        )
    fail_checks(sent, 0)
    assert grounds_of(sent).n == 0
    assert not allowed(attempt_of(sent)).reject.allowed


def test_a_refusal_of_prolifics_is_kept_in_its_own_words(prolific, sent):
    prolific.fail_next(400)
    row = do(sent, "approve")
    assert (row.state, row.result) == ("failed", "Prolific refused: as the test wished")
    assert attempt_of(sent).status == "AWAITING REVIEW"


def test_what_may_or_may_not_have_arrived_is_said_to_be_unclear(prolific, sent, monkeypatch):
    monkeypatch.setattr(client_module, "TIMEOUT", 0.05)
    prolific.fail_next(200, slow=0.5)
    row = do(sent, "message", "Thank you.")
    assert row.state == "unclear" and "look on Prolific" in row.result


def test_a_busy_service_is_not_waited_for_by_a_page(prolific, sent):
    prolific.fail_next(429, retry_after=60)
    row = do(sent, "message", "Thank you.")
    assert row.state == "failed" and "wait 60 s" in row.result


def test_without_a_token_nothing_is_written_down_as_sent(sent, settings):
    settings.PROLIFIC_TOKEN = ""
    with pytest.raises(NoToken):
        do(sent, "approve")
    assert not ProlificAction.objects.exists()


def test_whose_id_was_erased_cannot_be_written_to(sent):
    Identity.objects.update(erased_at=timezone.now(), external_id="gone")
    fail_checks(sent, 2)
    may = allowed(attempt_of(sent))
    assert not any(may.includes(kind) for kind in ProlificAction.Kind.values)
    with pytest.raises(ActionRefused, match="erased"):
        do(sent, "reject", LONG)


@pytest.mark.parametrize("kind", ["ask-to-return", "reject"])
def test_a_ready_text_is_long_enough_and_blames_nobody(study, sent, kind):
    text = ready_text(kind, attempt=attempt_of(sent), sent=6)
    assert 100 <= len(text) <= 600
    assert not re.search(r"wrong|careless|cheat|fault", text, re.IGNORECASE)


def titles_in(html: str) -> list[str]:
    """What may be done, in the order of the page."""
    return re.findall(r'<details class="act [^>]*>\s*<summary>(.*?)</summary>', html)


def page_of(client, person):
    pk = Identity.objects.get(participation=person).pk
    return f"/studies/weddings/arrivals/{pk}/"


def test_the_page_offers_the_return_first_and_no_rejection(client, researcher, sent):
    client.force_login(researcher)
    html = client.get(page_of(client, sent)).content.decode()
    titles = titles_in(html)
    assert titles == ["Ask to return", "Approve", "Message"]
    assert "Prolific allows a rejection after 2 failed attention checks" in html


def test_a_rejection_that_the_rule_allows_stands_last_with_the_rule(client, researcher, sent):
    fail_checks(sent, 2)
    client.force_login(researcher)
    html = client.get(page_of(client, sent)).content.decode()
    assert titles_in(html) == ["Ask to return", "Approve", "Message", "Reject"]
    assert "This person failed 2." in html


def test_a_form_sent_twice_sends_once_and_is_recorded(client, researcher, prolific, sent):
    client.force_login(researcher)
    url = page_of(client, sent)
    html = client.get(url).content.decode()
    key = re.search(r'name="key" value="(\w+)"', html)[1]
    form = {"kind": "ask-to-return", "text": LONG, "key": key, "attempt": attempt_of(sent).pk}
    client.post(f"{url}act/", form)
    client.post(f"{url}act/", form)
    assert len(prolific.return_requests) == 1
    html = client.get(url).content.decode()
    assert "Asked to return" in html and "ana" in html and LONG.strip()[:40] in html


def test_of_two_who_decide_at_once_the_second_reads_what_the_first_did(
    client, researcher, colleague, prolific, sent
):
    client.force_login(researcher)
    url = page_of(client, sent)
    pages = [client.get(url).content.decode() for _ in range(2)]  # both look before either acts
    forms = [
        {name: re.search(rf'name="{name}" value="(\w+)"', html)[1] for name in FORM}
        for html in pages
    ]
    client.post(f"{url}act/", forms[0] | {"kind": "ask-to-return", "text": LONG})
    answer = client.post(f"{url}act/", forms[1] | {"kind": "approve"})
    assert answer.status_code == 422
    assert "ana was faster" in answer.content.decode()
    assert not prolific.transitions and len(prolific.return_requests) == 1
    # Who has read it may decide otherwise.
    again = {
        name: re.search(rf'name="{name}" value="(\w+)"', answer.content.decode())[1]
        for name in FORM
    }
    client.post(f"{url}act/", again | {"kind": "approve"})
    assert len(prolific.transitions) == 1


FORM = ("key", "attempt", "seen")


def test_a_text_that_is_too_short_comes_back_with_what_was_written(client, researcher, sent):
    client.force_login(researcher)
    url = page_of(client, sent)
    form = {"kind": "ask-to-return", "text": "Please return it.", "key": "k" * 32}
    answer = client.post(f"{url}act/", form | {"attempt": attempt_of(sent).pk})
    assert answer.status_code == 422
    assert "17 of at least 100" in answer.content.decode()
    assert "Please return it." in answer.content.decode()


@pytest.mark.parametrize("change", [{"kind": "burn"}, {"attempt": "9999"}, {"key": "short"}])
def test_a_form_that_is_not_ours_sends_nothing(client, researcher, prolific, sent, change):
    client.force_login(researcher)
    form = {"kind": "approve", "key": "k" * 32, "attempt": attempt_of(sent).pk} | change
    assert client.post(f"{page_of(client, sent)}act/", form).status_code == 422
    assert not prolific.transitions


def test_a_rejection_posted_by_hand_is_refused_too(client, researcher, prolific, sent):
    client.force_login(researcher)
    form = {"kind": "reject", "text": LONG, "key": "k" * 32, "attempt": attempt_of(sent).pk}
    answer = client.post(f"{page_of(client, sent)}act/", form)
    assert answer.status_code == 422 and not prolific.transitions


def test_somebody_unfinished_is_asked_in_the_facts(client, researcher, study):
    person = came(study)
    rate(study, person, 2)
    text = ready_text("ask-to-return", attempt=attempt_of(person), sent=2)
    assert "2 of 6 tasks came in" in text


def test_who_is_known_from_a_file_only_is_written_to_by_the_linked_study(prolific, study):
    attempt = known_attempt(study=study, submission_id="s9", participant_id="p9")
    hear(attempt, "AWAITING REVIEW")
    perform(attempt=attempt, kind="message", text="Did the page open?", by=None, key="k" * 32)
    assert prolific.messages[0]["study_id"] == "st1"
    Recruitment.objects.update(prolific_study_id="")
    with pytest.raises(ActionRefused, match="Link the study first"):
        perform(attempt=attempt, kind="message", text="Hello?", by=None, key="l" * 32)
