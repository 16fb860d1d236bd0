"""Judges through a real chat server with scripted answers, every aggregate by hand."""

from __future__ import annotations

import base64
import io
import json
from dataclasses import replace
from itertools import permutations
from math import sqrt

import pytest
from PIL import Image

from scoring.metrics import get_metric
from scoring.metrics.base import ParameterError
from scoring.metrics.culturevidbench import DIMENSIONS
from scoring.metrics.triplet_judge import orders_of
from tests.chat_server import FakeChatServer
from tests.importing.clips import make_clip
from tests.scoring.chat_of_items import (
    answers_by,
    asked_text,
    chat_of,
    item,
    parts_of,
    scored,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def server():
    with FakeChatServer() as running:
        yield running


@pytest.fixture
def clip(tmp_path):
    return str(make_clip(tmp_path / "clip.mp4", sound="aac"))


def picture(path, colour: str) -> str:
    Image.new("RGB", (40, 30), colour).save(path)
    return str(path)


# ---- CultureVidBench


def criteria(**changes):
    given = {name: {"text": f"Rate the {name}.", "applies": True} for name in DIMENSIONS}
    return {"criteria": {**given, **changes}}


def video(clip: str, inputs):
    return item(
        clip,
        inputs=inputs,
        country_name="Nepal",
        category="ritual",
        aspect="weddings",
        cultural_element="mandap",
    )


def targeted(score: int, **changes):
    whole = {"target": "a canopy", "observations": ["red cloth"], "score": score}
    return {**whole, "justification": "seen", **changes}


def observed(score, **changes):
    whole = {"observations": ["signs"], "applicable": score is not None, "score": score}
    return {**whole, "justification": "seen", **changes}


SCORES = {
    "element_alignment": targeted(4),
    "cultural_consistency": observed(2),
    "text_rendering": observed(None),
    "audio_alignment": observed(5),
    "subject_alignment": targeted(5),
    "action_alignment": targeted(1),
    "realism": observed(3),
    "visual_quality": observed(5),
}
FRAMES = {"frames": 2}


def test_eight_dimensions_are_scored_raw_and_from_0_to_1_by_the_annotators_criteria(server, clip):
    answers_by(server, {f"Rate the {name}.": reply for name, reply in SCORES.items()})
    rows = scored(server, "culturevidbench", video(clip, criteria()), clips="sound")
    raw = {name: rows["1", "culturevidbench_raw", name].value for name in DIMENSIONS}
    assert raw == {
        "element_alignment": 4,
        "cultural_consistency": 2,
        "text_rendering": None,
        "audio_alignment": 5,
        "subject_alignment": 5,
        "action_alignment": 1,
        "realism": 3,
        "visual_quality": 5,
    }
    assert rows["1", "culturevidbench_raw", "text_rendering"].reason == "not_applicable"
    assert rows["1", "culturevidbench", "cultural_consistency"].value == 0.25
    assert rows["1", "culturevidbench_raw", ""].value == pytest.approx(25 / 7)
    assert rows["1", "culturevidbench", ""].value == pytest.approx((25 / 7 - 1) / 4)
    cultural = rows["1", "culturevidbench_cultural", ""]
    assert cultural.value == pytest.approx((0.75 + 0.25 + 1) / 3)
    assert "text_rendering" not in cultural.evidence["dimensions"]
    assert rows["1", "culturevidbench_semantic", ""].value == pytest.approx((1 + 0) / 2)
    evidence = rows["1", "culturevidbench_raw", "element_alignment"].evidence
    assert evidence["target"] == "a canopy" and evidence["observations"] == ["red cloth"]
    assert len(server.requests) == 8


def test_sound_is_undefined_unless_the_model_hears_it_and_the_aspect_is_judged_by_ear(server, clip):
    answers_by(server, {f"Rate the {name}.": reply for name, reply in SCORES.items()})
    rows = scored(server, "culturevidbench", video(clip, criteria()), **FRAMES)
    assert rows["1", "culturevidbench_raw", "audio_alignment"].reason == "no_audio"
    deaf = criteria(audio_alignment={"text": "Rate the audio_alignment.", "applies": False})
    rows = scored(server, "culturevidbench", video(clip, deaf), clips="sound")
    assert rows["1", "culturevidbench_raw", "audio_alignment"].reason == "no_audio"
    assert not any("audio_alignment" in asked_text(body) for body in server.requests)


@pytest.mark.parametrize(
    "reply",
    [
        targeted(4, target=" "),
        targeted(4, observations=[]),
        targeted(4, observations=[""]),
        targeted(6),
        {"score": 4},
    ],
)
def test_a_score_without_target_and_observations_is_rejected(server, clip, reply):
    answers_by(server, {"Rate": reply})
    only = {"criteria": {"element_alignment": {"text": "Rate it.", "applies": True}}}
    rows = scored(server, "culturevidbench", video(clip, only), **FRAMES)
    assert rows["1", "culturevidbench_raw", "element_alignment"].reason == "parse_failed"
    assert rows["1", "culturevidbench", ""].reason == "parse_failed"
    assert len(server.requests) == 2  # asked once more


def test_a_study_without_a_question_has_no_such_score(server, clip):
    answers_by(server, {"Rate": observed(3)})
    only = {"criteria": {"realism": {"text": "Rate it.", "applies": True}}}
    rows = scored(server, "culturevidbench", video(clip, only), **FRAMES)
    assert rows["1", "culturevidbench_raw", "visual_quality"].reason == "not_asked"
    assert rows["1", "culturevidbench_raw", ""].value == 3


def test_the_reference_picture_of_the_element_comes_first_where_a_target_is_named(
    server, clip, tmp_path
):
    answers_by(server, {f"Rate the {name}.": reply for name, reply in SCORES.items()})
    reference = picture(tmp_path / "mandap.png", "red")
    inputs = criteria() | {"element_picture": {"file": reference, "sha256": "r"}}
    scored(server, "culturevidbench", video(clip, inputs), **FRAMES)
    for body in server.requests:
        urls = [p["image_url"]["url"] for p in parts_of(body) if p["type"] == "image_url"]
        with_reference = "mandap" in asked_text(body)
        assert len(urls) == (3 if with_reference else 2)
        assert urls[0].startswith("data:image/png") == with_reference


def test_the_plain_judge_scores_at_once(server, clip):
    answers_by(
        server, {"realism": {"score": 2}, "text_rendering": {"score": None}, "": {"score": 4}}
    )
    rows = scored(server, "culturevidbench_plain", video(clip, criteria()), **FRAMES)
    assert rows["1", "culturevidbench_plain_raw", "realism"].value == 2
    assert rows["1", "culturevidbench_plain_raw", "text_rendering"].reason == "not_applicable"
    assert rows["1", "culturevidbench_plain_raw", ""].value == pytest.approx((2 + 5 * 4) / 6)


@pytest.mark.parametrize("metric", ["culturevidbench", "culturevidbench_plain"])
def test_without_its_words_a_video_is_held_against_nothing_and_still_seen(server, clip, metric):
    replies = {f"Rate the {name}.": reply for name, reply in SCORES.items()}
    answers_by(server, replies if metric == "culturevidbench" else {"": {"score": 3}})
    one = video(clip, criteria())
    one = replace(one, fields={**one.fields, "prompt": " "})
    rows = scored(server, metric, one, **FRAMES)
    reasons = {name: rows["1", f"{metric}_raw", name].reason for name in DIMENSIONS}
    held = {"element_alignment", "subject_alignment", "action_alignment"}
    assert {name for name, reason in reasons.items() if reason == "no_prompt"} == held
    assert rows["1", f"{metric}_raw", "realism"].value == 3
    assert rows["1", f"{metric}_semantic", ""].reason == "no_prompt"
    assert len(server.requests) == 4


def test_the_plain_judge_is_told_what_the_reference_picture_is(server, clip, tmp_path):
    answers_by(server, {"": {"score": 3}})
    reference = picture(tmp_path / "mandap.png", "red")
    inputs = criteria() | {"element_picture": {"file": reference, "sha256": "r"}}
    scored(server, "culturevidbench_plain", video(clip, inputs), **FRAMES)
    assert all("reference picture" in asked_text(body) for body in server.requests)


# ---- A model as rater


def question(direction: str = "higher", **changes):
    whole = {"text": "How right?\n1: Not\n5: Fully", "values": [1, 2, 3, 4, 5], "na": False}
    return {**whole, "direction": direction, "applies": True, **changes}


def rated(tmp_path, **questions):
    inputs = {"scene": "a wedding, Nepal", "questions": questions}
    return item(picture(tmp_path / "p.png", "blue"), kind="image", inputs=inputs)


def test_the_studys_own_questions_are_asked_with_their_scale(server, tmp_path):
    answers_by(
        server, {"How right?": {"reason": "r", "score": 4}, "faults": {"reason": "s", "score": 2}}
    )
    faults = question("lower", text="How many faults?\n1: None")
    rows = scored(server, "judge", rated(tmp_path, faith=question(), hal=faults))
    assert rows["1", "judge", "faith"].value == 4
    assert rows["1", "judge_faults", "hal"].value == 2
    assert set(rows) == {("1", "judge", "faith"), ("1", "judge_faults", "hal")}
    assert "1: Not\n5: Fully" in asked_text(server.requests[0])
    shape = server.requests[0]["response_format"]["json_schema"]["schema"]
    assert shape["properties"]["score"] == {"type": "integer", "enum": [1, 2, 3, 4, 5]}


def test_a_point_that_the_scale_lacks_is_no_answer(server, tmp_path):
    answers_by(server, {"": {"reason": "r", "score": 6}})
    rows = scored(server, "judge", rated(tmp_path, faith=question()))
    assert rows["1", "judge", "faith"].reason == "parse_failed"


def test_the_way_out_is_not_applicable_and_no_point(server, tmp_path):
    answers_by(server, {"": {"reason": "no text", "score": None}})
    rows = scored(server, "judge", rated(tmp_path, text=question(na=True), other=question()))
    assert rows["1", "judge", "text"].reason == "not_applicable"
    assert rows["1", "judge", "other"].reason == "parse_failed"  # it has no way out


def test_what_people_are_not_asked_the_model_is_not_either(server, tmp_path):
    answers_by(server, {"": {"reason": "r", "score": 3}})
    rows = scored(server, "judge", rated(tmp_path, a=question(applies=False), b=question()))
    assert rows["1", "judge", "a"].reason == "not_applicable"
    assert rows["1", "judge", "b"].value == 3
    assert len(server.requests) == 1


def test_samples_are_averaged_and_how_often_they_agree_is_kept(server, tmp_path):
    scores = iter([4, 5, 4])
    answers_by(server, lambda text: {"reason": "r", "score": next(scores)})
    one = rated(tmp_path, faith=question())
    rows = scored(server, "judge", one, samples=3, temperature=0.7)
    row = rows["1", "judge", "faith"]
    assert row.value == pytest.approx(13 / 3)
    assert sorted(row.evidence["samples"]) == [4, 4, 5]
    assert row.evidence["same"] == pytest.approx(2 / 3)
    assert sorted(body["seed"] for body in server.requests) == [0, 1, 2]
    assert {body["temperature"] for body in server.requests} == {0.7}


def test_samples_of_answers_without_an_order_are_counted_and_not_averaged(server, tmp_path):
    scores = iter([1, 3, 1])
    answers_by(server, lambda text: {"reason": "r", "score": next(scores)})
    one = rated(tmp_path, kind=question(unordered=True))
    row = scored(server, "judge", one, samples=3, temperature=0.7)["1", "judge", "kind"]
    assert (row.value, row.evidence["same"]) == (1.0, pytest.approx(2 / 3))


def test_answers_without_an_order_that_tie_are_undefined(server, tmp_path):
    scores = iter([1, 3])
    answers_by(server, lambda text: {"reason": "r", "score": next(scores)})
    one = rated(tmp_path, kind=question(unordered=True))
    row = scored(server, "judge", one, samples=2, temperature=0.7)["1", "judge", "kind"]
    assert (row.value, row.reason) == (None, "tied")


def test_samples_that_are_one_answer_many_times_are_refused(server, tmp_path):
    with pytest.raises(ParameterError, match="temperature above 0"):
        scored(server, "judge", rated(tmp_path, faith=question()), samples=3)
    assert server.requests == []


@pytest.mark.parametrize("given", [{"samples": 2.5}, {"frames": 0.5}])
def test_half_a_sample_is_no_number_of_samples(server, tmp_path, given):
    with pytest.raises(ParameterError, match="whole number|out of range"):
        scored(server, "judge", rated(tmp_path, faith=question()), temperature=1, **given)


def test_a_refusal_is_undefined_and_not_the_lowest_point(server, tmp_path):
    server.say("I can't judge people.", refusal=True)
    row = scored(server, "judge", rated(tmp_path, faith=question()))["1", "judge", "faith"]
    assert (row.value, row.reason) == (None, "refused")


# ---- VIEScore and the UnifiedReward-like judge


def test_viescore_is_the_geometric_mean_of_the_lesser_ratings(server, tmp_path):
    semantic = {"reason": "r", "scores": [9, 4]}
    perceptual = {"reason": "r", "naturalness": 9, "artifacts": 10}
    answers_by(server, {"follows the words": semantic, "naturalness": perceptual})
    rows = scored(server, "viescore", item(picture(tmp_path / "p.png", "red"), kind="image"))
    assert rows["1", "viescore_sc", ""].value == 4
    assert rows["1", "viescore_pq", ""].value == 9
    assert rows["1", "viescore", ""].value == pytest.approx(sqrt(4 * 9))


def test_viescore_without_one_half_is_undefined_with_the_reason(server, tmp_path):
    perceptual = {"reason": "r", "naturalness": 9, "artifacts": 10}
    answers_by(
        server, {"follows the words": {"reason": "r", "scores": []}, "naturalness": perceptual}
    )
    rows = scored(server, "viescore", item(picture(tmp_path / "p.png", "red"), kind="image"))
    assert rows["1", "viescore", ""].reason == "parse_failed"
    assert rows["1", "viescore_pq", ""].value == 9


def test_the_unified_judge_sees_one_frame_and_gives_four_numbers(server, clip):
    answers_by(server, {"": {"alignment": 4, "quality": 2, "final": 3}})
    rows = scored(server, "unified_reward", item(clip))
    values = {output: row.value for (_, output, _), row in rows.items()}
    assert values == {
        "unified_final": 3,
        "unified_unit": 0.5,
        "unified_alignment": 4,
        "unified_quality": 2,
    }
    assert [part["type"] for part in parts_of(server.requests[0])] == ["image_url", "text"]


def test_a_frame_that_stands_alone_is_sent_as_a_picture_is(server, tmp_path):
    clip = str(make_clip(tmp_path / "large.mp4", size=(1600, 900)))
    answers_by(server, {"": {"alignment": 4, "quality": 2, "final": 3}})
    scored(server, "unified_reward", item(clip))
    assert sizes_of(server.requests[0]) == [("PNG", (1536, 864))]
    server.requests.clear()
    answers_by(server, {"": {"reason": "r", "score": 3}})
    inputs = {"scene": "", "questions": {"q": question()}}
    for frames, expected in ((1, [("PNG", (1536, 864))]), (2, [("JPEG", (768, 432))] * 2)):
        scored(server, "judge", item(clip, inputs=inputs), frames=frames)
        assert sizes_of(server.requests[-1]) == expected


def sizes_of(body) -> list[tuple[str | None, tuple[int, int]]]:
    """Format and size of every picture that was sent."""
    urls = [part["image_url"]["url"] for part in parts_of(body) if part["type"] == "image_url"]
    data = [base64.b64decode(url.partition(",")[2]) for url in urls]
    return [(image.format, image.size) for image in (Image.open(io.BytesIO(d)) for d in data)]


@pytest.mark.parametrize("metric", ["viescore", "unified_reward"])
@pytest.mark.parametrize("prompt", ["", "  "])
def test_an_item_without_a_prompt_is_not_asked_about(server, clip, metric, prompt):
    rows = scored(server, metric, item(clip, prompt=prompt))
    assert {row.reason for row in rows.values()} == {"no_prompt"}
    assert server.requests == []


# ---- Triplets


@pytest.fixture
def triplet(tmp_path):
    """Three pictures of a unit; their keys are colours."""
    members = [
        {"key": colour, "file": picture(tmp_path / f"{colour}.png", colour), "kind": "image"}
        for colour in ("red", "green", "blue")
    ]
    unit = {"key": "u1", "prompt": "a wedding", "country": "Nepal"}
    unit["items"] = [{**member, "sha256": member["key"]} for member in members]
    return [
        item(member["file"], key=member["key"], kind="image", inputs={"units": [unit]})
        for member in members
    ]


def colour_order(body) -> list[str]:
    """The colours in the order in which the request shows them."""
    found = []
    for part in parts_of(body):
        if part["type"] == "image_url":
            data = base64.b64decode(part["image_url"]["url"].partition(",")[2])
            pixel = Image.open(io.BytesIO(data)).convert("RGB").getpixel((0, 0))
            found.append({(255, 0, 0): "red", (0, 128, 0): "green", (0, 0, 255): "blue"}[pixel])
    return found


def prefers(server, *wanted: str) -> None:
    def answer(body):
        shown = colour_order(body)
        return json.dumps({"reason": "r", "order": ["ABC"[shown.index(c)] for c in wanted]})

    server.answer = answer


def test_all_six_orders_give_the_mean_rank_and_are_paid_for_once(server, triplet):
    prefers(server, "green", "blue", "red")
    rows = scored(server, "triplet_judge", *triplet)
    ranks = {key: row.value for (key, _, _), row in rows.items()}
    assert ranks == {"red": 3, "green": 1, "blue": 2}
    assert len(server.requests) == 6
    shown = sorted(tuple(colour_order(body)) for body in server.requests)
    assert shown == sorted(permutations(["red", "green", "blue"]))
    assert rows["red", "triplet_rank", ""].evidence["first_shown_put_first"] == pytest.approx(1 / 3)


def test_a_judge_that_prefers_the_first_place_is_seen_and_evened_out(server, triplet):
    answers_by(server, {"": {"reason": "r", "order": ["A", "B", "C"]}})
    rows = scored(server, "triplet_judge", *triplet)
    assert {row.value for row in rows.values()} == {2}
    assert rows["red", "triplet_rank", ""].evidence["first_shown_put_first"] == 1


def test_an_answer_that_is_no_order_of_the_letters_is_left_out_and_told(server, triplet):
    prefers(server, "green", "blue", "red")
    server.say('{"reason": "r", "order": ["A", "A", "B"]}')
    server.say('{"reason": "r", "order": ["A", "B"]}')
    rows = scored(server, "triplet_judge", *triplet)
    assert rows["green", "triplet_rank", ""].value == 1
    assert len(rows["green", "triplet_rank", ""].evidence["orders"]) == 6


def test_a_seeded_pair_shows_every_item_in_two_places():
    unit = {"key": "u1", "items": [1, 2, 3]}
    for seed in range(20):
        first, second = orders_of(unit, {"orders": "pair", "seed": seed})
        assert all(a != b for a, b in zip(first, second, strict=True))
    assert orders_of(unit, {"orders": "pair", "seed": 3}) == orders_of(
        unit, {"orders": "pair", "seed": 3}
    )
    assert len(orders_of(unit, {"orders": "all", "seed": 0})) == 6


def test_an_item_outside_of_units_has_no_rank(server, triplet):
    alone = item(triplet[0].fields["file"], kind="image", inputs={"units": []})
    assert scored(server, "triplet_judge", alone)["1", "triplet_rank", ""].reason == "no_unit"


def test_a_dry_run_of_a_triplet_counts_its_calls_once(server, triplet):
    estimate = get_metric("triplet_judge").estimate(
        items=triplet, backend=chat_of(server), parameters={"model": "seer"}
    )
    assert estimate.calls == 6
