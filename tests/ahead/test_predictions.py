"""What a chat model sees in pictures, over real HTTP."""

from __future__ import annotations

import json

import pytest

from scoring.ahead.inputs import gather
from scoring.models import WorkState
from studies.models import Description, Item
from tests.ahead.conftest import add_descriptor, asked_text, done

pytestmark = pytest.mark.django_db
DIMENSIONS = ("setting", "objects", "attire", "interaction", "layout")


def scripted(body) -> str:
    tokens = (
        ["red cap", "Red cap", " sash "] if "dimension: \n===\nattire" in asked_text(body) else []
    )
    rows = [{"token": token, "style": "traditional"} for token in tokens]
    return json.dumps({"descriptors": rows})


def test_every_picture_is_looked_at_a_dimension_at_a_time_and_told_neither_activity_nor_country(
    study, server
):
    server.answer = scripted
    step = done(study, "predictions", model="eye")
    assert (step.state, step.n_done) == (WorkState.DONE, 4)
    assert len(server.requests) == 20
    for body in server.requests:
        text = asked_text(body)
        assert "wedding" not in text and "Nepal" not in text and "NP" not in text
        assert body["temperature"] == 0.0
        assert body["messages"][1]["content"][0]["type"] == "image_url"
    seen = study.descriptors.filter(kind="predicted", item__external_id="gen-1")
    assert list(seen.values_list("token", "dimension", "source")) == [
        ("red cap", "attire", "eye"),
        ("sash", "attire", "eye"),
    ]


def test_nothing_seen_is_recorded_and_differs_from_never_described(study, server):
    server.answer = scripted
    done(study, "predictions", model="eye", items="generated")
    parameters = {"extractor": "eye"}
    inputs = gather(study=study, parameters=parameters)
    generated = study.items.get(external_id="gen-1")
    assert inputs.item_inputs(generated)["seen"] == {
        "setting": (),
        "objects": (),
        "attire": ("red cap", "sash"),
        "interaction": (),
        "layout": (),
    }
    real = study.items.get(external_id="real-1")
    assert inputs.item_inputs(real)["seen"] == {}


def test_a_refusal_and_an_unreadable_answer_are_recorded_for_their_dimension(study, server):
    Item.objects.exclude(external_id="gen-1").delete()
    server.answer = lambda body: (
        "no JSON" if "dimension: \n===\nlayout" in asked_text(body) else scripted(body)
    )
    server.say("I can't describe people.", refusal=True)  # setting comes first
    step = done(study, "predictions", model="eye")
    assert (step.n_refused, step.n_unreadable) == (1, 1)
    item = study.items.get()
    outcomes = dict(item.descriptions.values_list("dimension", "outcome"))
    assert sorted(outcomes.values()) == [
        "described",
        "described",
        "described",
        "parse_failed",
        "refused",
    ]
    inputs = gather(study=study, parameters={"extractor": "eye"}).item_inputs(item)
    assert inputs["why"]["layout"] == "parse_failed"
    assert "layout" not in inputs["seen"]


def test_a_second_step_looks_only_at_what_is_left_and_again_only_at_what_failed(study, server):
    Item.objects.exclude(external_id="gen-1").delete()
    server.answer = lambda body: (
        "no JSON" if "dimension: \n===\nlayout" in asked_text(body) else scripted(body)
    )
    done(study, "predictions", model="eye")
    n = len(server.requests)
    assert done(study, "predictions", model="eye").n_skipped == 1
    assert len(server.requests) == n
    step = done(study, "predictions", model="eye", again=True)
    assert step.n_stored == 2  # the same words to the same model are the same answer
    assert Description.objects.count() == 5


def test_a_missing_file_is_named_and_stops_nothing(study, server):
    server.answer = scripted
    study.items.get(external_id="gen-1").media.delete(save=False)
    step = done(study, "predictions", model="eye")
    assert step.state == WorkState.DONE
    assert len(step.result["unopened"]) == 1
    assert step.result["unopened"][0].startswith("gen-1: ")
    assert not Description.objects.filter(item__external_id="gen-1").exists()


def test_another_extractor_keeps_its_own_descriptors(study, server):
    server.answer = scripted
    add_descriptor(study, "predicted", "hat", item=study.items.get(external_id="gen-1"), source="x")
    done(study, "predictions", model="eye")
    found = gather(study=study, parameters={"extractor": "x"})
    assert found.item_inputs(study.items.get(external_id="gen-1"))["seen"]["attire"] == ("hat",)


def test_after_a_server_error_the_step_fails_with_a_sentence_and_keeps_what_was_answered(
    study, server
):
    server.answer = scripted
    server.fail(401)
    step = done(study, "predictions", model="eye")
    assert step.state == WorkState.FAILED
    assert "key" in step.error
