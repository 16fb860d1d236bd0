"""Prolific's demographic export: one row a submission. Only ids, status, code and times are read.

The column names changed over the years and with the language of a spreadsheet, so they are found by
meaning. Age, sex and the like are passed over and never stored. A cell may say that the person took
their consent back or that it has expired; it then counts as empty.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from annotation.models import Attempt
from annotation.prolific.client import as_moment, as_status

LARGEST = 5_000_000  # bytes
MOST_ERRORS = 20
GONE = {"CONSENT_REVOKED", "DATA_EXPIRED"}
PASSING = {"PROCESSING"}  # shown for a moment after a decision: says nothing yet

_NAMES = {
    "submission_id": ("submission id", "session id", "submission", "session", "id"),
    "participant_id": ("participant id", "prolific pid", "prolific id", "participant", "pid"),
    "status": ("status", "submission status", "review status"),
    "entered_code": ("completion code", "entered code", "study code", "code"),
    "started_at": ("started at", "started datetime", "start time", "started"),
    "completed_at": ("completed at", "completed date time", "end time", "completed"),
    "reviewed_at": ("reviewed at", "reviewed at datetime", "reviewed"),
    "returned_at": ("returned at", "returned"),
}
_NEEDED = {"submission_id": "Submission id", "participant_id": "Participant id", "status": "Status"}


class UnreadableExport(Exception):
    """The file was not taken, and nothing was changed. ``problems`` are sentences."""

    def __init__(self, *problems: str) -> None:
        self.problems = problems
        super().__init__(" ".join(problems))


@dataclass(frozen=True, slots=True)
class ExportRow:
    """A submission as the file has it. ``participant_id`` is '' where consent was taken back."""

    line: int
    submission_id: str
    participant_id: str
    status: str
    entered_code: str
    started_at: datetime | None
    completed_at: datetime | None
    reviewed_at: datetime | None
    returned_at: datetime | None


def read_export(data: bytes) -> list[ExportRow]:
    """The rows of an export. Raises UnreadableExport, which names the lines that are wrong."""
    lines = list(_lines(_text(data)))
    if not lines:
        raise UnreadableExport("The file is empty. Download it from Prolific again.")
    columns = _columns(lines[0][1])
    rows, problems, seen = [], [], {}
    for number, cells in lines[1:]:
        row, problem = _row(number, cells, columns)
        if row is not None and row.submission_id in seen:
            problem = (
                f"Submission {row.submission_id} stands in line {seen[row.submission_id]} too."
            )
        if problem:
            problems.append(f"Line {number}: {problem}")
        elif row is not None:
            seen[row.submission_id] = number
            rows.append(row)
    if problems:
        more = len(problems) - MOST_ERRORS
        rest = [f"{more} more lines have problems."] if more > 0 else []
        raise UnreadableExport(*problems[:MOST_ERRORS], *rest)
    return rows


def _text(data: bytes) -> str:
    if len(data) > LARGEST:
        raise UnreadableExport("The file is larger than 5 MB. Is it Prolific's demographic export?")
    encoding = "utf-16" if data[:2] in {b"\xff\xfe", b"\xfe\xff"} else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise UnreadableExport("The file is no text in UTF-8. Download it again as CSV.") from error


def _lines(text: str) -> Iterator[tuple[int, list[str]]]:
    head = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=head.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield reader.line_num, cells
    except csv.Error as error:
        raise UnreadableExport(f"Line {reader.line_num}: it cannot be read as CSV.") from error


def _columns(head: list[str]) -> dict[str, int]:
    """Where each column stands. Raises UnreadableExport where a needed one is missing."""
    names = [" ".join(re.split(r"[^a-z0-9]+", name.lower())).strip() for name in head]
    columns = {}
    for field, known in _NAMES.items():
        found = next((name for name in known if name in names), None)
        if found is not None:
            columns[field] = names.index(found)
    missing = [label for field, label in _NEEDED.items() if field not in columns]
    if missing:
        raise UnreadableExport(
            f"The file has no column {' and none '.join(f'“{label}”' for label in missing)}. "
            "On Prolific, choose “Download demographic data” of this study and upload that file."
        )
    return columns


def _row(
    number: int, cells: list[str], columns: dict[str, int]
) -> tuple[ExportRow | None, str | None]:
    def cell(field: str) -> str:
        at = columns.get(field)
        value = cells[at].strip() if at is not None and at < len(cells) else ""
        return "" if value.upper() in GONE else value

    status = as_status(cell("status"))
    if not cell("submission_id"):
        return None, "The submission id is missing."
    if status in PASSING:
        return None, None
    if status not in Attempt.Status.values:
        return None, f"“{cell('status')}” is no status of Prolific's."
    moments = {}
    for field in ("started_at", "completed_at", "reviewed_at", "returned_at"):
        try:
            moments[field] = as_moment(cell(field))
        except ValueError as error:
            return None, f"{error} (column {field.replace('_', ' ')})."
    row = ExportRow(
        line=number,
        submission_id=cell("submission_id"),
        participant_id=cell("participant_id"),
        status=status,
        entered_code=cell("entered_code"),
        **moments,
    )
    return row, None
