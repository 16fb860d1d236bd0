"""Reading tables of ratings and scores from files, for the analysis commands.

Every cell is text as it stands: "NA" is a country, "1.0" is not "1", only an empty cell is
missing. Columns are held as pandas categories, so that a million rows cost a few bytes each.
"""

from __future__ import annotations

import csv
import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from scoring.stats.scale import NotFiniteError, NotNumericError

Codes = npt.NDArray[np.intp]
Floats = npt.NDArray[np.float64]

DELIMITERS = ",\t;"

ROWS_AT_ONCE = 100_000
"""Rows held as text at a time (tens of MB)."""


class TableError(Exception):
    """A table cannot be used; the message says where, why and what to do."""


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """The wanted columns of a file, as text. `rows` are the data rows' numbers, from 0."""

    path: Path
    delimiter: str
    frame: pd.DataFrame
    rows: Codes

    def __len__(self) -> int:
        return len(self.frame)

    def codes(self, column: str) -> tuple[Codes, list[str]]:
        """(code of each row, label of each code); labels in no particular order."""
        values = self.frame[column].cat
        return np.asarray(values.codes, dtype=np.intp), [str(label) for label in values.categories]

    def line(self, position: int) -> int:
        """The line of the file on which the row at a position starts, counted from 1."""
        wanted = int(self.rows[position])
        start = 1
        with self.path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, delimiter=self.delimiter)
            header_seen = False
            seen = 0
            for record in reader:
                if not header_seen:
                    header_seen = bool(record)
                elif seen == wanted:
                    return start
                else:
                    seen += 1
                start = reader.line_num + 1
        return start

    def refuse(self, position: int, column: str, problem: str) -> TableError:
        """The error for one cell, to be raised."""
        return TableError(f"{self.path}, line {self.line(position)}, column {column}: {problem}")


def read_table(path: str | Path, wanted: Mapping[str, Sequence[str]]) -> Table:
    """The columns of a CSV or TSV file (comma, tab or semicolon, by its header; UTF-8).

    `wanted` maps the option that names columns to the names. Blank lines are skipped.

    Raises TableError for a missing, empty or unreadable file and for an unknown column.
    """
    path = Path(path)
    header, delimiter, blank_lines = _read_header(path)
    for option, columns in wanted.items():
        for column in columns:
            _require_column(path, header, column, option)
    _refuse_ragged_rows(path, delimiter, len(header))
    names = list(dict.fromkeys(column for columns in wanted.values() for column in columns))
    try:
        frame = _read_cells(path, names, sep=delimiter, skiprows=blank_lines)
    except pd.errors.ParserError as error:
        raise _unreadable(path, error) from error
    return _without_blank_rows(path, delimiter, frame)


def has_column(path: str | Path, column: str) -> bool:
    """Whether a file's header names a column; raises TableError where it has no header."""
    return column in _read_header(Path(path))[0]


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


def nearest(name: str, known: Sequence[str]) -> str:
    """A hint that names the closest known name, or an empty string."""
    lowered = {other.lower(): other for other in known}
    close = difflib.get_close_matches(name.lower(), list(lowered), n=1, cutoff=0.5)
    return f" Did you mean {lowered[close[0]]!r}?" if close else ""


def _read_header(path: Path) -> tuple[list[str], str, int]:
    """(column names, delimiter, number of blank lines above)."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            blank_lines = 0
            line = file.readline()
            while line and not line.strip("\r\n"):
                blank_lines += 1
                line = file.readline()
            if not line.strip():
                raise TableError(f"{path} is empty; a table with a header line is needed.")
            delimiter = max(DELIMITERS, key=line.count)
            file.seek(0)
            reader = csv.reader(file, delimiter=delimiter)
            header = next(record for record in reader if record)
    except FileNotFoundError as error:
        raise TableError(f"{path} does not exist; check the path.") from error
    except UnicodeDecodeError as error:
        raise _not_utf8(path) from error
    except OSError as error:
        raise TableError(f"{path} cannot be opened: {error.strerror}.") from error
    return header, delimiter, blank_lines


def _refuse_ragged_rows(path: Path, delimiter: str, n_columns: int) -> None:
    """A line with a field too many or too few has its cells under the wrong columns."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            if set(map(len, csv.reader(file, delimiter=delimiter))) <= {0, n_columns}:
                return
            file.seek(0)
            reader = csv.reader(file, delimiter=delimiter)
            start = 1
            for record in reader:
                if len(record) not in (0, n_columns):
                    raise TableError(
                        f"{path}, line {start}: {len(record)} fields where the header has "
                        f"{n_columns}. Put quotes around cells that contain the delimiter, and "
                        "leave no field out."
                    )
                start = reader.line_num + 1
    except csv.Error as error:
        raise _unreadable(path, error) from error
    except UnicodeDecodeError as error:
        raise _not_utf8(path) from error


def _read_cells(path: Path, names: Sequence[str], **how: Any) -> pd.DataFrame:
    """The named columns as categories of text, sorted; shape (n_rows, n_names).

    pandas' own dtype "category" is no use here: it reads labels that look like numbers as numbers,
    so that the raters 007 and 7 would be one person.
    """
    known: dict[str, dict[str, int]] = {name: {} for name in names}
    parts: dict[str, list[npt.NDArray[np.int32]]] = {name: [] for name in names}
    with pd.read_csv(
        path,
        dtype=str,
        usecols=names,
        keep_default_na=False,
        na_filter=False,
        skip_blank_lines=False,
        index_col=False,
        encoding="utf-8-sig",
        chunksize=ROWS_AT_ONCE,
        **how,
    ) as chunks:
        for chunk in chunks:
            for name in names:
                codes, labels = pd.factorize(chunk[name])
                code_of = known[name]
                of_label = [code_of.setdefault(str(label), len(code_of)) for label in labels]
                parts[name].append(np.array(of_label, dtype=np.int32)[codes])
    columns = {}
    for name in names:
        found = pd.Index(list(known[name]), dtype=object)
        codes = np.concatenate([*parts[name], np.empty(0, dtype=np.int32)])
        columns[name] = pd.Categorical.from_codes(codes, found).reorder_categories(sorted(found))
    return pd.DataFrame(columns)


def _unreadable(path: Path, error: Exception) -> TableError:
    return TableError(
        f"{path} cannot be read as a table: {error}. Check that all quotes are closed."
    )


def _require_column(path: Path, header: Sequence[str], column: str, option: str) -> None:
    found = header.count(column)
    if found == 1:
        return
    if found > 1:
        raise TableError(
            f"{path}, line 1: the column {column!r} comes {found} times; rename all but one."
        )
    raise TableError(
        f"{path} has no column {column!r} (named by {option}).{nearest(column, header)} "
        f"Its columns are: {', '.join(header)}."
    )


def _not_utf8(path: Path) -> TableError:
    return TableError(f"{path} is not UTF-8 text; save it as CSV in UTF-8 and try again.")


def _without_blank_rows(path: Path, delimiter: str, frame: pd.DataFrame) -> Table:
    blank = np.ones(len(frame), dtype=bool)
    for column in frame.columns:
        cells = frame[column].cat
        empty = np.array([not label for label in cells.categories], dtype=bool)
        if empty.size:
            blank &= empty[np.asarray(cells.codes)]
    kept = np.flatnonzero(~blank)
    if kept.size == 0:
        raise TableError(f"{path} has a header but no rows; there is nothing to analyse.")
    if kept.size < len(frame):
        frame = frame.iloc[kept]
    return Table(path=path, delimiter=delimiter, frame=frame, rows=kept)


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
