"""Descriptors whose cosines are known: unit vectors in the plane, named by words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from scoring.metrics.ahead.metric import AHEAD
from scoring.metrics.base import Cell, CellItems, MetricItem, ScoreRow

# The cosine of two texts is the cosine of the angle between them.
ANGLES = {
    "cap": 0.0,
    "hat": math.acos(0.8),  # cos 0.8 with cap
    "sari": math.pi / 2,  # cos 0 with cap, 0.6 with hat
    "suit": math.pi,  # cos -1 with cap, -0.8 with hat, 0 with sari
    "lamp": 0.0,
    "street": math.pi / 2,
    "temple": 0.1,
    "car": math.pi,
}


class PlaneEmbedder:
    """Embeds the words of ANGLES and remembers what it was asked."""

    model_id = "plane"
    revision = "1"

    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        self.calls.append(list(texts))
        angles = np.array([ANGLES[text] for text in texts])
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def item(key: str, references: Mapping, seen: Mapping, **more) -> MetricItem:
    """``seen`` by dimension; a dimension that is not in it was not looked at."""
    fields = {"activity": "greeting", "country": "NP", "kind": "image", "file": f"/{key}.png"}
    return MetricItem(
        key=key,
        fields=fields | {"sha256": key},
        inputs={"references": references, "seen": seen, **more},
    )


def everywhere(sets: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """The sets of a picture that was looked at in every dimension."""
    dimensions = ("setting", "objects", "attire", "interaction", "layout")
    return {dimension: list(sets.get(dimension, ())) for dimension in dimensions}


def backend(embedder=None, scorer=None) -> dict:
    return {"text_embedder": embedder or PlaneEmbedder(), "scorer": scorer}


def item_rows(items: Sequence[MetricItem], *, tau=0.5, embedder=None, scorer=None, **parameters):
    return list(
        AHEAD.score(
            items=items,
            descriptors=[],
            backend=backend(embedder, scorer),
            parameters={"tau": tau, **parameters},
        )
    )


def cell_rows(
    items: Sequence[MetricItem], *, tau=0.5, embedder=None, scorer=None, **parameters
) -> dict[tuple[str, str], ScoreRow]:
    """The rows of one cell, by output and dimension."""
    rows = AHEAD.score_cells(
        cells=[CellItems(Cell("greeting", "NP", "one"), tuple(items))],
        descriptors=[],
        backend=backend(embedder, scorer),
        parameters={"tau": tau, **parameters},
    )
    return {(row.metric, row.dimension): row for row in rows}


def by_output(rows: Sequence[ScoreRow], key: str = "a") -> dict[tuple[str, str], ScoreRow]:
    return {(row.metric, row.dimension): row for row in rows if row.item_key == key}
