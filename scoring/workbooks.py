"""Excel workbooks (.xlsx): the first sheet, column names in its first row that is not empty."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from scoring.columns import ROWS_AT_ONCE, Categories, Cells, TableError, cannot_open, text_of

Row = tuple[Any, ...]


def header_of(path: Path, wanted: Collection[str] = ()) -> list[str]:
    """The column names. Raises TableError."""
    with _rows(path) as rows:
        return _header(path, rows)[0]


def read(path: Path, names: Sequence[str]) -> Cells:
    """The named columns, every row, empty ones too. Raises TableError."""
    categories = Categories(names)
    with _rows(path) as rows:
        header, first = _header(path, rows)
        place = [header.index(name) for name in names]
        start = first
        while block := list(islice(rows, ROWS_AT_ONCE)):
            _refuse_nameless(path, block, len(header), start)
            for name, at in zip(names, place, strict=True):
                texts = [text_of(row[at]) if at < len(row) else "" for row in block]
                categories.add_texts(name, texts)
            start += len(block)
    return Cells(categories.frame(), lambda row: first + row, "row")


@contextmanager
def _rows(path: Path) -> Iterator[Iterator[Row]]:
    """The rows of the first sheet."""
    from openpyxl import load_workbook
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        book = load_workbook(path, read_only=True, data_only=True)
    except OSError as error:
        raise cannot_open(path, error) from error
    except (BadZipFile, InvalidFileException, KeyError, ValueError) as error:
        raise TableError(f"{path} cannot be read as an Excel workbook: {error}.") from error
    try:
        sheet = book.worksheets[0]
        # Some programs write a wrong size into the file; without it all rows are read.
        sheet.reset_dimensions()
        yield iter(sheet.iter_rows(values_only=True))
    finally:
        book.close()


def _header(path: Path, rows: Iterator[Row]) -> tuple[list[str], int]:
    """(column names, number of the row below them)."""
    for number, row in enumerate(rows, start=1):
        header = [text_of(cell) for cell in row]
        while header and not header[-1]:
            header.pop()
        if header:
            return header, number + 1
    raise TableError(f"{path} is empty; a sheet with column names in its first row is needed.")


def _refuse_nameless(path: Path, block: list[Row], n_columns: int, start: int) -> None:
    for offset, row in enumerate(block):
        if any(cell is not None for cell in row[n_columns:]):
            raise TableError(
                f"{path}, row {start + offset}: a cell beyond the last column name. Name its "
                "column in the first row, or clear it."
            )
