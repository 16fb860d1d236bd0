"""The Export page: every file, what can be done, and who may do it."""

from __future__ import annotations

import pytest

from scoring.exports import jobs
from scoring.exports.catalogue import FILES
from scoring.models import ExportJob
from studies.models import Study
from tests.exports.conftest import frozen
from tests.scoring.report_study import a_question, a_rater, a_researcher, a_study, an_item, rate

pytestmark = pytest.mark.django_db
PAGE = "/studies/weddings/export/"


@pytest.fixture
def study(owner) -> Study:
    study = a_study(owner=owner)
    question = a_question(study, "faithfulness")
    rate(a_rater(study, "NP-01", country="NP"), an_item(study, "n1", country="NP"), {question: 4})
    frozen(study)
    return study


@pytest.fixture
def page(client, study, owner):
    client.force_login(owner)
    return client


def test_the_page_lists_every_file_with_what_is_in_it(page):
    text = page.get(PAGE).content.decode()
    for file in FILES.values():
        assert f"<code>{file.key}</code>" in text
    assert "1 row<" in text
    assert "No report is finished yet." in text
    assert 'aria-current="page">Export' in text


def test_choices_go_into_the_addresses_and_into_the_forms(page):
    text = page.get(f"{PAGE}?layer=all&rows=everything").content.decode()
    assert "/export/ratings.csv?layer=all&amp;rows=everything" in text
    assert '<input type="hidden" name="layer" value="all">' in text
    assert page.get(f"{PAGE}?layer=none").status_code == 404


def test_a_file_is_asked_for_without_a_script_and_downloaded(page, study):
    response = page.post(f"{PAGE}ratings.parquet", {"layer": "all"})
    assert response.status_code == 302
    assert response["Location"] == f"{PAGE}?layer=all#ratings-parquet"
    job = ExportJob.objects.get()
    page.post(f"{PAGE}ratings.parquet", {"layer": "all"})
    assert ExportJob.objects.get() == job
    assert page.get(f"{PAGE}jobs/{job.pk}/file/").status_code == 404
    jobs.execute_export(job.pk)
    text = page.get(f"{PAGE}?layer=all").content.decode()
    assert f"{PAGE}jobs/{job.pk}/file/" in text
    assert "by ana" in text
    response = page.get(f"{PAGE}jobs/{job.pk}/file/")
    assert b"".join(response.streaming_content)[:4] == b"PAR1"
    assert 'filename="weddings-ratings.parquet"' in response["Content-Disposition"]


def test_the_fragment_asks_for_itself_until_the_file_is_made(page, study):
    asked = page.post(f"{PAGE}ratings.xlsx", headers={"HX-Request": "true"})
    job = ExportJob.objects.get()
    assert f'hx-get="{PAGE}jobs/{job.pk}/"' in asked.content.decode()
    jobs.execute_export(job.pk)
    text = page.get(f"{PAGE}jobs/{job.pk}/", headers={"HX-Request": "true"}).content.decode()
    assert "hx-get" not in text
    assert text.strip().startswith("{#") is False
    assert f"{PAGE}jobs/{job.pk}/file/" in text


def test_data_that_have_changed_since_are_told_and_the_file_can_be_made_again(page, study):
    page.post(f"{PAGE}ratings.xlsx")
    jobs.execute_export(ExportJob.objects.get().pk)
    question = study.questions.get(key="faithfulness")
    rate(a_rater(study, "NP-02", country="NP"), study.items.get(), {question: 2})
    text = page.get(PAGE).content.decode()
    assert "have changed since" in text
    assert "Make it again" in text


def test_a_job_can_be_cancelled(page):
    page.post(f"{PAGE}bundle.zip")
    job = ExportJob.objects.get()
    page.post(f"{PAGE}jobs/{job.pk}/cancel/")
    job.refresh_from_db()
    assert job.state == "cancelled"


def test_a_stranger_finds_nothing_and_asks_for_nothing(client, page, study):
    page.post(f"{PAGE}ratings.xlsx")
    job = ExportJob.objects.get()
    jobs.execute_export(job.pk)
    client.force_login(a_researcher("stranger"))
    for path in ("", "ratings.csv", "report.html", f"jobs/{job.pk}/", f"jobs/{job.pk}/file/"):
        assert client.get(f"{PAGE}{path}").status_code == 404
    assert client.post(f"{PAGE}bundle.zip").status_code == 404
    assert ExportJob.objects.count() == 1


def test_the_page_asks_few_questions_of_the_database(page, django_assert_max_num_queries):
    with django_assert_max_num_queries(60):
        page.get(PAGE)
