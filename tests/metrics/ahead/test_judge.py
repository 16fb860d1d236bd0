"""The judge form: the study's questions over real HTTP to a local server."""

from __future__ import annotations

import base64
import io
import json

import pytest
from PIL import Image

from scoring.backends.chat_server import ChatServer
from scoring.backing import RunChat
from scoring.exchanges import StoredChat
from scoring.metrics.ahead.judge import AHEAD_JUDGE
from scoring.metrics.base import MetricItem
from tests.chat_server import FakeChatServer

pytestmark = pytest.mark.django_db
QUESTIONS = {
    "align": "How well does it show it?\n1 not at all\n5 fully",
    "hal": "How much is wrong?\n1 nothing\n5 all of it",
    "exag": "How overdone is it?\n1 not\n5 grossly",
}


@pytest.fixture
def server():
    with FakeChatServer() as running:
        yield running


@pytest.fixture
def picture(tmp_path):
    path = tmp_path / "a.png"
    Image.new("RGB", (8, 8), "red").save(path)
    return path


def rows_of(server, picture, *, questions=QUESTIONS, kind="image", **fields_too):
    stored = StoredChat(ChatServer(base_url=server.url, timeout=5, tries=1))
    chat = RunChat(stored, model_id="judge", revision=server.url)
    fields = {
        "activity": "wedding",
        "country_name": "Nepal",
        "kind": kind,
        "file": str(picture),
        "sha256": "a",
        **fields_too,
    }
    item = MetricItem("a", fields, inputs={"questions": questions})
    rows = AHEAD_JUDGE.score(
        items=[item], descriptors=[], backend=chat, parameters={"model": "judge"}
    )
    return {row.metric: row for row in rows}


def answer(score, reason="because"):
    return json.dumps({"reason": reason, "score": score})


def test_each_question_is_one_call_with_the_picture_the_scene_and_the_words_as_people_see_them(
    server, picture
):
    server.answer = lambda body: answer(4)
    rows = rows_of(server, picture)
    assert {row.value for row in rows.values()} == {4.0}
    assert len(server.requests) == 3
    for body, question in zip(server.requests, QUESTIONS.values(), strict=True):
        shown, text = body["messages"][1]["content"]
        data = shown["image_url"]["url"].partition(",")[2]
        assert Image.open(io.BytesIO(base64.b64decode(data))).size == (8, 8)
        assert question in text["text"]
        assert "wedding" in text["text"] and "Nepal" in text["text"]
        assert sum(other in text["text"] for other in QUESTIONS.values()) == 1
        assert body["temperature"] == 0.0
    assert rows["ahead_judge_hal"].evidence == {"prompt": "ahead/judge@1", "reason": "because"}


@pytest.mark.parametrize("lacks", ["activity", "country_name"])
def test_without_a_scene_nothing_is_asked(server, picture, lacks):
    rows = rows_of(server, picture, **{lacks: " "})
    assert {row.reason for row in rows.values()} == {"no_scene"}
    assert server.requests == []


def test_a_bad_answer_is_asked_once_more_and_then_undefined(server, picture):
    server.answer = lambda body: answer(4)
    server.say("no JSON")
    server.say(answer(6))  # outside the scale
    rows = rows_of(server, picture, questions={"align": "How well?"})
    assert (rows["ahead_judge_align"].value, rows["ahead_judge_align"].reason) == (
        None,
        "parse_failed",
    )
    assert len(server.requests) == 2
    assert rows["ahead_judge_hal"].reason == "not_asked"


def test_a_refusal_is_told_from_an_answer(server, picture):
    server.say("I can't rate this.", refusal=True)
    rows = rows_of(server, picture, questions={"align": "How well?"})
    assert rows["ahead_judge_align"].reason == "refused"
    assert len(server.requests) == 1


def test_without_a_picture_nothing_is_asked(server, tmp_path, picture):
    assert {row.reason for row in rows_of(server, tmp_path / "gone.png").values()} == {
        "missing_media"
    }
    assert {row.reason for row in rows_of(server, picture, kind="video").values()} == {
        "not_applicable"
    }
    assert server.requests == []
