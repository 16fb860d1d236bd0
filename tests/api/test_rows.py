"""Many rows in one request: checked by the importer, written by a worker, all or nothing."""

from __future__ import annotations

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from api import rows as api_rows
from studies.lifecycle import launch_study
from studies.models import GoldLabel, ImportUpload, Study
from tests.api.conftest import let_the_worker_work, problem
from tests.conftest import add_item
from tests.importing.conftest import png, zipped

pytestmark = pytest.mark.django_db
BASE = "/api/v1/studies/greetings/"
TABLE = "item_id,file,country,mood\na,a.png,NP,calm\nb,b.png,Namibia,\n"


def post(api, address: str, body: dict):
    return api.post(BASE + address, body, format="json")


def send_table(api, table: str = TABLE, pictures=None, address: str = "items/", **more):
    files = {"a.png": png("red"), "b.png": png("green")} if pictures is None else pictures
    data = {"table": SimpleUploadedFile("items.csv", table.encode(), "text/csv")}
    if files:
        data["files"] = [SimpleUploadedFile("p.zip", zipped(files), "application/zip")]
    return api.post(BASE + address, data | more, format="multipart")


def done(api, response) -> dict:
    """How the import stands once the worker has worked."""
    assert response.status_code == 202, response.content
    let_the_worker_work()
    return api.get(response["Location"]).json()


def confirmed(api, data: dict) -> dict:
    response = api.post(data["links"]["confirm"])
    assert response.status_code == 202, response.content
    return after(api, data)


def after(api, data: dict) -> dict:
    let_the_worker_work()
    return api.get(data["links"]["self"]).json()


# ---- items


def test_a_table_and_its_files_are_checked_then_confirmed_then_written(api, study):
    response = send_table(api)
    waiting = response.json()
    assert (waiting["state"], waiting["progress"]["phase"]) == ("checking", "waiting")
    assert waiting["counts"] is None
    data = done(api, response)
    assert (data["state"], study.items.count()) == ("ready", 0)
    assert data["counts"] == {"created": 2, "updated": 0, "unchanged": 0, "refused": 0}
    written = confirmed(api, data)
    assert written["state"] == "done"
    assert set(study.items.values_list("external_id", "country")) == {("a", "NP"), ("b", "NA")}
    assert study.units.count() == 2


def test_confirmed_ahead_it_is_written_without_a_second_request(api, study):
    data = done(api, send_table(api, address="items/?confirm=true"))
    assert (data["state"], data["confirm_ahead"], study.items.count()) == ("done", True, 2)


def test_the_same_again_changes_nothing_and_a_changed_row_one_item(api, study):
    done(api, send_table(api, address="items/?confirm=1"))
    again = done(api, send_table(api))
    assert again["counts"] == {"created": 0, "updated": 0, "unchanged": 2, "refused": 0}
    rows = [{"item_id": "a", "file": "a.png", "country": "IN"}]
    changed = done(api, post(api, "items/?confirm=true", {"items": rows}))
    assert changed["counts"] == {"created": 0, "updated": 1, "unchanged": 0, "refused": 0}
    assert study.items.get(external_id="a").country == "IN"
    assert study.items.count() == 2


def test_an_address_that_cannot_be_fetched_names_its_row(api, study, settings):
    settings.IMPORT_FROM_PRIVATE_ADDRESSES = True
    rows = [{"item_id": "a", "url": "http://127.0.0.1:9/a.png", "country": "NP"}]
    data = done(api, post(api, "items/", {"items": rows}))
    assert data["state"] == "refused"
    assert (data["problems"][0]["index"], data["problems"][0]["field"]) == (0, "url")


def test_a_bad_row_names_its_index_and_field_and_nothing_is_written(api, study):
    done(api, send_table(api, address="items/?confirm=true"))
    rows = [
        {"item_id": "a", "file": "a.png", "country": "NP"},
        {"item_id": "b", "file": "b.png", "country": "Nepaal"},
        {"item_id": "b", "file": "b.png", "country": "NP"},
        {"item_id": "", "file": "b.png"},
    ]
    response = post(api, "items/?confirm=true", {"items": rows})
    data = done(api, response)
    assert data["state"] == "refused"
    assert data["counts"]["refused"] == 3
    found = {(row["index"], row["field"]): row for row in data["problems"]}
    assert found[1, "country"]["wrong"] == "Not a country"
    assert found[1, "country"]["fix"] == "Did you mean Nepal (NP)?"
    assert found[1, "item_id"]["wrong"] == "Also at index 2"
    assert found[2, "item_id"]["wrong"] == "Also at index 1"
    assert found[3, "item_id"]["wrong"] == "The cell is empty"
    assert {row["line"] for row in data["problems"]} == {None}
    assert data["n_problems"] == len(data["problems"])
    refusal = problem(api.post(data["links"]["confirm"]), "rows", 422)
    assert refusal["problems"] == data["problems"]
    assert study.items.get(external_id="b").country == "NA"


