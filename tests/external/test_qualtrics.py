"""Exports of Qualtrics: three header rows, previews, loops, and people who stay unknown."""

import csv
import io
from collections import Counter

import pytest

from studies.external.layouts import Columns
from studies.external.reading import Source, read
from studies.external.records import ImportRefusedError

HEADER = {
    "StartDate": "startDate",
    "Status": "status",
    "IPAddress": "ipAddress",
    "Finished": "finished",
    "ResponseId": "_recordId",
    "RecipientEmail": "recipientEmail",
    "1_Q1_1": "1_QID1_1",
    "2_Q1_1": "2_QID1_1",
    "1_Q2": "1_QID2",
    "2_Q2": "2_QID2",
    "1_Q9_4_TEXT": "1_QID9_4_TEXT",
    "1_Q1_DO_1": "1_QID1_DO_1",
    "Q7": "QID7",
    "PROLIFIC_PID": "PROLIFIC_PID",
}
GOOD = {"Status": "IP Address", "Finished": "True", "IPAddress": "203.0.113.7"}


def export(*people, header=HEADER, delimiter=",", encoding="utf-8"):
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\r\n")
    writer.writerow(header)
    writer.writerow([f"How good is it?\r\n{name}" for name in header])
    writer.writerow([f'{{"ImportId":"{one}"}}' for one in header.values()])
    for number, person in enumerate(people, start=1):
        row = {**GOOD, "ResponseId": f"R_{number}", **person}
        writer.writerow([row.get(name, "") for name in header])
    return text.getvalue().encode(encoding)


@pytest.fixture
def read_export(tmp_path):
    def read_it(content, *, name="answers.csv", pattern="{item}_{question}", rater=""):
        path = tmp_path / name
        path.write_bytes(content)
        left_out = Counter()
        source = Source(Columns(item=(), rater=rater), tool="qualtrics", pattern=pattern)
        return list(read(path, source, left_out)), left_out

    return read_it


def told(ratings):
    return [(one.item, one.rater, one.question, one.value) for one in ratings]


def test_loops_become_items_and_their_questions(read_export):
    ratings, _ = read_export(export({"1_Q1_1": "4", "2_Q1_1": "2", "1_Q2": "5"}))
    assert told(ratings) == [
        ("1", "R_1", "Q1_1", "4"),
        ("2", "R_1", "Q1_1", "2"),
        ("1", "R_1", "Q2", "5"),
    ]


def test_a_place_is_the_line_of_the_file_and_the_column(read_export):
    ratings, _ = read_export(export({"1_Q2": "5"}))
    lines_before = 1 + len(HEADER) + 1 + 1  # the names, the texts with a break each, the ids
    assert ratings[0].where == f"answers.csv, line {lines_before + 1}, 1_Q2"


def test_previews_and_unfinished_ones_are_left_out_and_counted(read_export):
    ratings, left_out = read_export(
        export(
            {"1_Q2": "5"},
            {"1_Q2": "1", "Status": "Survey Preview"},
            {"1_Q2": "1", "Status": "1"},
            {"1_Q2": "1", "Finished": "FALSE"},
            {"1_Q2": "1", "Status": "Spam"},
            {"1_Q2": "3", "Status": "0", "Finished": "1"},
        )
    )
    assert [one.value for one in ratings] == ["5", "3"]
    assert left_out["previews"] == 2
    assert left_out["unfinished responses"] == 1
    assert left_out["responses that Qualtrics takes for spam"] == 1


def test_orders_shown_own_words_and_embedded_data_are_no_ratings(read_export):
    row = {"1_Q2": "5", "1_Q9_4_TEXT": "3", "1_Q1_DO_1": "2", "PROLIFIC_PID": "5f0c", "Q7": "9"}
    ratings, left_out = read_export(export(row))
    assert told(ratings) == [("1", "R_1", "Q2", "5")]
    assert left_out["columns that the pattern does not name"] == 1


def test_a_pattern_may_name_items_alone(read_export):
    ratings, _ = read_export(export({"1_Q2": "5", "Q7": "3"}), pattern="Q{item}")
    assert told(ratings) == [("7", "R_1", "rating", "3")]


def test_personal_columns_are_not_read_and_cannot_be_raters(read_export):
    row = {"1_Q2": "5", "RecipientEmail": "someone@example.org"}
    ratings, _ = read_export(export(row))
    assert "example.org" not in repr(ratings)
    assert "203.0.113.7" not in repr(ratings)
    with pytest.raises(ImportRefusedError, match="'RecipientEmail' names a person"):
        read_export(export(row), rater="RecipientEmail")


def test_another_column_may_tell_people_apart(read_export):
    ratings, _ = read_export(export({"1_Q2": "5", "PROLIFIC_PID": "5f0c"}), rater="PROLIFIC_PID")
    assert ratings[0].rater == "5f0c"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_a_tsv_is_read_in_its_encoding(read_export, encoding):
    content = export({"1_Q2": "ganz gewiß"}, delimiter="\t", encoding=encoding)
    ratings, _ = read_export(content, name="answers.tsv")
    assert ratings[0].value == "ganz gewiß"


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"Status": "Elsewhere"}, "Status: 'Elsewhere' is unknown"),
        ({"Finished": "perhaps"}, "Finished: 'perhaps' is neither"),
    ],
)
def test_what_qualtrics_does_not_write_is_refused_with_its_place(read_export, row, problem):
    with pytest.raises(ImportRefusedError, match=f"line .*{problem}"):
        read_export(export(row))


def test_a_table_with_one_header_row_is_refused(read_export):
    with pytest.raises(ImportRefusedError, match="three header rows"):
        read_export(b"ResponseId,Status,Finished,Q1\nR_1,0,1,3\nR_2,0,1,4\n")


def test_an_export_without_the_status_is_refused(read_export):
    header = {name: one for name, one in HEADER.items() if name != "Status"}
    with pytest.raises(ImportRefusedError, match="no column 'Status'"):
        read_export(export({"1_Q2": "5"}, header=header))


def test_a_pattern_that_fits_nothing_names_the_questions(read_export):
    with pytest.raises(ImportRefusedError, match=r"named like 'Item\{item\}'. There are: 1_Q1_1"):
        read_export(export({"1_Q2": "5"}), pattern="Item{item}")


@pytest.mark.parametrize("pattern", ["{question}", "{item}{item}", "{item}_{rater}", ""])
def test_a_pattern_names_the_item_once(read_export, pattern):
    with pytest.raises(ImportRefusedError, match="needs {item} once"):
        read_export(export({"1_Q2": "5"}), pattern=pattern)
