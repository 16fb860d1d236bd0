"""A CSV file as rows that know their line: decoding, delimiter, quotes, ragged rows.

Django-free, and it raises nothing for bad content: what is wrong comes back as problems.
"""

from __future__ import annotations

import csv
import io
import re
import string
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from studies.importing.problems import Problem

MAX_ROWS = 100_000
DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab"}

_SHOWN = 80
_BLANKS = f"{string.whitespace}\u00a0\u2007\u202f\u3000\u200b\u2060\ufeff"
_UTF8_FIX = "Save the file as “CSV UTF-8” and choose it again."


@dataclass(frozen=True, slots=True)
class Row:
    """One record. ``line`` is where it starts, as an editor counts; ``broken`` cells are named in
    the problems already; a ``ragged`` row has too few or too many cells."""

    line: int
    cells: tuple[str, ...]
    broken: frozenset[int] = frozenset()
    ragged: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    header: tuple[str, ...]
    rows: tuple[Row, ...]
    problems: tuple[Problem, ...]
    delimiter: str = ","
    header_broken: bool = False


def read_table(content: bytes, *, recognised: Callable[[str], bool]) -> Table:
    """Read a CSV file whose first line is the header.

    UTF-8 with or without a byte order mark; comma, semicolon or tab, whichever gives the header
    the most ``recognised`` headings. Blank rows are passed over.
    """
    foreign = _foreign_file(content)
    if foreign is not None:
        return Table((), (), (foreign,))
    # Bytes that are not UTF-8 become lone surrogates, so that each can be named by its cell.
    text = content.removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="surrogateescape")
    # Spreadsheets may name the delimiter in a line of its own: "sep=;". It counts as a line.
    text = re.sub(r"\A\"?sep=.\"?(?=\r?\n)", "", text, flags=re.IGNORECASE)
    delimiter = _sniff(text, recognised)
    problems: list[Problem] = []
    records = _records(text, delimiter, problems)
    first = next(records, None)
    if first is None:
        problems = problems or [_whole("The file is empty", "Choose the table of items.")]
        return Table((), (), tuple(problems), delimiter)
    names = first[1]
    while not names[-1].strip():
        names.pop()
    header = _checked_row(first[0], names, names, problems)
    header_broken = bool(problems)
    rows = []
    for line, cells in records:
        if len(rows) >= MAX_ROWS:
            problems.append(too_many_rows())
            break
        rows.append(_checked_row(line, cells, header.cells, problems))
    if not rows and not problems:
        problems.append(_whole("The file has a header and no rows", "Write one row for each item."))
    problems += _headless_columns(header.cells, rows)
    return Table(header.cells, tuple(rows), tuple(problems), delimiter, header_broken)


def too_many_rows() -> Problem:
    return _whole(f"The file has more than {MAX_ROWS:,} rows", "Import it in several files.")


def visible(value: str) -> str:
    """``value`` as a report quotes it: short, on one line, invisible characters made visible."""
    shown = value.replace("\r\n", "⏎").replace("\n", "⏎").replace("\r", "⏎").replace("\t", "⇥")
    core = shown.strip(" ")
    if core != shown:
        start = len(shown) - len(shown.lstrip(" "))
        shown = "·" * start + core + "·" * (len(shown) - len(core) - start)
    shown = "".join(
        char if char.isprintable() else f"\\u{ord(char):04x}" if ord(char) <= 0xFFFF else "\ufffd"
        for char in shown
    )
    return shown if len(shown) <= _SHOWN else shown[: _SHOWN - 1] + "…"


def control_character(text: str, *, lines: bool) -> str:
    """The first character that is no text, as U+XXXX, or ''. ``lines``: breaks may stay.

    Half of a surrogate pair, which JSON can spell, is no text either: nothing can store it.
    """
    if text.isprintable():
        return ""
    for char in text:
        if unicodedata.category(char) in ("Cc", "Cs") and not (lines and char in "\n\r\t"):
            return f"U+{ord(char):04X}"
    return ""


def as_typed(cell: str) -> str:
    """The cell without outer blanks, invisible ones too, in composed Unicode.

    Systems write é as one character or as two; an id must be the same from either.
    """
    if cell.isascii():
        return cell.strip()
    return unicodedata.normalize("NFC", cell.strip(_BLANKS))


