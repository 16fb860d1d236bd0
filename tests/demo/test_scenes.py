"""The demo's pictures, tables, texts and simulated ratings agree with each other."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageChops

from demo.catalogue import COLUMNS, write_demo_tables
from demo.elements import SCENES
from demo.scenes import (
    ACTIVITIES,
    COUNTRIES,
    PHOTOGRAPHS,
    SYSTEMS,
    DemoItem,
    demo_items,
    draw_scene,
    drawn_bytes,
    write_demo_media,
)
from demo.simulated import latent_value, simulated_ratings
from demo.vocabulary import INSTEAD, NEEDS, STRAYS, elements_of
from studies.importing.descriptors import parse_descriptors
from studies.importing.items import parse_items
from studies.media import probe_image, strip_metadata

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "demo"
QUESTIONS = ("faithfulness", "hallucination", "exaggeration")
DIMENSIONS = {"setting", "objects", "attire", "interaction", "layout"}


@pytest.fixture(scope="module")
def media(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    write_demo_media(folder)
    return folder


@pytest.fixture(scope="module")
def study() -> dict:
    return json.loads((FIXTURES / "study.json").read_text(encoding="utf-8"))


def rows() -> list[dict[str, str]]:
    with (FIXTURES / "items.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def descriptors(kind: str) -> list[dict[str, str]]:
    lines = (FIXTURES / "descriptors.jsonl").read_text(encoding="utf-8").splitlines()
    return [row for row in map(json.loads, lines) if row["kind"] == kind]


def words(text: str) -> int:
    return len(text.split())


def test_the_fixtures_are_what_the_code_writes(tmp_path):
    write_demo_tables(tmp_path)

    for name in ("items.csv", "descriptors.jsonl"):
        assert (tmp_path / name).read_bytes() == (FIXTURES / name).read_bytes(), name


def test_every_row_has_its_file_and_every_file_its_row(media):
    assert sorted(row["file"] for row in rows()) == sorted(path.name for path in media.iterdir())
    assert set(rows()[0]) == set(COLUMNS)


def test_the_demo_is_two_countries_two_activities_three_systems_twice_and_two_photographs():
    cells = Counter((row["country"], row["category"], row["system"]) for row in rows())

    drawn = {cell: count for cell, count in cells.items() if cell[2]}
    assert len(drawn) == 2 * 2 * 3
    assert set(drawn.values()) == {2}
    assert [row["item_id"] for row in rows() if row["origin"] == "real"] == sorted(PHOTOGRAPHS)


def test_every_picture_can_be_shown_is_small_and_needs_no_cleaning(media):
    for path in media.iterdir():
        data = path.read_bytes()
        facts = probe_image(data)
        assert len(data) <= 120_000, path.name
        assert strip_metadata(data, facts.format) == data, path.name
        if facts.format == "webp":
            assert (facts.width, facts.height) == (1024, 768)


def test_the_same_item_is_the_same_bytes_every_time(media):
    for item in [item for item in demo_items() if item.origin == "generated"][::5]:
        assert drawn_bytes(item) == (media / item.file).read_bytes(), item.item_id


def test_no_two_pictures_are_alike(media):
    assert len({path.read_bytes() for path in media.iterdir()}) == 26


def test_no_name_tells_the_system(media):
    for row in rows():
        shown = f"{row['item_id']} {row['file']} {row['prompt']}".lower()
        assert not any(system in shown for system in SYSTEMS)
    # A system is not always the same number either.
    numbers = {
        (row["country"], row["category"], row["item_id"][-2:])
        for row in rows()
        if row["system"] == "aurora"
    }
    assert len({number for _country, _category, number in numbers}) > 2


@pytest.mark.parametrize("scene", SCENES, ids=" ".join)
def test_every_element_changes_the_picture_when_it_is_left_out(scene):
    right = tuple(element.key for element in SCENES[scene])
    full = draw_scene(DemoItem("full", *scene, "aurora", 1, right))

    for key in right:
        rest = tuple(
            other for other in right if other != key and NEEDS[scene].get(other) != key
        ) + ((INSTEAD[scene][key],) if key in INSTEAD[scene] else ())
        without = draw_scene(DemoItem("full", *scene, "aurora", 1, rest))
        assert ImageChops.difference(full, without).getbbox(), key


@pytest.mark.parametrize("scene", SCENES, ids=" ".join)
def test_every_stray_thing_shows(scene):
    right = tuple(element.key for element in SCENES[scene])
    full = draw_scene(DemoItem("full", *scene, "aurora", 1, right))

    for stray in (stray for group in STRAYS.values() for stray in group):
        crowded = draw_scene(DemoItem("full", *scene, "aurora", 1, (*right, stray.key)))
        assert ImageChops.difference(full, crowded).getbbox(), stray.key


def test_an_element_that_needs_another_is_never_drawn_alone():
    for item in demo_items():
        for key, needed in NEEDS[item.country, item.activity].items():
            assert key not in item.keys or needed in item.keys, (item.item_id, key)


def test_systems_differ_as_intended():
    share = {
        system: [(i.right_share, i.stray_share) for i in demo_items() if i.system == system]
        for system in SYSTEMS
    }

    assert min(right for right, _ in share["aurora"]) > max(right for right, _ in share["cobalt"])
    assert max(stray for _, stray in share["basalt"]) < min(stray for _, stray in share["cobalt"])
    assert all(stray == 0 for _, stray in share["aurora"])


def test_reference_descriptors_cover_the_dimensions():
    for country, activity in SCENES:
        found = Counter(
            row["dimension"]
            for row in descriptors("reference")
            if (row["country"], row["activity"]) == (country, ACTIVITIES[activity])
        )
        assert set(found) == DIMENSIONS
        assert found["objects"] >= 3
        assert found["setting"] + found["attire"] >= 5


def test_the_fixtures_pass_the_importers_own_checks():
    items = parse_items((FIXTURES / "items.csv").read_bytes())
    ids = {record.item_id for record in items.records}
    found = parse_descriptors((FIXTURES / "descriptors.jsonl").read_bytes(), item_ids=ids)

    assert (items.problems, len(items.records)) == ((), 26)
    assert (found.problems, len(found.records)) == ((), 338)
    assert {record.activity for record in found.records} == {r.category for r in items.records}


def test_predicted_descriptors_are_exactly_what_was_drawn():
    predicted = descriptors("predicted")
    fields = {"kind", "activity", "country", "item_id", "dimension", "token", "style", "source"}

    for item in demo_items():
        mine = [row for row in predicted if row["item_id"] == item.item_id]
        assert [row["token"] for row in mine] == [element.predicted for element in item.drawn]
        assert all(set(row) == fields and row["dimension"] in DIMENSIONS for row in mine)


def test_an_extractor_words_things_in_its_own_way():
    same = [
        element.key
        for scene in SCENES
        for element in elements_of(*scene).values()
        if element.reference == element.predicted
    ]

    assert same == []


def test_questions_are_short_and_every_point_is_labelled(study):
    likert = [question for question in study["questions"] if question["kind"] == "likert"]

    assert [question["key"] for question in likert] == list(QUESTIONS)
    for question in likert:
        longest = question["text"].format(activity="tea break", country="Nepal")
        assert words(longest) <= 20
        assert words(question["help"]) <= 15
        assert question["direction"] in ("higher", "lower")
        assert [point["value"] for point in question["points"]] == [1, 2, 3, 4, 5]
        assert all(1 <= words(point["label"]) <= 3 for point in question["points"])


def test_the_rationale_is_required_when_much_is_wrong(study):
    rationale = study["questions"][-1]

    assert rationale["text"] == "What is wrong in the picture?"
    assert rationale["min_length"] == 20
    assert rationale["required_when"] == {"question": "hallucination", "from": 3, "to": 5}


def test_consent_and_instructions_keep_their_word_limits(study):
    assert sum(words(line) for line in study["consent"]["in_short"]) <= 120
    told = study["instructions"]
    assert words(told["lead"]) + sum(words(point) for point in told["points"]) <= 150


def test_the_words_for_annotators_name_no_system_and_no_jargon(study):
    shown = json.dumps(
        [study[part] for part in ("questions", "attention_checks", "consent", "instructions")]
    ).lower()
    texts = [question["text"].lower() for question in study["questions"]]

    assert not any(system in shown for system in SYSTEMS)
    assert not any(word in text.split() for text in texts for word in ("item", "model", "system"))


def test_every_country_has_its_name_and_its_panel(study):
    assert study["countries"] == COUNTRIES
    assert {panel["country"] for panel in study["panels"]} == set(COUNTRIES)


def test_seats_are_enough_for_the_wanted_ratings(study):
    for panel in study["panels"]:
        units = sum(row["country"] == panel["country"] for row in rows())
        wanted = units * panel["ratings_per_unit"]
        assert panel["seats"] * study["units_per_session"] >= wanted


def test_the_attention_check_can_be_answered_on_the_scale_it_borrows(study):
    check = study["attention_checks"][0]
    scale = next(q for q in study["questions"] if q["key"] == check["scale_of"])

    assert check["expected"] in [point["value"] for point in scale["points"]]
    assert str(check["expected"]) in check["text"]


def test_published_numbers_are_correlations_or_agreements_with_a_source():
    published = json.loads((FIXTURES / "published.json").read_text(encoding="utf-8"))

    assert published["source"]
    assert all(-1 <= number["value"] <= 1 and number["what"] for number in published["numbers"])


def answers(seed: int, raters: int = 12):
    names = [f"rater {number}" for number in range(raters)]
    return simulated_ratings(demo_items(), names, QUESTIONS, np.random.default_rng(seed))


def test_simulated_ratings_are_reproducible_and_in_range():
    first = answers(1)

    assert first == answers(1)
    assert first != answers(2)
    assert len(first) == 26 * 12
    for answer in first:
        assert set(answer.values) == set(QUESTIONS)
        assert all(value in (1, 2, 3, 4, 5) for value in answer.values.values())
        assert 5 < answer.seconds < 600


def test_a_rationale_is_given_exactly_where_it_is_required_and_is_long_enough():
    for answer in answers(3):
        assert bool(answer.rationale) == (answer.values["hallucination"] >= 3)
        assert not answer.rationale or len(answer.rationale) >= 20


def test_simulated_raters_agree_about_as_much_as_people_do():
    alphas = [_ordinal_alpha(seed) for seed in range(8)]

    assert 0.4 < float(np.mean(alphas)) < 0.65


def _ordinal_alpha(seed: int) -> float:
    krippendorff = pytest.importorskip("krippendorff")
    values = [answer.values["faithfulness"] for answer in answers(seed, raters=3)]
    matrix = np.array(values, dtype=float).reshape(3, 26)
    return krippendorff.alpha(matrix, level_of_measurement="ordinal")


def test_mean_ratings_follow_what_was_drawn():
    given = answers(4)
    for question, better in (("faithfulness", 1), ("hallucination", -1)):
        means, latent = [], []
        for item in demo_items():
            mine = [a.values[question] for a in given if a.item_id == item.item_id]
            means.append(np.mean(mine))
            latent.append(latent_value(item, question))
        assert np.corrcoef(means, latent)[0, 1] > 0.8
        shares = [item.right_share for item in demo_items()]
        assert better * np.corrcoef(means, shares)[0, 1] > 0.6


def test_an_unknown_question_is_refused():
    with pytest.raises(ValueError, match="realism"):
        simulated_ratings(demo_items(), ["one"], ["realism"], np.random.default_rng(0))


def test_photographs_are_real_and_have_no_predicted_descriptors(media):
    for item_id in PHOTOGRAPHS:
        picture = Image.open(io.BytesIO((media / f"{item_id}.jpg").read_bytes()))
        assert picture.size == (640, 427)
        assert not any(row["item_id"] == item_id for row in descriptors("predicted"))
