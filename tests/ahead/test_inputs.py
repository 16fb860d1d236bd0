"""Which descriptors, real images and tau a run takes."""

from __future__ import annotations

import pytest

from scoring.ahead.inputs import gather, mark, resolve
from scoring.ahead.real_images import NoRealScoresError, keep_best, real_images
from scoring.ahead.verdicts import Tally
from scoring.coverage import study_coverage
from scoring.metrics.ahead.metric import AHEAD
from scoring.metrics.base import ParameterError
from scoring.models import Calibration, MetricRun, RealChoice, Score, WorkState
from studies.copying import duplicate_study
from studies.importing.descriptor_rows import descriptor_counts, write_descriptors
from studies.importing.descriptors import parse_descriptors
from tests.ahead.conftest import add_descriptor, add_item, done

pytestmark = pytest.mark.django_db


def described(study, name="gen-1", token="cap", source="eye"):
    item = study.items.get(external_id=name)
    return add_descriptor(study, "predicted", token, item=item, source=source)


def references_of(study, **parameters):
    item = study.items.get(external_id="gen-1")
    found = gather(study=study, parameters={"extractor": "eye", **parameters})
    return found.item_inputs(item)["references"]["attire"]


def test_the_only_extractor_is_taken_and_of_several_one_must_be_named(study):
    described(study)
    assert resolve(study=study, parameters={"tau": 0.5})["extractor"] == "eye"
    described(study, source="")
    with pytest.raises(ParameterError, match="eye, unnamed"):
        resolve(study=study, parameters={"tau": 0.5})
    found = resolve(study=study, parameters={"tau": 0.5, "extractor": "unnamed"})
    assert found["extractor"] == "unnamed"
    with pytest.raises(ParameterError, match="No descriptors were predicted by nose"):
        resolve(study=study, parameters={"tau": 0.5, "extractor": "nose"})


def test_a_run_without_tau_takes_the_stored_calibration_and_without_one_asks(study):
    described(study)
    with pytest.raises(ParameterError, match="Calibrate it on real images for eye"):
        resolve(study=study, parameters={})
    described(study, "real-1", "cap")
    add_descriptor(study, "reference", "cap")
    step = done(study, "calibration")
    assert (step.state, step.error) == (WorkState.DONE, "")
    row = Calibration.objects.get()
    assert resolve(study=study, parameters={})["tau"] == row.q3
    assert resolve(study=study, parameters={"tau": 0.1})["tau"] == 0.1
    described(study, source="other")
    with pytest.raises(ParameterError, match="for other"):
        resolve(study=study, parameters={"extractor": "other"})


def test_vqascore_needs_a_chat_model(study):
    described(study)
    found = resolve(study=study, parameters={"tau": 0.5, "model": "m"})
    assert found["scorer"] == "vqascore"
    assert resolve(study=study, parameters={"tau": 0.5})["scorer"] == "none"
    with pytest.raises(ParameterError, match="chat model"):
        resolve(study=study, parameters={"tau": 0.5, "scorer": "vqascore"})


def test_references_are_all_or_a_source_and_a_proposers_list_is_one(study):
    add_descriptor(study, "reference", "cap", source="imported")
    add_descriptor(study, "reference", "sash", source="refined by editor")
    add_descriptor(study, "candidate", "crown", source="first")
    assert references_of(study) == ("cap", "sash")
    assert references_of(study, references="imported") == ("cap",)
    assert references_of(study, references="first") == ("crown",)
    with pytest.raises(ParameterError, match="by nobody"):
        resolve(study=study, parameters={"tau": 0.5, "references": "nobody"})


def test_the_cleaned_set_is_without_what_most_people_called_wrong(study, monkeypatch):
    right = add_descriptor(study, "reference", "cap")
    tied = add_descriptor(study, "reference", "sash")
    wrong = add_descriptor(study, "reference", "crown")
    add_descriptor(study, "reference", "veil")  # nobody judged it
    found = {right.pk: Tally(3, 1), tied.pk: Tally(2, 2), wrong.pk: Tally(1, 2)}
    monkeypatch.setattr("scoring.ahead.verdicts.tallies", lambda study: found)
    assert references_of(study) == ("cap", "sash", "crown", "veil")
    assert references_of(study, references="cleaned") == ("cap", "sash", "veil")
    before = mark(study=study, parameters={"references": "cleaned"})
    found[wrong.pk] = Tally(3, 2)
    assert mark(study=study, parameters={"references": "cleaned"}) != before
    assert len(before) <= 80


def test_candidates_are_stereotypes_references_or_what_real_images_show(study):
    add_descriptor(study, "stereotype", "yak", activity="", dimension="")
    add_descriptor(study, "reference", "cap")
    described(study, "real-1", "sash")
    described(study, "gen-1", "crown")
    item = study.items.get(external_id="gen-1")
    for source, expected in (("stereotypes", ["yak"]), ("reference", ["cap"]), ("real", ["sash"])):
        parameters = {"extractor": "eye", "scorer": "vqascore", "candidates": source}
        inputs = gather(study=study, parameters=parameters).item_inputs(item)
        assert inputs["candidates"] == expected


