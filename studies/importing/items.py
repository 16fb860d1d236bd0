"""Items from a table: bytes in, validated records and named problems out. Django-free.

The row is the whole statement about its item: an empty cell, and a column that is not there, mean
"nothing".
"""

from __future__ import annotations

import difflib
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from studies.importing.columns import MAX_LENGTHS, Column, field_of, map_columns
from studies.importing.countries import nearest_country, resolve_country
from studies.importing.parents import parent_problems
from studies.importing.problems import Problem
from studies.importing.tables import DELIMITERS, Row, control_character, read_table, visible

KINDS = {"image": "image", "picture": "image", "photo": "image", "photograph": "image"}
ORIGINS = ("generated", "real", "edited")
VARIANTS = ("base", "extended", "country-removed", "free")
_YES = frozenset(("yes", "true", "1", "y"))
_NO = frozenset(("no", "false", "0", "n", ""))
_MULTILINE = frozenset(("prompt", "sub_activities", "metadata"))
# A table repeats a few countries on many rows, and looking for a near name is slow.
_code_of_country = lru_cache(4096)(resolve_country)
_near_country = lru_cache(4096)(nearest_country)
_SPELT_ALIKE = ("system", "category", "scenario")


@dataclass(frozen=True, slots=True)
class ItemRecord:
    """One valid row. ``country`` is alpha-2 or ''; ``parent`` an item id or ''."""

    line: int
    item_id: str
    file: str
    kind: str = "image"
    prompt: str = ""
    country: str = ""
    category: str = ""
    system: str = ""
    scenario: str = ""
    variant: str = ""
    replicate: str = ""
    origin: str = "generated"
    parent: str = ""
    aspect: str = ""
    cultural_element: str = ""
    element_picture: str = ""
    sub_activities: tuple[str, ...] = ()
    has_audio: bool = False
    duration: float | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A file that a row names, whether the rest of the row is right or not."""

    line: int
    item_id: str
    field: str
    file: str


@dataclass(frozen=True, slots=True)
class ParsedItems:
    """Every row is in ``records`` or named in ``problems``."""

    records: tuple[ItemRecord, ...] = ()
    problems: tuple[Problem, ...] = ()
    warnings: tuple[str, ...] = ()
    columns: tuple[Column, ...] = ()
    files: tuple[NamedFile, ...] = ()
    n_rows: int = 0
    delimiter: str = "comma"


def parse_items(content: bytes, *, parents: Mapping[str, str] | None = None) -> ParsedItems:
    """Read a CSV table of items.

    ``parents`` holds the items that the study has already, each with the id of its parent ('' for
    none): a row may name one of them as its parent. Raises nothing for bad content.
    """
    table = read_table(content, recognised=lambda heading: bool(field_of(heading)))
    delimiter = DELIMITERS[table.delimiter]
    if not table.header:
        return ParsedItems(problems=table.problems)
    columns, problems = map_columns(table.header)
    problems = [*table.problems, *problems]
    if any(problem.line == 1 for problem in problems):
        return ParsedItems((), tuple(problems), (), columns, (), len(table.rows), delimiter)
    checks = [_RowCheck(row, columns) for row in table.rows]
    for check in checks:
        if not check.row.ragged:
            check.read()
        problems += check.problems
    problems += _double_ids(checks)
    problems += parent_problems(
        [(c.row.line, c.heading("parent"), c.item_id, c.parent) for c in checks], parents or {}
    )
    problems.sort(key=lambda problem: problem.line)
    refused = {problem.line for problem in problems}
    records = tuple(c.record() for c in checks if c.row.line not in refused)
    return ParsedItems(
        records=records,
        problems=tuple(problems),
        warnings=_warnings(records),
        columns=columns,
        files=tuple(
            NamedFile(c.row.line, c.item_id, c.heading("file"), c.values["file"])
            for c in checks
            if c.values.get("file")
        ),
        n_rows=len(table.rows),
        delimiter=delimiter,
    )


class _RowCheck:
    """One row on its way to a record: its values by field, and what is wrong with them."""

    def __init__(self, row: Row, columns: Sequence[Column]) -> None:
        self.row = row
        self.columns = columns
        self.values: dict = {}
        self.metadata: dict[str, str] = {}
        self.problems: list[Problem] = []

    @property
    def item_id(self) -> str:
        return self.values.get("item_id", "")

    @property
    def parent(self) -> str:
        return self.values.get("parent", "")

    def heading(self, name: str) -> str:
        return next((column.heading for column in self.columns if column.field == name), name)

    def read(self) -> None:
        for column in self.columns:
            if column.position in self.row.broken:
                continue
            raw = self.row.cells[column.position]
            value = self._text(column, raw)
            if value is None:
                continue
            if not column.field:
                if value:
                    self.metadata[column.heading] = value
                continue
            read = _READERS.get(column.field)
            self.values[column.field] = read(self, column, raw, value) if read else value

    def _text(self, column: Column, raw: str) -> str | None:
        """The cell without outer blanks; None where it cannot be taken, which is then named."""
        value = raw.strip()
        name = column.field or "metadata"
        limit = MAX_LENGTHS.get(name)
        if char := control_character(value, lines=name in _MULTILINE):
            what = "a line break" if char in ("U+000A", "U+000D") else f"the character {char}"
            self.add(column, raw, f"Contains {what}", "Delete it.")
            return None
        if limit is not None and len(value) > limit:
            wrong = f"{len(value):,} characters long; {limit:,} are allowed"
            self.add(column, raw, wrong, "Shorten it.")
            return None
        if not value and column.field in ("item_id", "file"):
            fix = (
                "Give every row an id of its own."
                if column.field == "item_id"
                else "Name the picture's file."
            )
            self.add(column, raw, "The cell is empty", fix)
            return None
        return value

    def add(self, column: Column, raw: str, wrong: str, fix: str) -> None:
        self.problems.append(Problem(self.row.line, column.heading, visible(raw), wrong, fix))

    def record(self) -> ItemRecord:
        values = {name: value for name, value in self.values.items() if value is not None}
        if not values.get("origin"):
            # An item with a parent is an edit of it; without one, generation is the rule.
            values["origin"] = "edited" if self.parent else "generated"
        return ItemRecord(line=self.row.line, metadata=self.metadata, **values)


# One reader a field: returns the value, or None after naming the problem


def _kind(check: _RowCheck, column: Column, raw: str, value: str) -> str | None:
    kind = KINDS.get(value.casefold()) if value else "image"
    if kind is None:
        wrong = "Only pictures can be rated so far"
        check.add(column, raw, wrong, "Leave the row out, or write image for a picture.")
    return kind


def _country(check: _RowCheck, column: Column, raw: str, value: str) -> str | None:
    code = _code_of_country(value) if value else ""
    if code is None:
        near = _near_country(value)
        fix = f"Did you mean {near}?" if near else "Give a two-letter code or an English name."
        check.add(column, raw, "Not a country", fix)
    return code


def _choice(choices: Sequence[str]):
    def read(check: _RowCheck, column: Column, raw: str, value: str) -> str | None:
        plain = re.sub(r"[\s_-]+", "-", value.casefold())
        if not plain or plain in choices:
            return plain
        near = difflib.get_close_matches(plain, choices, n=1)
        fix = f"Did you mean {near[0]}? " if near else ""
        check.add(
            column, raw, f"Not a known {column.field}", f"{fix}Allowed: {', '.join(choices)}."
        )
        return None

    return read


def _sub_activities(check: _RowCheck, column: Column, raw: str, value: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in re.split(r"[|;\n]", value) if part.strip())


def _has_audio(check: _RowCheck, column: Column, raw: str, value: str) -> bool | None:
    plain = value.casefold()
    if plain in _YES or plain in _NO:
        return plain in _YES
    check.add(column, raw, "Neither yes nor no", "Write yes or no.")
    return None


def _duration(check: _RowCheck, column: Column, raw: str, value: str) -> float | None:
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        seconds = math.nan
    if not (math.isfinite(seconds) and 0 < seconds <= 86_400):
        fix = "Write seconds as a plain number above 0, with a point: 4.5."
        check.add(column, raw, "Not a length in seconds", fix)
        return None
    return seconds


_READERS = {
    "kind": _kind,
    "country": _country,
    "origin": _choice(ORIGINS),
    "variant": _choice(VARIANTS),
    "sub_activities": _sub_activities,
    "has_audio": _has_audio,
    "duration": _duration,
}


# The table as a whole


def _double_ids(checks: Sequence[_RowCheck]) -> list[Problem]:
    lines: dict[str, list[_RowCheck]] = {}
    for check in checks:
        if check.item_id:
            lines.setdefault(check.item_id, []).append(check)
    problems = []
    for item_id, same in lines.items():
        for check in same if len(same) > 1 else []:
            other = next(c for c in same if c is not check)
            problems.append(
                Problem(
                    check.row.line,
                    check.heading("item_id"),
                    visible(item_id),
                    f"Also on line {other.row.line}",
                    "Give each row its own id.",
                )
            )
    return problems


def _warnings(records: Sequence[ItemRecord]) -> tuple[str, ...]:
    found = []
    for name in _SPELT_ALIKE:
        spellings: dict[str, Counter] = {}
        for record in records:
            value = getattr(record, name)
            if value:
                spellings.setdefault(value.casefold(), Counter())[value] += 1
        for counted in spellings.values():
            if len(counted) > 1:
                listed = ", ".join(f"“{text}” ({n})" for text, n in counted.most_common())
                found.append(f"{name}: {listed} differ in capitals only and count as different.")
    return tuple(found)
