"""The items beside the ratings: what each is, and what the import did to its file."""

import csv
import io
import json

import pytest

from scoring.exports.items import items_table
from tests.scoring.report_study import a_researcher, a_study, an_item

URL = "/studies/weddings/export/items.csv"


@pytest.fixture
def owner(db):
    return a_researcher()


@pytest.fixture
def study(owner):
    return a_study(owner=owner)


def downloaded(client, user) -> list[dict[str, str]]:
    client.force_login(user)
    response = client.get(URL)
    assert response.status_code == 200
    assert 'filename="weddings-items.csv"' in response["Content-Disposition"]
    text = b"".join(response.streaming_content).decode("utf-8")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_what_was_done_to_a_clip_is_in_the_export(client, owner, study):
    item = an_item(study, "n1", country="NP", system="wan", prompt="A wedding")
    item.kind, item.duration, item.has_audio = "video", 4.5, True
    item.preparation = ["transcoded: hevc yuv420p to h264 yuv420p, crf 12", "silent: a copy"]
    item.metadata = {"mood": "=calm"}
    item.save()
    (row,) = downloaded(client, owner)
    assert list(row) == items_table(study).names
    assert (row["item"], row["kind"], row["duration"], row["has_audio"]) == (
        "n1",
        "video",
        "4.5",
        "true",
    )
    assert row["preparation"] == "transcoded: hevc yuv420p to h264 yuv420p, crf 12 | silent: a copy"
    assert (row["system"], row["prompt"], row["country"]) == ("wan", "A wedding", "NP")
    assert json.loads(row["metadata"]) == {"mood": "=calm"}


def test_a_name_is_no_formula(client, owner, study):
    an_item(study, "=1+1", country="NP", system="@bot")
    (row,) = downloaded(client, owner)
    assert (row["item"], row["system"]) == ("'=1+1", "'@bot")


def test_many_items_take_no_more_queries_than_one(study, django_assert_num_queries):
    for number in range(30):
        an_item(study, f"n{number:02}", country="NP", system="wan")
    with django_assert_num_queries(1):
        rows = list(items_table(study).rows())
    assert len(rows) == 30


def test_nobody_else_gets_the_items(client, study):
    client.force_login(a_researcher("stranger"))
    assert client.get(URL).status_code == 404
