"""A knowledge base: built from lines that are named when wrong, searched as by brute force."""

import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from PIL import Image

from scoring.knowledge.base import KnowledgeBase
from scoring.knowledge.building import build_knowledge_base, read_manifest
from scoring.knowledge.indices import MappedIndex, write_index
from scoring.knowledge.records import BadRecordsError, KnowledgeBaseError
from tests.caire.fakes import ChosenEncoder, random_unit, unit
from tests.tiny_models import save_checkpoint

ROOT = Path(__file__).resolve().parents[2]


def paint(folder, name, colour):
    Image.new("RGB", (4, 4), colour).save(folder / name)


@pytest.fixture
def source(tmp_path):
    """Three entities; the red picture stands with two of them, twice as the same bytes."""
    paint(tmp_path, "red.png", (255, 0, 0))
    paint(tmp_path, "again.png", (255, 0, 0))
    paint(tmp_path, "blue.png", (0, 0, 255))
    return write(
        tmp_path / "kb.jsonl",
        {"id": "Q1", "lemma": "Pysanka", "gloss": "a decorated egg", "images": ["red.png"]},
        {"id": "Q2", "lemma": "Easter", "article": "A feast.", "images": ["again.png", "blue.png"]},
        {"id": "Q3", "lemma": "Ukraine"},
    )


def write(path, *records):
    lines = [r if isinstance(r, str) else json.dumps(r, ensure_ascii=False) for r in records]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def build(source, folder, encoder=None, **how):
    given = {"images": source.parent, "encoder": encoder or ChosenEncoder(), **how}
    return build_knowledge_base(source, folder, **given)


def test_a_picture_may_belong_to_several_entities_and_is_kept_once(source, tmp_path):
    built = build(source, tmp_path / "kb")
    assert (built.manifest.entities, built.manifest.pictures) == (3, 2)
    kb = KnowledgeBase(tmp_path / "kb")
    nearest, other = kb.near_pictures(random_unit("(255, 0, 0)", 8), 20)
    assert nearest.similarity == pytest.approx(1, abs=1e-6)
    assert [kb.entity(row).id for row in nearest.entities] == ["Q1", "Q2"]
    assert [kb.entity(row).id for row in other.entities] == ["Q2"]


def test_texts_that_an_entity_lacks_are_in_no_index(source, tmp_path):
    build(source, tmp_path / "kb", ChosenEncoder({"A feast.": np.eye(8)[0]}))
    kb = KnowledgeBase(tmp_path / "kb")
    [(entity, similarity)] = kb.near_texts("article", unit(np.eye(8)[0]), 20)
    assert (entity.id, similarity) == ("Q2", pytest.approx(1))
    assert len(kb.near_texts("lemma", unit(np.eye(8)[0]), 20)) == 3
    ukraine = kb.by_id("Q3")
    assert kb.similarity("gloss", unit(np.eye(8)[0]), ukraine) is None
    assert kb.similarity("lemma", random_unit("Ukraine", 8), ukraine) == pytest.approx(1)
    assert kb.by_id("Q9") is None


def test_a_second_build_encodes_only_what_is_new_and_drops_what_is_gone(source, tmp_path):
    first = build(source, tmp_path / "kb")
    assert (first.texts, first.pictures, first.dropped) == (5, 2, 0)
    encoder = ChosenEncoder()
    again = build(source, tmp_path / "kb", encoder)
    assert encoder.encoded == []
    assert again.manifest.digest == first.manifest.digest
    paint(tmp_path, "green.png", (0, 255, 0))
    write(
        source,
        {"id": "Q1", "lemma": "Pysanka", "gloss": "an egg with wax", "images": ["red.png"]},
        {"id": "Q4", "lemma": "Nowruz", "images": ["green.png"]},
    )
    changed = build(source, tmp_path / "kb", encoder)
    assert encoder.encoded == ["an egg with wax", "Nowruz", (0, 255, 0)]
    assert changed.dropped == 5  # Easter, its article, Ukraine, the old gloss, the blue picture
    assert changed.manifest.digest != first.manifest.digest
    kb = KnowledgeBase(tmp_path / "kb")
    assert [kb.by_id(name) is None for name in ("Q1", "Q2", "Q4")] == [False, True, False]


