"""Stereotype candidates by a chat model."""

from __future__ import annotations

import json

import pytest

from scoring.ahead.inputs import gather
from scoring.models import WorkState
from tests.ahead.conftest import add_item, asked_text, done

pytestmark = pytest.mark.django_db


def scripted(body) -> str:
    rows = [{"token": token, "why": "overused"} for token in ("snowy peak", "Snowy peak", "yak")]
    return json.dumps({"candidates": rows})


def test_each_country_is_asked_once_and_its_candidates_are_kept_with_why(study, server):
    server.answer = scripted
    add_item(study, "gen-3", country="IR")
    step = done(study, "stereotypes", model="critic")
    assert (step.state, step.n_done) == (WorkState.DONE, 2)
    rows = study.descriptors.filter(kind="stereotype", country="NP")
    assert list(rows.values_list("token", "activity", "source")) == [
        ("snowy peak", "", "critic"),
        ("yak", "", "critic"),
    ]
    assert rows[0].origins == [{"source": "critic", "why": "overused"}]
    assert {body["temperature"] for body in server.requests} == {0.2}


def test_they_are_the_candidates_of_exaggeration_beside_the_real_images(study, server):
    server.answer = scripted
    done(study, "stereotypes", model="critic")
    inputs = gather(study=study, parameters={"scorer": "vqascore", "extractor": "unnamed"})
    found = inputs.item_inputs(study.items.get(external_id="gen-1"))
    assert found["candidates"] == ["snowy peak", "yak"]
    assert [one["sha256"][-6:] for one in found["real"]] == ["real-1", "real-2"]


def test_they_can_be_of_an_activity_in_a_country(study, server):
    server.answer = scripted
    done(study, "stereotypes", model="critic", of="category")
    assert "wedding" in asked_text(server.requests[0])
    assert set(study.descriptors.values_list("activity", flat=True)) == {"wedding"}


def test_a_second_step_asks_nothing(study, server):
    server.answer = scripted
    done(study, "stereotypes", model="critic")
    assert done(study, "stereotypes", model="critic").n_skipped == 1
    assert len(server.requests) == 1