def _foreign_file(content: bytes) -> Problem | None:
    if not content.strip():
        return _whole("The file is empty", "Choose the table of items.")
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return Problem(
            1, "", f"byte 0x{content[0]:02X}", "The file is UTF-16, not UTF-8", _UTF8_FIX
        )
    if content.startswith(b"\xd0\xcf\x11\xe0"):
        return _whole("This is an old Excel file", "Save it as XLSX or CSV UTF-8.")
    return None


def _sniff(text: str, recognised: Callable[[str], bool]) -> str:
    def fit(delimiter: str) -> tuple[int, int]:
        header = next(_records(text, delimiter, []), (1, []))[1]
        return sum(recognised(heading) for heading in header), len(header)

    return max(DELIMITERS, key=fit)


def _records(text: str, delimiter: str, problems: list[Problem]) -> Iterator[tuple[int, list[str]]]:
    """Each record that is not blank with the line it starts on."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            problems.append(_unreadable(line, str(error)))
            return
        if any(cell.strip() for cell in cells):
            yield line, cells


def _unreadable(line: int, reason: str) -> Problem:
    """Behind such a place no row can be told from another, so reading stops there."""
    fix = "Write a quotation mark inside a cell twice, and close every quoted cell."
    if "field larger" in reason:
        wrong = f"A cell is longer than {csv.field_size_limit():,} characters"
        fix = "Look for a quotation mark that is not closed."
    elif "unexpected end" in reason:
        wrong = "A quotation mark opens a cell here and is never closed"
    elif "expected after" in reason:
        wrong = "A quoted cell goes on behind its closing quotation mark"
    else:
        wrong = f"The row cannot be read ({reason})"
    return Problem(line, "", "", f"{wrong}; what follows was not checked", fix)


def _checked_row(
    line: int, cells: list[str], header: Sequence[str], problems: list[Problem]
) -> Row:
    """The row with its cells repaired, what was wrong with them added to ``problems``."""
    width = len(header)
    while len(cells) > width and not cells[-1].strip():
        cells.pop()
    broken = set()
    texts = []
    for position, cell in enumerate(cells):
        text, found = _repaired(cell)
        texts.append(text)
        name = _repaired(header[position])[0].strip() if position < width else ""
        if found is not None:
            wrong = f"Byte 0x{found:02X} is not UTF-8"
        elif "\0" in cell:
            wrong = "Contains a NUL byte"
        else:
            continue
        broken.add(position)
        fix = _UTF8_FIX if found is not None else "Delete the cell's text and write it again."
        problems.append(Problem(line, name, visible(text), wrong, fix))
    ragged = len(cells) != width
    if ragged:
        wrong = f"The row has {len(cells)} cells, the header has {width}"
        fix = "A cell that holds the delimiter needs quotation marks; an empty cell its place."
        problems.append(Problem(line, "", visible(" | ".join(texts)), wrong, fix))
    texts += [""] * (width - len(texts))
    return Row(line, tuple(texts), frozenset(broken), ragged)


def _repaired(cell: str) -> tuple[str, int | None]:
    """The cell in readable characters, and its first byte that is not UTF-8"""
    if cell.isascii():
        return cell, None
    strays = [ord(char) - 0xDC00 for char in cell if 0xDC80 <= ord(char) <= 0xDCFF]
    if not strays:
        return cell, None
    # Western spreadsheets write Windows-1252; the report then shows what was meant.
    raw = cell.encode("utf-8", errors="surrogateescape")
    return raw.decode("cp1252", errors="replace"), strays[0]


def _headless_columns(header: tuple[str, ...], rows: list[Row]) -> list[Problem]:
    """A column that holds text needs a heading; the first such cell is named."""
    problems = []
    for position, heading in enumerate(header):
        if heading.strip():
            continue
        for row in rows:
            if not row.ragged and row.cells[position].strip():
                wrong = f"Column {position + 1} holds text and has no heading"
                fix = "Give it a heading in line 1, or delete it."
                problems.append(Problem(row.line, "", visible(row.cells[position]), wrong, fix))
                break
    return problems


def _whole(wrong: str, fix: str) -> Problem:
    return Problem(0, "", "", wrong, fix)
