"""Back to a page before the first screen leads to where the person is, and says so."""

import pytest

from annotation import entry
from annotation.assignment import claim_next_unit
from tests.annotation.people import send, somebody

pytestmark = pytest.mark.django_db
WORDS = "You have passed this page."


@pytest.mark.parametrize("page", ["consent", "about-you", "instructions"])
def test_somebody_who_rates_is_led_to_their_screen_and_told(client, live_study, page):
    person = somebody(live_study)
    answer = client.get(f"/a/{person.token}/{page}/", follow=True)
    assert answer.redirect_chain[-1][0].startswith(f"/a/{person.token}/1/")
    assert WORDS in answer.content.decode()
    assert WORDS not in client.get(f"/a/{person.token}/1/").content.decode()


def test_somebody_who_agreed_is_led_on_and_told(client, live_study):
    person = entry.arrive(study=live_study)
    entry.record_consent(participation=person, agreed=True)
    answer = client.get(f"/a/{person.token}/consent/", follow=True)
    assert "/about-you/" in answer.redirect_chain[-1][0]
    assert WORDS in answer.content.decode()


def test_who_asks_for_a_page_that_lies_ahead_is_not_told_so(client, live_study):
    person = entry.arrive(study=live_study)
    answer = client.get(f"/a/{person.token}/instructions/", follow=True)
    assert "/consent/" in answer.redirect_chain[-1][0]
    assert WORDS not in answer.content.decode()


def test_sending_the_consent_twice_tells_nobody_off(client, live_study):
    person = somebody(live_study)
    answer = client.post(f"/a/{person.token}/consent/", {"answer": "agree"}, follow=True)
    assert WORDS not in answer.content.decode()


def test_the_next_screen_says_it_no_more(client, live_study):
    person = somebody(live_study)
    send(live_study, claim_next_unit(participation=person))
    answer = client.get(f"/a/{person.token}/", follow=True)
    assert WORDS not in answer.content.decode()
