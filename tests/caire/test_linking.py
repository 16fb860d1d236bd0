"""Entities of a picture in six ways, and how often the right one is among the first."""

import csv
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from scoring.knowledge.base import KnowledgeBase
from scoring.knowledge.building import build_knowledge_base
from scoring.knowledge.shelf import ShelvedEntity
from scoring.metrics.caire.linking import WAYS, Linked, as_way, link, ranked, recall
from tests.caire.fakes import ChosenEncoder, random_unit, unit
from tests.caire.test_knowledge_base import paint, write

DATA = Path(__file__).resolve().parents[1] / "data" / "caire"
PICTURE = unit([1, 0, 0, 0, 0, 0, 0, 0])


def at(cosine, axis=1):
    """A unit vector with this cosine to PICTURE."""
    vector = np.zeros(8)
    vector[0], vector[axis] = cosine, np.sqrt(1 - cosine**2)
    return vector


@pytest.fixture
def published():
    with (DATA / "linking_example.csv").open(encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


@pytest.fixture
def published_kb(tmp_path, published):
    """Twenty pictures that stand with 13, 6, 10, 1, 1, 2, 1 of the entities, as published."""
    names = [f"{n}.png" for n in range(20)]
    for n, name in enumerate(names):
        paint(tmp_path, name, (n, 0, 0))
    taken = iter(names * 2)  # 34 places on 20 pictures
    records, chosen = [], {}
    for row in published:
        images = [next(taken) for _ in range(int(row["frequency"]))]
        records.append({"id": row["lemma"], "lemma": row["lemma"], "images": images})
        chosen[row["lemma"]] = at(float(row["lemma_score"]))
    write(tmp_path / "kb.jsonl", *records)
    build_knowledge_base(
        tmp_path / "kb.jsonl", tmp_path / "kb", images=tmp_path, encoder=ChosenEncoder(chosen)
    )
    return KnowledgeBase(tmp_path / "kb")


def lemmas(linked):
    return [one.entity.lemma for one in linked]


def test_the_published_example_by_lemma(published_kb, published):
    linked = link(published_kb, PICTURE, way="picture_lemma")
    assert lemmas(linked) == [row["lemma"] for row in published]
    expected = [float(row["lemma_score"]) for row in published]
    assert [one.score for one in linked] == pytest.approx(expected, abs=1e-6)


def test_the_published_example_by_frequency_differs_at_the_second_place(published_kb, published):
    assert sum(int(row["frequency"]) for row in published) == 34
    linked = link(published_kb, PICTURE, way="picture_frequency")
    assert lemmas(linked)[:4] == ["Pysanka", "Easter egg", "Easter", "Ukraine"]
    assert [one.score for one in linked] == [13, 10, 6, 2, 1, 1, 1]
    assert [one.place for one in linked] == [1, 2, 3, 4, 5, 5, 5]  # three share the last place


@pytest.fixture
def kb(tmp_path):
    """Red is nearest to the picture, blue is far; each way has another first entity."""
    paint(tmp_path, "red.png", (255, 0, 0))
    paint(tmp_path, "red2.png", (254, 0, 0))
    paint(tmp_path, "blue.png", (0, 0, 255))
    write(
        tmp_path / "kb.jsonl",
        {"id": "A", "lemma": "a", "gloss": "ga", "images": ["red.png"]},
        {"id": "B", "lemma": "b", "gloss": "gb", "article": "tb", "images": ["red.png"]},
        {"id": "C", "lemma": "c", "images": ["red.png", "red2.png"]},
        {"id": "D", "lemma": "d", "gloss": "gd", "article": "td", "images": ["blue.png"]},
        {"id": "E", "lemma": "e", "article": "te"},
    )
    chosen = {"a": at(0.9), "b": at(0.5), "c": at(0.4), "d": at(0.99), "e": at(0.2)}
    chosen |= {"ga": at(0.1), "gb": at(0.7), "gd": at(0.8)}
    chosen |= {"tb": at(0.3), "td": at(0.2), "te": at(0.95)}
    build_knowledge_base(
        tmp_path / "kb.jsonl", tmp_path / "kb", images=tmp_path, encoder=Nearness(chosen)
    )
    return KnowledgeBase(tmp_path / "kb")


class Nearness(ChosenEncoder):
    """Red pictures lie near PICTURE, others far."""

    def encode_images(self, images):
        return [unit(at(0.9 if image().getpixel((0, 0))[0] > 200 else 0.1)) for image in images]


@pytest.mark.parametrize(
    ("way", "order"),
    [
        ("picture_lemma", "ABC"),
        ("picture_gloss", "BA"),  # C has no gloss
        ("picture_frequency", "CAB"),
        ("text_lemma", "DABCE"),
        ("text_gloss", "DBA"),
        ("text_article", "EBD"),
    ],
)
def test_each_way_ranks_by_its_own_rule(kb, way, order):
    assert (
        "".join(
            one.entity.id for one in link(kb, PICTURE, way=way, k=2 if "picture" in way else 20)
        )
        == order
    )


def test_picture_first_forgets_how_near_the_pictures_were(kb):
    """With all three pictures D joins, and its lemma puts it first though its picture is last."""
    assert link(kb, PICTURE, way="picture_lemma", k=3)[0].entity.id == "D"


def test_an_empty_shelf_of_pictures_links_nothing(tmp_path):
    write(tmp_path / "kb.jsonl", {"id": "A", "lemma": "a"})
    build_knowledge_base(
        tmp_path / "kb.jsonl", tmp_path / "kb", images=tmp_path, encoder=ChosenEncoder()
    )
    kb = KnowledgeBase(tmp_path / "kb")
    for way in ("picture_lemma", "picture_frequency", "text_gloss", "text_article"):
        assert link(kb, PICTURE, way=way) == []
    assert lemmas(link(kb, PICTURE, way="text_lemma")) == ["a"]


def test_every_way_agrees_with_brute_force_on_random_vectors(tmp_path):
    rng = np.random.default_rng(8)
    records = []
    for n in range(60):
        Image.new("RGB", (2, 2), (n, 9, 9)).save(tmp_path / f"{n}.png")
    for n in range(40):
        images = [f"{i}.png" for i in rng.choice(60, size=rng.integers(0, 4), replace=False)]
        record = {"id": f"Q{n:02}", "lemma": f"lemma {n}", "images": images}
        if n % 3:
            record |= {"gloss": f"gloss {n}"}
        if n % 4:
            record |= {"article": f"article {n}"}
        records.append(record)
    write(tmp_path / "kb.jsonl", *records)
    build_knowledge_base(
        tmp_path / "kb.jsonl", tmp_path / "kb", images=tmp_path, encoder=ChosenEncoder()
    )
    kb = KnowledgeBase(tmp_path / "kb")
    query = random_unit("query", 8)
    pictures = {f"{n}.png": float(random_unit(str((n, 9, 9)), 8) @ query) for n in range(60)}
    shown = {name for record in records for name in record["images"]}
    near = sorted(shown, key=lambda name: -pictures[name])[:20]
    for way in WAYS:
        family, by = way.split("_", 1)
        scores = {}
        for record in records:
            times = sum(name in near for name in record["images"])
            text = record.get(by, "")
            if family == "picture" and not times:
                continue
            if by == "frequency":
                scores[record["id"]] = times
            elif text:
                scores[record["id"]] = float(random_unit(text, 8) @ query)
        expected = sorted(scores, key=lambda name: (-scores[name], name))
        found = link(kb, query, way=way)
        kept = expected if family == "picture" else expected[:20]
        assert [one.entity.id for one in found] == kept, way
        assert [one.score for one in found] == pytest.approx([scores[n] for n in kept], abs=1e-5)


def test_an_unknown_way_is_refused():
    with pytest.raises(ValueError, match="picture_lemma"):
        as_way("by_guess")


def list_of(**scores):
    entities = [(ShelvedEntity(0, name, name, "", "", None, None), s) for name, s in scores.items()]
    return ranked(entities)


def test_recall_counts_pictures_with_a_gold_entity_among_the_first_k():
    linked = {
        "1": list_of(a=0.9, b=0.8, c=0.7),
        "2": list_of(a=0.9, b=0.8, c=0.7),
        "3": list_of(a=0.9),
        "4": list_of(a=0.9),  # without gold
        "5": [],
    }
    gold = {"1": ["a"], "2": ["c", "x"], "3": ["b"], "4": [], "5": ["a"]}
    found = recall(linked, gold, at=(1, 2, 3))
    assert found.n == 4
    assert found.at == {1: 0.25, 2: 0.25, 3: 0.5}
    assert [(miss.key, miss.place) for miss in found.misses] == [("2", 3), ("3", None), ("5", None)]
    assert found.misses[0].first[0] == Linked(linked["2"][0].entity, 0.9, 1)


def test_entities_of_equal_score_count_at_the_last_place_they_share():
    linked = {"1": list_of(z=1.0, a=1.0, b=1.0, c=2.0)}
    assert recall(linked, {"1": ["a"]}, at=(2, 3, 4)).at == {2: 0.0, 3: 0.0, 4: 1.0}


def test_recall_without_gold_is_an_error():
    with pytest.raises(ValueError, match="gold"):
        recall({"1": list_of(a=1.0)}, {})
