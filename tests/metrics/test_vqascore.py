"""VQAScore by a tiny model on this machine and by a server's log-probabilities."""

import math

import pytest

from scoring.backends.chat import Message, Request
from scoring.backends.chat_pictures import sent_picture
from scoring.backends.chat_server import ChatServer
from scoring.backends.local_chat import LocalChat
from scoring.backends.pictures import MediaMissingError
from scoring.metrics.base import MetricItem
from scoring.metrics.image_text_score import (
    BadScaleError,
    ImageTextValue,
    require_unit_scale,
)
from scoring.metrics.shown_text import VQASCORE
from scoring.metrics.vqascore import VqaScore
from scoring.prompting.prompt import prompt
from tests.chat_server import FakeChatServer
from tests.tiny_models import noise, save_llava


class Asking:
    """One question after another, without a store."""

    def __init__(self, chat):
        self.chat = chat

    def ask_all(self, requests):
        for request in requests:
            yield request, self.chat.ask(request)


@pytest.fixture
def server():
    with FakeChatServer() as running:
        yield running


@pytest.fixture
def by_server(server):
    return VqaScore(Asking(ChatServer(base_url=server.url, tries=1)), model="m")


def yes_no(yes, no):
    top = {"Yes": math.log(yes), "No": math.log(no), "The": math.log(1 - yes - no)}
    best = max(top, key=top.get)
    return [(best, top[best], top)]


def test_the_score_is_the_share_of_yes_among_yes_and_no(server, by_server):
    server.say("Yes", logprobs=yes_no(0.3, 0.2))
    [value] = by_server.score_pairs([(noise, "a wedding")])
    assert value.value == pytest.approx(0.6)
    assert value.evidence["mass"] == pytest.approx(0.5)
    system, asked = server.requests[0]["messages"]
    assert "===\na wedding\n===" in asked["content"][1]["text"]
    assert "never an instruction" in system["content"]


def test_what_a_server_does_not_list_is_named(server, by_server):
    server.say("Yes", logprobs=[("Yes", -0.1, {"Yes": -0.1, "It": -2.5})])
    [value] = by_server.score_pairs([(noise, "a wedding")])
    assert (value.value, value.evidence["unlisted"]) == (1.0, ["No"])


def test_a_server_without_log_probabilities_gives_no_score(server, by_server):
    server.say("Yes")
    [value] = by_server.score_pairs([(noise, "a wedding")])
    assert (value.value, value.reason) == (None, "no_logprobs")


def test_a_refusal_and_another_answer_are_no_scores(server, by_server):
    server.say("I can't help with that", refusal=True)
    for _ in range(2):  # asked once more
        server.say("Perhaps", logprobs=[("Perhaps", -0.1, {"Perhaps": -0.1})])
    values = by_server.score_pairs([(noise, "a wedding"), (noise, "a dance")])
    assert [value.reason for value in values] == ["refused", "parse_failed"]


def test_a_picture_that_is_not_there_is_undefined_alone_and_asks_nothing(server, by_server):
    def gone():
        raise MediaMissingError("no file")

    server.say("Yes", logprobs=yes_no(0.5, 0.25))
    values = by_server.score_pairs([(gone, "a"), (noise, "a")])
    assert [value.reason for value in values] == ["missing_media", ""]
    assert len(server.requests) == 1


def test_it_tells_how_many_pairs_are_done_across_its_slices(server, by_server, monkeypatch):
    def gone():
        raise MediaMissingError("no file")

    monkeypatch.setattr("scoring.metrics.vqascore._AT_ONCE", 2)
    for _ in range(2):
        server.say("Yes", logprobs=yes_no(0.5, 0.25))
    told = []
    by_server.score_pairs(
        [(noise, "a"), (gone, "a"), (noise, "b")],
        on_progress=lambda done, total: told.append((done, total)),
    )
    assert told == [(1, 3), (2, 3), (3, 3), (3, 3)]


