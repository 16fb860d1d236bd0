"""Every way out has its own page: what to do now, and a code where there is one."""

import pytest
from django.test import Client

from annotation import entry
from annotation.arrivals import FromProlific, arrive_from_prolific
from annotation.assignment import claim_next_unit
from annotation.models import Participation
from studies.lifecycle import move_study
from studies.models import OutcomeCode, Study
from tests.annotation.people import rate_all, send, somebody

pytestmark = pytest.mark.django_db
FITS = {"nationality": "NP", "residence": "NP", "first_language": "ne"}
OWN = {
    "does-not-fit": "FIT1",
    "no-consent": "CON2",
    "failed-checks": "CHK3",
    "withdrew": "KEP4",
    "withdrew-removed": "REM5",
    "full": "FUL6",
    "closed": "CLO7",
}
HEADLINES = {
    "does-not-fit": "Thank you. This study does not fit you.",
    "no-consent": "That is fine.",
    "failed-checks": "The check was not passed.",
    "withdrew": "You have stopped. Your answers so far are kept.",
    "withdrew-removed": "You have stopped. Your answers are removed.",
    "full": "All places in this study are taken.",
    "closed": "The study has closed. What you sent is saved.",
}


def from_prolific(study: Study) -> Participation:
    came = FromProlific(pid="5f0a", study_id="60d0", session_id="s1")
    return arrive_from_prolific(study=study, came=came, known=None)


def rating(person: Participation, n: int = 1) -> Participation:
    """On to the instructions and ``n`` sent screens."""
    entry.record_consent(participation=person, agreed=True)
    entry.record_screening(participation=person, **FITS)
    entry.start_rating(participation=person)
    for _ in range(n):
        send(person.study, claim_next_unit(participation=person))
    return person


def end_as(outcome: str, person: Participation) -> None:
    """Bring the person to this end as it comes about; failed checks are another module's."""
    study = person.study
    match outcome:
        case "does-not-fit":
            entry.record_consent(participation=person, agreed=True)
            entry.record_screening(participation=person, **(FITS | {"residence": "PL"}))
        case "no-consent":
            entry.record_consent(participation=person, agreed=False)
        case "failed-checks":
            entry.leave(participation=person, outcome=outcome)
        case "withdrew":
            entry.withdraw(participation=rating(person))
        case "withdrew-removed":
            entry.withdraw(participation=rating(person), remove=True)
        case "full":
            for _ in range(3):
                rate_all(study, somebody(study))
            entry.record_consent(participation=person, agreed=True)
            entry.record_screening(participation=person, **FITS)
        case "closed":
            rating(person)
            move_study(study=study, move="close")


def page(person: Participation) -> str:
    response = Client().get(f"/a/{person.token}/", follow=True)
    assert response.status_code == 200
    assert response.request["PATH_INFO"].endswith("/out/")
    return response.content.decode()


@pytest.mark.parametrize("outcome", HEADLINES)
class TestSomebodyFromProlific:
    def test_without_a_code_is_asked_to_return_the_submission(self, live_study, outcome):
        person = from_prolific(live_study)
        end_as(outcome, person)
        text = page(person)
        assert HEADLINES[outcome] in text
        if outcome == "closed":  # who was in the middle is paid as if finished
            assert "DONE42" in text
            return
        assert "Please return the submission on Prolific." in text
        assert 'href="https://app.prolific.com/"' in text
        assert "DONE42" not in text
        assert "completion code" not in text

    def test_with_a_code_gets_it_and_the_way_back_at_every_visit(self, live_study, outcome):
        OutcomeCode.objects.create(study=live_study, outcome=outcome, code=OWN[outcome])
        person = from_prolific(live_study)
        end_as(outcome, person)
        for _ in range(2):
            text = page(person)
            assert f">{OWN[outcome]}</bdi>" in text
            assert f"https://app.prolific.com/submissions/complete?cc={OWN[outcome]}" in text
            assert "return the submission" not in text
            assert "DONE42" not in text


@pytest.mark.parametrize("outcome", [name for name in HEADLINES if name != "closed"])
def test_prolific_is_spoken_of_with_an_if_to_people_of_the_open_link(live_study, outcome):
    person = entry.arrive(study=live_study)
    end_as(outcome, person)
    text = page(person)
    assert "If you came from Prolific, please return the submission there." in text
    assert "app.prolific.com" not in text


def test_a_return_address_of_ones_own_is_used(live_study):
    OutcomeCode.objects.create(
        study=live_study,
        outcome="no-consent",
        code="NO1",
        return_address="https://panel.example.org/done",
    )
    person = entry.arrive(study=live_study)
    entry.record_consent(participation=person, agreed=False)
    text = page(person)
    assert 'href="https://panel.example.org/done"' in text
    assert "Finish on Prolific" not in text


def test_failed_checks_with_a_code_accuse_nobody(live_study):
    OutcomeCode.objects.create(study=live_study, outcome="failed-checks", code="CHK3")
    person = from_prolific(live_study)
    entry.leave(participation=person, outcome="failed-checks")
    text = page(person)
    assert "You have reached the end." in text
    assert "not passed" not in text


def test_who_comes_to_a_closed_study_gets_no_code(live_study):
    OutcomeCode.objects.create(study=live_study, outcome="closed", code="CLO7")
    move_study(study=live_study, move="close")
    text = page(from_prolific(live_study))
    assert "This study takes nobody new at the moment." in text
    assert "CLO7" not in text and "DONE42" not in text


def test_no_code_stands_on_a_page_before_the_end(client, live_study):
    for outcome, code in OWN.items():
        OutcomeCode.objects.create(study=live_study, outcome=outcome, code=code)
    person = rating(from_prolific(live_study))
    for step in ("now", "help", "withdraw", "2", "2/problem"):
        text = client.get(f"/a/{person.token}/{step}/", follow=True).content.decode()
        assert not [code for code in [*OWN.values(), "DONE42"] if code in text]


class TestStopping:
    def test_offers_to_keep_or_to_remove(self, client, live_study):
        person = rating(entry.arrive(study=live_study), n=2)
        text = client.get(f"/a/{person.token}/withdraw/").content.decode()
        assert "You have rated 2 pictures so far." in text
        assert "Stop and keep my answers" in text
        assert "Stop and remove my answers" in text

    def test_removes_what_was_asked_to_be_removed(self, client, live_study):
        person = rating(entry.arrive(study=live_study))
        response = client.post(f"/a/{person.token}/withdraw/", {"answers": "remove"}, follow=True)
        assert "Your answers are removed." in response.content.decode()
        assert not person.assignments.exists()

    def test_does_not_ask_who_has_sent_nothing(self, client, live_study):
        person = rating(entry.arrive(study=live_study), n=0)
        text = client.get(f"/a/{person.token}/withdraw/").content.decode()
        assert "remove my answers" not in text
        response = client.post(f"/a/{person.token}/withdraw/", {"answers": "keep"}, follow=True)
        assert "<h1>You have stopped.</h1>" in response.content.decode()


class TestTheEnd:
    def test_has_the_way_back_for_somebody_from_prolific(self, client, live_study):
        person = from_prolific(live_study)
        rating(person, 0)
        rate_all(live_study, person)
        text = client.get(f"/a/{person.token}/end/").content.decode()
        assert "https://app.prolific.com/submissions/complete?cc=DONE42" in text
        assert "Finish on Prolific" in text

    def test_speaks_of_no_prolific_to_others(self, client, live_study):
        person = somebody(live_study)
        rate_all(live_study, person)
        text = client.get(f"/a/{person.token}/end/").content.decode()
        assert "DONE42" in text
        assert "Prolific" not in text