def test_a_bad_row_of_a_table_names_its_line(api, study):
    data = done(api, send_table(api, TABLE.replace("Namibia", "Nambia")))
    row = data["problems"][0]
    assert (row["index"], row["line"], row["field"]) == (None, 3, "country")
    text = b"".join(api.get(data["links"]["problems"])).decode("utf-8-sig")
    assert text.splitlines()[1].startswith("3,country,Nambia,Not a country")


def test_values_of_json_are_read_as_one_would_type_them(api, study):
    add_item(study, "a")
    row = {
        "item_id": "a",
        "file": "a.png",
        "country": "NP",
        "replicate": 3,
        "category": None,
        "sub_activities": ["greeting", "bowing"],
        "mood": {"valence": 0.5},
    }
    done(api, post(api, "items/?confirm=true", {"items": [row]}))
    item = study.items.get()
    assert (item.replicate, item.category) == ("3", "")
    assert item.sub_activities == ["greeting", "bowing"]
    assert json.loads(item.metadata["mood"]) == {"valence": 0.5}


def test_confirming_twice_is_harmless_and_too_early_is_told(api, study):
    response = send_table(api)
    data = response.json()
    early = problem(api.post(data["links"]["confirm"]), "wrong-state", 409)
    assert "still being checked" in early["detail"]
    done(api, response)
    for _ in range(2):
        assert api.post(data["links"]["confirm"]).status_code == 202
    assert after(api, data)["state"] == "done"
    assert api.post(data["links"]["confirm"]).json()["state"] == "done"
    assert study.items.count() == 2


def test_files_without_a_table_need_a_prompt_book(api, study):
    body = {"files": [SimpleUploadedFile("x.png", png())]}
    data = problem(api.post(f"{BASE}items/", body, format="multipart"), "invalid", 422)
    assert data["errors"][0]["field"] == "table"
    rows = [{"scenario": "greeting", "country": "NP", "variant": "base", "prompt": "Two people"}]
    done(api, post(api, "scenarios/?confirm=true", {"scenarios": rows}))
    body = {"files": [SimpleUploadedFile("greeting__base__wan__1.png", png())]}
    response = api.post(f"{BASE}items/?confirm=true", body, format="multipart")
    assert done(api, response)["state"] == "done"
    assert study.items.get().scenario == "greeting"


def test_a_closed_study_takes_no_items(api, mine, mira):
    launch_study(study=mine, by=mira)
    Study.objects.filter(pk=mine.pk).update(state="closed")
    rows = {"items": [{"item_id": "x", "url": "https://example.org/x.png"}]}
    response = api.post("/api/v1/studies/weddings/items/", rows, format="json")
    problem(response, "frozen", 409)
    assert not ImportUpload.objects.exists()


def test_a_study_that_changed_meanwhile_is_checked_once_more(api, study):
    """Both checks saw two new items; the second to be confirmed finds them there."""
    first, second = done(api, send_table(api)), done(api, send_table(api))
    confirmed(api, first)
    later = confirmed(api, second)
    assert (later["state"], study.items.count()) == ("done", 2)


def test_items_and_imports_are_listed(api, study):
    done(api, send_table(api, address="items/?confirm=true"))
    page = api.get(f"{BASE}items/", {"limit": 1}).json()
    assert (page["count"], page["results"][0]["item_id"]) == (2, "a")
    imports = api.get(f"{BASE}imports/").json()
    assert [row["state"] for row in imports["results"]] == ["done"]


# ---- the other kinds


