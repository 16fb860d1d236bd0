"""FAISS: exact inner products of unit vectors, written to files that are mapped when read.

FAISS is imported when an index is made or opened.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]

_AT_ONCE = 4096


def write_index(path: Path, vectors: Iterable[Vector], *, dimension: int) -> int:
    """An index of ``vectors`` in their order; how many they are."""
    faiss = _faiss()
    index = faiss.IndexFlatIP(dimension)
    rows = iter(vectors)
    while some := list(islice(rows, _AT_ONCE)):
        index.add(np.ascontiguousarray(np.stack(some), dtype=np.float32))
    faiss.write_index(index, str(path))
    return int(index.ntotal)


class MappedIndex:
    """An index that stays on disk; pages of it are read as they are needed."""

    def __init__(self, path: Path) -> None:
        faiss = _faiss()
        self._index: Any = faiss.read_index(str(path), faiss.IO_FLAG_MMAP_IFC)

    def __len__(self) -> int:
        return int(self._index.ntotal)

    def nearest(self, vector: Vector, k: int) -> list[tuple[int, float]]:
        """The ``k`` rows of largest inner product, best first; fewer where there are fewer."""
        k = min(k, len(self))
        if k < 1:
            return []
        values, rows = self._index.search(np.ascontiguousarray(vector, np.float32)[None], k)
        return [(int(row), float(value)) for row, value in zip(rows[0], values[0], strict=True)]

    def vector(self, row: int) -> Vector:
        return np.asarray(self._index.reconstruct(row), dtype=np.float32)


def _faiss() -> Any:
    from scoring.knowledge.records import KnowledgeBaseError

    try:
        import faiss
    except ModuleNotFoundError as error:
        raise KnowledgeBaseError(
            "Knowledge bases need the package faiss-cpu. Install requirements.txt on this machine."
        ) from error
    return faiss
