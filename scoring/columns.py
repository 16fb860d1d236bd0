"""Columns of text held as categories: what every reader of tables fills and refuses alike."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from scoring.stats.sets import EMPTY, SEPARATOR

ROWS_AT_ONCE = 100_000
"""Rows held as text at a time (tens of MB)."""


class TableError(Exception):
    """A table cannot be used; the message says where, why and what to do."""


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The wanted columns of a file, every row, as categories of text.

    `line_of` gives the line (or row, see `word`) of the file for a row's number from 0.
    """

    frame: pd.DataFrame
    line_of: Callable[[int], int]
    word: str


class Categories:
    """Columns in the making: texts come in blocks, codes stay.

    pandas' own dtype "category" is no use here: it reads labels that look like numbers as numbers,
    so that the raters 007 and 7 would be one person.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self._known: dict[str, dict[str, int]] = {name: {} for name in names}
        self._parts: dict[str, list[npt.NDArray[np.int32]]] = {name: [] for name in names}

    def add(self, name: str, codes: npt.NDArray[np.intp], labels: Sequence[str]) -> None:
        """A block of one column: the code of each cell and the label of each code."""
        code_of = self._known[name]
        of_label = [code_of.setdefault(label, len(code_of)) for label in labels]
        self._parts[name].append(np.array(of_label, dtype=np.int32)[codes])

    def add_texts(self, name: str, texts: Sequence[str]) -> None:
        """A block of one column, cell by cell."""
        code_of = self._known[name]
        codes = [code_of.setdefault(text, len(code_of)) for text in texts]
        self._parts[name].append(np.array(codes, dtype=np.int32))

    def frame(self) -> pd.DataFrame:
        """The columns, their categories sorted as text; shape (n_rows, n_names)."""
        columns = {}
        for name in self.names:
            found = pd.Index(list(self._known[name]), dtype=object)
            codes = np.concatenate([*self._parts[name], np.empty(0, dtype=np.int32)])
            columns[name] = pd.Categorical.from_codes(codes, found).reorder_categories(
                sorted(found)
            )
        return pd.DataFrame(columns)


def text_of(value: object) -> str:
    """A typed cell (of JSON, a workbook or Parquet) as the text a CSV file would hold.

    Nothing and nan are an empty cell, whole numbers have no decimal point, a list is a set of
    options in the syntax of `stats.sets`. Raises ValueError for a nested object.
    """
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, float):
        if math.isnan(value):
            return ""
        return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)
    if isinstance(value, list | tuple):
        options = [text_of(part) for part in value]
        if any(SEPARATOR in option for option in options):
            raise ValueError(f"an option of a set holds {SEPARATOR!r}, which parts options.")
        return SEPARATOR.join(options) or EMPTY
    if isinstance(value, dict):
        raise ValueError("a cell holds an object; a text, a number or a list is needed.")
    return str(value)


def require_column(path: Path, header: Sequence[str], column: str, option: str) -> None:
    """Raises TableError unless the header has the column exactly once."""
    found = list(header).count(column)
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


def nearest(name: str, known: Sequence[str]) -> str:
    """A hint that names the closest known name, or an empty string."""
    lowered = {other.lower(): other for other in known}
    close = difflib.get_close_matches(name.lower(), list(lowered), n=1, cutoff=0.5)
    return f" Did you mean {lowered[close[0]]!r}?" if close else ""


def cannot_open(path: Path, error: OSError) -> TableError:
    """The error for a file that is not there or not readable, to be raised."""
    if isinstance(error, FileNotFoundError):
        return TableError(f"{path} does not exist; check the path.")
    return TableError(f"{path} cannot be opened: {error.strerror}.")