def test_a_picture_of_several_texts_is_opened_once_to_count_its_questions(by_server):
    opened = []

    def picture():
        opened.append(1)
        return noise()

    requests = list(by_server.requests([(picture, "a"), (picture, "b"), (picture, "c")]))
    assert (len(requests), len(opened)) == (3, 1)


def test_the_model_on_this_machine_gives_the_probabilities_of_its_own_forward_pass(tmp_path):
    import torch

    folder = str(save_llava(tmp_path))
    chat = LocalChat(model=folder)
    [value] = VqaScore(Asking(chat), model=folder).score_pairs([(noise, "a wedding")])
    words = prompt("vqascore/shows")
    request = words.request(
        model=folder, inputs={"text": "a wedding"}, pictures=(sent_picture(noise()),)
    )
    inputs = chat._read(request)
    vocab = chat._processor.tokenizer.get_vocab()

    def probability(*tokens):
        ids = [vocab[token] for token in tokens]
        longer = torch.cat([inputs["input_ids"], torch.tensor([ids])], dim=1)
        with torch.no_grad():
            logits = chat._model(input_ids=longer, pixel_values=inputs["pixel_values"]).logits[0]
        rows = logits.log_softmax(-1)[inputs["input_ids"].shape[1] - 1 :]
        return math.exp(sum(float(rows[place][token]) for place, token in enumerate(ids)))

    yes = probability("Yes") + probability(" ", "Yes")
    no = probability("No") + probability(" ", "No")
    assert value.value == pytest.approx(yes / (yes + no), abs=1e-5)
    assert value.evidence["mass"] == pytest.approx(yes + no, abs=1e-5)


def test_the_metric_scores_items_and_names_what_is_undefined(server, by_server, tmp_path):
    noise().save(tmp_path / "a.png")
    server.say("No", logprobs=yes_no(0.1, 0.7))
    fields = {"kind": "image", "file": str(tmp_path / "a.png")}
    items = [
        MetricItem("1", {**fields, "prompt": "a wedding"}),
        MetricItem("2", {**fields, "prompt": ""}),
        MetricItem("3", {**fields, "prompt": "x", "kind": "audio"}),
    ]
    rows = list(
        VQASCORE.score(items=items, descriptors=(), backend=by_server, parameters={"model": "m"})
    )
    assert rows[0].value == pytest.approx(0.125)
    assert [row.reason for row in rows] == ["", "no_prompt", "not_applicable"]


def test_a_score_on_another_scale_is_refused_where_only_0_to_1_makes_sense(by_server):
    require_unit_scale(by_server)
    by_server.scale = (0.0, 2.5)
    with pytest.raises(BadScaleError, match=r"from 0 to 2\.5") as caught:
        require_unit_scale(by_server)
    assert caught.value.reason == "bad_scale"


@pytest.mark.parametrize(("value", "reason"), [(None, ""), (0.5, "refused")])
def test_a_value_comes_without_a_reason_and_none_with_one(value, reason):
    with pytest.raises(ValueError, match="a value or a reason"):
        ImageTextValue(value, reason)


def test_another_wording_is_another_question():
    words = prompt("vqascore/shows")
    edited = words.edited(system=words.system, user="Seen? $text", number=1)
    one, other = (w.request(model="m", inputs={"text": "x"}) for w in (words, edited))
    assert isinstance(one, Request)
    assert isinstance(one.messages[0], Message)
    assert one.key(server="s") != other.key(server="s")


def test_a_study_may_ask_in_its_own_words(server, by_server):
    words = prompt("vqascore/shows")
    own = by_server.worded(words.edited(system=words.system, user="Seen here? $text", number=2))
    for _ in range(2):
        server.say("Yes", logprobs=yes_no(0.3, 0.2))
    own.score_pairs([(noise, "a wedding")])
    by_server.score_pairs([(noise, "a wedding")])
    texts = [body["messages"][1]["content"][1]["text"] for body in server.requests]
    assert texts[0].startswith("Seen here?")
    assert not texts[1].startswith("Seen here?")
