"""Finding something by a few letters, and the people of all studies one may see."""

import pytest

from annotation import entry
from studies.models import Study
from tests.annotation.people import somebody

pytestmark = pytest.mark.django_db


@pytest.fixture
def signed_in(client, live_study):
    client.force_login(live_study.owner)
    return client


def test_the_header_leads_to_people_and_finds_in_both_rooms(signed_in, live_study):
    for address in (
        "/",
        "/studies/weddings/monitor/",
        f"/admin/studies/study/{live_study.pk}/change/",
    ):
        page = signed_in.get(address).content.decode()
        assert 'href="/people/"' in page, address
        assert 'action="/find/"' in page, address


def test_a_study_an_item_and_an_annotator_are_found_by_letters_of_theirs(signed_in, live_study):
    person = somebody(live_study)
    found = signed_in.get("/find/", {"q": "wedd"}).context["found"]
    assert [study.slug for study in found.studies] == ["weddings"]
    item = live_study.items.first()
    found = signed_in.get("/find/", {"q": item.external_id}).context["found"]
    assert item in found.items
    page = signed_in.get("/find/", {"q": person.code.lower()})
    assert [one.code for one in page.context["found"].people] == [person.code]
    assert f"/studies/weddings/people/{person.code}/" in page.content.decode()


def test_what_matches_nothing_says_so_and_no_letters_find_nothing(signed_in):
    assert "Nothing of yours matches “zzz”" in signed_in.get("/find/?q=zzz").content.decode()
    assert signed_in.get("/find/?q=%20").context["found"].is_empty


def test_more_than_is_shown_is_said(signed_in, live_study):
    for n in range(21):
        Study.objects.create(owner=live_study.owner, title=f"Tea {n}", slug=f"tea-{n}")
    page = signed_in.get("/find/", {"q": "tea"})
    assert len(page.context["found"].studies) == 20
    assert "The first 20 are shown" in page.content.decode()


def test_nobody_finds_what_is_not_theirs(client, live_study, colleague):
    person = somebody(live_study)
    client.force_login(colleague)
    for words in ("wedd", person.code, live_study.items.first().external_id):
        assert client.get("/find/", {"q": words}).context["found"].is_empty, words
    assert list(client.get("/people/").context["page"]) == []


def test_people_of_all_studies_stand_on_one_page_and_simulated_ones_are_marked(
    signed_in, live_study
):
    one, other = somebody(live_study), somebody(live_study)
    type(other).objects.filter(pk=other.pk).update(simulated=True)
    page = signed_in.get("/people/")
    assert {person.code for person in page.context["page"]} == {one.code, other.code}
    assert page.content.decode().count(">Simulated<") == 1


def test_who_did_not_begin_is_not_among_the_people(signed_in, live_study):
    entry.arrive(study=live_study)
    assert list(signed_in.get("/people/").context["page"]) == []


@pytest.mark.parametrize("address", ["/people/", "/find/?q=a"])
def test_strangers_and_annotators_are_kept_out(client, django_user_model, address):
    assert client.get(address).status_code == 302
    client.force_login(django_user_model.objects.create_user("rater"))
    assert client.get(address).status_code == 403
