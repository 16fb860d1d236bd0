"""Vendi score: how many really different pictures a cell has (Friedman and Dieng 2023, TMLR).

With K the n x n matrix of cosines of the pictures' unit embeddings (1 on its diagonal) and l_i the
eigenvalues of K / n, which are not negative and sum to 1:

    vendi = exp(- sum_i l_i log l_i)        1 (all alike) to n (all orthogonal)

Higher is more varied.
One picture has a Vendi score of 1, as of any number of equal ones. The score grows with n: cells
of different sizes are not comparable, and n is in the evidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring.backends.image_text import ImageTextEncoder
from scoring.backends.pictures import MediaError
from scoring.metrics.base import (
    CellItems,
    Declaration,
    Descriptor,
    Needs,
    Output,
    Progress,
    ScoreRow,
)
from scoring.metrics.item_metric import one_by_one
from scoring.metrics.item_pictures import (
    FIELDS,
    REASONS,
    SECONDS,
    media_reason,
    obstacle,
    picture_of,
)
from scoring.metrics.rows import undefined_rows

_LARGEST = 1_000_000.0  # an upper bound must be named: there are never so many pictures in a cell


def vendi_score(vectors: NDArray[np.floating[Any]]) -> float:
    """Of unit vectors, shape (n, d), n at least 1. Raises ``ValueError`` otherwise."""
    x = np.asarray(vectors, dtype=np.float64)
    if x.ndim != 2 or not len(x):
        raise ValueError(f"A Vendi score needs an array of vectors, not of shape {x.shape}.")
    if not np.allclose(np.linalg.norm(x, axis=1), 1, atol=1e-4):
        raise ValueError("A Vendi score needs vectors of length 1.")
    x = x / np.linalg.norm(x, axis=1, keepdims=True)  # float32 leaves them a little off
    # X X' and X' X have the same eigenvalues beside zeros: the smaller one is taken.
    gram = x @ x.T if len(x) <= x.shape[1] else x.T @ x
    eigenvalues = np.linalg.eigvalsh(gram / len(x))
    positive = eigenvalues[eigenvalues > 0]  # rounding leaves zeros a little below
    return float(np.exp(-(positive * np.log(positive)).sum()))


class VendiMetric:
    declaration = Declaration(
        key="vendi",
        name="Vendi score",
        family="Diversity",
        version="1",
        modality="image",
        source="Friedman and Dieng 2023, The Vendi Score, TMLR, arXiv:2210.02410",
        needs=Needs(item_fields=FIELDS, backend="clip"),
        outputs=(
            Output(
                key="vendi", name="Vendi score", low=1.0, high=_LARGEST, better="higher", of="cell"
            ),
        ),
        parameters=(SECONDS,),
        reasons=REASONS,
        cells=("activity", "country", "system"),
        scores_items=False,
    )

    def score_cells(
        self,
        *,
        cells: Sequence[CellItems],
        descriptors: Sequence[Descriptor],
        backend: ImageTextEncoder,
        parameters: Mapping[str, object],
        on_progress: Progress | None = None,
    ) -> Iterator[ScoreRow]:
        """One row a cell, over the pictures that can be read; the evidence names how many."""
        seconds = self.declaration.clean_parameters(parameters)["seconds"]
        return self._rows(cells, backend, seconds, on_progress)

    def _rows(
        self,
        cells: Sequence[CellItems],
        backend: ImageTextEncoder,
        seconds: float,
        on_progress: Progress | None,
    ) -> Iterator[ScoreRow]:
        for cell in one_by_one(cells, on_progress):
            yield from self._row(cell, backend, seconds)

    def _row(self, of: CellItems, backend: ImageTextEncoder, seconds: float) -> Iterator[ScoreRow]:
        unread = {item.key: obstacle(item) for item in of.items if obstacle(item)}
        readable = [item for item in of.items if item.key not in unread]
        images = backend.encode_images([picture_of(item, seconds) for item in readable])
        vectors = []
        for item, image in zip(readable, images, strict=True):
            if isinstance(image, MediaError):
                unread[item.key] = media_reason(image)
            else:
                vectors.append(image)
        evidence: dict[str, Any] = {"n": len(vectors)}
        if unread:
            evidence["left_out"] = unread
        if vectors:
            value = vendi_score(np.stack(vectors))
            yield ScoreRow("", "vendi", "", value, "", evidence, of.cell)
        else:
            reason = next(iter(unread.values()))
            yield from undefined_rows(
                self.declaration, reason=reason, evidence=evidence, cell=of.cell
            )


VENDI = VendiMetric()
