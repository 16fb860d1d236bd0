"""One reader for every kind of table: CSV and TSV, XLSX, JSONL, told apart by their bytes.

Whatever the file, cells come out as text, so that one check holds for all. "NA" stays NA (Namibia).
"""

from __future__ import annotations

import datetime
import io
import json
import re
import zipfile
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any
from xml.etree.ElementTree import ParseError

from studies.importing.problems import Problem
from studies.importing.tables import MAX_ROWS, Row, Table, read_table, too_many_rows, visible

MAX_COLUMNS = 500
MAX_LINE = 500_000
MAX_DEPTH = 50  # of objects and lists in a line of JSON
_MAX_UNPACKED = 800 * 2**20
_MERGED = re.compile(rb'<(?:\w+:)?mergeCell\s[^>]{0,80}?ref="([A-Z]+\d+:[A-Z]+(\d+))"')


def read_rows(content: bytes, *, recognised: Callable[[str], bool]) -> Table:
    """Read a table of any kind. Raises nothing for bad content."""
    if content.startswith(b"PK\x03\x04"):
        return _read_xlsx(content)
    start = content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    if start in (b"{", b"["):
        return _read_jsonl(content)
    return read_table(content, recognised=recognised)


# XLSX


def _read_xlsx(content: bytes) -> Table:
    import openpyxl  # only who reads a spreadsheet needs it

    foreign = _judge_xlsx(content)
    if foreign is not None:
        return _only(foreign)
    try:
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        for sheet in book.worksheets:
            sheet.reset_dimensions()  # what a file says of its own size may be wrong
            table = _sheet_table(sheet)
            if table.header:
                merged = _merged_cells(content, sheet._worksheet_path, table)
                return replace(table, problems=(*table.problems, *merged))
        return _only(Problem(0, "", "", "The file is empty", "Choose the table of items."))
    except (KeyError, ValueError, TypeError, IndexError, OSError, ParseError, zipfile.BadZipFile):
        return _only(
            Problem(0, "", "", "The spreadsheet is damaged", "Save it again as XLSX or CSV UTF-8.")
        )