def test_a_build_that_was_killed_goes_on_where_it_stopped(source, tmp_path):
    class Killed(Exception):
        pass

    class Dying(ChosenEncoder):
        def encode_images(self, images):
            raise Killed

    with pytest.raises(Killed):
        build(source, tmp_path / "kb", Dying())
    assert read_manifest(tmp_path / "kb") is None
    encoder = ChosenEncoder()
    build(source, tmp_path / "kb", encoder)
    assert encoder.encoded == [(255, 0, 0), (0, 0, 255)]


def test_who_reads_a_knowledge_base_keeps_it_while_a_new_one_is_built(source, tmp_path):
    build(source, tmp_path / "kb")
    former = KnowledgeBase(tmp_path / "kb")
    red = random_unit("(255, 0, 0)", 8)
    before = former.near_pictures(red, 5)
    write(source, {"id": "Q9", "lemma": "Other"})
    build(source, tmp_path / "kb")
    assert former.near_pictures(red, 5) == before
    assert former.entity(before[0].entities[0]).id == "Q1"
    assert KnowledgeBase(tmp_path / "kb").near_pictures(red, 5) == []
    names = {path.name for path in (tmp_path / "kb").iterdir()}
    assert names == {
        "kb.json",
        "vectors.r1.sqlite3",
        "entities.2.sqlite3",
        *(f"{name}.2.faiss" for name in ("pictures", "lemma", "gloss", "article")),
    }


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "Line 2: no JSON"),
        ("[]", "Line 2: no JSON object"),
        ({"id": "Q2"}, "Line 2: lemma is missing"),
        ({"lemma": "x"}, "Line 2: id is missing"),
        ({"id": 2, "lemma": "x"}, "Line 2: id is not a text"),
        ({"id": "Q1", "lemma": "x"}, "Line 2: the id 'Q1' stands in line 1 too"),
        ({"id": "Q2", "lemma": "x", "images": "a.png"}, "Line 2: images is not a list"),
        ({"id": "Q2", "lemma": "x", "images": ["no.png"]}, "Line 2: there is no picture .*no.png"),
        ({"id": "Q2", "lemma": "x", "picture": "a"}, "Line 2: unknown fields picture"),
        ({"id": "Q2", "lemma": "x", "images": ["bad.png"]}, "Line 2: The file bad.png is not"),
    ],
)
def test_a_wrong_line_is_named_and_nothing_is_replaced(tmp_path, source, line, words):
    build(source, tmp_path / "kb")
    before = read_manifest(tmp_path / "kb")
    (tmp_path / "bad.png").write_bytes(b"no picture")
    wrong = write(tmp_path / "wrong.jsonl", {"id": "Q1", "lemma": "x"}, line)
    with pytest.raises(BadRecordsError, match=words):
        build(wrong, tmp_path / "kb")
    assert read_manifest(tmp_path / "kb") == before


def test_every_wrong_line_is_named_at_once(tmp_path):
    wrong = write(tmp_path / "wrong.jsonl", "{", {"id": "Q1"}, "", {"id": "Q2", "lemma": 3})
    with pytest.raises(BadRecordsError) as caught:
        build(wrong, tmp_path / "kb")
    assert [problem.split(":")[0] for problem in caught.value.problems] == [
        "Line 1",
        "Line 2",
        "Line 4",
    ]


