"""Parquet files: only the named columns are read, in blocks of rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from scoring.columns import ROWS_AT_ONCE, Categories, Cells, TableError, cannot_open, text_of


def header_of(path: Path, wanted: Collection[str] = ()) -> list[str]:
    """The column names. Raises TableError."""
    with _opened(path) as file:
        return list(file.schema_arrow.names)


def read(path: Path, names: Sequence[str]) -> Cells:
    """The named columns, every row. Raises TableError."""
    categories = Categories(names)
    with _opened(path) as file:
        for batch in file.iter_batches(batch_size=ROWS_AT_ONCE, columns=list(names)):
            for name in names:
                try:
                    _add(categories, name, batch.column(batch.schema.get_field_index(name)))
                except ValueError as error:
                    raise TableError(f"{path}, column {name}: {error}") from error
    return Cells(categories.frame(), lambda row: row + 1, "row")


def _add(categories: Categories, name: str, column: Any) -> None:
    import pyarrow

    kind = column.type
    if pyarrow.types.is_nested(kind):
        categories.add_texts(name, [text_of(value) for value in column.to_pylist()])
        return
    coded = column if pyarrow.types.is_dictionary(kind) else column.dictionary_encode()
    labels = [text_of(value) for value in coded.dictionary.to_pylist()]
    codes = coded.indices.fill_null(len(labels)).to_numpy(zero_copy_only=False)
    # A missing value is an empty cell; its label stands last.
    categories.add(name, codes.astype(np.intp), [*labels, ""])


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    import pyarrow
    from pyarrow import parquet

    try:
        file = parquet.ParquetFile(path)
    except OSError as error:
        raise cannot_open(path, error) from error
    except pyarrow.ArrowInvalid as error:
        raise TableError(f"{path} cannot be read as a Parquet file: {error}.") from error
    with file:
        yield file
