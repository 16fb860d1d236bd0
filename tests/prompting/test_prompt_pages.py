"""Prompts are read on pages and edited as new versions; nobody overwrites another's edit."""

from __future__ import annotations

import pytest

from scoring.prompt_edits import (
    EditedMeanwhileError,
    NothingChangedError,
    edit_prompt,
    prompt_inputs,
    prompt_of,
    take_back,
)
from scoring.prompting.prompt import PromptError, all_prompts, prompt

pytestmark = pytest.mark.django_db

KEY = "culturescore/answer"
WORDS = "About $dimension: $question Answer Yes or No."


@pytest.fixture
def page(client, researcher):
    client.force_login(researcher)
    return client


def address(study, key: str = "") -> str:
    return f"/studies/{study.slug}/metrics/prompts/" + (f"{key}/" if key else "")


def test_all_prompts_are_listed_with_their_versions(page, draft_study):
    edit_prompt(study=draft_study, key=KEY, system="S", user=WORDS, seen=0, by=None)
    shown = page.get(address(draft_study)).content.decode()
    for one in all_prompts():
        assert one.key in shown
    assert "1+1" in shown and "this study’s" in shown


def test_a_prompt_shows_its_words_and_inputs(page, draft_study):
    shown = page.get(address(draft_study, KEY)).content.decode()
    assert "Not visible, hidden or unclear is No." in shown
    assert "$dimension" in shown and "$question" in shown


def test_an_edit_is_a_new_version_that_the_next_run_asks_with(page, draft_study, researcher):
    given = {"system": "You look.", "user": WORDS, "seen": 0}
    assert page.post(address(draft_study, KEY), given).status_code == 302
    words = prompt_of(draft_study, KEY)
    assert (words.version, words.user) == ("1+1", WORDS)
    [edit] = draft_study.prompt_edits.all()
    assert (edit.made_by, edit.base_version) == (researcher, "1")
    inputs = prompt_inputs(draft_study, (KEY, "judge/question"))
    assert inputs[KEY]["number"] == 1 and inputs[KEY]["user"] == WORDS
    assert inputs["judge/question"] == {
        "version": "1",
        "digest": prompt("judge/question").digest,
    }


def test_words_that_drop_an_input_are_refused_and_kept_on_the_page(page, draft_study):
    given = {"system": "S", "user": "About $question only", "seen": 0}
    reply = page.post(address(draft_study, KEY), given)
    assert reply.status_code == 422
    shown = reply.content.decode()
    assert "Keep these inputs in the words: $dimension" in shown
    assert "About $question only" in shown
    assert not draft_study.prompt_edits.exists()


def test_two_people_who_edit_at_once_do_not_overwrite_each_other(page, draft_study):
    page.post(address(draft_study, KEY), {"system": "S", "user": WORDS, "seen": 0})
    reply = page.post(address(draft_study, KEY), {"system": "T", "user": WORDS, "seen": 0})
    assert reply.status_code == 422
    assert "Somebody else changed this prompt" in reply.content.decode()
    assert prompt_of(draft_study, KEY).system == "S"


def test_our_words_can_be_taken_back_and_the_history_stays(page, draft_study):
    page.post(address(draft_study, KEY), {"system": "S", "user": WORDS, "seen": 0})
    back = {"system": "S", "user": WORDS, "seen": 1, "take_back": "1"}
    assert page.post(address(draft_study, KEY), back).status_code == 302
    assert prompt_of(draft_study, KEY) == prompt(KEY)
    assert draft_study.prompt_edits.count() == 2
    edit_prompt(study=draft_study, key=KEY, system="U", user=WORDS, seen=2, by=None)
    assert prompt_of(draft_study, KEY).version == "1+3"


def test_nothing_changed_is_no_version(draft_study):
    words = prompt(KEY)
    with pytest.raises(NothingChangedError):
        edit_prompt(
            study=draft_study, key=KEY, system=words.system, user=words.user, seen=0, by=None
        )
    with pytest.raises(NothingChangedError):
        take_back(study=draft_study, key=KEY, seen=0, by=None)
    with pytest.raises(EditedMeanwhileError):
        edit_prompt(study=draft_study, key=KEY, system="S", user=WORDS, seen=4, by=None)
    with pytest.raises(PromptError, match="no prompt"):
        edit_prompt(study=draft_study, key="a/b", system="S", user=WORDS, seen=0, by=None)


def test_strangers_see_no_prompts_of_a_study(client, draft_study, django_user_model):
    assert client.get(address(draft_study)).status_code == 302
    stranger = django_user_model.objects.create_user("eve", password="x")
    client.force_login(stranger)
    assert client.get(address(draft_study)).status_code in {403, 404}
    assert client.post(address(draft_study, KEY), {}).status_code in {403, 404}


def test_a_prompt_that_is_not_there_is_not_found(page, draft_study):
    assert page.get(address(draft_study, "culturescore/nothing")).status_code == 404
