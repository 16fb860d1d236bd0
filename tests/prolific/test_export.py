"""The demographic export, as it is downloaded and as spreadsheets leave it."""

import pytest

from annotation.prolific.export import UnreadableExport, read_export

HEAD = "Submission id,Participant id,Status,Started at,Completed at,Reviewed at,Completion code,Age"
ROW = "s1,p1,AWAITING REVIEW,2026-05-01T10:00:00.000000Z,2026-05-01T10:20:00Z,,DONE42,31"


def read(*lines):
    return read_export("\n".join(lines).encode())


def test_a_row_gives_ids_status_code_and_times():
    (row,) = read(HEAD, ROW)
    assert (row.submission_id, row.participant_id, row.status) == ("s1", "p1", "AWAITING REVIEW")
    assert row.entered_code == "DONE42" and row.reviewed_at is None
    assert row.completed_at.isoformat() == "2026-05-01T10:20:00+00:00"
    assert not hasattr(row, "age")


@pytest.mark.parametrize(
    "head",
    [
        "submission_id,participant_id,status",
        "Session ID,PROLIFIC PID,Submission status",
        "\ufeffSubmission id,Participant id,Status",
        "SUBMISSION ID , Participant ID ,STATUS",
    ],
)
def test_columns_are_found_under_their_many_names(head):
    (row,) = read(head, "s1,p1,TIMED_OUT")
    assert (row.submission_id, row.participant_id, row.status) == ("s1", "p1", "TIMED-OUT")


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_spreadsheets_may_have_changed_the_delimiter(delimiter):
    (row,) = read(HEAD.replace(",", delimiter), ROW.replace(",", delimiter))
    assert row.entered_code == "DONE42"


def test_utf_16_is_read_too():
    assert len(read_export(f"{HEAD}\n{ROW}\n".encode("utf-16"))) == 1


def test_consent_taken_back_counts_as_an_empty_cell():
    (row,) = read(HEAD, "s1,CONSENT_REVOKED,APPROVED,,,,DATA_EXPIRED,CONSENT_REVOKED")
    assert (row.participant_id, row.entered_code) == ("", "")


def test_a_status_of_the_moment_says_nothing_yet():
    assert read(HEAD, ROW.replace("AWAITING REVIEW", "PROCESSING")) == []


def test_missing_columns_are_named():
    with pytest.raises(UnreadableExport, match="“Participant id” and none “Status”"):
        read("Submission id,Age", "s1,31")


def test_every_wrong_line_is_named_and_none_is_taken():
    with pytest.raises(UnreadableExport) as refusal:
        read(HEAD, ROW, "s2,p2,LOST,,,,,", ",p3,ACTIVE,,,,,", "s4,p4,ACTIVE,yesterday,,,,", ROW)
    assert [problem.split(":")[0] for problem in refusal.value.problems] == [
        "Line 3",
        "Line 4",
        "Line 5",
        "Line 6",
    ]
    assert "“LOST” is no status" in refusal.value.problems[0]
    assert "stands in line 2 too" in refusal.value.problems[3]


def test_a_line_number_counts_lines_in_quotes_as_a_person_does():
    with pytest.raises(UnreadableExport, match="Line 4: “LOST”"):
        read(HEAD, 's1,p1,ACTIVE,,,,"a', 'b",31', "s2,p2,LOST,,,,,")


def test_no_more_problems_than_can_be_read():
    with pytest.raises(UnreadableExport) as refusal:
        read(HEAD, *[f"s{i},p,LOST,,,,," for i in range(50)])
    assert len(refusal.value.problems) == 21
    assert refusal.value.problems[-1] == "30 more lines have problems."


@pytest.mark.parametrize(
    ("data", "says"),
    [(b"", "empty"), (b"\xff\x00\x81", "UTF-8"), (b"x" * 5_000_001, "larger than 5 MB")],
)
def test_what_is_no_table_is_refused_in_words(data, says):
    with pytest.raises(UnreadableExport, match=says):
        read_export(data)
