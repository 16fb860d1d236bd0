"""The media of the next screen: a guess that claims nothing."""

import pytest

from annotation.assignment import claim_next_unit
from annotation.models import Assignment, Place
from tests.annotation.people import rate_all, send, somebody

pytestmark = pytest.mark.django_db


def media_ahead(client, person) -> list[dict]:
    return client.get(f"/a/{person.token}/ahead/").json()["media"]


def test_the_guess_is_what_comes_next(client, live_study):
    person = somebody(live_study)
    first = claim_next_unit(participation=person)
    guessed = media_ahead(client, person)
    send(live_study, first)
    following = claim_next_unit(participation=person)
    item = following.unit.items.get()
    assert guessed == [{"url": item.media_url, "kind": "image"}]


def test_asking_claims_nothing(client, live_study):
    person = somebody(live_study)
    claim_next_unit(participation=person)
    before = Place.objects.filter(state=Place.State.OPEN).count()
    media_ahead(client, person)
    assert Place.objects.filter(state=Place.State.OPEN).count() == before
    assert Assignment.objects.count() == 1


def test_on_the_last_screen_and_afterwards_there_is_nothing_ahead(client, live_study):
    person = somebody(live_study)
    for _ in range(person.n_units - 1):
        send(live_study, claim_next_unit(participation=person))
    claim_next_unit(participation=person)
    assert media_ahead(client, person) == []
    rate_all(live_study, person)
    person.refresh_from_db()
    assert media_ahead(client, person) == []


def test_it_takes_few_queries_however_many_items_there_are(
    client, live_study, django_assert_max_num_queries
):
    person = somebody(live_study)
    claim_next_unit(participation=person)
    media_ahead(client, person)
    with django_assert_max_num_queries(5):
        media_ahead(client, person)


def test_a_stranger_is_told_nothing(client, live_study):
    assert client.get("/a/nobody/ahead/").status_code == 404
