"""CAIRe from picture to score: each label asked by itself, with what the knowledge base knows."""

import json
import math

import pytest

from scoring.backends.chat_server import ChatServer
from scoring.knowledge.backend import KnowledgeBackend
from scoring.knowledge.base import KnowledgeBase
from scoring.knowledge.building import build_knowledge_base
from scoring.metrics.base import Cell, CellItems, MetricItem
from scoring.metrics.caire.baselines import CAIRE_CHAT, CAIRE_PROBES, probe_sentences
from scoring.metrics.caire.likelihood import CAIRE_LIKELIHOOD
from scoring.metrics.caire.relevance import mean_distance
from scoring.metrics.caire.scores import CAIRE
from tests.caire.fakes import ChosenEncoder, random_unit
from tests.caire.test_knowledge_base import paint, write
from tests.chat_server import FakeChatServer

LABELS = ["Ukraine", "Ming Dynasty (明朝), 1368-1644; blue & white"]


class Chat:
    """A server's model as runs hand it to metrics, without a store."""

    model_id = "m"
    revision = "server"

    def __init__(self, url):
        self.chat = ChatServer(base_url=url, tries=1)

    def ask_all(self, requests):
        for request in requests:
            yield request, self.chat.ask(request)

    def estimate(self, requests):
        return len(list(requests))


@pytest.fixture
def server():
    with FakeChatServer() as running:
        yield running


@pytest.fixture
def backend(tmp_path, server):
    """Red is a decorated egg with an article, blue something without one."""
    paint(tmp_path, "red.png", (255, 0, 0))
    paint(tmp_path, "blue.png", (0, 0, 255))
    write(
        tmp_path / "kb.jsonl",
        {
            "id": "Q1",
            "lemma": "Pysanka",
            "article": "An egg decorated with wax. " * 9,
            "images": ["red.png"],
        },
        {"id": "Q2", "lemma": "Vase", "images": ["blue.png"]},
        {"id": "Q3", "lemma": "Porcelain", "article": "White ware from China."},
    )
    red, blue = (random_unit(str(c), 8) for c in ((255, 0, 0), (0, 0, 255)))
    encoder = ChosenEncoder({"Pysanka": red, "Vase": blue})
    build_knowledge_base(tmp_path / "kb.jsonl", tmp_path / "kb", images=tmp_path, encoder=encoder)
    knowledge = KnowledgeBackend(KnowledgeBase(tmp_path / "kb"), encoder)
    # With one picture near, the other is no candidate of the way by lemma.
    return {"knowledge_base": knowledge, "chat": Chat(server.url)}


@pytest.fixture
def item(tmp_path):
    def made(key, colour="red", labels=LABELS, **fields):
        inputs = {"labels": labels, **fields.pop("inputs", {})}
        given = {"kind": "image", "file": str(tmp_path / f"{colour}.png"), **fields}
        return MetricItem(key, given, inputs=inputs)

    return made


def say(server, **p):
    """An answer with these probabilities, e.g. p4=.7."""
    top = {name[1:]: math.log(value) for name, value in p.items()}
    best = max(top, key=top.get)
    server.say(best, logprobs=[(best, top[best], top)])


def rows_of(metric, items, backend, **parameters):
    given = {"model": "m", "labels": "set", **parameters}
    if metric is CAIRE_PROBES:
        del given["model"]
    rows = metric.score(items=items, descriptors=(), backend=backend, parameters=given)
    return {(row.item_key, row.metric, row.dimension): row for row in rows}


def asked(server, n=0):
    """The words of the n-th question."""
    content = server.requests[n]["messages"][1]["content"]
    return content if isinstance(content, str) else content[-1]["text"]


def test_each_label_is_asked_by_itself_exactly_as_written_with_the_article(server, backend, item):
    say(server, p4=0.6, p5=0.3, p1=0.1)
    say(server, p1=0.9, p2=0.1)
    rows = rows_of(CAIRE, [item("a")], backend)
    assert len(server.requests) == 2
    for n, label in enumerate(LABELS):
        words = asked(server, n)
        assert f"===\n{label}\n===" in words
        assert "===\nPysanka\n===" in words
        assert "An egg decorated with wax." in words
        assert LABELS[1 - n] not in words
        assert server.requests[n]["messages"][1]["content"][0]["type"] == "image_url"
    first = rows["a", "caire", LABELS[0]]
    assert first.value == 4
    assert first.evidence["p"] == pytest.approx({"1": 0.1, "2": 0, "3": 0, "4": 0.6, "5": 0.3})
    assert first.evidence["lemma"] == "Pysanka"
    assert first.evidence["linked"][0]["id"] == "Q1"
    assert rows["a", "caire_expected", LABELS[0]].value == pytest.approx(0.1 + 2.4 + 1.5)
    assert rows["a", "caire", LABELS[1]].value == 1
    assert ("a", "caire_free", LABELS[0]) not in rows


