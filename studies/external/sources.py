"""Files as rows of texts that know their place: CSV, TSV, JSON lines, and nested JSON by a path."""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from studies.external.records import ImportRefusedError

csv.field_size_limit(10_000_000)
NOT_UTF8 = "is not UTF-8 text. Save it as “CSV UTF-8” and import it again."

Row = tuple[str, dict[str, Any]]
"""(where it stands, its values by column)."""


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def rows(path: Path, *, records: str = "") -> Iterator[Row]:
    """Every row of a file, by its ending. ``records`` is the path in a JSON file: see ``nested``.

    Raises ``ImportRefusedError`` for a file that cannot be read.
    """
    ending = path.suffix.lower()
    try:
        if ending == ".json":
            yield from nested(path, records)
        elif ending in (".jsonl", ".ndjson"):
            yield from json_lines(path)
        elif ending in (".csv", ".tsv", ".txt"):
            yield from delimited(path)
        else:
            known = ".csv, .tsv, .jsonl or .json"
            raise ImportRefusedError([f"{path.name}: the name of a file ends in {known}."])
    except UnicodeDecodeError as error:
        raise ImportRefusedError([f"{path.name} {NOT_UTF8}"]) from error
    except OSError as error:
        raise ImportRefusedError([f"{path.name} cannot be read: {error.strerror}."]) from error


def delimited(path: Path) -> Iterator[Row]:
    """CSV or TSV with a header; the delimiter is what the header has most of."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        first = file.readline()
        file.seek(0)
        delimiter = "\t" if path.suffix.lower() == ".tsv" else max(",;\t", key=first.count)
        reader = csv.reader(file, delimiter=delimiter, strict=True)
        try:
            header = [name.strip() for name in next(reader, [])]
            if not any(header):
                raise ImportRefusedError([f"{path.name} is empty."])
            if len(set(header)) < len(header):
                twice = next(name for name in header if header.count(name) > 1)
                raise ImportRefusedError([f"{path.name} has two columns called {twice!r}."])
            yield from _records(path, header, reader)
        except csv.Error as error:
            raise ImportRefusedError(
                [f"{path.name}, line {reader.line_num}: {error}. Is a quote left open?"]
            ) from error


def _records(path: Path, header: list[str], reader: Any) -> Iterator[Row]:
    line = reader.line_num + 1
    for cells in reader:
        where = f"{path.name}, line {line}"
        line = reader.line_num + 1
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(header):
            raise ImportRefusedError(
                [f"{where} has {len(cells)} cells; the header has {len(header)}."]
            )
        yield where, dict(zip(header, cells, strict=True))


def json_lines(path: Path) -> Iterator[Row]:
    with path.open(encoding="utf-8-sig") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                yield f"{path.name}, line {number}", _object(line, f"{path.name}, line {number}")


def nested(path: Path, records: str) -> Iterator[Row]:
    """The objects at a path of names and stars: ``*`` is every member of a list or object.

    An object's own name stands in its row as ``@key``, the names of the stars before it as
    ``@key1``, ``@key2`` ... in order. An empty path is every member of the whole.
    """
    try:
        whole = json.loads(path.read_text("utf-8-sig"))
    except json.JSONDecodeError as error:
        raise ImportRefusedError([f"{path.name}, line {error.lineno}: {error.msg}."]) from error
    for names, record in _members(whole, (records or "*").split("."), ()):
        where = f"{path.name}, record {'/'.join(names) or 'whole'}"
        if not isinstance(record, dict):
            raise ImportRefusedError([f"{where} is {_kind(record)}, not an object."])
        keys = {f"@key{number}": name for number, name in enumerate(names, start=1)}
        yield where, {**keys, "@key": names[-1] if names else "", **record}


def _members(
    value: Any, steps: list[str], names: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], Any]]:
    if not steps:
        yield names, value
        return
    step, rest = steps[0], steps[1:]
    if step == "*":
        pairs = value.items() if isinstance(value, dict) else enumerate(value, start=1)
        if not isinstance(value, dict | list):
            where = "/".join(names) or "the top"
            raise ImportRefusedError([f"At {where} there is nothing to list."])
        for name, inner in pairs:
            yield from _members(inner, rest, (*names, str(name)))
        return
    if not isinstance(value, dict) or step not in value:
        raise ImportRefusedError([f"At {'/'.join(names) or 'the top'} there is no {step!r}."])
    yield from _members(value[step], rest, names)


def _object(text: str, where: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        raise ImportRefusedError([f"{where}: {error.msg}."]) from error
    if not isinstance(found, dict):
        raise ImportRefusedError([f"{where} is {_kind(found)}, not an object."])
    return found


def _kind(value: Any) -> str:
    names = {list: "a list", str: "a text", int: "a number", float: "a number", bool: "a truth"}
    return names.get(type(value), "null")


def matching(read: Iterator[Row], wanted: dict[str, str]) -> Iterator[Row]:
    """The rows that have these values in these columns. Raises for a column that is not there."""
    for where, row in read:
        missing = [name for name in wanted if name not in row]
        if missing:
            raise ImportRefusedError([f"{where}: there is no column {', '.join(missing)}."])
        if all(str(row[name]).strip() == value for name, value in wanted.items()):
            yield where, row


def conditions(given: list[str]) -> dict[str, str]:
    """``COLUMN=VALUE`` each. Raises ``ImportRefusedError``."""
    pairs = [text.partition("=") for text in given]
    if wrong := [text for text, (_, equals, _) in zip(given, pairs, strict=True) if not equals]:
        raise ImportRefusedError([f"{wrong[0]!r}: write COLUMN=VALUE."])
    return {column.strip(): value.strip() for column, _, value in pairs}
