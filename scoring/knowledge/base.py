"""An open knowledge base: what is nearest to a picture's embedding."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scoring.backends.image_text import ImageTextEncoder
from scoring.knowledge.building import TEXTS, encoder_mark, read_manifest
from scoring.knowledge.indices import MappedIndex
from scoring.knowledge.records import KnowledgeBaseError
from scoring.knowledge.shelf import EntityShelf, ShelvedEntity

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class NearPicture:
    """``entities`` are the rows of those it stands with."""

    row: int
    similarity: float
    entities: tuple[int, ...]


class KnowledgeBase:
    """Read from the folder ``build_kb`` made; indices stay on disk and are mapped.

    ``revision`` changes with any entity, text or picture. Safe to share between threads. Raises
    ``KnowledgeBaseError`` where there is none.
    """

    def __init__(self, folder: Path) -> None:
        manifest = read_manifest(folder)
        if manifest is None:
            raise KnowledgeBaseError(
                f"There is no knowledge base in {folder}. Build one with: manage.py build_kb"
            )
        self.manifest = manifest
        self.revision = manifest.digest[:12]
        self._folder = folder
        self._lock = threading.Lock()
        self._shelf = EntityShelf(manifest.file(folder, "entities"))

    def check_encoder(self, encoder: ImageTextEncoder) -> None:
        """Raises ``KnowledgeBaseError`` where ``encoder`` is not the one it was built with."""
        if encoder_mark(encoder) != self.manifest.revision:
            raise KnowledgeBaseError(
                f"The knowledge base was built with {self.manifest.model} "
                f"({self.manifest.revision}); pictures are read by {encoder.model_id} "
                f"({encoder_mark(encoder)}). Name the same model in CAIRE_MODEL, or build anew."
            )

    def near_pictures(self, vector: Vector, k: int) -> list[NearPicture]:
        """The ``k`` pictures nearest to ``vector``, best first."""
        with self._lock:
            return [
                NearPicture(row, similarity, tuple(self._shelf.of_picture(row)))
                for row, similarity in self._indices["pictures"].nearest(vector, k)
            ]

    def near_texts(self, field: str, vector: Vector, k: int) -> list[tuple[ShelvedEntity, float]]:
        """The ``k`` entities whose lemma, gloss or article (``field``) is nearest."""
        with self._lock:
            return [
                (self._shelf.by_text_row(field, row), similarity)
                for row, similarity in self._indices[field].nearest(vector, k)
            ]

    def similarity(self, field: str, vector: Vector, entity: ShelvedEntity) -> float | None:
        """The cosine of ``vector`` and the entity's lemma or gloss; None where it has none."""
        row = {"lemma": entity.row, "gloss": entity.gloss_row, "article": entity.article_row}[field]
        return None if row is None else float(self._indices[field].vector(row) @ vector)

    def entity(self, row: int) -> ShelvedEntity:
        with self._lock:
            return self._shelf.entity(row)

    def by_id(self, entity_id: str) -> ShelvedEntity | None:
        with self._lock:
            return self._shelf.by_id(entity_id)

    @cached_property
    def _indices(self) -> dict[str, MappedIndex]:
        names = ("pictures", *TEXTS)
        return {name: MappedIndex(self.manifest.file(self._folder, name)) for name in names}
