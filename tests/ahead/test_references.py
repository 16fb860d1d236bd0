"""Proposers and a refiner over real HTTP."""

from __future__ import annotations

import json

import pytest

from scoring.ahead.tracing import Candidate, shares_a_word, traced
from scoring.metrics.base import ParameterError
from scoring.models import ScoringStep, WorkState
from studies.models import Descriptor
from tests.ahead.conftest import add_item, asked_text, done

pytestmark = pytest.mark.django_db
MODELS = {"proposers": "first, second", "refiner": "editor"}


def listed(*tokens, **more) -> str:
    rows = [{"token": token, "style": "neutral", **more} for token in tokens]
    return json.dumps({"descriptors": rows})


def scripted(body) -> str:
    """First proposes a cap, second a woven cap and a sash; the editor merges and invents."""
    text = asked_text(body)
    if body["model"] == "first":
        return listed("cap") if "list: \n===\nattire" in text else listed()
    if body["model"] == "second":
        return listed("woven cap", "sash", "sash") if "list: \n===\nattire" in text else listed()
    rows = [
        {"token": "woven cap", "style": "traditional", "from": ["c1", "c2"]},
        {"token": "golden throne", "style": "modern", "from": ["c3"]},
        {"token": "red scarf", "style": "modern", "from": ["c9"]},
    ]
    return json.dumps({"descriptors": rows})


def test_proposers_keep_their_own_lists_and_the_refined_one_goes_back_to_them(study, server):
    server.answer = scripted
    step = done(study, "references", **MODELS)
    assert (step.state, step.error) == (WorkState.DONE, "")
    candidates = study.descriptors.filter(kind=Descriptor.Kind.CANDIDATE)
    assert sorted(candidates.values_list("source", "token")) == [
        ("first", "cap"),
        ("second", "sash"),
        ("second", "woven cap"),
    ]
    refined = study.descriptors.get(kind=Descriptor.Kind.REFERENCE)
    assert (refined.token, refined.style, refined.source) == (
        "woven cap",
        "traditional",
        "refined by editor",
    )
    assert refined.origins == [
        {"source": "first", "token": "cap"},
        {"source": "second", "token": "woven cap"},
    ]


def test_a_refined_descriptor_that_goes_back_to_no_candidate_is_rejected_and_told(study, server):
    server.answer = scripted
    step = done(study, "references", **MODELS)
    assert [(row["token"], row["why"]) for row in step.result["rejected"]] == [
        ("golden throne", "shares no word with the candidates that it names"),
        ("red scarf", "names no candidate, or one that there is not"),
    ]


def test_the_questions_are_asked_as_published(study, server):
    server.answer = scripted
    step = done(study, "references", **MODELS)
    by_model = {name: [] for name in ("first", "second", "editor")}
    for body in server.requests:
        by_model[body["model"]].append(body)
    assert [len(bodies) for bodies in by_model.values()] == [5, 5, 1]  # attire alone to refine
    assert {body["temperature"] for body in by_model["first"]} == {0.2}
    assert by_model["editor"][0]["temperature"] == 0.1
    told = asked_text(by_model["editor"][0])
    assert "c1, neutral, first, cap" in told
    assert "c3, neutral, second, sash" in told
    assert "Nepal" in told and "wedding" in told
    assert set(step.prompts) == {"ahead/propose", "ahead/refine"}


def test_a_second_step_leaves_filled_dimensions_alone_and_pays_nothing_twice(study, server):
    server.answer = scripted
    done(study, "references", **MODELS)
    n = len(server.requests)
    Descriptor.objects.filter(kind="reference").update(token="shawl of wool")  # by hand
    step = done(study, "references", **MODELS)
    assert step.state == WorkState.DONE
    assert len(server.requests) == n
    assert study.descriptors.get(kind="reference").token == "shawl of wool"


def test_a_budget_stops_the_step_and_a_larger_one_goes_on(study, server):
    server.answer = scripted
    step = done(study, "references", budget_calls=3, **MODELS)
    assert step.state == WorkState.FAILED
    assert "budget" in step.error
    assert len(server.requests) == 3
    step = done(study, "references", budget_calls=100, **MODELS)
    assert step.state == WorkState.DONE
    assert len(server.requests) == 11


def test_all_models_of_a_step_share_one_budget(study, server):
    server.answer = scripted
    add_item(study, "gen-3", country="IR")
    step = done(study, "references", budget_calls=10, **MODELS)  # a scene takes eleven
    assert (step.state, step.n_calls) == (WorkState.FAILED, 10)
    step = done(study, "references", budget_calls=11, **MODELS)  # one, and ten of the next scene
    assert (step.state, step.n_calls) == (WorkState.FAILED, 11)
    assert len(server.requests) == 21
    assert done(study, "references", **MODELS).state == WorkState.DONE


def test_an_unreadable_list_is_asked_once_more_and_then_counted(study, server):
    server.answer = lambda body: "no JSON" if body["model"] == "first" else scripted(body)
    step = done(study, "references", **MODELS)
    assert step.state == WorkState.DONE
    assert step.n_unreadable == 5
    assert sum(body["model"] == "first" for body in server.requests) == 10


def test_one_proposer_is_not_enough(study):
    with pytest.raises(ParameterError, match="two chat models"):
        done(study, "references", proposers="one", refiner="editor")
    assert not ScoringStep.objects.exists()


def test_a_scene_whose_list_people_have_judged_stays_as_it_is(study, server, monkeypatch):
    monkeypatch.setattr("scoring.ahead.scenes.shown_scenes", lambda study: {("wedding", "NP")})
    step = done(study, "references", **MODELS)
    assert (step.state, step.n_skipped) == (WorkState.DONE, 1)
    assert server.requests == []


@pytest.mark.parametrize(
    ("token", "other", "shared"),
    [
        ("drum", "large drums", True),
        ("Woven Cap", "cap", True),
        ("red scarf", "blue shawl", False),
        ("a", "an apple", False),
        ("茶碗", "白い茶碗", True),
        ("percussion", "drum", False),
    ],
)
def test_a_phrase_shares_a_word_with_another_or_its_beginning(token, other, shared):
    assert shares_a_word(token, other) is shared


def test_repeats_and_more_than_were_wanted_are_rejected():
    candidates = [Candidate(f"c{n}", "x", f"cap {n}", "neutral") for n in range(1, 4)]
    answered = [
        {"token": "cap 1", "style": "neutral", "from": ["c1"]},
        {"token": "CAP 1", "style": "neutral", "from": ["c1"]},
        {"token": "cap 2", "style": "neutral", "from": ["c2"]},
        {"token": "cap 3", "style": "neutral", "from": ["c3"]},
        {"token": " ", "style": "neutral", "from": ["c3"]},
    ]
    kept, rejected = traced(answered, candidates, most=2)
    assert [one.token for one in kept] == ["cap 1", "cap 2"]
    assert [one.why for one in rejected] == ["stands twice", "more than 2", "empty"]