def test_a_picture_without_an_article_is_undefined_and_asks_nothing(server, backend, item):
    rows = rows_of(CAIRE, [item("a", "blue")], backend, way="text_lemma")
    assert server.requests == []
    assert {row.reason for row in rows.values()} == {"no_article"}
    assert {row.value for row in rows.values()} == {None}
    assert rows["a", "caire", LABELS[0]].evidence["lemma"] == "Vase"


def test_titles_are_the_names_of_the_first_entities(server, backend, item):
    say(server, p3=1.0)
    say(server, p3=1.0)
    rows = rows_of(CAIRE, [item("a", "blue")], backend, context="titles", way="text_lemma")
    titles = asked(server).split("===")[1].split()
    assert titles[0] == "Vase"
    assert sorted(titles) == ["Porcelain", "Pysanka", "Vase"]
    assert rows["a", "caire", LABELS[0]].value == 3


def test_the_upper_bound_takes_the_article_of_the_entity_that_the_item_names(server, backend, item):
    say(server, p5=1.0)
    known = item("a", labels=["China"], inputs={"gold_entities": ["Q9", "Q3"]})
    unknown = item("b", labels=["China"], inputs={"gold_entities": ["Q2"]})
    unnamed = item("c", labels=["China"])
    rows = rows_of(CAIRE, [known, unknown, unnamed], backend, context="gold")
    assert "White ware from China." in asked(server)
    assert rows["a", "caire", "China"].value == 5
    assert rows["b", "caire", "China"].reason == "no_article"
    assert "gold_entity" in rows["c", "caire", "China"].evidence["error"]


def test_a_model_that_reads_only_texts_is_sent_no_picture(server, backend, item):
    say(server, p2=1.0)
    rows = rows_of(CAIRE, [item("a", labels=["China"])], backend, sees="text")
    assert isinstance(server.requests[0]["messages"][1]["content"], str)
    assert rows["a", "caire", "China"].value == 2


def test_a_long_article_is_cut_and_says_so(server, backend, item):
    say(server, p2=1.0)
    rows = rows_of(CAIRE, [item("a", labels=["China"])], backend, letters=100)
    evidence = rows["a", "caire", "China"].evidence
    assert evidence["article_cut"] is True
    assert evidence["article_letters"] > 100
    assert ("An egg decorated with wax. " * 9)[:100] in asked(server)
    assert ("An egg decorated with wax. " * 9)[:101] not in asked(server)


def test_what_cannot_be_read_is_undefined_by_its_reason_and_never_a_middle_score(
    server, backend, item
):
    server.say("4")  # no log-probabilities
    server.say("I'd rather not.", refusal=True)
    rows = rows_of(CAIRE, [item("a")], backend)
    reasons = [rows["a", "caire", label].reason for label in LABELS]
    assert reasons == ["no_logprobs", "refused"]
    for _ in range(2):
        server.say("Well", logprobs=[("Well", -0.1, {"Well": -0.1})])
    rows = rows_of(CAIRE, [item("a", labels=["China"])], backend)
    assert rows["a", "caire", "China"].reason == "parse_failed"


def test_read_as_written_the_same_question_is_another_output(server, backend, item):
    server.say("4")
    server.say("4 or 5")
    server.say("5.")  # asked once more
    rows = rows_of(CAIRE, [item("a")], backend, reading="free")
    assert {key[1] for key in rows} == {"caire_free"}
    assert [rows["a", "caire_free", label].value for label in LABELS] == [4, 5]
    assert "top_logprobs" not in server.requests[0]


def test_pictures_that_are_missing_broken_or_none_are_undefined_alone(
    server, backend, item, tmp_path
):
    (tmp_path / "broken.png").write_bytes(b"no picture")
    say(server, p2=1.0)
    items = [
        item("gone", file="", labels=["China"]),
        item("broken", "broken", labels=["China"]),
        item("sound", kind="audio", labels=["China"]),
        item("unlabelled", labels=[]),
        item("good", labels=["China"]),
    ]
    rows = rows_of(CAIRE, items, backend)
    assert {key[0]: row.reason for key, row in rows.items()} == {
        "gone": "missing_media",
        "broken": "undecodable",
        "sound": "not_applicable",
        "unlabelled": "no_labels",
        "good": "",
    }


