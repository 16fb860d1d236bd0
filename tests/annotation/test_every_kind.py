"""A screen with every kind that fits a single picture, through the pages; words by medium."""

import re

import pytest

from annotation.assignment import claim_next_unit
from annotation.models import Assignment, Participation, Rating
from annotation.words import item_name, place_in_session, rated, skip_reasons, to_be_rated
from studies.lifecycle import launch_study
from studies.models import DesignRevision, Item, Study
from tests.annotation.people import somebody
from tests.conftest import forget_designs

pytestmark = pytest.mark.django_db
HTMX = {"HTTP_HX_REQUEST": "true"}


@pytest.fixture
def person(live_kinds) -> Participation:
    return somebody(live_kinds)


@pytest.fixture
def screen(person) -> Assignment:
    return claim_next_unit(participation=person)


@pytest.fixture
def ids(live_kinds) -> dict[str, int]:
    return dict(live_kinds.questions.values_list("key", "id"))


@pytest.fixture
def full(screen, ids, live_kinds) -> dict:
    """Everything answered; the follow-up on flaws is closed."""
    marks = {f"q_{ids['list']}_d{row.pk}": "1" for row in live_kinds.descriptors.all()}
    return marks | {
        "key": screen.key,
        f"q_{ids['text_rendering']}": "na",
        f"q_{ids['real']}": "1",
        f"q_{ids['share']}": ["40"],
        f"q_{ids['list']}_coverage": "4",
        f"q_{ids['list']}_missing": "lamps",
        f"q_{ids['why']}": "It looks like home.",
    }


@pytest.fixture
def at(screen) -> str:
    return f"/a/{screen.participation.token}/{screen.n}/"


def answer(key: str, **which) -> Rating:
    return Rating.objects.get(question__key=key, **which)


def test_the_screen_is_one_form_with_a_card_a_question(client, at):
    page = client.get(at).content.decode()
    cards = ["likert", "yes_no", "choice", "slider", "descriptors", "text"]
    assert re.findall(r'data-card="(\w+)" data-number', page) == cards
    assert page.count("<form") == 2
    assert 'class="step"' not in page
    assert "No text visible" in page
    assert "Nothing is written there." in page


def test_every_answer_becomes_its_rows(client, at, full, screen):
    assert client.post(at, full).status_code == 302
    item = screen.unit.items.get().pk
    assert (answer("text_rendering").value, answer("text_rendering").not_applicable) == (None, True)
    assert (answer("real").value, answer("share").value) == (1, 40)
    assert answer("why").text == "It looks like home."
    whole = answer("list", descriptor=None)
    assert (whole.value, whole.text, whole.subject) == (4, "lamps", f"i{item}")
    verdict = Rating.objects.filter(question__key="list", descriptor__token="fire").get()
    assert (verdict.value, verdict.subject) == (1, f"i{item}d{verdict.descriptor_id}")
    assert set(Rating.objects.values_list("item", flat=True)) == {item}
    assert Rating.objects.count() == 8


def test_a_sent_screen_fills_every_kind_again(client, at, full, ids):
    client.post(at, full)
    page = client.get(at).content.decode()
    assert re.search(rf'name="q_{ids["text_rendering"]}" value="na" checked', page)
    assert re.search(rf'name="q_{ids["share"]}" value="40"', page)
    assert re.search(rf'name="q_{ids["list"]}_coverage" value="4" checked', page)
    assert len(re.findall(rf'name="q_{ids["list"]}_d\d+" value="1" checked', page)) == 3
    assert "lamps</textarea>" in page
    client.post(at, full | {"change": "1"})
    assert not Rating.objects.filter(assignment__changed_at__isnull=False).exists()


class TestAFollowUp:
    def closed(self, page: str, ids) -> bool:
        rule = rf'data-shown-if="q_{ids["real"]}:0-0"( hidden)?>'
        return re.search(rule, page).group(1) is not None

    def test_is_there_and_closed_until_its_answer(self, client, at, ids):
        assert self.closed(client.get(at).content.decode(), ids)

    def test_is_asked_for_once_its_answer_is_given(self, client, at, full, ids):
        response = client.post(at, full | {f"q_{ids['real']}": "0"}, **HTMX)
        page = response.content.decode()
        assert response.status_code == 422
        assert not self.closed(page, ids)
        assert "Choose one." in page
        both = {f"q_{ids['real']}": "0", f"q_{ids['flaw']}": "2"}
        assert client.post(at, full | both).status_code == 302
        assert answer("flaw").value == 2

    def test_that_is_optional_is_shown_before_it_is_passed_over_without_scripts(
        self, client, at, full, ids
    ):
        revision = DesignRevision.objects.get()
        for question in revision.design["questions"]:
            question["required"] = question["required"] and question["key"] != "flaw"
        revision.save()
        forget_designs()
        flaw, no = f"q_{ids['flaw']}", {f"q_{ids['real']}": "0"}
        assert f'name="closed" value="{flaw}"' in client.get(at).content.decode()
        response = client.post(at, full | no | {"closed": flaw})
        page = response.content.decode()
        assert response.status_code == 200
        assert "One more question has opened" in page
        assert 'name="closed"' not in page
        assert not self.closed(page, ids)
        assert client.post(at, full | no).status_code == 302
        assert not Rating.objects.filter(question__key="flaw").exists()

    def test_is_not_taken_while_it_is_closed(self, client, at, full, ids):
        client.post(at, full | {f"q_{ids['flaw']}": "2"})
        assert not Rating.objects.filter(question__key="flaw").exists()

    def test_loses_its_answer_when_a_change_closes_it(self, client, at, full, ids):
        client.post(at, full | {f"q_{ids['real']}": "0", f"q_{ids['flaw']}": "2"})
        client.post(at, full | {f"q_{ids['flaw']}": "2", "change": "1"})
        assert not Rating.objects.filter(question__key="flaw").exists()


