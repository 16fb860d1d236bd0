"""Exports of Label Studio: tasks, the annotations of several people, results of many kinds."""

import json
from collections import Counter
from pathlib import Path

import pytest

from studies.external.layouts import Columns
from studies.external.reading import Source, read
from studies.external.records import ImportRefusedError

SAMPLE = Path(__file__).parent.parent / "data/external/label_studio_export.json"


def read_file(path, **columns):
    left_out = Counter()
    source = Source(Columns(**{"item": (), **columns}), tool="label-studio")
    return list(read(path, source, left_out)), left_out


@pytest.fixture
def read_tasks(tmp_path):
    def read_them(tasks, **columns):
        path = tmp_path / "export.json"
        path.write_text(json.dumps(tasks))
        return read_file(path, **columns)

    return read_them


def result(kind="rating", **value):
    return {"from_name": "quality", "to_name": "image", "type": kind, "value": value}


def task(*results, **annotation):
    one = {"id": 31, "completed_by": 7, "was_cancelled": False, "result": list(results)}
    data = {"image": "a.png", "model": "M1"}
    return {"id": 5, "data": data, "annotations": [{**one, **annotation}]}


def told(ratings):
    return [(one.item, one.rater, one.question, one.value) for one in ratings]


def test_the_program_s_own_export_is_read_to_the_last_rating():
    ratings, left_out = read_file(SAMPLE)
    assert [one.value for one in ratings] == list("441354434352")
    assert told(ratings)[0] == ("1", "2", "quality", "4")
    assert left_out == {}


def test_e_mail_addresses_are_not_read():
    ratings, _ = read_file(SAMPLE, item=("image",))
    assert ratings[0].item == "/data/local-files/?d=images/img_0000.jpg"
    assert "example.com" not in repr(ratings)


def test_items_and_facts_come_from_the_data(read_tasks):
    ratings, _ = read_tasks(
        [task(result(rating=4))], item=("image", "model"), facts={"system": "model"}
    )
    assert ratings[0].item == "a.png/M1"
    assert ratings[0].facts == {"system": "M1"}


def test_choices_and_numbers_are_ratings_too(read_tasks):
    ratings, _ = read_tasks(
        [task(result("choices", choices=["Partly"]), result("number", number=2.5))]
    )
    assert [one.value for one in ratings] == ["Partly", "2.5"]


def test_skipped_tasks_and_other_results_are_left_out_and_counted(read_tasks):
    ratings, left_out = read_tasks(
        [
            task(result(rating=4), was_cancelled=True),
            task(result("textarea", text=["fine"]), result(rating=2)),
        ]
    )
    assert [one.value for one in ratings] == ["2"]
    assert left_out == {"skipped tasks": 1, "results of type textarea": 1}


@pytest.mark.parametrize(
    ("tasks", "problem"),
    [
        ({"id": 1}, "no list of tasks"),
        ([{"id": 3, "image": "a.png", "quality": 4}], "task 3 has no list of annotations"),
        (
            [task(result("choices", choices=["a", "b"]))],
            "task 5, annotation 31, quality: 2 choices",
        ),
        ([task(result("choices", choices=[]))], "quality: 0 choices"),
        ([task(result(stars=4))], "quality: the value has no 'rating'"),
        ([task(result(rating=4), completed_by=None)], "annotation 31, completed_by: nobody"),
        ([task(result(rating=4), result=None)], "annotation 31 has no list called 'result'"),
        ([{"id": 5, "annotations": []}], "task 5 has no data"),
    ],
)
def test_what_is_not_as_it_should_be_is_named_with_its_place(read_tasks, tasks, problem):
    with pytest.raises(ImportRefusedError, match=problem):
        read_tasks(tasks)


def test_a_field_that_is_not_there_is_named_beside_those_that_are(read_tasks):
    with pytest.raises(ImportRefusedError, match="no 'picture'. It has: image, model"):
        read_tasks([task(result(rating=4))], item=("picture",))