def test_a_dry_run_counts_the_calls(server, backend, item):
    parameters = {"model": "m", "labels": "set"}
    items = [item("a"), item("b", file="")]
    assert CAIRE.estimate(items=items, backend=backend, parameters=parameters) == 2
    # Each label once with the article and once alone.
    assert CAIRE_LIKELIHOOD.estimate(items=items, backend=backend, parameters=parameters) == 4
    assert server.requests == []


def test_a_set_of_pictures_has_a_diversity_and_a_coverage(server, backend, item):
    for point in ("p5", "p1", "p2", "p3"):  # two pictures, two labels each
        say(server, **{point: 1.0})
    items = (item("a"), item("b"), item("gone", file=""))
    alone = (item("a"),)
    cells = [
        CellItems(Cell("x", "UA", "A"), items),
        CellItems(Cell("x", "UA", "B"), alone),
        CellItems(Cell("x", "UA", "C"), (items[2],)),
    ]
    say(server, p4=1.0)
    say(server, p1=1.0)
    found = CAIRE.score_cells(
        cells=cells, descriptors=(), backend=backend, parameters={"model": "m", "labels": "set"}
    )
    rows = {(row.cell.system, row.metric): row for row in found}
    assert rows["A", "caire_diversity"].value == pytest.approx(mean_distance([[5, 1], [2, 3]]))
    assert rows["A", "caire_coverage"].value == pytest.approx(0.5)
    assert rows["A", "caire_diversity"].evidence == {"n": 2, "left_out": {"gone": "missing_media"}}
    assert rows["B", "caire_diversity"].reason == "too_few_pictures"
    assert rows["B", "caire_coverage"].value == pytest.approx(0.5)
    assert rows["C", "caire_coverage"].reason == "missing_media"


def test_by_likelihood_a_label_has_its_raw_its_base_and_its_debiased_logarithm(
    server, backend, item
):
    def told(*tokens):
        return [None, ("name", -9.0), ("\n", -1.0), *tokens]

    server.say("!", prompt_logprobs=told((" Sri", -2.0), (" Lanka", -0.5)))
    server.say("!", prompt_logprobs=told((" Sri", -4.0), (" Lanka", -1.5)))
    rows = rows_of(CAIRE_LIKELIHOOD, [item("a", labels=["Sri Lanka"])], backend, **{"lambda": 0.5})
    values = {key[1]: row.value for key, row in rows.items()}
    assert values == pytest.approx(
        {"caire_raw": -2.5, "caire_base": -5.5, "caire_debiased": -2.5 + 2.75}
    )
    assert "An egg decorated" in asked(server, 0)
    assert server.requests[0]["messages"][-1] == {"role": "assistant", "content": "Sri Lanka"}
    assert "===" not in asked(server, 1)  # the phrase alone


def test_the_base_of_a_label_is_asked_once_for_all_pictures(server, backend, item):
    server.answer = lambda body: "!"
    items = [item(key, labels=["China"]) for key in "ab"]
    rows = rows_of(CAIRE_LIKELIHOOD, items, backend)
    assert len(server.requests) == 3
    assert {row.reason for row in rows.values()} == {"no_logprobs"}


def test_the_baseline_asks_with_the_picture_alone_and_reads_the_score_after_its_reason(
    server, backend, item
):
    server.say(json.dumps({"reason": "an egg", "score": 4}))
    server.say(json.dumps({"score": 4}))
    server.say(json.dumps({"reason": "an egg", "score": 9}))
    rows = rows_of(CAIRE_CHAT, [item("a")], backend["chat"])
    assert rows["a", "caire_chat", LABELS[0]].value == 4
    assert rows["a", "caire_chat", LABELS[1]].reason == "parse_failed"
    assert "Pysanka" not in asked(server)
    assert server.requests[0]["messages"][1]["content"][0]["type"] == "image_url"


def test_probes_give_the_level_whose_sentence_is_nearest(backend, item):
    red = random_unit("(255, 0, 0)", 8)
    chosen = {text: red * (1 if n == 3 else -1) for n, text in enumerate(probe_sentences("China"))}
    items = [item("a", labels=["China"]), item("gone", "none", labels=["China"])]
    rows = rows_of(CAIRE_PROBES, items, ChosenEncoder(chosen))
    assert rows["gone", "caire_probes", "China"].reason == "missing_media"
    row = rows["a", "caire_probes", "China"]
    assert row.value == 4
    assert row.evidence["cosines"] == pytest.approx([-1, -1, -1, 1, -1], abs=1e-6)
