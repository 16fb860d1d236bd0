"""AHEaD from descriptors to scores, feedback, ablations and an edit instruction."""

from __future__ import annotations

import json
import math

import pytest

from scoring import runs
from scoring.ahead.edits import item_feedback
from scoring.ahead.pages import top_exaggerated
from scoring.metrics.base import ParameterError
from scoring.models import EditInstruction, MetricRun, Score, WorkState
from scoring.prompt_edits import edit_prompt
from studies.models import Question, ScalePoint
from tests.ahead.conftest import add_descriptor, add_item, asked_text, done

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch):
    monkeypatch.setattr("scoring.runs._send_off", lambda *args, **more: None, raising=False)


@pytest.fixture
def ready(study):
    for token in ("woven sari", "topi cap"):
        add_descriptor(study, "reference", token)
    add_descriptor(study, "stereotype", "snowy mountain", activity="", dimension="")
    add_descriptor(study, "candidate", "woven sari", source="first")
    for name, token in (
        ("gen-1", "a colourful sari"),
        ("gen-2", "business suit"),
        ("real-1", "topi cap"),
    ):
        item = study.items.get(external_id=name)
        add_descriptor(study, "predicted", token, item=item, source="eye")
    return study


def scored(study, **parameters) -> MetricRun:
    run = runs.request_run(
        study=study, metric="ahead", parameters={"tau": 0.52, **parameters}, by=study.owner
    )
    runs.execute_run(run_id=run.pk)
    run.refresh_from_db()
    assert run.error == ""
    return run


def value(run, output, name, dimension=""):
    return run.scores.get(item__external_id=name, output=f"ahead_{output}", dimension=dimension)


def test_items_and_cells_are_scored_in_one_run(ready):
    run = scored(ready)
    assert run.state == WorkState.DONE
    assert run.parameters["extractor"] == "eye"
    assert value(run, "align", "gen-1").value == 0.5
    assert value(run, "hal", "gen-2").value == 1.0
    assert value(run, "align", "real-2").reason == "no_prediction"
    assert value(run, "exag", "gen-1").reason == "not_asked"
    cell = Score.objects.get(
        run=run, item=None, output="ahead_align", dimension="", cell__contains="SDXL"
    )
    assert json.loads(cell.cell) == ["wedding", "NP", "SDXL"]
    assert cell.value == 0.5
    assert cell.evidence["n_pictures"] == 2
    sdiv = run.scores.get(item=None, output="ahead_sdiv", dimension="", cell__contains="SDXL")
    assert sdiv.value == pytest.approx(0.5 - 0.25)


def test_a_run_without_tau_and_calibration_asks(ready):
    with pytest.raises(ParameterError, match="tau"):
        runs.request_run(study=ready, metric="ahead", parameters={}, by=ready.owner)


def test_exaggeration_is_asked_of_the_chat_model_and_faith_follows(ready, server):
    known = {}

    def answered(body):
        image = next(
            part["image_url"]["url"]
            for part in body["messages"][1]["content"]
            if part["type"] == "image_url"
        )
        probability = known[image]
        top = {"Yes": math.log(probability), "No": math.log(1 - probability)}
        return {"text": "Yes", "logprobs": [("Yes", top["Yes"], top)]}

    for name, probability in (("gen-1", 0.9), ("gen-2", 0.3), ("real-1", 0.2), ("real-2", 0.4)):
        known[data_url(ready.items.get(external_id=name))] = probability
    plain = server.next_for
    server.next_for = lambda body: plain(body) and answered(body)
    run = scored(ready, model="judge", scorer="vqascore")
    exag = value(run, "exag", "gen-1")
    assert exag.value == pytest.approx(0.6, abs=1e-6)
    assert exag.evidence["pictures"][0]["candidate"] == "snowy mountain"
    assert value(run, "exag", "gen-2").value == pytest.approx(0.0)
    # gen-1: ALIGN 1/2, HAL 0, EXAG .6.
    assert value(run, "faith", "gen-1").value == pytest.approx((0.5 + 1 + 0.4) / 3)
    assert len(server.requests) == 4  # one candidate, four pictures; cells from the store
    [group] = [one for one in top_exaggerated(run) if one["system"] == "SDXL"]
    assert group["tokens"] == [("snowy mountain", pytest.approx(0.3, abs=1e-6))]


