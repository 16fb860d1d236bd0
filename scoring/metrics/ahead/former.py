"""ALIGN and HAL of AHEaD: how a picture's descriptors meet those a culture's members expect.

Source: "Culture in Action: Evaluating Text-to-Image Models through Social Activities" (ICLR 2026,
arXiv:2511.05681). Each item is a cell of its own (N = 1), which is what a comparison with human
ratings of single pictures needs.

In each dimension, with s_ij the cosine of predicted descriptor i and reference descriptor j:

    ALIGN = #{j : max_i s_ij > tau} / n_ref        share of the expected that is there, 0-1, higher
    HAL   = #{i : max_j s_ij <= tau} / n_pred      share of what is there unexpectedly, 0-1, lower

The overall score is the mean of the dimensions in which the score is defined, not a share pooled
over all descriptors; how many there were is kept as evidence. Rules for empty lists (ours):

==========================  ============================  ============================
in a dimension              ALIGN                         HAL
==========================  ============================  ============================
no reference                undefined, no_reference       undefined, no_reference
references, no prediction   0                             undefined, no_prediction
item never described        undefined, no_prediction      undefined, no_prediction
==========================  ============================  ============================

An item is never described when it has no predictions in any dimension because nothing was recorded
for it; that says nothing about the picture, so it is not a 0. (With references missing as well, the
reason is no_reference.)

Similarities are compared with tau at six decimals, so that the noise of float32 sums and of the
order of batches decides nothing. A similarity equal to tau is not aligned (>) and is hallucinated
(<=). A descriptor compared with itself has exactly 1; therefore nothing is aligned at tau = 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring.backends.text_embedder import Embedder
from scoring.metrics.base import (
    Declaration,
    Descriptor,
    MetricItem,
    Needs,
    Output,
    Parameter,
    Progress,
    ScoreRow,
)

DIMENSIONS = ("setting", "objects", "attire", "interaction", "layout")
ALIGN = "ahead_align"
HAL = "ahead_hal"

_DECIMALS = 6

TAU = Parameter(
    name="tau",
    label="the similarity threshold tau",
    help=(
        "Calibrate it on real images for your extractor and embedder; it has no value that "
        "suits every one of them."
    ),
    low=-1.0,
    high=1.0,
    required=True,
)

DescriptorSets = Mapping[str, Sequence[str]]
"""Descriptor texts by dimension; a missing dimension is an empty list."""


@dataclass(frozen=True, slots=True)
class DescribedItem:
    """One picture and the activity and country it was asked to show."""

    item_key: str
    activity: str
    country: str


@dataclass(frozen=True, slots=True)
class _Cell:
    """An item with its distinct descriptors; ``predicted`` is None where it was never described."""

    item_key: str
    references: dict[str, tuple[str, ...]]
    predicted: dict[str, tuple[str, ...]] | None


class _Vectors:
    """Unit vectors of distinct texts, all embedded in one call."""

    def __init__(self, texts: Iterable[str], embedder: Embedder) -> None:
        distinct = list(dict.fromkeys(texts))
        self._row_of = {text: row for row, text in enumerate(distinct)}
        self._matrix = _unit_rows(embedder.embed(distinct), n=len(distinct)) if distinct else None

    def similarity(
        self, predicted: Sequence[str], references: Sequence[str]
    ) -> NDArray[np.float64]:
        """(n_pred, n_ref) cosines, rounded to the compared precision, within -1..1."""
        if self._matrix is None or not (predicted and references):
            return np.empty((len(predicted), len(references)))
        left = self._matrix[[self._row_of[text] for text in predicted]]
        right = self._matrix[[self._row_of[text] for text in references]]
        return np.clip(np.round(left @ right.T, _DECIMALS), -1.0, 1.0)


class AheadMetric:
    """ALIGN and HAL as a registered metric."""

    declaration = Declaration(
        key="ahead",
        name="AHEaD ALIGN and HAL",
        family="AHEaD",
        version="1",
        modality="image",
        source=(
            "Culture in Action: Evaluating Text-to-Image Models through Social Activities, "
            "ICLR 2026, arXiv:2511.05681"
        ),
        needs=Needs(
            item_fields=("activity", "country"),
            descriptor_kinds=("reference", "predicted"),
            backend="text_embedder",
        ),
        outputs=(
            Output(key=ALIGN, name="ALIGN", low=0.0, high=1.0, better="higher"),
            Output(key=HAL, name="HAL", low=0.0, high=1.0, better="lower"),
        ),
        dimensions=DIMENSIONS,
        parameters=(TAU,),
        reasons=("no_reference", "no_prediction"),
    )

    def score(
        self,
        *,
        items: Sequence[MetricItem],
        descriptors: Sequence[Descriptor],
        backend: Embedder,
        parameters: Mapping[str, object],
        on_progress: Progress | None = None,
    ) -> Iterator[ScoreRow]:
        """``score_items`` for the records that a run gathers."""
        cleaned = self.declaration.clean_parameters(parameters)
        references: dict[tuple[str, str], dict[str, list[str]]] = {}
        predictions: dict[str, dict[str, list[str]]] = {}
        for descriptor in descriptors:
            if descriptor.kind == "reference":
                sets = references.setdefault((descriptor.activity, descriptor.country), {})
            elif descriptor.kind == "predicted":
                sets = predictions.setdefault(descriptor.item_key, {})
            else:
                continue  # stereotypes belong to EXAG, not to ALIGN and HAL
            sets.setdefault(descriptor.dimension, []).append(descriptor.token)
        return score_items(
            items=[
                DescribedItem(
                    item_key=item.key,
                    activity=item.fields.get("activity", ""),
                    country=item.fields.get("country", ""),
                )
                for item in items
            ],
            references=references,
            predictions=predictions,
            embedder=backend,
            tau=cleaned["tau"],
            on_progress=on_progress,
        )


AHEAD = AheadMetric()


def score_items(
    *,
    items: Sequence[DescribedItem],
    references: Mapping[tuple[str, str], DescriptorSets],
    predictions: Mapping[str, DescriptorSets],
    embedder: Embedder,
    tau: float,
    on_progress: Progress | None = None,
) -> Iterator[ScoreRow]:
    """ALIGN and HAL of every item: overall and in each dimension, 12 rows an item, in order.

    ``references`` are by (activity, country), which match without regard to case and outer blanks;
    ``predictions`` by item key, where an absent item was never described and an empty mapping means
    described, nothing seen. All distinct texts are embedded in one call before the first row.
    ``on_progress`` is told after each item.

    Raises ``ParameterError`` for a tau that is not a number from -1 to 1, and ``ValueError`` for an
    unknown dimension, an item key that occurs twice, or an embedder that returns other than one
    unit vector a text. All but the last are raised at the call, before any model is used.
    """
    threshold = TAU.clean(tau)
    known = _by_activity_and_country(references)
    cells = [_cell(item, known, predictions) for item in items]
    [(key, times)] = Counter(cell.item_key for cell in cells).most_common(1) or [("", 0)]
    if times > 1:
        raise ValueError(f"The item {key!r} is to be scored {times} times in one call.")
    return _score_cells(cells, embedder=embedder, tau=threshold, on_progress=on_progress)


def _score_cells(
    cells: Sequence[_Cell], *, embedder: Embedder, tau: float, on_progress: Progress | None
) -> Iterator[ScoreRow]:
    vectors = _Vectors((text for cell in cells for text in _compared_texts(cell)), embedder)
    for done, cell in enumerate(cells, start=1):
        align = [_align(cell, dimension, vectors, tau) for dimension in DIMENSIONS]
        hal = [_hal(cell, dimension, vectors, tau) for dimension in DIMENSIONS]
        yield _overall(align, tau)
        yield from align
        yield _overall(hal, tau)
        yield from hal
        if on_progress is not None:
            on_progress(done, len(cells))


def _align(cell: _Cell, dimension: str, vectors: _Vectors, tau: float) -> ScoreRow:
    references = cell.references[dimension]
    predicted = cell.predicted[dimension] if cell.predicted is not None else ()
    evidence = _counts(references, predicted, tau)
    if not references:
        return ScoreRow(cell.item_key, ALIGN, dimension, None, "no_reference", evidence)
    if cell.predicted is None:
        return ScoreRow(cell.item_key, ALIGN, dimension, None, "no_prediction", evidence)
    similarity = vectors.similarity(predicted, references)
    matches = _best_matches(references, predicted, similarity.T)
    aligned = [match for match in matches if _above(match, tau)]
    evidence["aligned"] = aligned
    evidence["missing"] = [match for match in matches if not _above(match, tau)]
    value = len(aligned) / len(references)
    return ScoreRow(cell.item_key, ALIGN, dimension, value, "", evidence)


def _hal(cell: _Cell, dimension: str, vectors: _Vectors, tau: float) -> ScoreRow:
    references = cell.references[dimension]
    predicted = cell.predicted[dimension] if cell.predicted is not None else ()
    evidence = _counts(references, predicted, tau)
    if not references:
        return ScoreRow(cell.item_key, HAL, dimension, None, "no_reference", evidence)
    if not predicted:
        return ScoreRow(cell.item_key, HAL, dimension, None, "no_prediction", evidence)
    similarity = vectors.similarity(predicted, references)
    matches = _best_matches(predicted, references, similarity)
    hallucinated = [match for match in matches if not _above(match, tau)]
    evidence["hallucinated"] = hallucinated
    value = len(hallucinated) / len(predicted)
    return ScoreRow(cell.item_key, HAL, dimension, value, "", evidence)


def _overall(rows: Sequence[ScoreRow], tau: float) -> ScoreRow:
    """The mean of the defined dimensions; without any, the reason that data could still mend."""
    defined = [row for row in rows if row.value is not None]
    evidence: dict[str, Any] = {
        "tau": tau,
        "n_ref": sum(row.evidence["n_ref"] for row in rows),
        "n_pred": sum(row.evidence["n_pred"] for row in rows),
        "n_defined": len(defined),
        "defined": [row.dimension for row in defined],
    }
    first = rows[0]
    if defined:
        value = fmean(row.value for row in defined if row.value is not None)
        return ScoreRow(first.item_key, first.metric, "", value, "", evidence)
    reasons = {row.reason for row in rows}
    reason = "no_prediction" if "no_prediction" in reasons else "no_reference"
    return ScoreRow(first.item_key, first.metric, "", None, reason, evidence)


def _counts(references: Sequence[str], predicted: Sequence[str], tau: float) -> dict[str, Any]:
    return {"tau": tau, "n_ref": len(references), "n_pred": len(predicted)}


def _best_matches(
    tokens: Sequence[str], others: Sequence[str], similarity: NDArray[np.float64]
) -> list[dict[str, Any]]:
    """The nearest of ``others`` for each token; ``similarity`` is (len(tokens), len(others))."""
    if not others:
        return [{"token": token, "best_match": None, "similarity": None} for token in tokens]
    nearest = similarity.argmax(axis=1)
    best = similarity[np.arange(len(tokens)), nearest]
    return [
        {"token": token, "best_match": others[column], "similarity": float(value)}
        for token, column, value in zip(tokens, nearest, best, strict=True)
    ]


def _above(match: Mapping[str, Any], tau: float) -> bool:
    similarity = match["similarity"]
    return similarity is not None and bool(similarity > round(tau, _DECIMALS))


def _unit_rows(embedded: NDArray[np.float32], *, n: int) -> NDArray[np.float64]:
    matrix = np.asarray(embedded, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != n:
        raise ValueError(f"The embedder returned shape {matrix.shape} for {n} texts.")
    norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    if not np.all(np.abs(norms - 1.0) < 1e-3):  # also refuses nan
        raise ValueError("The embedder returned vectors that are not of length 1.")
    # Exact length 1 in float64, so that a text's similarity with itself rounds to exactly 1.
    unit: NDArray[np.float64] = matrix / norms
    return unit


def _cell(
    item: DescribedItem,
    references: Mapping[tuple[str, str], dict[str, tuple[str, ...]]],
    predictions: Mapping[str, DescriptorSets],
) -> _Cell:
    sets = predictions.get(item.item_key)
    return _Cell(
        item_key=item.item_key,
        references=references.get(_cell_key(item.activity, item.country), _distinct({})),
        predicted=None if sets is None else _distinct(sets),
    )


def _compared_texts(cell: _Cell) -> Iterator[str]:
    """The texts of the dimensions in which there is something on both sides."""
    for dimension in DIMENSIONS:
        references = cell.references[dimension]
        predicted = cell.predicted[dimension] if cell.predicted is not None else ()
        if references and predicted:
            yield from references
            yield from predicted


def _by_activity_and_country(
    references: Mapping[tuple[str, str], DescriptorSets],
) -> dict[tuple[str, str], dict[str, tuple[str, ...]]]:
    merged: dict[tuple[str, str], dict[str, tuple[str, ...]]] = {}
    for (activity, country), sets in references.items():
        key = _cell_key(activity, country)
        distinct = _distinct(sets)
        before = merged.get(key, {})
        merged[key] = {
            dimension: tuple(dict.fromkeys(before.get(dimension, ()) + distinct[dimension]))
            for dimension in DIMENSIONS
        }
    return merged


def _distinct(sets: DescriptorSets) -> dict[str, tuple[str, ...]]:
    """Every dimension's texts without outer blanks, exact duplicates once, in their order."""
    unknown = [dimension for dimension in sets if dimension not in DIMENSIONS]
    if unknown:
        raise ValueError(
            f"Unknown descriptor dimension {unknown[0]!r}; there are {', '.join(DIMENSIONS)}."
        )
    return {
        dimension: tuple(dict.fromkeys(token.strip() for token in sets.get(dimension, ())))
        for dimension in DIMENSIONS
    }


def _cell_key(activity: str, country: str) -> tuple[str, str]:
    return activity.strip().casefold(), country.strip().casefold()
