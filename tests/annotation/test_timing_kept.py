"""What a screen measured of itself is kept with drafts and answers, and never twice."""

import json

import pytest

from annotation.assignment import claim_next_unit
from tests.annotation.people import form, somebody

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


def record(seconds: float) -> str:
    return json.dumps({"visible": seconds, "active": seconds})


@pytest.fixture
def screen(live_study):
    return claim_next_unit(participation=somebody(live_study))


def url(screen) -> str:
    return f"/a/{screen.participation.token}/{screen.n}/"


def test_a_draft_keeps_it_and_the_first_act(client, live_study, screen):
    client.post(f"{url(screen)}draft/", {"counter": "1", "timing": record(3.5)})
    screen.refresh_from_db()
    assert screen.timing == {"visible": 3.5, "active": 3.5}
    first = screen.first_action_at
    assert first is not None
    client.post(f"{url(screen)}draft/", {"counter": "2", "timing": record(6)})
    screen.refresh_from_db()
    assert (screen.timing["visible"], screen.first_action_at) == (6, first)


def test_an_older_draft_takes_nothing_back(client, live_study, screen):
    client.post(f"{url(screen)}draft/", {"counter": "5", "timing": record(9)})
    client.post(f"{url(screen)}draft/", {"counter": "4", "timing": record(2)})
    screen.refresh_from_db()
    assert screen.timing["visible"] == 9


def test_a_sent_screen_keeps_it_and_a_second_post_adds_nothing(client, live_study, screen):
    data = form(live_study, screen)
    client.post(url(screen), data | {"timing": record(12)}, headers=HTMX)
    client.post(url(screen), data | {"timing": record(24)}, headers=HTMX)
    screen.refresh_from_db()
    assert screen.timing["visible"] == 12
    assert screen.first_action_at <= screen.submitted_at


def test_going_back_begins_with_what_was_measured_and_a_change_keeps_the_sum(
    client, live_study, screen
):
    data = form(live_study, screen)
    client.post(url(screen), data | {"timing": record(12)}, headers=HTMX)
    page = client.get(url(screen)).content.decode()
    assert "&quot;visible&quot;: 12" in page
    changed = form(live_study, screen, value=1) | {"change": "1", "timing": record(15)}
    client.post(url(screen), changed, headers=HTMX)
    screen.refresh_from_db()
    assert screen.timing["visible"] == 15


def test_no_record_is_no_change_of_it(client, live_study, screen):
    client.post(f"{url(screen)}draft/", {"counter": "1", "timing": record(3)})
    client.post(url(screen), form(live_study, screen), headers=HTMX)
    screen.refresh_from_db()
    assert screen.timing["visible"] == 3