def test_without_an_image_text_score_pictures_are_no_input(study):
    inputs = gather(study=study, parameters={"extractor": "eye", "scorer": "none"})
    assert set(inputs.item_inputs(study.items.get(external_id="gen-1"))) == {
        "references",
        "seen",
        "why",
    }


def test_the_mark_changes_with_descriptors_looks_and_the_choice_of_real_images(study):
    marks = [mark(study=study, parameters={})]
    row = described(study)
    marks.append(mark(study=study, parameters={}))
    study.items.get(external_id="gen-1").descriptions.create(source="eye", dimension="attire")
    marks.append(mark(study=study, parameters={}))
    row.delete()
    marks.append(mark(study=study, parameters={}))
    RealChoice.objects.create(item=study.items.get(external_id="real-1"), rank=1, kept=False)
    marks.append(mark(study=study, parameters={}))
    assert len(set(marks)) == 5


# ---- the best real images


def clipscore_run(study, scores, **more):
    run = MetricRun.objects.create(
        study=study, metric="clipscore", **({"state": WorkState.DONE} | more)
    )
    for name, value in scores.items():
        Score.objects.create(
            run=run,
            item=study.items.get(external_id=name),
            output="clipscore",
            value=value,
            reason="" if value is not None else "no_prompt",
        )
    return run


def test_the_best_k_of_each_scene_are_kept_and_those_without_a_score_are_not(study):
    for name in ("real-3", "real-4"):
        add_item(study, name, origin="real")
    add_item(study, "real-ir", origin="real", country="IR")
    scores = {"real-1": 0.4, "real-2": 0.7, "real-3": None, "real-4": 0.7, "real-ir": 0.1}
    run = clipscore_run(study, scores)
    chosen = keep_best(study=study, run=run, k=2)
    assert (chosen.kept, chosen.left_out, chosen.without_score) == (3, 2, 1)
    kept = [item.external_id for item in real_images(study)]
    assert kept == ["real-2", "real-4", "real-ir"]
    ranks = dict(RealChoice.objects.values_list("item__external_id", "rank"))
    assert (ranks["real-2"], ranks["real-4"], ranks["real-1"], ranks["real-3"]) == (1, 2, 3, 4)


def test_choosing_is_a_step_by_the_newest_clipscore_run(study):
    with pytest.raises(NoRealScoresError, match="no CLIPScore run"):
        done(study, "real_images")
    clipscore_run(study, {"real-1": 0.4, "real-2": 0.7})
    step = done(study, "real_images", k=1)
    assert step.state == WorkState.DONE
    assert step.result == {"kept": 1, "left_out": 1, "without_score": 0}
    inputs = gather(study=study, parameters={"scorer": "vqascore"})
    real = inputs.item_inputs(study.items.get(external_id="gen-1"))["real"]
    assert [one["sha256"][-6:] for one in real] == ["real-2"]


def test_a_run_that_scored_no_real_image_chooses_nothing(study):
    run = clipscore_run(study, {"gen-1": 0.4})
    with pytest.raises(NoRealScoresError, match="scored no real image"):
        keep_best(study=study, run=run)
    assert not RealChoice.objects.exists()


# ---- imported looks


def test_an_imported_look_without_descriptors_is_described_with_nothing_seen(study):
    item = study.items.get(external_id="gen-1")
    lines = (
        '{"kind": "described", "item_id": "gen-1", "dimension": "attire", "source": "eye"}\n'
        '{"kind": "predicted", "item_id": "gen-1", "dimension": "layout", "token": "in a ring", '
        '"source": "eye"}\n'
    )
    parsed = parse_descriptors(lines, item_ids={"gen-1"})
    assert descriptor_counts(study, parsed.records) == {"new": 2, "same": 0}
    write_descriptors(study=study, records=parsed.records)
    assert write_descriptors(study=study, records=parsed.records) == {"new": 0, "same": 2}
    seen = gather(study=study, parameters={"extractor": "eye"}).item_inputs(item)["seen"]
    assert seen == {"attire": (), "layout": ("in a ring",)}


def test_a_copied_study_keeps_what_was_looked_at(study, researcher):
    study.items.get(external_id="gen-1").descriptions.create(source="eye", dimension="attire")
    copy = duplicate_study(study=study, owner=researcher, title="Again", with_items=True)
    item = copy.items.get(external_id="gen-1")
    inputs = gather(study=copy, parameters={"extractor": "eye"})
    assert inputs.item_inputs(item)["seen"] == {"attire": ()}


def test_an_item_described_with_nothing_seen_counts_as_described(study):
    study.items.get(external_id="gen-1").descriptions.create(source="eye", dimension="attire")
    needs = study_coverage(study=study, declaration=AHEAD.declaration)
    assert "1 of 4 items has predicted descriptors" in [need.words for need in needs]
