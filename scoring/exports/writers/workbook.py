"""Excel workbooks (.xlsx, ECMA-376): a sheet a table, split where a sheet is full, a row at a time.

Written here and not by a library, because a million rows of forty cells take a library minutes, and
because what a cell holds must not be guessed from how it looks: text is always text (inline
strings), so that = begins no formula and "#N/A" is no error. What XML cannot hold is replaced by
U+FFFD, and a text above 32,767 characters, the most that a cell takes, ends with a note that it
was cut.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from itertools import chain, islice
from pathlib import Path
from typing import IO
from xml.sax.saxutils import escape, quoteattr
from zipfile import ZIP_DEFLATED, ZipFile

from scoring.exports.table import ExportTable, Row

MOST_ROWS = 1_048_576
"""Of a sheet, its head included."""

MOST_IN_A_CELL = 32_767
_CUT = " … [cut; whole in the JSONL file]"
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_ESCAPE_LIKE = re.compile("_(?=x[0-9A-Fa-f]{4}_)")  # readers take _x0041_ for the character A
_NO_SHEET_NAME = re.compile(r"[\[\]:*?/\\'\x00-\x1f]")
_AT_ONCE = 500
"""Rows put together before they are written, and told."""

_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_STYLES = (
    f'{_HEAD}<styleSheet xmlns="{_MAIN}">'
    '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>'
    '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill>'
    '<fill><patternFill patternType="gray125"/></fill></fills>'
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
    '<cellXfs count="2"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>'
    '<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>'
    "</styleSheet>"
)
_SHEET = (
    f'{_HEAD}<worksheet xmlns="{_MAIN}"><sheetViews><sheetView workbookViewId="0">'
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>'
    "</sheetView></sheetViews><sheetData>"
)


def write_workbook(
    path: Path,
    tables: Sequence[ExportTable],
    on_rows: Callable[[int], None],
    *,
    rows_a_sheet: int = MOST_ROWS,
) -> None:
    """One workbook of all tables. ``on_rows`` is told the rows written every now and then.

    Raises ValueError for a number that is not finite.
    """
    titles: list[str] = []
    done = 0
    with ZipFile(path, "w", ZIP_DEFLATED, compresslevel=3) as book:
        for title, table, rows in _sheets(tables, rows_a_sheet):
            titles.append(title)
            name = f"xl/worksheets/sheet{len(titles)}.xml"
            with book.open(name, "w", force_zip64=True) as sheet:
                for written in _write_sheet(sheet, table.names, rows):
                    done += written
                    on_rows(done)
        for name, text in _frame(titles):
            book.writestr(name, text)


def _write_sheet(sheet: IO[bytes], names: Sequence[str], rows: Iterator[Row]) -> Iterator[int]:
    """Writes the sheet; yields how many rows each block had."""
    head = "".join(f'<c s="1"{_text(name)[2:]}' for name in names)
    sheet.write(f"{_SHEET}<row>{head}</row>".encode())
    while block := list(islice(rows, _AT_ONCE)):
        lines = (f"<row>{''.join(map(_cell, row))}</row>" for row in block)
        sheet.write("".join(lines).encode())
        yield len(block)
    sheet.write(b"</sheetData></worksheet>")


def _cell(value: object) -> str:
    if value is None or value == "":
        return "<c/>"
    if isinstance(value, bool):
        return f'<c t="b"><v>{int(value)}</v></c>'
    if isinstance(value, int):
        return f"<c><v>{value}</v></c>"
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value} is no number that a workbook can hold")
        return f"<c><v>{value!r}</v></c>"
    if isinstance(value, datetime):
        return _text(value.isoformat(timespec="milliseconds"))
    return _text(str(value))


def _text(text: str) -> str:
    held = escape(cell_text(text), {"\r": "&#13;"})
    return f'<c t="inlineStr"><is><t xml:space="preserve">{held}</t></is></c>'


def cell_text(text: str) -> str:
    """A text as a workbook can hold it."""
    whole = _ESCAPE_LIKE.sub("_x005F_", _NO_XML.sub("\ufffd", text))
    # A character beyond the first plane counts as two; no text of half the length is too long.
    if len(whole) * 2 <= MOST_IN_A_CELL or _length(whole) <= MOST_IN_A_CELL:
        return whole
    room = (MOST_IN_A_CELL - len(_CUT)) * 2
    return whole.encode("utf-16-le")[:room].decode("utf-16-le", "ignore") + _CUT


def _length(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def _sheets(
    tables: Sequence[ExportTable], rows_a_sheet: int
) -> Iterator[tuple[str, ExportTable, Iterator[Row]]]:
    """(title, table, its rows) of every sheet; a table that is too long goes on in "name (2)"."""
    taken: set[str] = set()
    for table in tables:
        rows = iter(table.rows())
        first = next(rows, None)
        yield _title(table.name, taken), table, _from(first, rows, rows_a_sheet - 1)
        while first is not None and (first := next(rows, None)) is not None:
            yield _title(table.name, taken), table, _from(first, rows, rows_a_sheet - 1)


def _from(first: Row | None, rows: Iterator[Row], n: int) -> Iterator[Row]:
    """``first`` and those after it, ``n`` in all."""
    return iter(()) if first is None else chain([first], islice(rows, n - 1))


def _title(name: str, taken: set[str]) -> str:
    """A name that a sheet may have: at most 31 characters, none twice, whatever their case."""
    plain = _NO_SHEET_NAME.sub(" ", name).strip() or "Table"
    number, title = 1, plain[:31]
    while title.casefold() in taken:
        number += 1
        end = f" ({number})"
        title = f"{plain[: 31 - len(end)]}{end}"
    taken.add(title.casefold())
    return title


def _frame(titles: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The parts of the package that are not sheets."""
    numbers = range(1, len(titles) + 1)
    overrides = "".join(
        f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="{_TYPE}.worksheet+xml"/>'
        for n in numbers
    )
    yield (
        "[Content_Types].xml",
        f'{_HEAD}<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{_TYPE}.styles+xml"/>'
        f"{overrides}</Types>",
    )
    yield "_rels/.rels", _links([("officeDocument", "xl/workbook.xml")])
    sheets = "".join(
        f'<sheet name={quoteattr(title)} sheetId="{n}" r:id="rId{n}"/>'
        for n, title in zip(numbers, titles, strict=True)
    )
    yield (
        "xl/workbook.xml",
        f'{_HEAD}<workbook xmlns="{_MAIN}" xmlns:r="{_LINKS}"><sheets>{sheets}</sheets></workbook>',
    )
    parts = [("worksheet", f"worksheets/sheet{n}.xml") for n in numbers]
    yield "xl/_rels/workbook.xml.rels", _links([*parts, ("styles", "styles.xml")])
    yield "xl/styles.xml", _STYLES


def _links(targets: Sequence[tuple[str, str]]) -> str:
    rows = "".join(
        f'<Relationship Id="rId{n}" Type="{_LINKS}/{kind}" Target="{target}"/>'
        for n, (kind, target) in enumerate(targets, start=1)
    )
    return f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">{rows}</Relationships>'
