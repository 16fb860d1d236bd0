"""CSV after RFC 4180: UTF-8, CR LF, quotes where they are needed; safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

BOM = "\ufeff"
"""Some spreadsheet programs read UTF-8 as such only with it."""

# A cell that starts so is run as a formula by spreadsheets. Apostrophes before it count as a start
# too, so that taking one away always gives the text back.
_SUSPECT = frozenset("'=+-@\t\r")
_RUN_AS_FORMULA = re.compile(r"'*[=+\-@\t\r]")


class _Echo:
    """A file that hands each written line back."""

    def write(self, line: str) -> str:
        return line


def csv_lines(
    names: Sequence[str], rows: Iterable[Sequence[object]], *, bom: bool = False
) -> Iterator[str]:
    """The head line and one line for each row, each ending in CR LF."""
    writer = csv.writer(_Echo())
    head = writer.writerow(names)
    yield f"{BOM}{head}" if bom else head
    for row in rows:
        yield writer.writerow([cell(value) for value in row])


def cell(value: object) -> object:
    """A value as it goes into the file. Numbers stay as they are; nothing is an empty cell.

    Text that a spreadsheet would run as a formula gets an apostrophe in front. A NUL, which no
    CSV reader expects, becomes the replacement character.
    """
    # A million rows are forty million cells, most of them plain text: that comes first.
    if isinstance(value, str):
        text = value.replace("\0", "\ufffd") if "\0" in value else value
        return f"'{text}" if text[:1] in _SUSPECT and _RUN_AS_FORMULA.match(text) else text
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.isoformat(timespec="milliseconds")
    return value
