"""AHEaD's pages, as a researcher sees them."""

from __future__ import annotations

import pytest

from scoring import runs, steps
from scoring.ahead.verdicts import Tally
from scoring.models import Calibration, EditInstruction, ScoringStep, WorkState
from studies.models import Descriptor
from tests.ahead.conftest import add_descriptor, add_item, done

pytestmark = pytest.mark.django_db
PAGE = "/studies/weddings/ahead/"


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch):
    monkeypatch.setattr(steps, "_send_off", lambda step: None)


@pytest.fixture
def page(client, researcher):
    client.force_login(researcher)
    return client


@pytest.fixture
def ready(study):
    for token in ("woven sari", "topi cap"):
        add_descriptor(study, "reference", token, source="refined by editor")
    add_descriptor(study, "candidate", "sari of silk", source="first")
    for name, token in (("gen-1", "a colourful sari"), ("real-1", "topi cap")):
        item = study.items.get(external_id=name)
        add_descriptor(study, "predicted", token, item=item, source="eye")
    return study


@pytest.fixture
def run(ready):
    made = runs.request_run(study=ready, metric="ahead", parameters={"tau": 0.52}, by=ready.owner)
    runs.execute_run(run_id=made.pk)
    return made


def test_the_overview_says_what_the_study_has_and_that_no_chat_model_is_set(page, ready, settings):
    settings.CHAT_BASE_URL = settings.CHAT_LOCAL_MODEL = ""
    text = page.get(PAGE).content.decode()
    assert "2 reference descriptors" in text
    assert "proposers: first" in text
    assert "2 of 4 items described" in text
    assert "No chat model is set" in text


def test_a_step_is_started_from_the_page_and_its_mistakes_are_said(page, ready):
    bad = page.post(f"{PAGE}start/", {"kind": "references", "proposers": "one", "refiner": "x"})
    assert bad.status_code == 422
    assert "two chat models or more" in bad.content.decode()
    good = page.post(
        f"{PAGE}start/", {"kind": "references", "proposers": "one\ntwo", "refiner": "x"}
    )
    step = ScoringStep.objects.get()
    assert good.url == f"{PAGE}steps/{step.pk}/"
    assert step.parameters["proposers"] == ["one", "two"]
    assert step.requested_by.username == "ana"
    assert page.post(f"{PAGE}start/", {"kind": "nonsense"}).status_code == 404


def test_a_waiting_step_shows_its_progress_and_can_be_cancelled_and_gone_on_with(page, ready):
    step = steps.request_step(study=ready, kind="calibration", parameters={}, by=None)
    address = f"{PAGE}steps/{step.pk}/"
    assert "Waiting for a worker" in page.get(address).content.decode()
    fragment = page.get(f"{address}progress/", HTTP_HX_REQUEST="true")
    assert 'hx-trigger="every 2s"' in fragment.content.decode()
    page.post(f"{address}cancel/")
    step.refresh_from_db()
    assert step.state == WorkState.CANCELLED
    assert page.get(f"{address}progress/", HTTP_HX_REQUEST="true")["HX-Refresh"] == "true"
    page.post(f"{address}resume/", {"budget_calls": "5"})
    step.refresh_from_db()
    assert (step.state, step.parameters["budget_calls"]) == (WorkState.QUEUED, 5)


def test_a_calibration_is_shown_with_its_chart_and_what_is_so_by_construction(page, ready):
    step = done(ready, "calibration")
    for address in (PAGE, f"{PAGE}steps/{step.pk}/"):
        text = page.get(address).content.decode()
        assert "ALIGN on the calibration images is .25 by construction" in text
        assert "<svg" in text
        assert f"{Calibration.objects.get().q3:.3f}" in text


def test_the_descriptors_of_a_scene_stand_with_their_verdicts_sources_and_candidates(
    page, ready, monkeypatch
):
    wrong = ready.descriptors.get(token="topi cap", kind="reference")
    found = {wrong.pk: Tally(1, 3)}
    monkeypatch.setattr("scoring.ahead.pages.tallies", lambda study: found)
    listed = page.get(f"{PAGE}descriptors/").content.decode()
    assert "?activity=wedding&amp;country=NP" in listed
    text = page.get(f"{PAGE}descriptors/?activity=wedding&country=NP").content.decode()
    assert "1 of 4 right" in text
    assert "left out of the cleaned set" in text
    assert "sari of silk" in text
    assert "refined by editor" in text


SCENE = {"activity": "wedding", "country": "NP"}


def test_descriptors_are_added_changed_and_removed_by_hand(page, ready):
    page.post(
        f"{PAGE}descriptors/add/",
        SCENE
        | {"kind": "reference", "dimension": "objects", "token": " brass  lamp ", "style": ""},
    )
    row = ready.descriptors.get(dimension="objects")
    assert (row.token, row.source) == ("brass lamp", "by hand")
    page.post(f"{PAGE}descriptors/{row.pk}/change/", {"token": "oil lamp", "style": "traditional"})
    changed = ready.descriptors.get(dimension="objects")
    assert (changed.token, changed.style) == ("oil lamp", "traditional")
    assert changed.pk != row.pk  # older scores are known to be older
    page.post(f"{PAGE}descriptors/{changed.pk}/remove/")
    assert not ready.descriptors.filter(dimension="objects").exists()
    page.post(f"{PAGE}descriptors/add/", SCENE | {"kind": "stereotype", "token": "yak"})
    assert ready.descriptors.get(kind="stereotype").token == "yak"


