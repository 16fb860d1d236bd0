"""Exports of Potato: labels by schema, and the history that tells the last of several clicks."""

import json
from collections import Counter
from pathlib import Path

import pytest

from studies.external.layouts import Columns
from studies.external.reading import Source, read
from studies.external.records import ImportRefusedError

DATA = Path(__file__).parent.parent / "data/external"
SAMPLE = DATA / "potato_annotations.jsonl"
HISTORY = DATA / "potato_annotation_history.jsonl"


def read_file(path, history=None):
    left_out = Counter()
    source = Source(Columns(item=()), tool="potato", history=history)
    return list(read(path, source, left_out)), left_out


@pytest.fixture
def lines(tmp_path):
    def written(*rows, name="annotations.jsonl"):
        path = tmp_path / name
        path.write_text("\n".join(json.dumps(row) for row in rows))
        return path

    return written


def line(**labels):
    return {"instance_id": "item_1", "user_id": "u0", "labels": labels}


def click(value, at, **other):
    one = {"instance_id": "item_1", "user_id": "u0", "schema_name": "quality"}
    return {**one, "label_name": value, "new_value": value, "timestamp": at, **other}


def test_the_program_s_own_export_is_read_to_the_last_line():
    ratings, left_out = read_file(SAMPLE, HISTORY)
    assert len(ratings) == len(SAMPLE.read_text().splitlines()) == 60
    first = ratings[0]
    assert (first.item, first.rater, first.question, first.value) == (
        "item_000620",
        "u0",
        "quality",
        "1",
    )
    assert first.where == "potato_annotations.jsonl, line 1, quality"
    assert left_out == {}


def test_a_tick_without_a_value_is_its_label(lines):
    ratings, _ = read_file(lines(line(quality={"Partly": "true"}, other={"Fully": True})))
    assert [one.value for one in ratings] == ["Partly", "Fully"]


def test_a_question_without_an_answer_is_left_out_and_counted(lines):
    ratings, left_out = read_file(lines(line(quality={}, other={"2": "2"})))
    assert [one.question for one in ratings] == ["other"]
    assert left_out == {"questions without an answer": 1}


def test_of_several_clicks_the_latest_counts_wherever_it_stands_in_the_history(lines):
    answers = lines(line(quality={"2": "2", "4": "4"}))
    history = lines(
        click("2", "2026-11-29T20:00:05"),
        click("4", "2026-11-29T20:00:01"),
        click("4", "2026-11-29T20:00:09", user_id="u1"),
        click("4", "2026-11-29T20:00:09", schema_name="other"),
        name="history.jsonl",
    )
    ratings, _ = read_file(answers, history)
    assert [one.value for one in ratings] == ["2"]


def test_several_clicks_without_a_history_are_refused(lines):
    with pytest.raises(ImportRefusedError, match=r"line 1, quality: several .*\(2, 4\). Give"):
        read_file(lines(line(quality={"2": "2", "4": "4"})))


def test_a_history_that_does_not_know_them_is_refused(lines):
    answers = lines(line(quality={"2": "2", "4": "4"}))
    history = lines(click("5", "2026-11-29T20:00:05"), name="history.jsonl")
    with pytest.raises(ImportRefusedError, match="history.jsonl does not say which"):
        read_file(answers, history)


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"instance_id": "a", "labels": {}}, "line 1: no 'user_id'"),
        ({"instance_id": "a", "user_id": "u", "labels": []}, "line 1, labels: .* no object"),
        (line(quality="4"), "line 1, quality: '4' is no object"),
    ],
)
def test_what_is_not_as_it_should_be_is_named_with_its_place(lines, row, problem):
    with pytest.raises(ImportRefusedError, match=problem):
        read_file(lines(row))


def test_a_history_that_is_not_there_is_named(lines, tmp_path):
    with pytest.raises(ImportRefusedError, match="gone.jsonl cannot be read"):
        read_file(lines(line(quality={"2": "2"})), tmp_path / "gone.jsonl")
