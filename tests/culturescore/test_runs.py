"""Metrics that ask a model, from a study's rows through a run to stored scores."""

from __future__ import annotations

import json
import re

import pytest
from django.core.files.base import ContentFile

from scoring.models import Score
from scoring.prompt_edits import edit_prompt
from scoring.runs import execute_run, request_run, resume_run
from scoring.work_state import RunState
from studies.models import Item, Question, ScalePoint
from tests.ahead.conftest import server  # noqa: F401
from tests.conftest import add_item, add_probe, add_question, picture
from tests.scoring.chat_of_items import asked_text

pytestmark = pytest.mark.django_db


def run(study, metric: str, **parameters):
    made = request_run(
        study=study, metric=metric, parameters={"model": "seer", **parameters}, by=None
    )
    execute_run(run_id=made.pk)
    made.refresh_from_db()
    return made


@pytest.fixture
def triplets(triplet_study):
    """Pictures that differ: equal ones would be one question to the model."""
    for number, item in enumerate(triplet_study.items.all()):
        item.media.save("own.png", ContentFile(picture(f"#{number:02d}4466")))
    return triplet_study


def yes(body) -> str:
    form = {"observed": "o", "match": "m", "temporal": None, "substitution": ""}
    return json.dumps({**form, "answer": "Yes"})


def values(made, output: str, dimension: str = "") -> dict[str, float | None]:
    rows = made.scores.filter(output=output, dimension=dimension)
    return dict(rows.values_list("item__external_id", "value"))


def test_culturescore_asks_the_verified_probes_of_each_items_scenario(triplets, server):  # noqa: F811
    server.answer = yes
    add_probe(triplets, "unverified", verified=False)
    add_probe(triplets, "elsewhere", scenario="funeral")
    made = run(triplets, "culturescore")
    assert made.state == RunState.DONE, made.error
    assert set(values(made, "culturescore").values()) == {1.0}
    assert len(server.requests) == 9 * 3
    assert not any("unverified" in asked_text(body) for body in server.requests)
    assert made.model_id == "seer"
    row = made.scores.get(item__external_id="set-1-x", dimension="behavior")
    assert row.evidence["questions"][0]["probe"] == "greeting-Behaviour"


def test_a_second_run_of_the_same_costs_nothing_and_other_words_are_asked_anew(
    triplets,
    server,  # noqa: F811
):
    server.answer = yes
    run(triplets, "culturescore")
    asked = len(server.requests)
    again = run(triplets, "culturescore")
    assert len(server.requests) == asked and again.n_cached == again.n_items
    words = {"system": "S", "user": "In our words: $question ($dimension)"}
    edit_prompt(study=triplets, key="culturescore/answer", seen=0, by=None, **words)
    run(triplets, "culturescore")
    assert len(server.requests) == 2 * asked
    assert "In our words:" in asked_text(server.requests[-1])


def test_a_budget_stops_the_run_cleanly_and_resuming_repeats_no_paid_call(triplets, server):  # noqa: F811
    server.answer = yes
    made = request_run(
        study=triplets,
        metric="culturescore",
        parameters={"model": "seer"},
        by=None,
        budget={"calls": 10},
    )
    execute_run(run_id=made.pk)
    made.refresh_from_db()
    assert made.state == RunState.STOPPED and "budget" in made.error.lower()
    assert len(server.requests) == 10
    resume_run(run=made, budget={"calls": 100})
    execute_run(run_id=made.pk)
    made.refresh_from_db()
    assert made.state == RunState.DONE, made.error
    assert len(server.requests) == 27
    assert set(values(made, "culturescore").values()) == {1.0}


