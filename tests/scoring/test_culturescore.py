"""CultureScore of single videos, through a real chat server with scripted answers."""

from __future__ import annotations

import json

import pytest

from scoring.backends.chat_server import ChatServer
from scoring.backing import RunChat
from scoring.exchanges import Budget, BudgetReachedError, StoredChat
from scoring.metrics import get_metric
from scoring.metrics.base import MetricItem, ProbeText
from tests.chat_server import FakeChatServer
from tests.importing.clips import make_clip

pytestmark = pytest.mark.django_db

MODEL = {"model": "seer", "frames": 4}


@pytest.fixture
def server():
    with FakeChatServer() as running:
        yield running


@pytest.fixture
def clip(tmp_path):
    return str(make_clip(tmp_path / "clip.mp4", sound="aac"))


def chat_of(server, **how) -> RunChat:
    plain = ChatServer(base_url=server.url, timeout=5, tries=1, sleep=lambda seconds: None)
    return RunChat(StoredChat(plain, **how), model_id="seer", revision=server.url)


def item(clip: str, *probes: tuple[str, str, float], key: str = "1", **how) -> MetricItem:
    return MetricItem(
        key=key,
        fields={"kind": "video", "file": clip, "sha256": "x"},
        probes=tuple(
            ProbeText(key=text, dimension=dimension, text=f"Is there {text}?", weight=weight)
            for text, dimension, weight in probes
        ),
        **how,
    )


def scripted(server, replies: dict[str, str]) -> None:
    """Answers by the name of the probe; a reply that is Yes or No becomes the JSON form."""

    def answer(body):
        asked = body["messages"][-1]["content"][-1]["text"]
        [name] = [name for name in replies if f"Is there {name}?" in asked]
        reply = replies[name]
        if reply not in {"Yes", "No"}:
            return reply
        form = {"observed": f"saw {name}", "match": "m", "temporal": None, "substitution": ""}
        return json.dumps({**form, "answer": reply})

    server.answer = answer


def scored(server, *items: MetricItem, chat: RunChat | None = None, **parameters):
    rows = get_metric("culturescore").score(
        items=items,
        descriptors=(),
        backend=chat or chat_of(server),
        parameters={**MODEL, **parameters},
    )
    return {(row.item_key, row.metric, row.dimension): row for row in rows}


PROBES = (
    ("a sari", "Identity", 9.0),
    ("a turban", "identity", 1.0),
    ("a bow", "behavior", 5.0),
    ("a lamp", "context", 2.0),
    ("a mat", "context", 2.0),
    ("a wall", "context", 4.0),
)


def test_shares_are_by_dimension_and_the_headline_is_their_mean(server, clip):
    yes = {"a sari", "a bow", "a lamp"}
    scripted(server, {name: "Yes" if name in yes else "No" for name, *_ in PROBES})
    rows = scored(server, item(clip, *PROBES))
    assert rows["1", "culturescore", "identity"].value == pytest.approx(1 / 2)
    assert rows["1", "culturescore", "behavior"].value == 1
    assert rows["1", "culturescore", "context"].value == pytest.approx(1 / 3)
    assert rows["1", "culturescore", ""].value == pytest.approx((1 / 2 + 1 + 1 / 3) / 3)
    assert rows["1", "culturescore_pooled", ""].value == pytest.approx(3 / 6)
    assert rows["1", "culturescore_weighted", ""].value == pytest.approx((9 / 10 + 1 + 2 / 8) / 3)
    assert rows["1", "culturescore", ""].evidence == {
        "asked": 6,
        "answered": 6,
        "yes": 3,
        "dimensions": 3,
    }
    told = rows["1", "culturescore", "behavior"].evidence["questions"]
    assert told == [
        {
            "probe": "a bow",
            "question": "Is there a bow?",
            "weight": 5.0,
            "yes": True,
            "observed": "saw a bow",
            "match": "m",
        }
    ]


def test_a_question_is_a_call_of_its_own_with_the_frames_before_it(server, clip):
    scripted(server, dict.fromkeys((name for name, *_ in PROBES), "Yes"))
    scored(server, item(clip, *PROBES))
    assert len(server.requests) == len(PROBES)
    for body in server.requests:
        *pictures, text = body["messages"][-1]["content"]
        assert [part["type"] for part in pictures] == ["image_url"] * 4
        assert pictures[0]["image_url"]["url"].startswith("data:image/jpeg;base64,")
        assert text["text"].count("Is there") == 1
        assert body["temperature"] == 0


@pytest.mark.parametrize(("manner", "streams"), [("clip", 1), ("sound", 2)])
def test_a_server_that_takes_video_gets_the_clip_with_or_without_its_sound(
    server, clip, manner, streams
):
    import base64
    import io

    import av

    scripted(server, {"a bow": "Yes"})
    scored(server, item(clip, ("a bow", "behavior", 1.0)), clips=manner)
    [part, _text] = server.requests[0]["messages"][-1]["content"]
    head, _, coded = part["video_url"]["url"].partition(",")
    assert head == "data:video/mp4;base64"
    with av.open(io.BytesIO(base64.b64decode(coded))) as sent:
        assert len(sent.streams) == streams
        assert sum(1 for _ in sent.decode(video=0)) > 5


