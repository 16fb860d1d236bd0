"""Reading tables of ratings and scores from files, for the analysis commands.

The ending says what a file is: .jsonl or .ndjson, .xlsx, .parquet, and anything else is CSV or TSV.
Every cell is text as it stands: "NA" is a country, "1.0" is not "1", only an empty cell is
missing. Only the wanted columns are held, as categories, so that a million rows cost a few bytes
each.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from scoring import delimited, json_lines, parquet_files, workbooks
from scoring.columns import Cells, TableError, nearest, require_column
from scoring.stats.scale import NotFiniteError, NotNumericError

__all__ = [
    "Table",
    "TableError",
    "first_position",
    "first_repetition",
    "has_column",
    "nearest",
    "numbers",
    "read_table",
    "unit_codes",
]

Codes = npt.NDArray[np.intp]
Floats = npt.NDArray[np.float64]


class Reader(Protocol):
    """A module that reads one kind of file."""

    def header_of(self, path: Path, wanted: Collection[str]) -> list[str]:
        """The column names, all of them unless those wanted are among the first."""

    def read(self, path: Path, names: Sequence[str]) -> Cells:
        """The named columns."""


BY_ENDING: dict[str, Reader] = {
    ".jsonl": json_lines,
    ".ndjson": json_lines,
    ".xlsx": workbooks,
    ".parquet": parquet_files,
}


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """The wanted columns of a file, as text. `rows` are the rows' numbers in `cells`, from 0."""

    path: Path
    cells: Cells
    frame: pd.DataFrame
    rows: Codes

    def __len__(self) -> int:
        return len(self.frame)

    def codes(self, column: str) -> tuple[Codes, list[str]]:
        """(code of each row, label of each code); labels in no particular order."""
        values = self.frame[column].cat
        return np.asarray(values.codes, dtype=np.intp), [str(label) for label in values.categories]

    def line(self, position: int) -> int:
        """The line of the file (or row of the sheet) of the row at a position, counted from 1."""
        return self.cells.line_of(int(self.rows[position]))

    @property
    def word(self) -> str:
        """What `line` counts: "line" or "row"."""
        return self.cells.word

    def refuse(self, position: int, column: str, problem: str) -> TableError:
        """The error for one cell, to be raised."""
        return TableError(
            f"{self.path}, {self.word} {self.line(position)}, column {column}: {problem}"
        )


def read_table(path: str | Path, wanted: Mapping[str, Sequence[str]]) -> Table:
    """The columns of a file that `wanted` names, by the option that named them.

    Empty rows are skipped. Raises TableError for a missing, empty or unreadable file and for an
    unknown column.
    """
    path = Path(path)
    reader = _reader(path)
    header = reader.header_of(path, [name for columns in wanted.values() for name in columns])
    for option, columns in wanted.items():
        for column in columns:
            require_column(path, header, column, option)
    names = list(dict.fromkeys(column for columns in wanted.values() for column in columns))
    return _without_blank_rows(path, reader.read(path, names))


def has_column(path: str | Path, column: str) -> bool:
    """Whether a file names a column; raises TableError where it cannot be read."""
    path = Path(path)
    return column in _reader(path).header_of(path, [column])


def unit_codes(tables: Sequence[Table], columns: Sequence[str]) -> tuple[list[Codes], int]:
    """Codes of the units of several tables, shared between them, and how many units there are.

    A unit is one combination of the columns' cells. Raises TableError for a row without any.
    """
    sizes = [len(table) for table in tables]
    combined = np.zeros(sum(sizes), dtype=np.int64)
    for column in columns:
        joined = pd.api.types.union_categoricals([table.frame[column].array for table in tables])
        combined = combined * len(joined.categories) + joined.codes
        # Renumbered after every column, so that the product cannot overflow.
        combined = pd.factorize(combined)[0].astype(np.int64)
    for table in tables:
        _refuse_rows_without_unit(table, columns)
    n_units = int(combined.max()) + 1 if combined.size else 0
    parts = np.split(combined.astype(np.intp), np.cumsum(sizes)[:-1])
    return list(parts), n_units


def numbers(table: Table, column: str, parse: Callable[[str], float]) -> Floats:
    """A column as numbers, shape (n_rows,); nan where the cell is empty.

    Raises TableError with the line of the first cell that is not a finite number.
    """
    codes, labels = table.codes(column)
    parsed = np.full(len(labels), np.nan)
    for code, label in enumerate(labels):
        if not label.strip():
            continue
        try:
            parsed[code] = parse(label)
        except (NotNumericError, NotFiniteError) as error:
            position = first_position(codes, code)
            raise table.refuse(
                position, column, f"{error} Correct it, or leave the cell empty if it is missing."
            ) from error
    return cast(Floats, parsed[codes]) if labels else np.empty(0)


def first_position(codes: Codes, code: int) -> int:
    """The position of the first row that has a code."""
    return int(np.argmax(codes == code))


def first_repetition(codes: Codes) -> tuple[int, int] | None:
    """Positions of the first code that comes again and of its predecessor; None without one."""
    order = np.argsort(codes, kind="stable")
    repeated = np.flatnonzero(np.diff(codes[order]) == 0)
    if repeated.size == 0:
        return None
    earliest = repeated[np.argmin(order[repeated + 1])]
    return int(order[earliest]), int(order[earliest + 1])


def _reader(path: Path) -> Reader:
    return BY_ENDING.get(path.suffix.lower(), delimited)


def _without_blank_rows(path: Path, cells: Cells) -> Table:
    frame = cells.frame
    blank = np.ones(len(frame), dtype=bool)
    for column in frame.columns:
        values = frame[column].cat
        empty = np.array([not label for label in values.categories], dtype=bool)
        if empty.size:
            blank &= empty[np.asarray(values.codes)]
    kept = np.flatnonzero(~blank)
    if kept.size == 0:
        raise TableError(f"{path} has a header but no rows; there is nothing to analyse.")
    if kept.size < len(frame):
        frame = frame.iloc[kept]
    return Table(path=path, cells=cells, frame=frame, rows=kept)


def _refuse_rows_without_unit(table: Table, columns: Sequence[str]) -> None:
    nothing = np.ones(len(table), dtype=bool)
    for column in columns:
        codes, labels = table.codes(column)
        nothing &= np.array([not label.strip() for label in labels])[codes]
    if nothing.any():
        position = int(np.argmax(nothing))
        raise table.refuse(
            position, ",".join(columns), "the unit is empty. Say which unit the row belongs to."
        )
