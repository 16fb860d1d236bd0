"""Excel may name the delimiter in a first line, sep=; : it is no row of the table."""

from __future__ import annotations

from collections import Counter

import pytest

from scoring import delimited
from scoring.imported_files import read_scores
from scoring.tables import TableError
from studies.external.layouts import Columns
from studies.external.reading import Source, read
from studies.external.records import ImportRefusedError

LINES = ["sep=;", "\ufeffsep=;", '"sep=;"', "SEP=;"]


def table(first: str, *, delimiter: str = ";", end: str = "\r\n") -> bytes:
    rows = [["item", "rater", "score"], ["a, b", "ana", "4"], ["c", "ben", "2"]]
    return end.join([first, *(delimiter.join(row) for row in rows), ""]).encode()


def told(path):
    columns = Columns(item=("item",), rater="rater", value="score")
    return [
        (one.item, one.rater, one.value, one.where)
        for one in read(path, Source(columns), Counter())
    ]


@pytest.mark.parametrize("first", LINES)
def test_ratings_below_it_are_read_and_keep_the_lines_of_the_file(tmp_path, first):
    path = tmp_path / "r.csv"
    path.write_bytes(table(first))
    assert told(path) == [
        ("a, b", "ana", "4", "r.csv, line 3"),
        ("c", "ben", "2", "r.csv, line 4"),
    ]


@pytest.mark.parametrize(("first", "delimiter"), [("sep=,", ","), ("sep=\t", "\t"), ("sep=|", "|")])
def test_any_delimiter_may_be_named(tmp_path, first, delimiter):
    path = tmp_path / "r.csv"
    content = table(first, delimiter=delimiter, end="\n").replace(b"a, b", b"ab")
    path.write_bytes(content)
    assert [one[:3] for one in told(path)] == [("ab", "ana", "4"), ("c", "ben", "2")]


def test_a_ragged_row_below_it_is_named_by_its_line(tmp_path):
    path = tmp_path / "r.csv"
    path.write_bytes(table("sep=;") + b"d;ana\r\n")
    with pytest.raises(ImportRefusedError, match="line 5 has 2 cells; the header has 3"):
        told(path)


def test_a_column_that_is_called_like_it_is_a_column(tmp_path):
    path = tmp_path / "r.csv"
    path.write_bytes(b"sep=;item;rater;score\nx;a;ana;4\n")
    assert told(path) == [("a", "ana", "4", "r.csv, line 2")]


@pytest.mark.parametrize("first", LINES)
def test_scores_below_it_are_read(first):
    content = table(first).replace(b"score", b"value")
    found = read_scores(content, name="m")
    assert [(row.item, row.value, row.where) for row in found["m"]] == [
        ("a, b", 4.0, "Line 3"),
        ("c", 2.0, "Line 4"),
    ]


@pytest.mark.parametrize("first", LINES)
def test_tables_of_the_agreement_command_are_read(tmp_path, first):
    path = tmp_path / "r.csv"
    path.write_bytes(table(first))
    assert delimited.header_of(path) == ["item", "rater", "score"]
    cells = delimited.read(path, ["item", "score"])
    assert cells.frame["item"].tolist() == ["a, b", "c"]
    assert (cells.line_of(1), cells.word) == (4, "line")


def test_a_ragged_row_of_the_agreement_command_is_named_by_its_line(tmp_path):
    path = tmp_path / "r.csv"
    path.write_bytes(table("sep=;") + b"d;ana\r\n")
    with pytest.raises(TableError, match="line 5: 2 fields where the header has 3"):
        delimited.read(path, ["item"])