def _judge_xlsx(content: bytes) -> Problem | None:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = set(archive.namelist())
            unpacked = sum(entry.file_size for entry in archive.infolist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return Problem(0, "", "", "The spreadsheet is damaged", "Save it again as XLSX or CSV.")
    if "xl/workbook.xml" not in names:
        return Problem(
            0,
            "",
            "",
            "This is a ZIP file, not a table",
            "Choose the table (CSV, TSV, XLSX or JSONL), and the ZIP under files.",
        )
    if unpacked > _MAX_UNPACKED:
        fix = "Save it as CSV UTF-8 and choose that."
        return Problem(0, "", "", "The spreadsheet is too large to be read safely", fix)
    return None


def _merged_cells(content: bytes, path: str, table: Table) -> list[Problem]:
    """Merged cells below the headings: all but the first of them would count as empty."""
    found: dict[str, int] = {}
    with zipfile.ZipFile(io.BytesIO(content)) as archive, archive.open(path) as part:
        rest = b""
        while chunk := part.read(1 << 20):
            for area, last in _MERGED.findall(rest + chunk):
                found[area.decode()] = int(last)
            rest = chunk[-200:]
    first = min((row.line for row in table.rows), default=0)
    wrong = "Cells are merged: only the first of them holds the text"
    return [
        Problem(last, "", area, wrong, "Unmerge them and fill in each.")
        for area, last in found.items()
        if first and last >= first
    ]


def _sheet_table(sheet: Any) -> Table:
    problems: list[Problem] = []
    header: tuple[str, ...] = ()
    rows: list[Row] = []
    for line, cells in enumerate(sheet.iter_rows(max_col=MAX_COLUMNS), start=1):
        texts = [_cell_text(cell) for cell in cells]
        while texts and not texts[-1].strip():
            texts.pop()
        if not texts:
            continue
        if not header:
            header = tuple(texts)
            continue
        if len(rows) >= MAX_ROWS:
            problems.append(too_many_rows())
            break
        rows.append(_sheet_row(line, texts, cells, header, problems))
    if header and not rows:
        problems.append(_no_rows())
    return Table(header, tuple(rows), tuple(problems), "sheet")


def _sheet_row(line: int, texts: list[str], cells: Any, header: tuple[str, ...], problems) -> Row:
    broken = set()
    for position, cell in enumerate(cells[: len(texts)]):
        if getattr(cell, "data_type", "") == "e":
            name = header[position] if position < len(header) else ""
            fix = "Mend the formula, or write the value itself."
            problems.append(Problem(line, name, texts[position], "The formula fails here", fix))
            broken.add(position)
    ragged = any(text.strip() for text in texts[len(header) :])
    if ragged:
        wrong = f"Column {len(texts)} holds text and has no heading"
        fix = "Give it a heading in line 1, or delete it."
        problems.append(Problem(line, "", visible(texts[-1]), wrong, fix))
    texts = [*texts, *[""] * (len(header) - len(texts))][: len(header)]
    return Row(line, tuple(texts), frozenset(broken), ragged)


def _cell_text(cell: Any) -> str:
    """The cell as the sheet shows it: a number of the format 00000 keeps its leading zeros."""
    value = cell.value
    if isinstance(value, int) and not isinstance(value, bool):
        zeros = cell.number_format
        if len(zeros) > 1 and not zeros.strip("0"):
            return str(value).zfill(len(zeros))
    return plain_text(value)


def plain_text(value: Any) -> str:
    """A cell's value as one would type it: 3 rather than 3.0, yes rather than True."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, int | float | Decimal):
        return str(value)
    if isinstance(value, datetime.datetime) and not (value.hour or value.minute or value.second):
        return value.date().isoformat()
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, list) and not any(isinstance(part, list | dict) for part in value):
        return " | ".join(plain_text(part) for part in value)
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


# JSONL


class _Pairs(list):
    """A decoded object as its pairs: a dict would keep the last of two equal keys."""


def _read_jsonl(content: bytes) -> Table:
    problems: list[Problem] = []
    found: list[tuple[int, dict[str, str] | None]] = []
    header: dict[str, int] = {}
    lines = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    for line, raw in enumerate(lines, start=1):
        if not raw.strip():
            continue
        if len(found) >= MAX_ROWS:
            problems.append(too_many_rows())
            break
        values = _json_line(line, raw, problems)
        found.append((line, values))
        for key in values or ():
            header.setdefault(key, len(header))
    rows = [
        Row(line, tuple((values or {}).get(key, "") for key in header), ragged=values is None)
        for line, values in found
    ]
    return Table(tuple(header), tuple(rows), tuple(problems), "lines")


def _json_line(line: int, raw: bytes, problems: list[Problem]) -> dict[str, str] | None:
    fix = 'Write one object a line, such as {"item_id": "a", "file": "a.png"}.'
    if len(raw) > MAX_LINE:
        problems.append(Problem(line, "", "", f"The line is longer than {MAX_LINE:,} bytes", fix))
        return None
    try:
        text = raw.decode("utf-8")
        pairs = _undeep(json.loads(text, object_pairs_hook=_Pairs))
    except UnicodeDecodeError as error:
        wrong = f"Byte {error.start + 1} of the line is not UTF-8"
        problems.append(Problem(line, "", "", wrong, "Save the file with the encoding UTF-8."))
        return None
    except (ValueError, RecursionError):
        problems.append(Problem(line, "", visible(text), "Not valid JSON", fix))
        return None
    if not isinstance(pairs, _Pairs):
        problems.append(Problem(line, "", visible(text), "The line is not a JSON object", fix))
        return None
    values: dict[str, str] = {}
    for key, value in pairs:
        if key in values:
            wrong = "The key stands twice"
            problems.append(
                Problem(line, visible(key), visible(plain_text(value)), wrong, "Keep one.")
            )
            return None
        values[key] = plain_text(_undone(value))
    return values


def _undeep(value: Any) -> Any:
    """``value``. Raises RecursionError for what is nested deeper than any item is."""
    level = [value]
    for _ in range(MAX_DEPTH):
        # Of an object the pairs are one more level, which is why they are taken apart here.
        inner = [part for one in level if isinstance(one, list) for part in one]
        level = [part for one in inner for part in (one if isinstance(one, tuple) else (one,))]
        if not level:
            return value
    raise RecursionError


def _undone(value: Any) -> Any:
    """Inner objects as dicts again."""
    if isinstance(value, _Pairs):
        return {key: _undone(inner) for key, inner in value}
    if isinstance(value, list):
        return [_undone(inner) for inner in value]
    return value


def _no_rows() -> Problem:
    return Problem(0, "", "", "The file has a header and no rows", "Write one row for each item.")


def _only(problem: Problem) -> Table:
    return Table((), (), (problem,))
