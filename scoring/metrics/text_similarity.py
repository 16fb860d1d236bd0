"""How alike the texts of countries are: cosines of embedded reference texts, whole and by category.

A country's text is long and an embedder reads some 256 word pieces, so each text is cut into chunks
of whole sentences, the chunks are embedded, and their unit vectors averaged (CultureScore's look at
its own bank). Similarities are from -1 to 1; the diagonal is left out of every mean.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

WORDS_A_CHUNK = 120
"""About 160 word pieces of English: below the 256 that the default embedder reads."""

_SENTENCE = re.compile(r"(?<=[.!?\u3002\u0964])\s+")

Floats = NDArray[np.float64]


class Embeds(Protocol):
    def embed(self, texts: Sequence[str]) -> NDArray[np.floating]: ...


@dataclass(frozen=True, slots=True)
class CountryText:
    country: str
    category: str
    text: str


@dataclass(frozen=True, slots=True)
class Pair:
    first: str
    second: str
    similarity: float


@dataclass(frozen=True, slots=True)
class Similarities:
    """One matrix: ``matrix[i, j]`` of ``countries[i]`` and ``[j]``, ones on its diagonal."""

    category: str
    countries: tuple[str, ...]
    matrix: Floats = field(hash=False)

    @property
    def pairs(self) -> list[Pair]:
        """Every pair of countries, the most alike first."""
        found = [
            Pair(self.countries[i], self.countries[j], float(self.matrix[i, j]))
            for i, j in combinations(range(len(self.countries)), 2)
        ]
        return sorted(found, key=lambda pair: (-pair.similarity, pair.first, pair.second))

    @property
    def mean(self) -> float | None:
        """Over pairs; None below two countries."""
        pairs = self.pairs
        return float(np.mean([pair.similarity for pair in pairs])) if pairs else None

    def mean_of(self, country: str) -> float | None:
        """A country's mean similarity to the others."""
        own = [pair.similarity for pair in self.pairs if country in (pair.first, pair.second)]
        return float(np.mean(own)) if own else None

    def within_and_between(self, region: Mapping[str, str]) -> tuple[float | None, float | None]:
        """(mean within regions, mean between them); countries without a region are left out."""
        sides: dict[bool, list[float]] = {True: [], False: []}
        for pair in self.pairs:
            if pair.first in region and pair.second in region:
                sides[region[pair.first] == region[pair.second]].append(pair.similarity)
        within, between = (float(np.mean(own)) if own else None for own in sides.values())
        return within, between


@dataclass(frozen=True, slots=True)
class Swing:
    """How far a pair's similarity moves between categories: ``high`` - ``low``."""

    first: str
    second: str
    low: float
    low_category: str
    high: float
    high_category: str

    @property
    def size(self) -> float:
        return self.high - self.low


def chunks(text: str) -> list[str]:
    """Whole sentences, at most ``WORDS_A_CHUNK`` words together; longer sentences are cut."""
    found: list[list[str]] = [[]]
    for sentence in _SENTENCE.split(text.strip()):
        words = sentence.split()
        for start in range(0, len(words), WORDS_A_CHUNK):
            piece = words[start : start + WORDS_A_CHUNK]
            if found[-1] and len(found[-1]) + len(piece) > WORDS_A_CHUNK:
                found.append([])
            found[-1] += piece
    return [" ".join(words) for words in found if words]


def similarities(texts: Sequence[CountryText], embedder: Embeds) -> list[Similarities]:
    """All categories together (category ""), then each: countries' vectors are means of chunks.

    A country with several texts of one category is their mean, chunk by chunk. Raises
    ``ValueError`` for a text without a word.
    """
    pieces = [chunks(text.text) for text in texts]
    for text, own in zip(texts, pieces, strict=True):
        if not own:
            raise ValueError(
                f"The text of {text.country}, {text.category or 'no category'} is empty."
            )
    flat = [piece for own in pieces for piece in own]
    vectors = np.asarray(embedder.embed(flat), dtype=np.float64)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    owner = [text for text, own in zip(texts, pieces, strict=True) for _ in own]
    categories = sorted({text.category for text in texts if text.category})
    return [_matrix(category, owner, vectors) for category in ("", *categories)]


def swings(matrices: Sequence[Similarities]) -> list[Swing]:
    """Of every pair that two categories have, the largest swing first."""
    by_pair: dict[tuple[str, str], list[tuple[float, str]]] = {}
    for one in matrices:
        if one.category:
            for pair in one.pairs:
                found = by_pair.setdefault((pair.first, pair.second), [])
                found.append((pair.similarity, one.category))
    swings = [
        Swing(first, second, *min(found), *max(found))
        for (first, second), found in by_pair.items()
        if len(found) > 1
    ]
    return sorted(swings, key=lambda swing: (-swing.size, swing.first, swing.second))


def _matrix(category: str, owner: Sequence[CountryText], vectors: Floats) -> Similarities:
    rows: dict[str, list[int]] = {}
    for row, text in enumerate(owner):
        if category in ("", text.category):
            rows.setdefault(text.country, []).append(row)
    countries = tuple(sorted(rows))
    means = np.stack([vectors[rows[country]].mean(axis=0) for country in countries])
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    matrix = np.clip(means @ means.T, -1.0, 1.0)
    np.fill_diagonal(matrix, 1.0)
    return Similarities(category, countries, matrix)
