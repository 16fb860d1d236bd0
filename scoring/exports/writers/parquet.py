"""Parquet: typed columns, written a block of rows at a time."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

from scoring.exports.table import ExportTable, Kind

BLOCK = 20_000
"""Rows held at a time: a row group of the file."""


def write_parquet(path: Path, table: ExportTable, on_rows: Callable[[int], None]) -> None:
    """The whole table as one file. ``on_rows`` is told the rows written after each block."""
    import pyarrow
    from pyarrow import parquet

    schema = pyarrow.schema(
        [
            pyarrow.field(column.name, _type(column.kind), metadata={"about": column.about})
            for column in table.columns
        ]
    )
    rows, done = table.rows(), 0
    with parquet.ParquetWriter(path, schema, compression="zstd") as file:
        while block := list(islice(rows, BLOCK)):
            columns = [
                pyarrow.array(values, type=field.type)
                for values, field in zip(zip(*block, strict=True), schema, strict=True)
            ]
            file.write_table(pyarrow.Table.from_arrays(columns, schema=schema))
            done += len(block)
            on_rows(done)


def _type(kind: Kind) -> Any:
    import pyarrow

    return {
        Kind.TEXT: pyarrow.string(),
        Kind.WHOLE: pyarrow.int64(),
        Kind.NUMBER: pyarrow.float64(),
        Kind.FLAG: pyarrow.bool_(),
        Kind.MOMENT: pyarrow.timestamp("us", tz="UTC"),
    }[kind]
