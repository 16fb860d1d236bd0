"""An answer that falls away, because the one it hung on was changed, is said to."""

import pytest

from annotation.assignment import claim_next_unit
from tests.annotation.people import somebody

pytestmark = pytest.mark.django_db
LINE = "is left out because of your answer to question"


def page_with(client, live_kinds, real: str) -> str:
    person = somebody(live_kinds)
    screen = claim_next_unit(participation=person)
    flaw = live_kinds.questions.get(key="flaw")
    screen.draft = {f"q_{flaw.shown_if_id}": real, f"q_{flaw.pk}": "2"}
    screen.save()
    return client.get(f"/a/{person.token}/1/").content.decode()


def hidden_part(page: str) -> str:
    return page.split('class="when"')[1].split(LINE)[0]


def test_the_line_stands_after_a_closed_question_that_had_an_answer(client, live_kinds):
    page = page_with(client, live_kinds, real="1")
    assert f"Question 3 {LINE} 2." in page
    assert "hidden" in hidden_part(page).split(">")[0]


def test_the_line_is_not_seen_while_the_question_is_open(client, live_kinds):
    page = page_with(client, live_kinds, real="0")
    assert "hidden" not in hidden_part(page).split(">")[0]  # the line shows after a hidden part