def asked_for(study, **parameters) -> MetricRun:
    """As a page asks for it: first what it would cost."""
    run = runs.request_run(
        study=study,
        metric="ahead",
        parameters={"tau": 0.52, **parameters},
        by=study.owner,
        ask_first=True,
    )
    runs.execute_run(run_id=run.pk)
    run.refresh_from_db()
    return run


def test_the_calls_of_exaggeration_are_counted_before_anything_is_asked(ready, server):
    add_descriptor(ready, "stereotype", "elephant", activity="", dimension="")
    run = asked_for(ready, model="judge", scorer="vqascore")
    assert (run.state, run.error) == ("estimated", "")
    # Two candidates, four pictures; what items and their cell share is asked and counted once.
    assert (run.estimate["calls"], run.estimate["stored"]) == (8, 0)
    assert run.estimate["tokens_in"] > 8 * 1100
    assert server.requests == []

    top = {"Yes": -0.7, "No": -0.7}
    plain = server.next_for
    server.next_for = lambda body: plain(body) and {"text": "Yes", "logprobs": [("Yes", -0.7, top)]}
    runs.resume_run(run=run, budget={"calls": 8})
    runs.execute_run(run_id=run.pk)
    run.refresh_from_db()
    assert (run.state, run.spent["calls"], len(server.requests)) == ("done", 8, 8)

    add_descriptor(ready, "stereotype", "snake charmer", activity="", dimension="")
    again = asked_for(ready, model="judge", scorer="vqascore")
    assert (again.estimate["calls"], again.estimate["stored"]) == (4, 8)


def test_a_budget_that_the_estimate_exceeds_stops_the_run(ready, server):
    top = {"Yes": -0.7, "No": -0.7}
    plain = server.next_for
    server.next_for = lambda body: plain(body) and {"text": "Yes", "logprobs": [("Yes", -0.7, top)]}
    run = asked_for(ready, model="judge", scorer="vqascore")
    runs.resume_run(run=run, budget={"calls": 3})
    runs.execute_run(run_id=run.pk)
    run.refresh_from_db()
    assert (run.state, run.spent["calls"], len(server.requests)) == ("stopped", 3, 3)


def test_without_an_image_text_score_nothing_is_asked_and_the_run_does_not_wait(ready):
    run = asked_for(ready)
    assert (run.dry, run.state) == (False, "done")


def test_the_question_of_exaggeration_is_put_in_the_study_s_own_words(ready, server):
    top = {"Yes": -0.7, "No": -0.7}
    plain = server.next_for
    server.next_for = lambda body: plain(body) and {"text": "Yes", "logprobs": [("Yes", -0.7, top)]}
    scored(ready, model="judge", scorer="vqascore")
    n_asked = len(server.requests)
    edit_prompt(
        study=ready,
        key="vqascore/shows",
        system="You look at a picture.",
        user="Is it there? $text",
        seen=0,
        by=ready.owner,
    )
    again = scored(ready, model="judge", scorer="vqascore")
    assert again.n_cached == 0, "other words are other scores"
    later = server.requests[n_asked:]
    assert len(later) == 4
    assert all("Is it there?" in asked_text(body) for body in later)


def data_url(item) -> str:
    import base64

    from scoring.backends.chat_pictures import sent_picture
    from scoring.backends.media_images import MediaImage

    picture = sent_picture(MediaImage(item.media.path, "image", item.sha256)())
    return f"data:image/png;base64,{base64.b64encode(picture.data).decode()}"


