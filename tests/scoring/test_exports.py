"""The downloads: ratings as tidy CSV, the report as JSON."""

import csv
import io
import json
from datetime import datetime

import pytest

from annotation.models import Rating
from scoring.exports.ratings import COLUMNS, ratings_table
from scoring.exports.writers.delimited import cell, csv_lines
from scoring.snapshots import execute_report, request_report
from studies.models import Study
from tests.scoring.report_study import (
    a_question,
    a_rater,
    a_researcher,
    a_study,
    an_item,
    freeze,
    rate,
)

CSV_URL = "/studies/weddings/export/ratings.csv"
JSON_URL = "/studies/weddings/report/report.json"


@pytest.fixture
def owner(db):
    return a_researcher()


@pytest.fixture
def study(owner):
    return a_study(owner=owner)


def downloaded(client, owner):
    freeze(Study.objects.get(slug="weddings"))
    client.force_login(owner)
    response = client.get(CSV_URL)
    assert response.status_code == 200
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    return b"".join(response.streaming_content)


def read_back(content: bytes):
    return list(csv.DictReader(io.StringIO(content.decode("utf-8"), newline="")))


def test_the_csv_holds_every_counted_answer_and_nothing_else(client, owner, study):
    question = a_question(study, "faithfulness")
    why = study.questions.create(key="why", kind="text", text="Why?", position=900)
    item = an_item(
        study, "n1", country="NP", system="Lantern", prompt="A wedding", category="feasts"
    )
    first = a_rater(study, "NP-01", country="NP")
    rate(first, item, {question: 4}, texts={why: "the clothes fit"})
    rate(a_rater(study, "NP-02", country="NP", simulated=True), item, {question: 2})
    rate(a_rater(study, "NP-03", country="NP"), item, {question: 1}, counted=False)
    rate(a_rater(study, "NP-04", country="NP"), item, {question: 1}, counted=None)
    content = downloaded(client, owner)
    rows = read_back(content)
    assert [(r["rater"], r["question"], r["value"], r["text"]) for r in rows] == [
        ("NP-01", "faithfulness", "4", ""),
        ("NP-01", "why", "", "the clothes fit"),
        ("NP-02", "faithfulness", "2", ""),
    ]
    row = rows[0]
    assert {name: row[name] for name in ("unit", "item", "system", "country")} == {
        "unit": "n1",
        "item": "n1",
        "system": "Lantern",
        "country": "NP",
    }
    assert (row["value_label"], row["panel_country"], row["n_in_session"]) == ("Mostly", "NP", "1")
    assert (row["simulated"], rows[2]["simulated"]) == ("false", "true")
    assert float(row["seconds_on_screen"]) == pytest.approx(12, abs=2)
    assert datetime.fromisoformat(row["submitted_at"]).tzinfo is not None
    assert first.token not in content.decode()


EVIL = [
    '=HYPERLINK("http://evil.example";"x")',
    "+1+1",
    "-2+3",
    "@SUM(A1)",
    "\tcmd",
    "\rcmd",
    'He said "no", twice',
    "two\r\nlines",
    "one\nmore",
    "🎏 carp",
    "عروسی در یزد، ایران",
    "a,b;c",
    "",
]


def test_evil_text_comes_back_as_it_was_but_never_starts_a_formula(client, owner, study):
    why = study.questions.create(key="why", kind="text", text="Why?", position=900)
    rater = a_rater(study, "NP-01", country="NP")
    for number, text in enumerate(EVIL):
        rate(rater, an_item(study, f"n{number}", country="NP"), {}, texts={why: text})
    content = downloaded(client, owner)
    texts = [row["text"] for row in read_back(content)]
    assert [text.removeprefix("'") for text in texts] == EVIL
    assert not [text for text in texts if text.startswith(("=", "+", "-", "@", "\t", "\r"))]
    assert texts[6] == EVIL[6]


def test_names_in_the_csv_are_neutralised_too(client, owner, study):
    question = a_question(study, "faithfulness")
    item = an_item(study, "=1+1", country="NP", system="@bot", prompt="-x")
    rate(a_rater(study, "NP-01", country="NP"), item, {question: 4})
    (row,) = read_back(downloaded(client, owner))
    assert (row["item"], row["system"], row["prompt"]) == ("'=1+1", "'@bot", "'-x")


def test_numbers_are_never_touched():
    assert cell(-3) == -3
    assert cell(-0.5) == -0.5
    assert cell("-3") == "'-3"


def test_a_nul_does_not_reach_the_file():
    assert cell("a\0b") == "a\ufffdb"


def test_lines_end_as_rfc_4180_wants(study):
    names = [column.name for column in COLUMNS]
    assert list(csv_lines(names, [])) == [",".join(names) + "\r\n"]


def test_the_csv_holds_as_many_rows_as_there_are_ratings(client, owner, study):
    question = a_question(study, "faithfulness")
    raters = [a_rater(study, f"NP-{n:02}", country="NP") for n in range(5)]
    for number in range(6):
        item = an_item(study, f"n{number}", country="NP")
        for rater in raters:
            rate(rater, item, {question: 1 + number % 5})
    rows = read_back(downloaded(client, owner))
    stored = Rating.objects.values_list(
        "assignment__participation__code", "item__external_id", "value"
    )
    assert sorted((r["rater"], r["item"], int(r["value"])) for r in rows) == sorted(stored)


def test_many_ratings_take_no_more_queries_than_one(study, django_assert_num_queries):
    question = a_question(study, "faithfulness")
    rater = a_rater(study, "NP-01", country="NP")
    for number in range(30):
        rate(rater, an_item(study, f"n{number}", country="NP"), {question: 3})
    freeze(study)
    with django_assert_num_queries(7):
        rows = list(ratings_table(study).rows())
    assert len(rows) == 30


def test_the_json_is_the_stored_report(client, owner, study, django_capture_on_commit_callbacks):
    question = a_question(study, "faithfulness")
    item = an_item(study, "n1", country="NP")
    for code, value in (("NP-01", 4), ("NP-02", 5)):
        rate(a_rater(study, code, country="NP"), item, {question: value})
    snapshot = request_report(study)
    execute_report(snapshot.pk)
    snapshot.refresh_from_db()
    client.force_login(owner)
    response = client.get(JSON_URL)
    assert response["Content-Type"] == "application/json; charset=utf-8"
    assert 'filename="weddings-report.json"' in response["Content-Disposition"]
    document = json.loads(response.content, parse_constant=pytest.fail)
    assert document == snapshot.report
    assert document["questions"][0]["groups"][0]["summary"]["mean"] == 4.5


def test_without_a_finished_report_there_is_no_json(client, owner, study):
    client.force_login(owner)
    assert client.get(JSON_URL).status_code == 404


@pytest.mark.parametrize("url", [CSV_URL, JSON_URL])
def test_a_stranger_gets_nothing_to_download(client, study, url):
    client.force_login(a_researcher("stranger"))
    assert client.get(url).status_code == 404


@pytest.mark.parametrize("url", [CSV_URL, JSON_URL])
def test_who_is_not_signed_in_is_sent_to_sign_in(client, study, url):
    response = client.get(url)
    assert response.status_code == 302
    assert "login" in response["Location"]
