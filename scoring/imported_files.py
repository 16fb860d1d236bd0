"""A CSV or TSV file of scores, uploaded: columns item and value, and where wanted dimension,
reason and metric."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping

from scoring.imported import ImportedRow, ImportedScoresError
from studies.external.numbers import NoNumberError, real
from studies.external.sources import NOT_UTF8, SEPARATOR, encoding_of

COLUMNS = ("item", "value", "dimension", "reason", "metric")
LARGEST = 50 * 1024 * 1024  # bytes


def read_scores(data: bytes, *, name: str) -> dict[str, list[ImportedRow]]:
    """Rows by the name of their metric: that of the column metric, else ``name``.

    Raises ``ImportedScoresError`` for what cannot be read as a table with these columns.
    """
    text = _text(data)
    declared = SEPARATOR.match(text)
    table = text[declared.end() :] if declared else text
    first = table.lstrip("\r\n").partition("\n")[0]
    delimiter = declared[1] if declared else max(",\t;", key=first.count)
    reader = csv.DictReader(io.StringIO(table, newline=""), delimiter=delimiter, strict=True)
    above = 1 if declared else 0  # lines that the reader does not see
    found: dict[str, list[ImportedRow]] = {}
    problems: list[str] = []
    try:
        _check_header(reader.fieldnames)
        for where, cells in _records(reader, above):
            try:
                metric = cells.get("metric", "") or name
                found.setdefault(metric, []).append(_row(cells, where))
            except NoNumberError as error:
                problems.append(f"{where}, value: {error} Leave it empty where there is none.")
    except csv.Error as error:
        raise ImportedScoresError(
            [f"Line {above + reader.line_num} is not CSV: {error}."]
        ) from error
    if not found and not problems:
        problems.append("The file has a header and no rows.")
    if problems:
        raise ImportedScoresError(problems)
    return found


def _text(data: bytes) -> str:
    try:
        return data.decode(encoding_of(data[:4]))
    except UnicodeError as error:
        raise ImportedScoresError([f"The file {NOT_UTF8}"]) from error


def _check_header(names: object) -> None:
    given = [str(name).strip() for name in names] if isinstance(names, list) else []
    missing = [name for name in COLUMNS[:2] if name not in given]
    if missing:
        raise ImportedScoresError(
            [
                f"The file has no column {' and no column '.join(missing)}. It needs item and "
                f"value; dimension, reason and metric are read where they are there."
            ]
        )
    if twice := [name for name in COLUMNS if given.count(name) > 1]:
        raise ImportedScoresError([f"The file has two columns called {twice[0]}. Keep one."])


def _records(reader: csv.DictReader, above: int) -> Iterator[tuple[str, dict[str, str]]]:
    for record in reader:
        where = f"Line {above + reader.line_num}"
        if None in record or None in record.values():
            raise ImportedScoresError([f"{where} has another number of cells."])
        cells = {str(name).strip(): str(cell).strip() for name, cell in record.items()}
        if any(cells.values()):
            yield where, cells


def _row(cells: Mapping[str, str], where: str) -> ImportedRow:
    return ImportedRow(
        item=cells["item"],
        value=real(cells["value"]) if cells["value"] else None,
        dimension=cells.get("dimension", ""),
        reason=cells.get("reason", ""),
        where=where,
    )
