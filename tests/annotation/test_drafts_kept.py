"""What a draft keeps of a long text: all that can be sent, as it was typed."""

import pytest

from annotation.assignment import claim_next_unit
from annotation.models import Rating
from tests.annotation.people import form, somebody

pytestmark = pytest.mark.django_db
TYPED = ("A line of nineteen.\n" * 500).strip().ljust(10_000, ".")


@pytest.fixture
def screen(live_study):
    return claim_next_unit(participation=somebody(live_study))


@pytest.fixture
def box(live_study) -> str:
    return f"q_{live_study.questions.get(kind='text').pk}"


def address(screen, step: str = "") -> str:
    return f"/a/{screen.participation.token}/{screen.n}/{step}"


def test_lines_of_a_form_count_one_letter_each(client, live_study, screen, box):
    """Forms send two signs for each new line: the end of a long text was lost by a reload."""
    sent = TYPED.replace("\n", "\r\n")
    draft = form(live_study, screen, value=5) | {box: sent, "counter": "1"}
    assert client.post(address(screen, "draft/"), draft).status_code == 204
    screen.refresh_from_db()
    assert screen.draft[box] == TYPED
    client.post(address(screen), form(live_study, screen, value=5) | {box: sent})
    assert Rating.objects.get(question__kind="text").text == TYPED


def test_no_sign_that_a_database_cannot_hold_gets_in(client, live_study, screen, box):
    draft = form(live_study, screen) | {box: "sa\x00ri", "counter": "1"}
    assert client.post(address(screen, "draft/"), draft).status_code == 204
    screen.refresh_from_db()
    assert screen.draft[box] == "sari"
