"""The analysis commands read the same table from every kind of file."""

from __future__ import annotations

import json

import pandas as pd
import pyarrow
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from openpyxl import Workbook
from pyarrow import parquet

COLUMNS = {"unit": "item", "rater": "rater", "value": "answer"}
HEADER = ("item", "rater", "answer")
ROWS = [("a", 1, 4), ("a", 2, 5), ("b", 1, 2.5), ("b", 2, None), ("007", 1, 1), ("007", 2, 3)]


def as_csv(path):
    lines = [",".join("" if cell is None else str(cell) for cell in row) for row in ROWS]
    path.write_text("\n".join([",".join(HEADER), *lines, ""]))


def as_jsonl(path):
    records = [dict(zip(HEADER, row, strict=True)) for row in ROWS]
    del records[3]["answer"]
    path.write_text("\n".join([*map(json.dumps, records), "", ""]))


def as_xlsx(path):
    book = Workbook()
    book.active.append(HEADER)
    for row in ROWS:
        book.active.append(row)
    book.active.append((None, None, None))
    book.save(path)


def as_parquet(path):
    pd.DataFrame(ROWS, columns=HEADER).assign(unused="x" * 1000).to_parquet(path)


WRITERS = {"csv": as_csv, "jsonl": as_jsonl, "xlsx": as_xlsx, "parquet": as_parquet}


def refusal(path, **options):
    with pytest.raises(CommandError) as refused:
        call_command("agreement", path, **{**COLUMNS, **options})
    return str(refused.value)


@pytest.mark.parametrize("ending", WRITERS)
def test_the_same_table_gives_the_same_numbers(results, tmp_path, ending):
    as_csv(tmp_path / "expected.csv")
    expected = results("agreement", tmp_path / "expected.csv", **COLUMNS, bootstrap=30)
    path = tmp_path / f"ratings.{ending}"
    WRITERS[ending](path)
    found = results("agreement", path, **COLUMNS, bootstrap=30)
    assert found == expected
    assert (found[0]["n_units"], found[0]["n_raters"], found[0]["n_missing"]) == (3, 2, 1)
    assert found[0]["categories_used"] == ["1", "2.5", "3", "4", "5"]


def test_the_ending_may_be_in_capitals(results, tmp_path):
    as_xlsx(tmp_path / "R.XLSX")
    (row,) = results("agreement", tmp_path / "R.XLSX", **COLUMNS, bootstrap=0)
    assert row["n_ratings"] == 5


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_lists_are_sets_of_options(results, tmp_path, ending):
    answers = [["red", "blue"], ["blue"], [], [], None, ["red"]]
    records = [
        {"item": item, "rater": rater, "answer": answer}
        for (item, rater, _), answer in zip(ROWS, answers, strict=True)
    ]
    path = tmp_path / f"sets.{ending}"
    if ending == "jsonl":
        path.write_text(
            "\n".join(map(json.dumps, [{**r, "rater": str(r["rater"])} for r in records]))
        )
    else:
        parquet.write_table(pyarrow.Table.from_pylist(records), path)
    (row,) = results(
        "agreement", path, **COLUMNS, coefficient="average_pairwise_jaccard", bootstrap=0
    )
    assert row["value"] == pytest.approx((0.5 + 1) / 2)
    assert row["n_missing"] == 1


@pytest.mark.parametrize("ending", ["jsonl", "xlsx", "parquet"])
def test_an_unknown_column_is_refused_with_the_nearest(tmp_path, ending):
    path = tmp_path / f"ratings.{ending}"
    WRITERS[ending](path)
    message = refusal(path, rater="ratr")
    assert "no column 'ratr' (named by --rater). Did you mean 'rater'?" in message


@pytest.mark.parametrize(
    ("ending", "place"),
    [("csv", "line 4"), ("jsonl", "line 3"), ("xlsx", "row 4"), ("parquet", "row 3")],
)
def test_a_bad_value_is_refused_by_its_place_in_the_file(tmp_path, ending, place):
    path = tmp_path / f"ratings.{ending}"
    WRITERS[ending](path)
    message = refusal(path, categories="1,2,3,4,5")
    assert f"{place}, column answer: '2.5' is not one of the categories" in message


def test_a_duplicate_is_refused_by_its_rows(tmp_path):
    parquet.write_table(
        pyarrow.table({"item": ["a", "b", "a"], "rater": ["x", "x", "x"], "answer": [1, 2, 3]}),
        tmp_path / "r.parquet",
    )
    message = refusal(tmp_path / "r.parquet")
    assert "row 3: rater x has already rated unit a on row 1 (answer 1 there, 3 here)" in message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ('{"item": "a"\n', "line 1 is not JSON"),
        ('{"item": "a", "rater": "x", "answer": NaN}\n', "NaN is no JSON value"),
        ("[1, 2]\n", "line 1: an object with named values is needed"),
        (
            '{"item": "a", "rater": "x", "answer": {"b": 1}}\n',
            "column answer: a cell holds an object",
        ),
        (
            '{"item": "a", "rater": "x", "answer": ["b|c", "d"]}\n',
            "column answer: an option of a set holds '|'",
        ),
    ],
)
def test_json_lines_that_cannot_be_used_are_refused(tmp_path, text, message):
    path = tmp_path / "r.jsonl"
    path.write_text(text)
    assert message in refusal(path)


@pytest.mark.parametrize("ending", ["xlsx", "parquet"])
def test_a_file_that_is_not_what_its_ending_says_is_refused(tmp_path, ending):
    path = tmp_path / f"r.{ending}"
    path.write_text("item,rater,answer\n")
    assert "cannot be read as" in refusal(path)
    assert "does not exist" in refusal(tmp_path / f"none.{ending}")


def test_a_workbook_without_cells_or_with_nameless_ones_is_refused(tmp_path):
    Workbook().save(tmp_path / "empty.xlsx")
    assert "is empty" in refusal(tmp_path / "empty.xlsx")
    book = Workbook()
    book.active.append(HEADER)
    book.active.append(("a", "x", 1, "what is this"))
    book.save(tmp_path / "wide.xlsx")
    assert "row 2: a cell beyond the last column name" in refusal(tmp_path / "wide.xlsx")


def test_whole_numbers_stay_exact_and_truth_is_a_word(results, tmp_path):
    path = tmp_path / "r.jsonl"
    one, other = 100000000000000000000001, 100000000000000000000002
    records = [
        {"item": 1, "rater": one, "answer": True},
        {"item": 1, "rater": other, "answer": False},
    ]
    path.write_text("\n".join(map(json.dumps, records)))
    (row,) = results("agreement", path, **COLUMNS, coefficient="percent_agreement", bootstrap=0)
    assert row["n_raters"] == 2
    assert row["categories_used"] == ["false", "true"]