def test_an_empty_file_and_a_missing_one_are_no_knowledge_base(tmp_path):
    with pytest.raises(BadRecordsError, match="holds no entity"):
        build(write(tmp_path / "empty.jsonl", ""), tmp_path / "kb")
    with pytest.raises(KnowledgeBaseError, match="cannot be read"):
        build(tmp_path / "none.jsonl", tmp_path / "kb")
    with pytest.raises(KnowledgeBaseError, match="build_kb"):
        KnowledgeBase(tmp_path / "kb")


def test_vectors_of_two_models_are_never_mixed(source, tmp_path):
    build(source, tmp_path / "kb")
    other = ChosenEncoder(revision="r2")
    with pytest.raises(KnowledgeBaseError, match="another folder"):
        build(source, tmp_path / "kb", other)
    with pytest.raises(KnowledgeBaseError, match="CAIRE_MODEL"):
        KnowledgeBase(tmp_path / "kb").check_encoder(other)
    KnowledgeBase(tmp_path / "kb").check_encoder(ChosenEncoder())
    read_otherwise = ChosenEncoder()
    read_otherwise.reading = "another tokenizer"
    with pytest.raises(KnowledgeBaseError, match="another tokenizer"):
        KnowledgeBase(tmp_path / "kb").check_encoder(read_otherwise)


def test_a_changed_picture_of_the_same_name_is_encoded_again(source, tmp_path):
    build(source, tmp_path / "kb")
    paint(tmp_path, "blue.png", (0, 128, 255))
    encoder = ChosenEncoder()
    build(source, tmp_path / "kb", encoder)
    assert encoder.encoded == [(0, 128, 255)]


@pytest.mark.parametrize(("n", "d", "k"), [(500, 16, 20), (5000, 8, 7), (3, 4, 20)])
def test_the_index_finds_what_brute_force_finds(tmp_path, n, d, k):
    rng = np.random.default_rng(n)
    vectors = rng.normal(size=(n, d)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    assert write_index(tmp_path / "x.faiss", iter(vectors), dimension=d) == n
    index = MappedIndex(tmp_path / "x.faiss")
    for query in vectors[:3] + rng.normal(size=(3, d)).astype(np.float32):
        products = vectors.astype(float) @ query
        expected = np.argsort(-products)[:k]
        found = index.nearest(query, k)
        assert [row for row, _ in found] == expected.tolist()
        assert [value for _, value in found] == pytest.approx(products[expected], abs=1e-5)
    np.testing.assert_array_equal(index.vector(1), vectors[1])


def test_an_index_of_nothing_finds_nothing(tmp_path):
    write_index(tmp_path / "x.faiss", iter(()), dimension=4)
    assert MappedIndex(tmp_path / "x.faiss").nearest(unit(np.ones(4)), 20) == []


def test_faiss_is_imported_when_an_index_is_opened_and_not_before():
    code = (
        "import sys, scoring.knowledge.base, scoring.knowledge.building\n"
        "print(sorted({'faiss', 'torch', 'django'} & set(sys.modules)))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "[]"


def test_the_command_builds_with_a_real_model_and_says_what_it_did(
    source, tmp_path, settings, capsys
):
    (tmp_path / "siglip").mkdir()
    settings.IMAGE_TEXT_MODELS = {"caire": str(save_checkpoint(tmp_path / "siglip", "siglip"))}
    call_command("build_kb", str(source), str(tmp_path / "kb"))
    said = capsys.readouterr().out
    assert "3 entities with 2 pictures" in said
    assert "Encoded now: 5 texts, 2 pictures" in said
    call_command("build_kb", str(source), str(tmp_path / "kb"))
    assert "Encoded now: 0 texts, 0 pictures" in capsys.readouterr().out
    write(source, "{")
    with pytest.raises(CommandError, match="Line 1: no JSON"):
        call_command("build_kb", str(source), str(tmp_path / "kb"))
    with sqlite3.connect(next((tmp_path / "kb").glob("entities.*.sqlite3"))) as db:
        assert db.execute("SELECT count(*) FROM entity").fetchone() == (3,)
