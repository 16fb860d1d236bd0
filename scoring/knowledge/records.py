"""A knowledge base as JSONL: one entity a line.

    {"id": "Q1", "lemma": "Pysanka", "gloss": "...", "article": "...", "images": ["a.jpg"]}

``id`` and ``lemma`` are required; a picture may stand with several entities. Paths are relative to
the folder of pictures.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FIELDS = ("id", "lemma", "gloss", "article", "images")
_MOST_NAMED = 20


class KnowledgeBaseError(Exception):
    """A knowledge base cannot be built or used; the message says why and what to do."""


class BadRecordsError(KnowledgeBaseError):
    """Lines of the file are wrong; ``problems`` names each."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = problems
        shown = problems[:_MOST_NAMED]
        if len(problems) > len(shown):
            shown.append(f"... and {len(problems) - len(shown)} more")
        super().__init__("\n".join(shown))


@dataclass(frozen=True, slots=True)
class Entity:
    """``images`` are files that exist; ``line`` is where the entity stands in its file."""

    id: str
    lemma: str
    gloss: str
    article: str
    images: tuple[Path, ...]
    line: int


def check_entities(path: Path, *, images: Path) -> int:
    """How many entities the file has. Raises ``BadRecordsError`` for all that is wrong in it."""
    problems: list[str] = []
    seen: dict[str, int] = {}
    n = 0
    for line, found in _lines(path, images):
        if isinstance(found, str):
            problems.append(f"Line {line}: {found}.")
            continue
        n += 1
        if found.id in seen:
            problems.append(
                f"Line {line}: the id {found.id!r} stands in line {seen[found.id]} too."
            )
        seen.setdefault(found.id, line)
    if not n and not problems:
        problems.append(f"{path.name} holds no entity.")
    if problems:
        raise BadRecordsError(problems)
    return n


def read_entities(path: Path, *, images: Path) -> Iterator[Entity]:
    """The entities of a file that was checked. Raises ``BadRecordsError`` at a wrong line."""
    for line, found in _lines(path, images):
        if isinstance(found, str):
            raise BadRecordsError([f"Line {line}: {found}."])
        yield found


def _lines(path: Path, images: Path) -> Iterator[tuple[int, Entity | str]]:
    """Each line's number with its entity, or with what is wrong."""
    try:
        with path.open("rb") as stream:
            for line, written in enumerate(stream, start=1):
                if written.strip():
                    yield line, _entity(written, line, images)
    except OSError as error:
        raise KnowledgeBaseError(f"The file {path} cannot be read ({error.strerror}).") from error


def _entity(written: bytes, line: int, images: Path) -> Entity | str:
    try:
        record = json.loads(written.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return "not UTF-8"
    except (ValueError, RecursionError) as error:
        return f"no JSON ({error})"
    if wrong := _wrong_fields(record):
        return wrong
    files = tuple(images / name for name in dict.fromkeys(record.get("images", ())))
    for file in files:
        if not file.is_file():
            return f"there is no picture {file}"
    texts = {name: record.get(name, "").strip() for name in FIELDS[:-1]}
    return Entity(**texts, images=files, line=line)


def _wrong_fields(record: Any) -> str:
    if not isinstance(record, dict):
        return "no JSON object"
    if unknown := sorted(set(record) - set(FIELDS)):
        return f"unknown fields {', '.join(unknown)}; there are {', '.join(FIELDS)}"
    for name in FIELDS[:-1]:
        if not isinstance(record.get(name, ""), str):
            return f"{name} is not a text"
    for name in ("id", "lemma"):
        if not record.get(name, "").strip():
            return f"{name} is missing"
    names = record.get("images", [])
    if not isinstance(names, list) or not all(isinstance(n, str) and n for n in names):
        return "images is not a list of paths"
    return ""
