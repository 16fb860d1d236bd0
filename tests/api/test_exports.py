"""Files that leave by the API: what pandas reads from an address, jobs, and who may have them."""

from __future__ import annotations

import io

import pandas as pd
import pytest

from scoring.exports import jobs
from scoring.models import ExportJob
from studies.models import Study
from tests.api.conftest import problem, signed_in
from tests.scoring.report_study import a_question, a_rater, a_study, an_item, freeze, rate
from tests.studies.people import a_researcher

pytestmark = pytest.mark.django_db
ROOT = "/api/v1/studies/weddings/exports/"
AS_IT_STANDS = {"dtype": str, "keep_default_na": False, "na_values": [""]}


@pytest.fixture
def weddings(mira) -> Study:
    study = a_study(owner=mira, countries=("NA",))
    question = a_question(study, "faithfulness")
    item = an_item(study, "n1", country="NA", prompt="=1+1")
    rate(a_rater(study, "NA-01", country="NA"), item, {question: 4})
    rate(a_rater(study, "NA-02", country="NA"), item, {question: 2}, counted=False)
    freeze(study)
    return study


def content(response) -> bytes:
    return b"".join(response.streaming_content)


def test_pandas_reads_the_ratings_from_their_address(api, weddings):
    response = api.get(f"{ROOT}ratings.csv", HTTP_ACCEPT="text/csv")
    assert response.status_code == 200
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert response["Cache-Control"] == "no-store"
    frame = pd.read_csv(io.BytesIO(content(response)), **AS_IT_STANDS)
    assert frame[["rater", "country", "value", "prompt"]].values.tolist() == [
        ["NA-01", "NA", "4", "'=1+1"]
    ]


def test_options_stand_in_the_address(api, weddings):
    lines = content(api.get(f"{ROOT}ratings.jsonl?rows=everything")).decode().splitlines()
    assert len(lines) == 2
    assert '"prompt": "=1+1"' in lines[0]
    assert content(api.get(f"{ROOT}ratings.csv?bom=1")).startswith(b"\xef\xbb\xbf")
    refused = problem(api.get(f"{ROOT}ratings.csv?layer=none"), "invalid", 422)
    assert refused["errors"][0]["field"] == "layer"


def test_items_and_scores_have_addresses_too(api, weddings):
    frame = pd.read_csv(io.BytesIO(content(api.get(f"{ROOT}items.csv"))), **AS_IT_STANDS)
    assert frame.item.tolist() == ["n1"]
    assert content(api.get(f"{ROOT}scores.csv")).startswith(b"study,metric,")


def test_a_report_that_is_not_there_yet_is_said_so(api, weddings):
    refused = problem(api.get(f"{ROOT}report.json"), "wrong-state", 409)
    assert refused["detail"].startswith("No report is finished yet.")


def test_a_file_is_asked_for_made_and_fetched(api, weddings):
    asked = api.post(ROOT, {"file": "ratings.parquet", "rows": "everything"}, format="json")
    assert asked.status_code == 202, asked.content
    again = api.post(ROOT, {"file": "ratings.parquet", "rows": "everything"}, format="json")
    assert again.json()["id"] == asked.json()["id"]
    links = {
        name: url.removeprefix("http://testserver") for name, url in asked.json()["links"].items()
    }
    problem(api.get(links["file"]), "wrong-state", 409)
    jobs.execute_export(asked.json()["id"])
    told = api.get(links["self"]).json()
    assert (told["state"], told["current"], told["n_total"]) == ("done", True, 2)
    response = api.get(links["file"], HTTP_ACCEPT="application/octet-stream")
    raw = content(response)
    assert len(raw) == told["size"] == int(response["Content-Length"])
    assert pd.read_parquet(io.BytesIO(raw)).rater.tolist() == ["NA-01", "NA-02"]


def test_the_catalogue_names_every_file_and_the_last_one_made(api, weddings):
    api.post(ROOT, {"file": "ratings.xlsx"}, format="json")
    files = {row["file"]: row for row in api.get(ROOT).json()["files"]}
    assert len(files) == 17
    assert files["ratings.csv"]["url"] == f"http://testserver{ROOT}ratings.csv"
    assert files["ratings.xlsx"]["url"] is None
    assert files["ratings.xlsx"]["newest"]["state"] == "queued"
    assert files["bundle.zip"]["by_worker"] is True


@pytest.mark.parametrize(
    "body", [{}, {"file": "ratings.csv"}, {"file": "ratings.parquet", "layer": "none"}]
)
def test_a_request_that_names_no_such_file_or_option_is_refused(api, weddings, body):
    problem(api.post(ROOT, body, format="json"), "invalid", 422)
    assert not ExportJob.objects.exists()


def test_a_worker_s_file_is_not_given_at_its_name_and_no_other_is_there(api, weddings):
    problem(api.get(f"{ROOT}ratings.xlsx"), "wrong-state", 409)
    problem(api.get(f"{ROOT}identities.csv"), "not-found", 404)
    problem(api.get(f"{ROOT}{2**70}/"), "not-found", 404)
    assert not ExportJob.objects.exists()  # asking for a file makes none


@pytest.mark.parametrize("path", ["", "ratings.csv", "report.json", "1/", "1/file/"])
def test_only_those_who_may_see_the_study_get_its_files(api, weddings, path):
    api.post(ROOT, {"file": "ratings.parquet"}, format="json")
    ExportJob.objects.update(id=1)
    stranger = signed_in(a_researcher("stranger"))
    problem(stranger.get(f"{ROOT}{path}"), "not-found", 404)
    stranger.credentials()
    problem(stranger.get(f"{ROOT}{path}"), "not-signed-in", 401)
    problem(
        signed_in(a_researcher("other")).post(ROOT, {"file": "bundle.zip"}, format="json"),
        "not-found",
        404,
    )
    assert ExportJob.objects.get().file == "ratings.parquet"  # the owner's; nobody else made one
