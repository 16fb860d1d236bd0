"""CSV and TSV files: comma, tab or semicolon by their header, UTF-8, a header line."""

from __future__ import annotations

import csv
from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path
from typing import TextIO

import pandas as pd

from scoring.columns import ROWS_AT_ONCE, Categories, Cells, TableError, cannot_open
from studies.external.sources import SEPARATOR

DELIMITERS = ",\t;"


def header_of(path: Path, wanted: Collection[str] = ()) -> list[str]:
    """The column names. Raises TableError."""
    return _read_header(path)[0]


def read(path: Path, names: Sequence[str]) -> Cells:
    """The named columns, every row, blank lines too. Raises TableError."""
    header, delimiter, lines_above = _read_header(path)
    _refuse_ragged_rows(path, delimiter, len(header))
    categories = Categories(names)
    try:
        with pd.read_csv(
            path,
            dtype=str,
            usecols=list(names),
            keep_default_na=False,
            na_filter=False,
            skip_blank_lines=False,
            index_col=False,
            encoding="utf-8-sig",
            chunksize=ROWS_AT_ONCE,
            sep=delimiter,
            skiprows=lines_above,
        ) as chunks:
            for chunk in chunks:
                for name in names:
                    codes, labels = pd.factorize(chunk[name])
                    categories.add(name, codes, [str(label) for label in labels])
    except pd.errors.ParserError as error:
        raise _unreadable(path, error) from error
    return Cells(categories.frame(), partial(_line_of, path, delimiter), "line")


def _line_of(path: Path, delimiter: str, wanted: int) -> int:
    with path.open(encoding="utf-8-sig", newline="") as file:
        above = 1 if _declared(file) else 0
        start = above + 1
        reader = csv.reader(file, delimiter=delimiter)
        header_seen = False
        seen = 0
        for record in reader:
            if not header_seen:
                header_seen = bool(record)
            elif seen == wanted:
                return start
            else:
                seen += 1
            start = above + reader.line_num + 1
    return start


def _declared(file: TextIO) -> str:
    """The delimiter that a first line ``sep=;`` names, which is read over then; '' without one."""
    found = SEPARATOR.fullmatch(file.readline())
    if found is None:
        file.seek(0)
        return ""
    return found[1]


def _read_header(path: Path) -> tuple[list[str], str, int]:
    """(column names, delimiter, number of lines above that are blank or name the delimiter)."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            declared = _declared(file)
            lines_above = 1 if declared else 0
            line = file.readline()
            while line and not line.strip("\r\n"):
                lines_above += 1
                line = file.readline()
            if not line.strip():
                raise TableError(f"{path} is empty; a table with a header line is needed.")
            delimiter = declared or max(DELIMITERS, key=line.count)
            file.seek(0)
            _declared(file)
            reader = csv.reader(file, delimiter=delimiter)
            header = next(record for record in reader if record)
    except UnicodeDecodeError as error:
        raise _not_utf8(path) from error
    except OSError as error:
        raise cannot_open(path, error) from error
    return header, delimiter, lines_above


def _refuse_ragged_rows(path: Path, delimiter: str, n_columns: int) -> None:
    """A line with a field too many or too few has its cells under the wrong columns."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            above = 1 if _declared(file) else 0
            if set(map(len, csv.reader(file, delimiter=delimiter))) <= {0, n_columns}:
                return
            file.seek(0)
            _declared(file)
            reader = csv.reader(file, delimiter=delimiter)
            start = above + 1
            for record in reader:
                if len(record) not in (0, n_columns):
                    raise TableError(
                        f"{path}, line {start}: {len(record)} fields where the header has "
                        f"{n_columns}. Put quotes around cells that contain the delimiter, and "
                        "leave no field out."
                    )
                start = above + reader.line_num + 1
    except csv.Error as error:
        raise _unreadable(path, error) from error
    except UnicodeDecodeError as error:
        raise _not_utf8(path) from error


def _unreadable(path: Path, error: Exception) -> TableError:
    return TableError(
        f"{path} cannot be read as a table: {error}. Check that all quotes are closed."
    )


def _not_utf8(path: Path) -> TableError:
    return TableError(f"{path} is not UTF-8 text; save it as CSV in UTF-8 and try again.")
