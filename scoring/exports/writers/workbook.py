"""Excel workbooks (.xlsx): a sheet a table, split where a sheet is full, written row by row.

Text is text: a cell that begins with = is stored as a string, so no program runs it. What a
workbook cannot hold is replaced by U+FFFD (control characters), and a text above 32,767 characters,
the most that a cell takes, ends with a note that it was cut.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from itertools import chain, islice
from pathlib import Path
from typing import Any

from scoring.exports.table import ExportTable, Row

MOST_ROWS = 1_048_576
"""Of a sheet, its head included."""

MOST_IN_A_CELL = 32_767
_CUT = " … [cut; whole in the JSONL file]"
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_ESCAPE_LIKE = re.compile("_(?=x[0-9A-Fa-f]{4}_)")
_NO_SHEET_NAME = re.compile(r"[\[\]:*?/\\']")
_READ_AS_OTHER = ("=", "#")  # the library takes such text for a formula, or for an error value
_TELL_EVERY = 5_000


def write_workbook(
    path: Path,
    tables: Sequence[ExportTable],
    on_rows: Callable[[int], None],
    *,
    rows_a_sheet: int = MOST_ROWS,
) -> None:
    """One workbook of all tables. ``on_rows`` is told the rows written every now and then."""
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    done = 0
    for title, table, rows in _sheets(tables, rows_a_sheet):
        sheet = book.create_sheet(title)
        sheet.freeze_panes = "A2"
        write = _Cells(sheet)
        sheet.append([write.head(name) for name in table.names])
        for row in rows:
            sheet.append([write.cell(value) for value in row])
            done += 1
            if done % _TELL_EVERY == 0:
                on_rows(done)
    on_rows(done)
    book.save(path)


def _sheets(
    tables: Sequence[ExportTable], rows_a_sheet: int
) -> Iterator[tuple[str, ExportTable, Iterator[Row]]]:
    """(title, table, its rows) of every sheet; a table that is too long goes on in "name (2)"."""
    taken: set[str] = set()
    for table in tables:
        rows = table.rows()
        part = 1
        while True:
            block = islice(rows, rows_a_sheet - 1)
            first = next(block, None)
            if first is None and part > 1:
                break
            title = _title(table.name, part, taken)
            yield title, table, iter(()) if first is None else chain([first], block)
            if first is None:
                break
            part += 1


def _title(name: str, part: int, taken: set[str]) -> str:
    """A name that a sheet may have: at most 31 characters, none twice, whatever their case."""
    plain = _NO_SHEET_NAME.sub(" ", name).strip() or "Table"
    number = part
    while True:
        end = f" ({number})" if number > 1 else ""
        title = f"{plain[: 31 - len(end)]}{end}"
        if title.casefold() not in taken:
            taken.add(title.casefold())
            return title
        number += 1


class _Cells:
    """Values as the cells of one sheet."""

    def __init__(self, sheet: Any) -> None:
        from openpyxl.cell import WriteOnlyCell
        from openpyxl.styles import Font

        self._sheet, self._make, self._bold = sheet, WriteOnlyCell, Font(bold=True)

    def head(self, name: str) -> Any:
        cell = self._make(self._sheet, cell_text(name))
        cell.font = self._bold
        return cell

    def cell(self, value: object) -> Any:
        if isinstance(value, datetime):
            return value.isoformat(timespec="milliseconds")
        if not isinstance(value, str):
            return value
        text = cell_text(value)
        if not text.startswith(_READ_AS_OTHER):
            return text or None
        cell = self._make(self._sheet, text)
        cell.data_type = "s"
        return cell


def cell_text(text: str) -> str:
    """A text as a workbook can hold it."""
    whole = _escaped(text)
    if _length(whole) <= MOST_IN_A_CELL:
        return whole
    keep = MOST_IN_A_CELL
    while _length(whole) > MOST_IN_A_CELL - len(_CUT):
        whole, keep = _escaped(text[:keep]), keep - 100
    return whole + _CUT


def _escaped(text: str) -> str:
    return _ESCAPE_LIKE.sub("_x005F_", _NO_XML.sub("\ufffd", text)).replace("\r", "_x000D_")


def _length(text: str) -> int:
    """In the units that spreadsheets count: a character beyond the first plane is two."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
