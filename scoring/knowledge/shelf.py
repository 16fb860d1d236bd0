"""What a knowledge base keeps beside its indices: entities with their texts, and vectors.

Two SQLite files: ``VectorStore`` keeps every vector that was ever computed for it, by what it was
computed from, so that a build goes on where it was stopped and encodes only what is new;
``EntityShelf`` is one build's entities and pictures, in the order of the indices' rows.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]

_STORE = """
CREATE TABLE IF NOT EXISTS vector (key TEXT PRIMARY KEY, value BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS file (
    path TEXT PRIMARY KEY, size INTEGER NOT NULL, changed INTEGER NOT NULL, sha256 TEXT NOT NULL
);
"""
_SHELF = """
CREATE TABLE entity (
    row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, lemma TEXT NOT NULL, gloss TEXT NOT NULL,
    article TEXT NOT NULL, gloss_row INTEGER, article_row INTEGER
);
CREATE UNIQUE INDEX by_gloss ON entity (gloss_row);
CREATE UNIQUE INDEX by_article ON entity (article_row);
CREATE TABLE picture (row INTEGER PRIMARY KEY, sha256 TEXT NOT NULL UNIQUE);
CREATE TABLE shown (
    picture INTEGER NOT NULL REFERENCES picture, entity INTEGER NOT NULL REFERENCES entity,
    PRIMARY KEY (picture, entity)
) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class ShelvedEntity:
    """``row`` is its place in the index of lemmas; without such a text the others are None."""

    row: int
    id: str
    lemma: str
    gloss: str
    article: str
    gloss_row: int | None
    article_row: int | None


class VectorStore:
    """Unit vectors by key, in one file. A context manager."""

    def __init__(self, path: Path) -> None:
        self._db = sqlite3.connect(path)
        self._db.executescript(_STORE)

    def __enter__(self) -> VectorStore:
        return self

    def __exit__(self, *_: object) -> None:
        self._db.close()

    def missing(self, keys: Iterable[str]) -> list[str]:
        """Those of ``keys`` that have no vector yet, each once, in order."""
        return [key for key in dict.fromkeys(keys) if self._blob(key) is None]

    def keep(self, vectors: Mapping[str, Vector]) -> None:
        """Store vectors; they are on disk when this returns."""
        with self._db:
            self._db.executemany(
                "INSERT OR REPLACE INTO vector VALUES (?, ?)",
                [(key, np.asarray(v, dtype="<f4").tobytes()) for key, v in vectors.items()],
            )

    def vector(self, key: str) -> Vector:
        blob = self._blob(key)
        if blob is None:
            raise KeyError(key)
        return np.frombuffer(blob, dtype="<f4")

    def forget_others(self, keys: Iterable[str]) -> int:
        """Drop the vectors of everything but ``keys``; how many were dropped."""
        with self._db:
            self._db.execute("CREATE TEMP TABLE wanted (key TEXT PRIMARY KEY)")
            self._db.executemany(
                "INSERT OR IGNORE INTO wanted VALUES (?)", ((key,) for key in keys)
            )
            dropped = self._db.execute(
                "DELETE FROM vector WHERE key NOT IN (SELECT key FROM wanted)"
            ).rowcount
            self._db.execute("DROP TABLE wanted")
        return dropped

    def sha256_of(self, file: Path) -> str:
        """The file's hash; remembered for as long as its size and time of change stay."""
        stat = file.stat()
        now = (stat.st_size, stat.st_mtime_ns)
        path = str(file.resolve())
        found = self._db.execute(
            "SELECT size, changed, sha256 FROM file WHERE path = ?", (path,)
        ).fetchone()
        if found and found[:2] == now:
            return str(found[2])
        with file.open("rb") as stream:
            sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
        with self._db:
            self._db.execute(
                "INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?)", (path, *now, sha256)
            )
        return sha256

    def _blob(self, key: str) -> bytes | None:
        found = self._db.execute("SELECT value FROM vector WHERE key = ?", (key,)).fetchone()
        return found[0] if found else None


class EntityShelf:
    """The entities of one build. Opened for reading, it may be shared between threads."""

    def __init__(self, path: Path, *, new: bool = False) -> None:
        if new:
            self._db = sqlite3.connect(path)
            self._db.executescript(_SHELF)
        else:
            address = f"{path.resolve().as_uri()}?mode=ro"
            self._db = sqlite3.connect(address, uri=True, check_same_thread=False)

    def close(self) -> None:
        self._db.close()

    def add(self, entity: ShelvedEntity, pictures: Sequence[tuple[int, str]]) -> None:
        """An entity with its pictures, (row, SHA-256) each; call ``commit`` at the end."""
        self._db.execute(
            "INSERT INTO entity VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                entity.row,
                entity.id,
                entity.lemma,
                entity.gloss,
                entity.article,
                entity.gloss_row,
                entity.article_row,
            ),
        )
        self._db.executemany("INSERT OR IGNORE INTO picture VALUES (?, ?)", pictures)
        self._db.executemany(
            "INSERT OR IGNORE INTO shown VALUES (?, ?)", [(row, entity.row) for row, _ in pictures]
        )

    def commit(self) -> None:
        self._db.commit()

    def entity(self, row: int) -> ShelvedEntity:
        return self._one("row = ?", row)

    def by_id(self, entity_id: str) -> ShelvedEntity | None:
        found = self._db.execute("SELECT * FROM entity WHERE id = ?", (entity_id,)).fetchone()
        return ShelvedEntity(*found) if found else None

    def by_text_row(self, field: str, row: int) -> ShelvedEntity:
        """The entity whose ``field`` (lemma, gloss or article) has this row in its index."""
        columns = {"lemma": "row", "gloss": "gloss_row", "article": "article_row"}
        return self._one(f"{columns[field]} = ?", row)

    def of_picture(self, picture: int) -> list[int]:
        """Rows of the entities that a picture stands with, in order."""
        found = self._db.execute(
            "SELECT entity FROM shown WHERE picture = ? ORDER BY entity", (picture,)
        )
        return [row for (row,) in found]

    def texts(self, field: str) -> Iterator[str]:
        """The texts of a field (lemma, gloss or article), in the order of its index."""
        columns = {"lemma": "row", "gloss": "gloss_row", "article": "article_row"}
        order = columns[field]
        found = self._db.execute(
            f"SELECT {field} FROM entity WHERE {order} IS NOT NULL ORDER BY {order}"
        )
        return (text for (text,) in found)

    def pictures(self) -> Iterator[str]:
        """The SHA-256 of every picture, in the order of the index."""
        return (sha for (sha,) in self._db.execute("SELECT sha256 FROM picture ORDER BY row"))

    def _one(self, condition: str, value: int) -> ShelvedEntity:
        found = self._db.execute(f"SELECT * FROM entity WHERE {condition}", (value,)).fetchone()
        if found is None:
            raise KeyError(value)
        return ShelvedEntity(*found)
