"""Leaving out a person's answers or one unit, and taking them in again, on the pages."""

from __future__ import annotations

import pytest

from annotation.assignment import claim_next_unit
from annotation.models import Exclusion, Place
from annotation.quality.review import review
from annotation.ratings import counted_ratings, exclusions_in_force
from studies.models import CheckRules, QualityRule
from tests.annotation.people import rate_all, send, somebody

pytestmark = pytest.mark.django_db


@pytest.fixture
def full(live_study):
    """Three people have rated all six units: every place is done."""
    people = [somebody(live_study) for _ in range(3)]
    for person in people:
        rate_all(live_study, person)
    return people


@pytest.fixture
def page(client, live_study):
    client.force_login(live_study.owner)
    return client


def of(person, n: int | None = None) -> str:
    base = f"/studies/weddings/people/{person.code}/"
    return f"{base}units/{n}/exclude/" if n else base


def n_counted(study) -> int:
    return counted_ratings(study).values("assignment").distinct().count()


def n_open() -> int:
    return Place.objects.filter(state=Place.State.OPEN).count()


def test_one_unit_is_left_out_and_taken_in_on_the_annotators_page(page, live_study, full):
    assert f'href="{of(full[0], 2)}"' in page.get(of(full[0])).content.decode()
    assert "What NP-01 answered on unit 2" in page.get(of(full[0], 2)).content.decode()
    reply = page.post(of(full[0], 2), {"reason": "A slip of the finger.", "reopen": "yes"})
    assert reply["Location"] == f"{of(full[0])}#unit-2"
    assert (n_counted(live_study), n_open()) == (17, 1)
    text = page.get(of(full[0])).content.decode()
    assert "A slip of the finger." in text
    assert f'href="{of(full[0], 2)}"' not in text
    exclusion = Exclusion.objects.get()
    assert (exclusion.by, exclusion.assignment.n) == (live_study.owner, 2)
    reply = page.post(
        f"/studies/weddings/quality/exclusions/{exclusion.pk}/lift/",
        {"reason": "They meant it.", "back": "person"},
    )
    assert reply["Location"] == f"{of(full[0])}#unit-2"
    assert (n_counted(live_study), n_open()) == (18, 0)
    exclusion.refresh_from_db()
    assert exclusion.lift_reason == "They meant it."


def test_a_unit_without_a_reason_or_left_out_before_is_refused(page, live_study, full):
    refused = page.post(of(full[0], 2), {"reason": " ", "reopen": "yes"})
    assert refused.status_code == 422
    assert "Write why" in refused.content.decode()
    page.post(of(full[0], 2), {"reason": "A slip."})
    again = page.post(of(full[0], 2), {"reason": "A slip."})
    assert again.status_code == 422
    assert "left out already" in again.content.decode()
    assert Exclusion.objects.count() == 1


def test_without_opening_its_place_the_unit_stays_short(page, live_study, full):
    page.post(of(full[0], 2), {"reason": "A slip."})
    assert (n_counted(live_study), n_open()) == (17, 0)
    assert not Exclusion.objects.get().reopened


def test_what_was_not_sent_or_is_shown_again_cannot_be_left_out(page, live_study):
    person = somebody(live_study)
    send(live_study, claim_next_unit(participation=person))
    claim_next_unit(participation=person)
    assert page.get(of(person, 2)).status_code == 404
    person.assignments.filter(n=1).update(gold=True)
    assert page.post(of(person, 1), {"reason": "x"}).status_code == 404
    assert "exclude/" not in page.get(of(person)).content.decode().split('class="screens', 1)[1]


def test_surplus_answers_left_out_are_no_rating_less(page, live_study, full):
    full[0].assignments.filter(n=2).update(counted=False)
    page.post(of(full[0], 2), {"reason": "A slip."})
    assert [row.ratings for row in exclusions_in_force(live_study)] == [0]
    page.post(of(full[0], 3), {"reason": "Another."})
    assert [row.ratings for row in exclusions_in_force(live_study)] == [0, 1]


def test_the_study_says_whether_places_open_again(page, live_study, full):
    quality = "/studies/weddings/quality/"
    assert 'name="reopen" value="yes" checked' in page.get(of(full[0], 2)).content.decode()
    page.post(f"{quality}places/", {})
    assert not CheckRules.objects.get(study=live_study).reopen_excluded
    assert 'name="reopen" value="yes" checked' not in page.get(quality).content.decode()
    assert 'name="reopen" value="yes" checked' not in page.get(of(full[0], 2)).content.decode()
    QualityRule.objects.create(study=live_study, kind="straight", threshold=0.5, action="exclude")
    assert review(live_study).excluded == 3
    assert n_open() == 0
    assert not Exclusion.objects.filter(reopened=True).exists()


def test_strangers_leave_nothing_out(client, live_study, full, colleague):
    client.force_login(colleague)
    assert client.post(of(full[0], 2), {"reason": "x"}).status_code == 404
    assert client.post("/studies/weddings/quality/places/", {}).status_code == 404
    assert not Exclusion.objects.exists()