def test_the_published_form_of_an_answer_is_read_too(server, clip):
    scripted(server, {"a bow": "The man bows low. Therefore \\boxed{Yes}", "a mat": "\\boxed{no}"})
    rows = scored(server, item(clip, ("a bow", "behavior", 1.0), ("a mat", "context", 1.0)))
    assert rows["1", "culturescore", "behavior"].value == 1
    assert rows["1", "culturescore", "context"].value == 0
    assert rows["1", "culturescore", "identity"].reason == "no_probes"
    assert rows["1", "culturescore", ""].value == 0.5
    assert rows["1", "culturescore", ""].evidence["dimensions"] == 2


@pytest.mark.parametrize(
    ("said", "value"),
    [
        (r"\boxed{\text{Yes}}", 1.0),
        (r"\boxed{ No. }", 0.0),
        (r"First \boxed{Yes}, but then \boxed{No}", 0.0),
        (r"\boxed{Yes or No}", None),
        (r"\boxed{Yes/No}", None),
        (r"\boxed{Not visible}", None),
        (r"\boxed{Yes} it may be. In the end: \boxed{unclear}", None),
    ],
)
def test_a_box_is_read_only_where_it_holds_one_answer(server, clip, said, value):
    scripted(server, {"a bow": said})
    row = scored(server, item(clip, ("a bow", "behavior", 1.0)))["1", "culturescore", "behavior"]
    assert (row.value, row.reason) == (value, "" if value is not None else "parse_failed")


def test_probes_of_another_dimension_count_in_the_pooled_share_alone(server, clip):
    scripted(server, {"a bow": "Yes", "a mood": "No", "a thing": "No"})
    probes = (("a bow", "behavior", 1.0), ("a mood", "mood", 1.0), ("a thing", " ", 1.0))
    rows = scored(server, item(clip, *probes))
    assert rows["1", "culturescore", ""].value == 1.0
    assert rows["1", "culturescore_weighted", ""].value == 1.0
    assert rows["1", "culturescore_pooled", ""].value == pytest.approx(1 / 3)
    assert rows["1", "culturescore", "mood"].value == 0.0
    assert rows["1", "culturescore", "none"].value == 0.0


def test_what_cannot_be_read_is_left_out_and_told_and_never_a_no(server, clip):
    scripted(server, {"a sari": "perhaps", "a turban": "Yes", "a bow": "perhaps"})
    rows = scored(
        server,
        item(
            clip,
            ("a sari", "identity", 3.0),
            ("a turban", "identity", 1.0),
            ("a bow", "behavior", 1),
        ),
    )
    assert rows["1", "culturescore", "identity"].value == 1
    told = rows["1", "culturescore", "identity"].evidence["questions"][0]
    assert told["reason"] == "parse_failed" and "yes" not in told
    assert rows["1", "culturescore", "behavior"].value is None
    assert rows["1", "culturescore", "behavior"].reason == "parse_failed"
    assert rows["1", "culturescore", ""].evidence["answered"] == 1
    assert len(server.requests) == 5  # two of the three were asked once more


def test_a_refused_video_is_undefined_in_everything(server, clip):
    server.say("I would rather not.", refusal=True)
    rows = scored(server, item(clip, ("a bow", "behavior", 1.0)))
    assert {row.reason for row in rows.values()} == {"refused", "no_probes"}
    assert all(row.value is None for row in rows.values())
    assert rows["1", "culturescore", ""].reason == "refused"


def test_items_without_probes_or_file_are_undefined_and_cost_nothing(server, clip, tmp_path):
    rows = scored(
        server,
        item(clip),
        item(str(tmp_path / "gone.mp4"), ("a bow", "behavior", 1.0), key="2"),
    )
    assert rows["1", "culturescore", ""].reason == "no_probes"
    assert rows["2", "culturescore", ""].reason == "missing_media"
    assert server.requests == []


def test_a_studys_own_words_are_asked_and_named(server, clip):
    scripted(server, {"a bow": "Yes"})
    edit = {"number": 2, "system": "S", "user": "In our words. $dimension $question"}
    scored(
        server,
        item(clip, ("a bow", "behavior", 1.0), inputs={"prompts": {"culturescore/answer": edit}}),
    )
    assert "In our words." in server.requests[0]["messages"][-1]["content"][-1]["text"]


def test_a_dry_run_counts_what_is_new_and_a_budget_stops_without_losing_answers(server, clip):
    scripted(server, dict.fromkeys((name for name, *_ in PROBES), "Yes"))
    metric = get_metric("culturescore")
    asked = {"items": [item(clip, *PROBES)], "parameters": MODEL}
    estimate = metric.estimate(backend=chat_of(server), **asked)
    assert (estimate.calls, estimate.stored) == (6, 0)
    with pytest.raises(BudgetReachedError):
        scored(server, *asked["items"], chat=chat_of(server, budget=Budget(calls=4)))
    estimate = metric.estimate(backend=chat_of(server), **asked)
    assert (estimate.calls, estimate.stored) == (2, 4)
    rows = scored(server, *asked["items"])
    assert rows["1", "culturescore", ""].value == 1
    assert len(server.requests) == 6
