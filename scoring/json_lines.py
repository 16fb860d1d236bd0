"""JSON lines: one object a line, a column a key; a key that is absent is an empty cell."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from scoring.columns import ROWS_AT_ONCE, Categories, Cells, TableError, cannot_open, text_of


def header_of(path: Path, wanted: Collection[str] = ()) -> list[str]:
    """The keys of the objects, in order of appearance, until those wanted have been seen.

    Raises TableError.
    """
    keys: dict[str, None] = {}
    for _, record in _records(path):
        keys.update(dict.fromkeys(record))
        if wanted and all(name in keys for name in wanted):
            break
    if not keys:
        raise TableError(f"{path} is empty; a file with one JSON object a line is needed.")
    return list(keys)


def read(path: Path, names: Sequence[str]) -> Cells:
    """The named columns, every object. Raises TableError."""
    categories = Categories(names)
    records = _records(path)
    while block := list(islice(records, ROWS_AT_ONCE)):
        for name in names:
            categories.add_texts(name, [_cell(path, line, record, name) for line, record in block])
    return Cells(categories.frame(), partial(_line_of, path), "line")


def _cell(path: Path, line: int, record: dict[str, Any], name: str) -> str:
    try:
        return text_of(record.get(name))
    except ValueError as error:
        raise TableError(f"{path}, line {line}, column {name}: {error}") from error


def _line_of(path: Path, wanted: int) -> int:
    line, _ = next(islice(_records(path), wanted, None))
    return line


def _records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line, object), blank lines skipped; numbers stay as they were written."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            for line, text in enumerate(file, start=1):
                if not text.strip():
                    continue
                try:
                    record = json.loads(
                        text, parse_int=str, parse_float=str, parse_constant=_refuse_constant
                    )
                except ValueError as error:
                    raise TableError(
                        f"{path}, line {line} is not JSON: {error}. Each line holds one object."
                    ) from error
                if not isinstance(record, dict):
                    raise TableError(f"{path}, line {line}: an object with named values is needed.")
                yield line, record
    except UnicodeDecodeError as error:
        raise TableError(f"{path} is not UTF-8 text; save it in UTF-8 and try again.") from error
    except OSError as error:
        raise cannot_open(path, error) from error


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON value; write null for a missing one")