def test_an_empty_descriptor_is_refused_with_a_sentence(page, ready):
    response = page.post(
        f"{PAGE}descriptors/add/",
        SCENE | {"kind": "reference", "dimension": "objects", "token": " "},
    )
    assert response.status_code == 422
    assert "one to four words" in response.content.decode()


def test_a_list_that_people_have_judged_cannot_be_changed(page, ready, monkeypatch):
    monkeypatch.setattr("scoring.ahead.scenes.shown_scenes", lambda study: {("wedding", "NP")})
    row = ready.descriptors.get(token="topi cap", kind="reference")
    for address, data in (
        (f"{row.pk}/change/", {"token": "cap"}),
        (f"{row.pk}/remove/", {}),
        ("add/", SCENE | {"kind": "reference", "dimension": "objects", "token": "lamp"}),
    ):
        response = page.post(f"{PAGE}descriptors/{address}", data)
        assert response.status_code == 409
        assert "stays as they saw it" in response.content.decode()
    assert Descriptor.objects.filter(kind="reference").count() == 2


def test_predicted_descriptors_are_not_edited_by_hand(page, ready):
    row = ready.descriptors.filter(kind="predicted").first()
    assert page.post(f"{PAGE}descriptors/{row.pk}/remove/").status_code == 404


def test_the_page_of_an_item_says_what_is_aligned_missing_and_hallucinated(page, ready, run):
    item = ready.items.get(external_id="gen-1")
    text = page.get(f"{PAGE}runs/{run.pk}/items/{item.pk}/").content.decode()
    assert "Aligned: expected, and there" in text
    assert "Missing: expected, not there" in text
    assert "a colourful sari" in text and "topi cap" in text
    assert "not defined: not asked for in this run (no image-text score)" in text


def test_the_page_of_a_cell_says_it_of_its_pictures_together(page, ready, run):
    cell = '["wedding", "NP", "SDXL"]'
    text = page.get(f"{PAGE}runs/{run.pk}/cell/", {"cell": cell}).content.decode()
    assert "In how many pictures each expected one is" in text
    assert "woven sari" in text
    assert "DDIV" in text and "fewer than two pictures" in text
    assert page.get(f"{PAGE}runs/{run.pk}/cell/", {"cell": "nonsense"}).status_code == 404


def test_an_edited_picture_stands_beside_the_one_it_was_made_from(page, ready):
    before = ready.items.get(external_id="gen-1")
    after = add_item(ready, "gen-1-edited", origin="edited", parent=before)
    add_descriptor(ready, "predicted", "topi cap", item=after, source="eye")
    made = runs.request_run(study=ready, metric="ahead", parameters={"tau": 0.52}, by=ready.owner)
    runs.execute_run(run_id=made.pk)
    of_before = page.get(f"{PAGE}runs/{made.pk}/items/{before.pk}/").content.decode()
    assert "After an edit" in of_before and after.media_url in of_before
    of_after = page.get(f"{PAGE}runs/{made.pk}/items/{after.pk}/").content.decode()
    assert "Before the edit" in of_after and before.media_url in of_after


def test_an_edit_instruction_is_asked_for_on_the_items_page_and_shown_there(page, ready, run):
    item = ready.items.get(external_id="gen-1")
    address = f"{PAGE}runs/{run.pk}/items/{item.pk}/"
    assert page.post(f"{address}edit/", {"model": ""}).status_code == 422
    page.post(f"{address}edit/", {"model": "editor"})
    step = ScoringStep.objects.get(kind="edits")
    assert step.parameters == {"run": run.pk, "model": "editor", "items": [item.pk]}
    EditInstruction.objects.create(
        item=item, run=run, instruction="Add a topi cap.", add=["topi cap"], model="editor"
    )
    text = page.get(address).content.decode()
    assert "Add a topi cap." in text and "Bring in" in text


def test_strangers_find_nothing(client, ready, run, colleague):
    item = ready.items.first()
    addresses = [
        PAGE,
        f"{PAGE}descriptors/",
        f"{PAGE}runs/{run.pk}/items/{item.pk}/",
    ]
    assert {client.get(address).status_code for address in addresses} == {302}
    client.force_login(colleague)
    assert {client.get(address).status_code for address in addresses} == {404}
    assert client.post(f"{PAGE}start/", {"kind": "calibration"}).status_code == 404


def test_the_run_leads_to_the_page_of_each_item_and_cell(page, ready, run):
    text = page.get(f"/studies/weddings/metrics/{run.pk}/").content.decode()
    item = ready.items.get(external_id="gen-1")
    assert f"{PAGE}runs/{run.pk}/items/{item.pk}/" in text
    assert (
        f"{PAGE}runs/{run.pk}/cell/?cell=%5B%22wedding%22%2C%20%22NP%22%2C%20%22SDXL%22%5D" in text
    )
    assert PAGE in page.get("/studies/weddings/metrics/").content.decode()
