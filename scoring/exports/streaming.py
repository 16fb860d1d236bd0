"""Tables as text that goes out while it is read: nothing is held but a piece of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from scoring.exports.catalogue import ExportFile, table_of
from scoring.exports.options import Options
from scoring.exports.writers.delimited import csv_lines
from scoring.exports.writers.lines import json_lines
from studies.models import Study

PIECE = 64 * 1024  # characters


def text_of(study: Study, file: ExportFile, options: Options) -> Iterator[bytes]:
    """A CSV or JSONL file of a study in UTF-8, in pieces of about 64 KB."""
    table = table_of(study, file.part, options)
    if file.key.endswith(".csv"):
        return in_pieces(csv_lines(table.names, table.rows(), bom=options.bom == "1"))
    return in_pieces(json_lines(table.names, table.rows()))


def in_pieces(lines: Iterable[str]) -> Iterator[bytes]:
    """Lines put together: a piece a line would be a packet a line."""
    held: list[str] = []
    size = 0
    for line in lines:
        held.append(line)
        size += len(line)
        if size >= PIECE:
            yield "".join(held).encode()
            held, size = [], 0
    if held:
        yield "".join(held).encode()
