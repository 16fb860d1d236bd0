"""Rows of any table on their way to records: each cell read, each mistake named. Django-free."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar

from studies.importing.columns import Column, Schema, map_columns
from studies.importing.countries import nearest_country, resolve_country
from studies.importing.formats import read_rows
from studies.importing.problems import Problem
from studies.importing.tables import DELIMITERS, Row, as_typed, control_character, visible

_YES = frozenset(("yes", "true", "1", "y"))
_NO = frozenset(("no", "false", "0", "n"))
# A table repeats a few countries on many rows, and looking for a near name is slow.
_code_of_country = lru_cache(4096)(resolve_country)
_near_country = lru_cache(4096)(nearest_country)

Record = TypeVar("Record")
Reader = Callable[["RowCheck", Column, str, str], Any]
"""Reads one cell (as typed, and without outer blanks); None after naming a problem."""


class Hints:
    """How many near names are looked for in a table: beyond that nobody reads them, and looking
    would take longer than all the rest."""

    def __init__(self, most: int = 500) -> None:
        self._left = most

    def take(self) -> bool:
        self._left -= 1
        return self._left >= 0


class RowCheck:
    """One row: its values by field, and what is wrong with them."""

    def __init__(
        self, row: Row, columns: Sequence[Column], schema: Schema, hints: Hints | None = None
    ) -> None:
        self.row = row
        self.hints = hints or Hints()
        self.columns = columns
        self.schema = schema
        self.values: dict[str, Any] = {}
        self.metadata: dict[str, str] = {}
        self.problems: list[Problem] = []

    @property
    def line(self) -> int:
        return self.row.line

    @property
    def given(self) -> dict[str, Any]:
        """The values that the row has."""
        return {name: value for name, value in self.values.items() if value is not None}

    def text(self, name: str) -> str:
        return self.values.get(name) or ""

    def heading(self, name: str) -> str:
        return next((column.heading for column in self.columns if column.field == name), name)

    def read(self, readers: Mapping[str, Reader]) -> None:
        for column in self.columns:
            if column.position in self.row.broken:
                continue
            raw = self.row.cells[column.position]
            value = self._plain(column, raw)
            if value is None:
                continue
            if not column.field:
                if value and self.schema.keeps_others:
                    self.metadata[column.heading] = value
                continue
            read = readers.get(column.field)
            self.values[column.field] = read(self, column, raw, value) if read else value

    def _plain(self, column: Column, raw: str) -> str | None:
        """The cell without outer blanks; None where it cannot be taken, which is then named."""
        value = as_typed(raw)
        name = column.field or "metadata"
        limit = self.schema.max_lengths.get(name)
        if char := control_character(value, lines=name in self.schema.multiline):
            what = "a line break" if char in ("U+000A", "U+000D") else f"the character {char}"
            self.add(column, raw, f"Contains {what}", "Delete it.")
            return None
        if limit is not None and len(value) > limit:
            wrong = f"{len(value):,} characters long; {limit:,} are allowed"
            self.add(column, raw, wrong, "Shorten it.")
            return None
        if not value and column.field in self.schema.required:
            fix = (
                "Give every row an id of its own."
                if column.field.endswith("_id")
                else f"Every {self.schema.noun} needs one."
            )
            self.add(column, raw, "The cell is empty", fix)
            return None
        return value

    def add(self, column: Column, raw: str, wrong: str, fix: str) -> None:
        self.problems.append(Problem(self.line, column.heading, visible(raw), wrong, fix))

    def add_at(self, name: str, wrong: str, fix: str) -> None:
        value = self.text(name)
        self.problems.append(Problem(self.line, self.heading(name), visible(value), wrong, fix))


@dataclass(frozen=True, slots=True)
class Parsed(Generic[Record]):
    """What a table came to: the records of its valid rows, and its problems by line."""

    records: tuple[Record, ...]
    problems: tuple[Problem, ...]
    columns: tuple[Column, ...]
    n_rows: int
    delimiter: str


@dataclass(frozen=True, slots=True)
class CheckedTable:
    """All rows of a table, checked; empty with ``problems`` where the header is wrong."""

    checks: tuple[RowCheck, ...]
    problems: tuple[Problem, ...]
    columns: tuple[Column, ...]
    n_rows: int
    delimiter: str

    def parsed(
        self, record: Callable[[RowCheck], Record], *, more: Sequence[Problem]
    ) -> Parsed[Record]:
        """A ``record`` of each row without a problem; ``more``: what is wrong between rows."""
        problems = [*self.problems, *(p for check in self.checks for p in check.problems), *more]
        problems.sort(key=lambda problem: problem.line)
        refused = {problem.line for problem in problems}
        records = tuple(record(check) for check in self.checks if check.line not in refused)
        return Parsed(records, tuple(problems), self.columns, self.n_rows, self.delimiter)


def check_table(content: bytes, schema: Schema, readers: Mapping[str, Reader]) -> CheckedTable:
    """Read a CSV, TSV, XLSX or JSONL table row by row. Raises nothing for bad content."""
    table = read_rows(content, recognised=lambda heading: bool(schema.field_of(heading)))
    form = DELIMITERS.get(table.delimiter, table.delimiter)
    if not table.header:
        return CheckedTable((), table.problems, (), 0, form)
    columns, problems = map_columns(table.header, schema)
    if table.delimiter not in DELIMITERS and table.delimiter != "sheet":
        # Only a table has a line of headings.
        problems = [Problem(0, p.field, p.value, p.wrong, p.fix) for p in problems]
    if problems or table.header_broken:
        found = (*table.problems, *problems)
        return CheckedTable((), found, columns, len(table.rows), form)
    hints = Hints()
    checks = tuple(RowCheck(row, columns, schema, hints) for row in table.rows)
    for check in checks:
        if not check.row.ragged:
            check.read(readers)
    return CheckedTable(checks, table.problems, columns, len(checks), form)


def double_ids(checks: Sequence[RowCheck], *names: str) -> list[Problem]:
    """Rows that say the same in all of ``names``, each with the line of another."""
    lines: dict[tuple[str, ...], list[RowCheck]] = {}
    for check in checks:
        key = tuple(check.text(name) for name in names)
        if key[-1]:
            lines.setdefault(key, []).append(check)
    problems = []
    fix = "Give each row its own id." if len(names) == 1 else "Delete one of the two rows."
    for key, same in lines.items():
        for check in same if len(same) > 1 else []:
            other = same[0] if check is not same[0] else same[1]
            problems.append(
                Problem(
                    check.line,
                    check.heading(names[-1]),
                    visible(key[-1]),
                    f"Also on line {other.line}",
                    fix,
                )
            )
    return problems


# Readers


def read_country(check: RowCheck, column: Column, raw: str, value: str) -> str | None:
    code = _code_of_country(value) if value else ""
    if code is None:
        near = _near_country(value) if check.hints.take() else None
        fix = f"Did you mean {near}?" if near else "Give a two-letter code or an English name."
        check.add(column, raw, "Not a country", fix)
    return code


def choice(choices: Sequence[str]) -> Reader:
    def read(check: RowCheck, column: Column, raw: str, value: str) -> str | None:
        plain = re.sub(r"[\s_-]+", "-", value.casefold())
        if not plain or plain in choices:
            return plain
        near = difflib.get_close_matches(plain, choices, n=1) if check.hints.take() else []
        fix = f"Did you mean {near[0]}? " if near else ""
        check.add(
            column, raw, f"Not a known {column.field}", f"{fix}Allowed: {', '.join(choices)}."
        )
        return None

    return read


def read_list(check: RowCheck, column: Column, raw: str, value: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in re.split(r"[|;\n]", value) if part.strip())


def read_flag(check: RowCheck, column: Column, raw: str, value: str) -> bool | None:
    """Yes or no; an empty cell says neither."""
    plain = value.casefold()
    if plain in _YES or plain in _NO:
        return plain in _YES
    if plain:
        check.add(column, raw, "Neither yes nor no", "Write yes or no.")
    return None


def number(low: float, high: float, wrong: str, fix: str, *, low_open: bool = False) -> Reader:
    """A plain number in [low, high], or (low, high]; an empty cell is None."""

    def read(check: RowCheck, column: Column, raw: str, value: str) -> float | None:
        if not value:
            return None
        try:
            found = float(value)
        except ValueError:
            found = math.nan
        fits = math.isfinite(found) and low <= found <= high and not (low_open and found == low)
        if not fits:
            check.add(column, raw, wrong, fix)
            return None
        return found

    return read