def test_feedback_names_what_is_there_what_is_missing_and_what_nobody_expects(ready):
    run = scored(ready)
    item = ready.items.get(external_id="gen-1")
    told = item_feedback(run, [item])[item.pk]
    assert [(one.token, one.best_match) for one in told.aligned] == [
        ("woven sari", "a colourful sari")
    ]
    assert [one.token for one in told.missing] == ["topi cap"]
    other = ready.items.get(external_id="gen-2")
    assert [one.token for one in item_feedback(run, [other])[other.pk].hallucinated] == [
        "business suit"
    ]


def test_an_edit_instruction_is_made_from_the_feedback_and_kept(ready, server):
    run = scored(ready)
    said = {
        "instruction": "Replace the suit with a woven sari.",
        "remove": ["business suit"],
        "reduce": [],
        "keep": [],
        "add": ["woven sari"],
    }
    server.answer = lambda body: json.dumps(said)
    item = ready.items.get(external_id="gen-2")
    step = done(ready, "edits", run=run.pk, model="editor", items=[item.pk])
    assert (step.state, step.error) == (WorkState.DONE, "")
    told = asked_text(server.requests[0])
    assert "business suit (attire)" in told and "woven sari (attire)" in told
    row = EditInstruction.objects.get()
    assert (row.item, row.instruction, row.add) == (item, said["instruction"], ["woven sari"])
    assert row.prompt.startswith("ahead/edit@1 ")
    done(ready, "edits", run=run.pk, model="editor", items=[item.pk])
    assert len(server.requests) == 1


def test_a_refused_instruction_is_a_refusal(ready, server):
    run = scored(ready)
    server.say("No.", refusal=True)
    item = ready.items.get(external_id="gen-2")
    done(ready, "edits", run=run.pk, model="editor", items=[item.pk])
    assert EditInstruction.objects.get().reason == "refused"


# ---- ablations


def test_the_ablation_table_has_parts_thresholds_proposers_and_forms(ready, monkeypatch):
    question = Question.objects.create(study=ready, key="faithfulness", text="?", position=1)
    ScalePoint.objects.create(question=question, value=1)
    for n in range(3, 8):
        item = add_item(ready, f"gen-{n}", system="SDXL")
        token = ("topi cap", "sari", "car", "hat", "garland")[n - 3]
        add_descriptor(ready, "predicted", token, item=item, source="eye")
    done(ready, "calibration")
    run = scored(ready)
    ratings = {
        item.pk: {question.pk: (float(n % 5 + 1), 2)}
        for n, item in enumerate(ready.items.filter(origin="generated"))
    }
    monkeypatch.setattr("scoring.ahead.ablating.mean_ratings", lambda study: ratings)
    step = done(ready, "ablations", run=run.pk)
    assert (step.state, step.error) == (WorkState.DONE, "")
    lines = step.result["lines"]
    groups = {line["group"] for line in lines}
    assert groups == {"parts", "tau", "proposers", "form"}
    by_name = {line["name"]: line for line in lines if line["group"] != "parts"}
    assert "first alone" in by_name
    assert by_name["0.520 (the run)"]["rho"] == by_name["all (the run)"]["rho"]
    q3 = next(line for name, line in by_name.items() if name.startswith("Q3"))
    assert q3["n_defined"] == 8  # the seven generated ones and real-1
    part = next(line for line in lines if line["name"] == "ALIGN, 1 − HAL")
    assert (part["mean"], part["rho"]) == (
        by_name["0.520 (the run)"]["mean"],
        by_name["0.520 (the run)"]["rho"],
    )
    exag = next(line for line in lines if line["name"] == "1 − EXAG")
    assert (exag["rho"], exag["n_defined"]) == (None, 0)


def test_ablations_need_a_run_and_a_question(ready):
    with pytest.raises(ParameterError, match="no run of AHEaD"):
        done(ready, "ablations")
    scored(ready)
    with pytest.raises(ParameterError, match="no question on a scale"):
        done(ready, "ablations")