def test_gold_labels_probes_and_descriptors_come_in_the_same_way(api, study):
    item = add_item(study, "a")
    kinds = {
        "gold-labels/": ("gold_labels", {"item_id": "a", "label_set": "s", "label": "Dashain"}),
        "probes/": (
            "probes",
            {"probe_id": "p", "scenario": "s", "dimension": "Identity", "text": "Is it?"},
        ),
        "descriptors/": (
            "descriptors",
            {"kind": "predicted", "item_id": "a", "dimension": "attire", "token": "red sari"},
        ),
    }
    for address, (name, row) in kinds.items():
        data = done(api, post(api, f"{address}?confirm=true", {name: [row]}))
        assert (data["state"], data["counts"]["created"]) == ("done", 1), data
        again = done(api, post(api, address, {name: [row]}))
        assert again["counts"]["unchanged"] == 1
        bad = done(api, post(api, address, {name: [row, {**row, "dimension": "", "label": ""}]}))
        assert 1 in [found["index"] for found in bad["problems"]]
    assert GoldLabel.objects.get().item == item
    assert (study.probes.count(), study.descriptors.count()) == (1, 1)


# ---- hostile rows


@pytest.mark.parametrize(
    "body",
    [
        {},
        [],
        None,
        "items",
        {"items": []},
        {"items": {}},
        {"items": None},
        {"items": "a"},
        {"rows": [{"item_id": "a"}]},
        {"items": [{"item_id": "a"}], "confirm": True},
    ],
)
def test_a_body_without_rows_is_refused(api, study, body):
    problem(post(api, "items/", body), "invalid", 422)
    assert not ImportUpload.objects.exists()


def test_rows_that_are_no_plain_objects_are_named(api, study):
    deep: list = []
    for _ in range(400):
        deep = [deep]
    rows = ["a,b", 5, None, [], {}, {"item_id": "a", "metadata": deep}, {"item_id": "ok"}]
    data = problem(post(api, "items/", {"items": rows}), "rows", 422)
    assert [row["index"] for row in data["problems"]] == [0, 1, 2, 3, 4, 5]
    assert not ImportUpload.objects.exists()


@pytest.mark.parametrize(
    "value", ["a\0b", "x" * 201, "a\nb", True, 1e308, "\u202e", "=cmd()", "../../x", ["a", "b"]]
)
def test_strange_ids_are_refused_or_kept_as_they_are(api, study, value):
    add_item(study, "a")
    rows = [{"item_id": value, "file": "nothing.png"}]
    data = done(api, post(api, "items/?confirm=true", {"items": rows}))
    assert data["state"] == "refused"
    assert data["problems"][0]["index"] == 0
    assert study.items.count() == 1


def test_more_rows_than_a_request_takes_are_refused_with_advice(api, study):
    body = json.dumps({"items": [{"item_id": str(n)} for n in range(api_rows.MAX_ROWS + 1)]})
    response = api.post(f"{BASE}items/", body, content_type="application/json")
    detail = problem(response, "too-large", 413)["detail"]
    assert "10,001 rows; a request takes 10,000" in detail
    assert "several requests" in detail
    assert not ImportUpload.objects.exists()


def test_a_larger_body_than_fits_is_not_read_to_its_end(api, study, monkeypatch):
    monkeypatch.setattr("api.parsers.MAX_BYTES", 1000)
    body = json.dumps({"items": [{"item_id": "x" * 2000}]})
    response = api.post(f"{BASE}items/", body, content_type="application/json")
    problem(response, "too-large", 413)


def test_a_huge_table_is_refused(api, study, monkeypatch):
    monkeypatch.setattr("api.views_imports.MAX_TABLE_BYTES", 10)
    problem(send_table(api), "too-large", 413)
    assert not ImportUpload.objects.exists()


@pytest.mark.parametrize("pk", ["0", "99", "9" * 25])
def test_an_import_that_is_not_there(api, study, pk):
    problem(api.get(f"{BASE}imports/{pk}/"), "not-found", 404)
    problem(api.get(f"{BASE}imports/{pk}/problems.csv"), "not-found", 404)
    problem(api.post(f"{BASE}imports/{pk}/confirm/"), "not-found", 404)
    assert api.get(f"{BASE}imports/-1/").status_code == 404


def test_wrong_forms_are_refused(api, study):
    response = api.post(f"{BASE}probes/", {"table": "no file"}, format="multipart")
    assert problem(response, "invalid", 422)["errors"][0]["field"] == "table"
    response = api.post(f"{BASE}items/?confirm=perhaps", {"items": [{}]}, format="json")
    assert problem(response, "invalid", 422)["errors"][0]["field"] == "confirm"
    torn = b"--x\r\nContent-Disposition: form-data; name="
    response = api.post(f"{BASE}items/", torn, content_type="multipart/form-data; boundary=x")
    assert response.status_code in (400, 422)
    response = api.post(f"{BASE}items/", torn, content_type="multipart/form-data")
    problem(response, "malformed", 400)