def test_a_descriptor_check_marks_the_rows_that_are_left(client, at, full, ids):
    gone = next(name for name in full if "_d" in name)
    del full[gone]
    page = client.post(at, full, **HTMX).content.decode()
    assert "1 is not marked yet." in page
    assert page.count("Not marked yet") == 1
    assert "2 of 3 marked" in page


def test_a_draft_keeps_every_kind(client, at, full, screen):
    draft = {name: value for name, value in full.items() if name != "key"} | {"counter": "1"}
    assert client.post(f"{at}draft/", draft).status_code == 204
    screen.refresh_from_db()
    assert screen.draft == {
        name: value[0] if isinstance(value, list) else value
        for name, value in draft.items()
        if name != "counter"
    }
    page = client.get(at).content.decode()
    assert page.count(" checked") == 6
    assert 'value="40"' in page


def test_a_draft_takes_no_field_of_another_item(client, at, screen):
    stray = {"q_999999": "1", "q_1_i../../x": "1", "counter": "1", "step": "9"}
    client.post(f"{at}draft/", stray)
    screen.refresh_from_db()
    assert (screen.draft, screen.draft_counter) == ({}, 1)


class TestTiming:
    record = '{"v": 1, "wall": 41.3, "clips": {}}'

    def test_is_kept_with_drafts_and_with_the_screen(self, client, at, full, screen):
        client.post(f"{at}draft/", {"counter": "1", "timing": '{"v": 1, "wall": 3.0}'})
        screen.refresh_from_db()
        assert screen.timing == {"v": 1, "wall": 3.0}
        assert screen.first_action_at is not None
        page = client.get(at).content.decode()
        assert "{&quot;v&quot;: 1, &quot;wall&quot;: 3.0}" in page
        client.post(at, full | {"timing": self.record})
        screen.refresh_from_db()
        assert screen.timing["wall"] == 41.3

    @pytest.mark.parametrize(
        "raw",
        [
            "",
            "x",
            "[1]",
            "1",
            "{",
            '{"a": NaN}',
            '{"a": 1e999}',
            '{"a": "\\ud800"}',
            '"\\u0000"',
            "[" * 4000,
            "1" * 5000,
        ],
    )
    def test_that_is_none_is_not_measured(self, client, at, full, screen, raw):
        assert client.post(at, full | {"timing": raw}).status_code == 302
        screen.refresh_from_db()
        assert screen.timing == {}


def test_help_lists_every_scale_once(client, at, screen):
    page = client.get(f"/a/{screen.participation.token}/help/").content.decode()
    assert page.count('class="meanings"') == 4
    for words in ("What about text_rendering?", "Hands", "No text visible", "Go back to the"):
        assert words in page


class TestWordsByMedium:
    def test_name_the_place_in_the_session(self):
        names = [place_in_session(kind, 2, 3) for kind in ("image", "video", "audio", "set")]
        assert names == ["Picture 2 of 3", "Video 2 of 3", "Sound 2 of 3", "Set 2 of 3"]

    def test_name_what_is_rated_without_describing_it(self):
        assert to_be_rated("video", "B") == "Video B, to be rated"
        assert (item_name("video", "B"), item_name("audio")) == ("Video B", "Sound")

    def test_thank_for_one_and_for_several(self):
        assert rated("set", 1) == "You rated 1 set. Thank you."
        assert rated("video", 3) == "You rated 3 videos. Thank you."

    def test_ask_what_can_be_wrong_with_the_medium(self):
        reasons = {
            (kind, sound): [value for value, _ in skip_reasons(kind, with_sound=sound)]
            for kind in ("image", "video", "audio")
            for sound in (True, False)
        }
        assert reasons["image", True] == ["not_loading", "black", "unwilling", "other"]
        assert reasons["video", False] == ["not_loading", "black", "stutter", "unwilling", "other"]
        assert "no_sound" in reasons["video", True]
        assert "black" not in reasons["audio", True]

    def test_are_those_of_the_clips_on_every_page(self, client, draft_study, researcher):
        Item.objects.update(kind="video", duration=5.0)
        Study.objects.update(sound="free", watch_share=0.5)
        launch_study(study=draft_study, by=researcher)
        person = somebody(Study.objects.get(pk=draft_study.pk))
        claim_next_unit(participation=person)
        at = f"/a/{person.token}/1/"
        page = client.get(at).content.decode()
        assert 'aria-label="Video 1 of 6"' in page
        assert "Video 1, to be rated" in page
        assert "data-waits" in page
        assert "Picture 1" not in page
        assert "It stops or stutters" in client.get(f"{at}problem/").content.decode()
        help_page = client.get(f"/a/{person.token}/help/").content.decode()
        assert "Go back to the videos" in help_page
        answer = client.post(f"{at}problem/", {"reason": "stutter"})
        assert answer.status_code == 302
        assert Assignment.objects.get(n=1).skip_reason == "stutter"


@pytest.mark.parametrize(("shown", "there"), [(True, True), (False, False)])
def test_prompt_and_cultural_element_are_shown_where_the_study_says_so(
    client, draft_study, researcher, shown, there
):
    Item.objects.update(cultural_element="Tika", prompt="A wedding with tika")
    Study.objects.update(show_prompt=shown, show_element=shown)
    launch_study(study=draft_study, by=researcher)
    person = somebody(Study.objects.get(pk=draft_study.pk))
    claim_next_unit(participation=person)
    page = client.get(f"/a/{person.token}/1/").content.decode()
    assert ("A wedding with tika" in page, "<bdi>Tika</bdi>" in page) == (there, there)
