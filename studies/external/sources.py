"""Files as rows of texts that know their place: CSV, TSV, JSON lines, and nested JSON by a path."""

from __future__ import annotations

import codecs
import csv
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

from studies.external.records import ImportRefusedError

T = TypeVar("T")
SEPARATOR = re.compile(r'"?sep=([,;|\t])"?\r?\n?', re.IGNORECASE)
"""A first line in which Excel names the delimiter."""
NOT_UTF8 = "is no text in UTF-8. Save it as “CSV UTF-8” and import it again."

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
    if ending == ".json":
        return legible(path, nested(path, records))
    if ending in (".jsonl", ".ndjson"):
        return legible(path, json_lines(path))
    if ending in (".csv", ".tsv", ".txt"):
        return legible(path, delimited(path))
    known = ".csv, .tsv, .jsonl or .json"
    raise ImportRefusedError([f"{path.name}: the name of a file ends in {known}."])


def legible(path: Path, read: Iterator[T]) -> Iterator[T]:
    """What is read of a file. Raises ``ImportRefusedError`` if it is no text, or not there."""
    try:
        yield from read
    except UnicodeError as error:
        raise ImportRefusedError([f"{path.name} {NOT_UTF8}"]) from error
    except OSError as error:
        raise ImportRefusedError([f"{path.name} cannot be read: {error.strerror}."]) from error


def encoding(path: Path) -> str:
    """That of a file, see ``encoding_of``."""
    with path.open("rb") as file:
        return encoding_of(file.read(4))


def encoding_of(start: bytes) -> str:
    """UTF-16 where a file's mark says so, else UTF-8. Raises ``UnicodeError`` for no text.

    UTF-16 without a mark has a zero byte in each Latin letter, which UTF-8 takes for a letter too.
    """
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if b"\0" in start[:4]:
        raise UnicodeError("The file starts with a zero byte.")
    return "utf-8-sig"


def delimited(path: Path) -> Iterator[Row]:
    """CSV or TSV with a header; the delimiter is what the header has most of, or what a first line
    ``sep=;`` declares, as Excel writes it."""
    with path.open(encoding=encoding(path), newline="") as file:
        first = file.readline()
        declared = SEPARATOR.fullmatch(first)
        if not declared:
            file.seek(0)
        delimiter = declared[1] if declared else _most_of(first, path)
        reader = csv.reader(file, delimiter=delimiter, strict=True)
        above = 1 if declared else 0  # lines that the reader did not see
        try:
            header = [name.strip() for name in next(reader, [])]
            if not any(header):
                raise ImportRefusedError([f"{path.name} is empty."])
            if twice := next((name for name in header if name and header.count(name) > 1), ""):
                raise ImportRefusedError([f"{path.name} has two columns called {twice!r}."])
            yield from _records(path, header, reader, above)
        except csv.Error as error:
            line = above + reader.line_num
            raise ImportRefusedError(
                [f"{path.name}, line {line}: {error}. Is a quote left open?"]
            ) from error


def _most_of(header: str, path: Path) -> str:
    return "\t" if path.suffix.lower() == ".tsv" else max(",;\t", key=header.count)


def _records(path: Path, header: list[str], reader: Any, above: int) -> Iterator[Row]:
    line = above + reader.line_num + 1
    for cells in reader:
        where = f"{path.name}, line {line}"
        line = above + reader.line_num + 1
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(header):
            raise ImportRefusedError(
                [f"{where} has {len(cells)} cells; the header has {len(header)}."]
            )
        _refuse_nameless(where, header, cells)
        yield where, {name: cell for name, cell in zip(header, cells, strict=True) if name}


def _refuse_nameless(where: str, header: list[str], cells: list[str]) -> None:
    """Columns without a name may be empty, as spreadsheets leave them, or the first, which numbers
    the rows. Any other holds what would be lost."""
    for number, (name, cell) in enumerate(zip(header, cells, strict=True), start=1):
        if number > 1 and not name and cell.strip():
            raise ImportRefusedError(
                [f"{where}: column {number} has no name in the header, but holds {cell[:40]!r}."]
            )


def json_lines(path: Path) -> Iterator[Row]:
    with path.open(encoding=encoding(path)) as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                yield f"{path.name}, line {number}", _object(line, f"{path.name}, line {number}")


