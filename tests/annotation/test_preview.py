"""The annotator's screens for the researcher: every kind, every step, and nothing is saved."""

import re

import pytest

from annotation.models import Assignment, Participation, Rating
from studies.models import Translation
from studies.previews import seen_languages
from tests.annotation.test_steps import states

pytestmark = pytest.mark.django_db
HTMX = {"HTTP_HX_REQUEST": "true"}


@pytest.fixture
def at_desk(client, researcher):
    client.force_login(researcher)
    return client


def fields(page: str, value: str) -> list[str]:
    names = re.findall(rf'name="(q_[^"]+)" value="{value}"', page)
    return sorted(set(names))


def hidden(page: str, name: str) -> str:
    return re.search(rf'name="{name}" value="([^"]*)"', page).group(1)


def test_every_step_of_a_set_can_be_walked_through(at_desk, live_triplets):
    url = "/studies/greetings/preview/1/"
    page = at_desk.get(url).content.decode()
    assert states(page) == ["now", "later", "later"]
    data = dict.fromkeys(fields(page, "1"), "1")
    assert at_desk.post(url, {"reached": "1"}, **HTMX).status_code == 422
    page = at_desk.post(url, data | {"reached": "1", "step": "1"}, **HTMX).content.decode()
    assert states(page) == ["done", "now", "later"]
    data |= dict.fromkeys(fields(page, "none"), "none")
    page = at_desk.post(url, data | {"reached": hidden(page, "reached")}).content.decode()
    assert states(page) == ["done", "done", "now"]
    tiles = re.findall(r'data-field="([^"]+)"', page)
    data |= {name: str(place) for place, name in enumerate(tiles, 1)}
    response = at_desk.post(url, data | {"reached": hidden(page, "reached")}, **HTMX)
    assert response["HX-Push-Url"] == "/studies/greetings/preview/2/?language=en"
    assert states(response.content.decode()) == ["now", "later", "later"]
    assert not Participation.objects.exists()


def test_every_kind_is_shown(at_desk, live_kinds):
    page = at_desk.get("/studies/kinds/preview/1/").content.decode()
    cards = ["likert", "yes_no", "choice", "slider", "descriptors", "text"]
    assert re.findall(r'data-card="(\w+)" data-number', page) == cards
    assert "Preview: nothing is saved" in page
    assert "data-draft" not in page


def test_the_attention_check_stands_on_the_second_screen(at_desk, draft_study):
    pages = [at_desk.get(f"/studies/weddings/preview/{n}/").content.decode() for n in (1, 2)]
    assert ["For this line choose 2." in page for page in pages] == [False, True]


def test_the_last_unit_leads_back_to_the_start(at_desk, draft_study):
    url = "/studies/weddings/preview/6/"
    page = at_desk.get(url).content.decode()
    data = dict.fromkeys(fields(page, "2"), "2")
    assert at_desk.post(url, data, **HTMX)["HX-Redirect"] == "/studies/weddings/preview/"
    assert (Assignment.objects.count(), Rating.objects.count()) == (0, 0)


@pytest.mark.parametrize("stray", ["0", "9", "x", "\x00", "3" * 5000])
def test_a_stray_step_is_the_first(at_desk, live_triplets, stray):
    url = "/studies/greetings/preview/1/"
    page = at_desk.post(url, {"reached": stray}, **HTMX).content.decode()
    assert states(page) == ["now", "later", "later"]


def test_opening_it_is_noted_with_its_language_until_something_changes(at_desk, draft_study):
    assert seen_languages(draft_study) == []
    at_desk.get("/studies/weddings/preview/")
    draft_study.refresh_from_db()
    assert seen_languages(draft_study) == ["en"]
    draft_study.questions.filter(key="faithfulness").update(text="How true is it?")
    assert seen_languages(draft_study) == []


def test_it_can_be_read_in_every_language_there_are_words_in(at_desk, draft_study):
    Translation.objects.create(
        study=draft_study,
        language="fa",
        key="question.faithfulness.text",
        text="چقدر درست است؟",
        source="",
    )
    page = at_desk.get("/studies/weddings/preview/1/?language=fa").content.decode()
    assert "چقدر درست است؟" in page
    assert 'lang="fa" dir="rtl"' in page
    assert "/studies/weddings/preview/1/?language=fa" in page
    other = at_desk.get("/studies/weddings/preview/1/?language=xx").content.decode()
    assert 'lang="en"' in other
