"""Ratings as a tidy CSV: RFC 4180, UTF-8, streamed, safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from annotation.ratings import RatingRow

COLUMNS = tuple(field.name for field in dataclasses.fields(RatingRow))

# A cell that starts so is run as a formula by spreadsheets.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


class _Echo:
    """A file that hands each written line back."""

    def write(self, line: str) -> str:
        return line


def csv_lines(rows: Iterable[RatingRow]) -> Iterator[str]:
    """The head line and one line for each rating, each ending in CR LF."""
    return table_lines(COLUMNS, ([getattr(row, name) for name in COLUMNS] for row in rows))


def table_lines(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """``columns`` and one line for each row of values, each ending in CR LF."""
    writer = csv.writer(_Echo())
    yield writer.writerow(columns)
    for row in rows:
        yield writer.writerow([cell(value) for value in row])


def cell(value: object) -> object:
    """A value as it goes into the file. Numbers stay as they are; nothing is an empty cell.

    Text that a spreadsheet would run as a formula gets an apostrophe in front. A NUL, which no
    CSV reader expects, becomes the replacement character.
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.isoformat(timespec="milliseconds")
    if isinstance(value, str):
        text = value.replace("\0", "\ufffd")
        return f"'{text}" if text.startswith(FORMULA_STARTS) else text
    return value