def nested(path: Path, records: str) -> Iterator[Row]:
    """The objects at a path of names and stars: ``*`` is every member of a list or object.

    An object's own name stands in its row as ``@key``, the names of the stars before it as
    ``@key1``, ``@key2`` ... in order. An empty path is every member of the whole.
    """
    whole = json_whole(path)
    for names, record in _members(whole, (records or "*").split("."), ()):
        where = f"{path.name}, record {'/'.join(names) or 'whole'}"
        if not isinstance(record, dict):
            raise ImportRefusedError([f"{where} is {_kind(record)}, not an object."])
        keys = {f"@key{number}": name for number, name in enumerate(names, start=1)}
        yield where, {**keys, "@key": names[-1] if names else "", **record}


def _members(
    value: Any, steps: list[str], names: tuple[str, ...], at: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """``names`` are those that the stars stood for, ``at`` all on the way."""
    if not steps:
        yield names, value
        return
    step, rest = steps[0], steps[1:]
    here = "/".join(at) or "the top"
    if step == "*":
        if not isinstance(value, dict | list):
            raise ImportRefusedError([f"At {here} there is nothing to list."])
        pairs = value.items() if isinstance(value, dict) else enumerate(value, start=1)
        for name, inner in pairs:
            yield from _members(inner, rest, (*names, str(name)), (*at, str(name)))
        return
    if not isinstance(value, dict) or step not in value:
        raise ImportRefusedError([f"At {here} there is no {step!r}."])
    yield from _members(value[step], rest, names, (*at, step))


def json_whole(path: Path) -> Any:
    """The value that a JSON file holds. Raises ``ImportRefusedError``."""
    return json_value(path.read_text(encoding(path)), path.name)


def json_value(text: str, where: str) -> Any:
    """JSON as the standard has it: no NaN, no numbers of a thousand digits, no endless nesting, and
    no name twice in an object, of which a reader keeps one and loses the other.

    Raises ``ImportRefusedError``.
    """
    try:
        return json.loads(text, parse_constant=_no_constant, object_pairs_hook=_each_once)
    except json.JSONDecodeError as error:
        line = f", line {error.lineno}" if "\n" in text.strip() else ""
        raise ImportRefusedError([f"{where}{line}: this is no JSON: {error.msg}."]) from error
    except ValueError as error:
        raise ImportRefusedError([f"{where}: this is no JSON: {error}."]) from error
    except RecursionError as error:
        raise ImportRefusedError([f"{where}: lists within lists, too many to read."]) from error


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no number. Write null")


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        ((twice, _),) = Counter(name for name, _ in pairs).most_common(1)
        raise ValueError(f"the name {twice!r} stands twice in one object")
    return found


def _object(text: str, where: str) -> dict[str, Any]:
    found = json_value(text, where)
    if not isinstance(found, dict):
        raise ImportRefusedError([f"{where} is {_kind(found)}, not an object."])
    return found


def _kind(value: Any) -> str:
    names = {list: "a list", str: "a text", int: "a number", float: "a number", bool: "a truth"}
    return names.get(type(value), "null")


def matching(read: Iterator[Row], wanted: dict[str, str]) -> Iterator[Row]:
    """The rows that have these values in these columns. Raises for a column that is not there, and
    where there are rows and none is such."""
    n = found = 0
    for where, row in read:
        n += 1
        missing = [name for name in wanted if name not in row]
        if missing:
            raise ImportRefusedError([f"{where}: there is no column {', '.join(missing)}."])
        if all(_is(row[name], value) for name, value in wanted.items()):
            found += 1
            yield where, row
    if n and not found:
        said = " and ".join(f"{name}={value}" for name, value in wanted.items())
        raise ImportRefusedError([f"None of the {n:,} rows has {said}."])


def _is(cell: Any, wanted: str) -> bool:
    """Whether a cell is what somebody wrote: in JSON also ``true`` and ``false``."""
    truth = isinstance(cell, bool) and wanted.casefold() == str(cell).casefold()
    return truth or text(cell) == wanted


def text(value: Any) -> str:
    """A cell as text: numbers as they are written shortest, null as nothing."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, str | int):
        return str(value).strip()
    return json.dumps(value, ensure_ascii=False)


def conditions(given: list[str]) -> dict[str, str]:
    """``COLUMN=VALUE`` each. Raises ``ImportRefusedError``."""
    pairs = [text.partition("=") for text in given]
    if wrong := [text for text, (_, equals, _) in zip(given, pairs, strict=True) if not equals]:
        raise ImportRefusedError([f"{wrong[0]!r}: write COLUMN=VALUE."])
    return {column.strip(): value.strip() for column, _, value in pairs}
