"""Best matches between what was seen and what is expected, by cosine of sentence embeddings.

Each distinct text is embedded once. The texts that share a list of references are compared with it
in one matrix product a dimension; nothing loops over pairs.

Similarities are compared with tau at six decimals, so that the noise of float32 sums and of the
order of batches decides nothing. A text compared with itself has exactly 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring.backends.text_embedder import Embedder

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

DECIMALS = 6

Pair = tuple[tuple[str, ...], tuple[str, ...]]
"""Texts seen and texts expected, in one dimension; both may be empty."""


@dataclass(frozen=True, slots=True)
class Match:
    """The nearest on the other side, for both sides of one ``Pair``; positions into the other.

    ``expected_best`` (n_expected,) and ``seen_best`` (n_seen,) are cosines within -1..1, rounded
    to six decimals. Without anything on the other side all are empty of rows on purpose: there is
    no similarity (``has_other`` is false).
    """

    seen: tuple[str, ...]
    expected: tuple[str, ...]
    expected_best: Floats
    expected_nearest: Rows
    seen_best: Floats
    seen_nearest: Rows

    @property
    def has_other(self) -> bool:
        return bool(self.seen) and bool(self.expected)

    def found(self, tau: float) -> NDArray[np.bool_]:
        """(n_expected,) whether each expected text is there: its best match is above tau."""
        if not self.has_other:
            return np.zeros(len(self.expected), dtype=bool)
        return self.expected_best > round(tau, DECIMALS)

    def unexpected(self, tau: float) -> NDArray[np.bool_]:
        """(n_seen,) whether each seen text is unexpected: no match above tau."""
        if not self.has_other:
            return np.ones(len(self.seen), dtype=bool)
        return self.seen_best <= round(tau, DECIMALS)

    def expected_rows(self) -> list[dict[str, object]]:
        """Every expected text with its best match and similarity, None where nothing was seen."""
        return _rows(self.expected, self.seen, self.expected_best, self.expected_nearest)

    def seen_rows(self) -> list[dict[str, object]]:
        """Every seen text with its best match and similarity, None where nothing is expected."""
        return _rows(self.seen, self.expected, self.seen_best, self.seen_nearest)


class Vectors:
    """Unit vectors of distinct texts, all embedded in one call. Raises ``ValueError`` where the
    embedder returns other than one unit vector a text."""

    def __init__(self, texts: Iterable[str], embedder: Embedder) -> None:
        distinct = list(dict.fromkeys(texts))
        self._row_of = {text: row for row, text in enumerate(distinct)}
        self._matrix = _unit_rows(embedder.embed(distinct), n=len(distinct)) if distinct else None

    def similarity(self, left: Sequence[str], right: Sequence[str]) -> Floats:
        """(n_left, n_right) cosines, rounded to the compared precision, within -1..1."""
        if self._matrix is None or not (left and right):
            return np.empty((len(left), len(right)))
        product = self._matrix[self._rows(left)] @ self._matrix[self._rows(right)].T
        return np.clip(np.round(product, DECIMALS), -1.0, 1.0)

    def _rows(self, texts: Sequence[str]) -> Rows:
        return np.fromiter((self._row_of[text] for text in texts), dtype=np.intp, count=len(texts))


def best_matches(pairs: Sequence[Pair], embedder: Embedder) -> list[Match]:
    """The best matches of every pair, in order. Pairs with an empty side are not embedded."""
    both = [at for at, (seen, expected) in enumerate(pairs) if seen and expected]
    vectors = Vectors((text for at in both for side in pairs[at] for text in side), embedder)
    by_expected: dict[tuple[str, ...], list[int]] = {}
    for at in both:
        by_expected.setdefault(pairs[at][1], []).append(at)
    matches: list[Match | None] = [None] * len(pairs)
    for expected, places in by_expected.items():
        found = _against(expected, [pairs[at][0] for at in places], vectors)
        for at, match in zip(places, found, strict=True):
            matches[at] = match
    return [
        match if match is not None else _without(*pair)
        for match, pair in zip(matches, pairs, strict=True)
    ]


def _against(
    expected: tuple[str, ...], seen: Sequence[tuple[str, ...]], vectors: Vectors
) -> list[Match]:
    """Several lists of seen texts, none empty, against one list of expected texts."""
    row_of = {text: row for row, text in enumerate(dict.fromkeys(t for one in seen for t in one))}
    table = vectors.similarity(list(row_of), expected)
    rows = np.fromiter((row_of[text] for one in seen for text in one), dtype=np.intp)
    ends = np.cumsum([len(one) for one in seen])
    starts = np.concatenate([[0], ends[:-1]])
    # What is nearest to a seen text is the same wherever it is seen.
    nearest_of_row = table.argmax(axis=1)
    best_of_row = table[np.arange(len(table)), nearest_of_row]
    similarity = table[rows]
    expected_best = np.maximum.reduceat(similarity, starts, axis=0)
    return [
        Match(
            seen=one,
            expected=expected,
            expected_best=expected_best[at],
            expected_nearest=similarity[starts[at] : ends[at]].argmax(axis=0),
            seen_best=best_of_row[rows[starts[at] : ends[at]]],
            seen_nearest=nearest_of_row[rows[starts[at] : ends[at]]],
        )
        for at, one in enumerate(seen)
    ]


def _without(seen: tuple[str, ...], expected: tuple[str, ...]) -> Match:
    none, nowhere = np.empty(0), np.empty(0, dtype=np.intp)
    return Match(seen, expected, none, nowhere, none, nowhere)


def _rows(
    tokens: Sequence[str], others: Sequence[str], best: Floats, nearest: Rows
) -> list[dict[str, object]]:
    if not (tokens and others):
        return [{"token": token, "best_match": None, "similarity": None} for token in tokens]
    return [
        {"token": token, "best_match": others[at], "similarity": value}
        for token, at, value in zip(tokens, nearest.tolist(), best.tolist(), strict=True)
    ]


def by_sign(
    rows: Sequence[Mapping[str, object]], signs: NDArray[np.bool_]
) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    """The rows whose sign is true, and the others, both in their order."""
    true: list[dict[str, object]] = []
    false: list[dict[str, object]] = []
    for row, sign in zip(rows, signs.tolist(), strict=True):
        (true if sign else false).append(dict(row))
    return true, false


def _unit_rows(embedded: NDArray[np.float32], *, n: int) -> Floats:
    """Exact length 1 in float64, so that a text's similarity with itself rounds to exactly 1."""
    matrix = np.asarray(embedded, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != n:
        raise ValueError(f"The embedder returned shape {matrix.shape} for {n} texts.")
    norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    if not np.all(np.abs(norms - 1.0) < 1e-3):  # also refuses nan
        raise ValueError("The embedder returned vectors that are not of length 1.")
    unit: Floats = matrix / norms
    return unit
