"""What somebody is asked about a screen goes out on Prolific where that is ticked, once."""

import pytest

from annotation.models import Conversation, ProlificAction
from tests.prolific.conftest import came, finish

PAGE = "/studies/weddings/quality/disagreements/"
WORDS = "For unit 2 you chose 1. Could you tell us what you saw?"


@pytest.fixture
def rated(prolific, study):
    person = came(study)
    finish(study, person)
    return person


def post(client, person, **more):
    screen = person.assignments.get(n=2)
    url = f"/studies/weddings/quality/ask/{screen.pk}/"
    return client.post(url, {"text": WORDS, **more}, follow=True).content.decode()


def test_a_ticked_message_reaches_prolific_once(client, researcher, prolific, rated):
    client.force_login(researcher)
    page = post(client, rated, send="prolific")
    assert "On Prolific: done" in page or "On Prolific: sent" in page
    post(client, rated, send="prolific")
    assert [message["body"] for message in prolific.messages] == [WORDS]
    assert Conversation.objects.count() == 1
    assert ProlificAction.objects.get().by == researcher


def test_without_the_tick_nothing_is_sent(client, researcher, prolific, rated):
    client.force_login(researcher)
    assert "Now send it to NP-01" in post(client, rated)
    assert not prolific.messages
    assert Conversation.objects.count() == 1


def test_what_cannot_be_sent_is_kept_and_said(client, researcher, prolific, rated, settings):
    settings.PROLIFIC_TOKEN = ""
    client.force_login(researcher)
    assert "Kept, but not sent" in post(client, rated, send="prolific")
    assert Conversation.objects.count() == 1


def test_who_did_not_come_from_there_is_not_written_to(client, researcher, prolific, rated):
    rated.identity.delete()
    client.force_login(researcher)
    assert "cannot be reached on Prolific" in post(client, rated, send="prolific")
    assert not prolific.messages