def test_the_judge_reads_what_annotators_read(draft_study, server):  # noqa: F811
    question = draft_study.questions.get(key="faithfulness")
    question.text = "How faithful is this {activity} in {country}?"
    question.help = "Look closely."
    question.save()
    ScalePoint.objects.filter(question=question, value=1).update(description="Nothing fits.")
    draft_study.items.update(category="wedding")
    server.answer = lambda body: json.dumps({"reason": "r", "score": 2})
    made = run(draft_study, "judge")
    assert made.state == RunState.DONE, made.error
    asked = [asked_text(b) for b in server.requests if "How faithful" in asked_text(b)]
    assert "How faithful is this wedding in Nepal?\nLook closely.\n1: " in asked[0]
    assert "Nothing fits." in asked[0]
    assert set(values(made, "judge", "faithfulness").values()) == {2.0}
    assert set(values(made, "judge_faults", "hallucination").values()) == {2.0}
    assert not made.scores.filter(dimension="rationale").exists()  # a text is no number


def test_the_judge_reads_a_translation_where_it_is_asked_to(draft_study, server):  # noqa: F811
    from scoring.metrics.base import MetricError

    server.answer = lambda body: json.dumps({"reason": "r", "score": 2})
    with pytest.raises(MetricError, match="no words in 'fa'"):
        made = request_run(
            study=draft_study,
            metric="judge",
            parameters={"model": "seer", "language": "fa"},
            by=None,
        )
        execute_run(run_id=made.pk)
        made.refresh_from_db()
        raise MetricError(made.error)


def test_questions_that_people_are_not_asked_of_an_item_are_not_asked_of_the_model(
    draft_study,
    server,  # noqa: F811
):
    Question.objects.filter(study=draft_study, key="exaggeration").update(
        shown_categories=["funeral"]
    )
    add_question(draft_study, "sound", "likert", needs_sound=True, points={1: "no", 2: "yes"})
    server.answer = lambda body: json.dumps({"reason": "r", "score": 2})
    made = run(draft_study, "judge")
    for output, key in (("judge_faults", "exaggeration"), ("judge", "sound")):
        rows = made.scores.filter(output=output, dimension=key)
        assert set(rows.values_list("value", "reason")) == {(None, "not_applicable")}


def test_the_triplet_judge_ranks_the_units_of_the_study(triplets, server):  # noqa: F811
    def answer(body):
        letters = re.findall(r"^([A-C]):$", asked_text(body), flags=re.MULTILINE)
        return json.dumps({"reason": "r", "order": sorted(letters)})

    server.answer = answer
    made = run(triplets, "triplet_judge", orders="pair", seed=3)
    assert made.state == RunState.DONE, made.error
    ranks = values(made, "triplet_rank")
    assert len(ranks) == 9
    for key in ("set-1", "set-2", "set-3"):
        assert sum(ranks[f"{key}-{name}"] for name in "xyz") == pytest.approx(6)
    assert len(server.requests) == 6  # two orders a unit


def test_cultural_criteria_come_from_the_presets_questions(draft_study, server):  # noqa: F811
    Question.objects.filter(study=draft_study, key="faithfulness").update(key="realism")
    server.answer = lambda body: json.dumps(
        {"observations": ["o"], "applicable": True, "score": 3, "justification": "j"}
    )
    made = run(draft_study, "culturevidbench")
    assert made.state == RunState.DONE, made.error
    assert set(values(made, "culturevidbench_raw", "realism").values()) == {3.0}
    other = made.scores.filter(output="culturevidbench_raw", dimension="visual_quality")
    assert set(other.values_list("reason", flat=True)) == {"not_asked"}


def test_practice_and_gold_items_are_not_asked_about(draft_study, server):  # noqa: F811
    server.answer = lambda body: json.dumps({"alignment": 4, "quality": 2, "final": 3})
    gold = add_item(draft_study, "gold-1")
    Item.objects.filter(pk=gold.pk).update(purpose=Item.Purpose.GOLD)
    made = run(draft_study, "unified_reward")
    assert made.state == RunState.DONE, made.error
    assert not Score.objects.filter(run=made, item=gold).exists()
