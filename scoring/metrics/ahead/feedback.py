"""What to say of a picture or a cell: aligned, missing, hallucinated, exaggerated (PURE).

Read from the evidence of stored scores; each descriptor with its best match and similarity. In
each dimension the nearest and the farthest matches stand out: ``top`` and ``bottom``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scoring.metrics.ahead.alignment import ALIGN, HAL
from scoring.metrics.ahead.descriptors import DIMENSIONS
from scoring.metrics.ahead.exaggeration import EXAG

SHOWN = 3


@dataclass(frozen=True, slots=True)
class Matched:
    """A descriptor with the nearest on the other side; None where there was nothing."""

    dimension: str
    token: str
    best_match: str | None
    similarity: float | None


@dataclass(frozen=True, slots=True)
class Exaggerated:
    """A candidate that the picture shows more than real ones do; all from 0 to 1."""

    token: str
    score: float
    mean_real: float
    excess: float


@dataclass(frozen=True, slots=True)
class Feedback:
    """``missing`` and ``aligned`` are expected descriptors, ``hallucinated`` ones were seen."""

    aligned: tuple[Matched, ...]
    missing: tuple[Matched, ...]
    hallucinated: tuple[Matched, ...]
    exaggerated: tuple[Exaggerated, ...]
    tau: float | None

    @property
    def is_empty(self) -> bool:
        return not (self.aligned or self.missing or self.hallucinated or self.exaggerated)

    def of(self, dimension: str) -> Feedback:
        """The part of one dimension; what is exaggerated belongs to none."""
        return Feedback(
            aligned=tuple(m for m in self.aligned if m.dimension == dimension),
            missing=tuple(m for m in self.missing if m.dimension == dimension),
            hallucinated=tuple(m for m in self.hallucinated if m.dimension == dimension),
            exaggerated=(),
            tau=self.tau,
        )


def feedback(scores: Iterable[tuple[str, str, Mapping[str, Any]]]) -> Feedback:
    """From (output, dimension, evidence) of one item's or cell's scores in one run."""
    evidence = {(output, dimension): found for output, dimension, found in scores}

    def matched(output: str, key: str) -> tuple[Matched, ...]:
        return tuple(
            Matched(d, row["token"], row["best_match"], row["similarity"])
            for d in DIMENSIONS
            for row in evidence.get((output, d), {}).get(key, ())
        )

    exaggerated = evidence.get((EXAG, ""), {}).get("exaggerated", ())
    return Feedback(
        aligned=matched(ALIGN, "aligned"),
        missing=matched(ALIGN, "missing"),
        hallucinated=matched(HAL, "hallucinated"),
        exaggerated=tuple(Exaggerated(**row) for row in exaggerated),
        tau=evidence.get((ALIGN, ""), {}).get("tau"),
    )


def top(matches: Sequence[Matched], k: int = SHOWN) -> tuple[Matched, ...]:
    """The k with the nearest match, nearest first."""
    return tuple(sorted(_with_match(matches), key=lambda m: -(m.similarity or 0.0))[:k])


def bottom(matches: Sequence[Matched], k: int = SHOWN) -> tuple[Matched, ...]:
    """The k with the farthest match, farthest first; those without any match come before."""
    without = [m for m in matches if m.similarity is None]
    return tuple([*without, *sorted(_with_match(matches), key=lambda m: m.similarity or 0.0)][:k])


def _with_match(matches: Sequence[Matched]) -> list[Matched]:
    return [m for m in matches if m.similarity is not None]
