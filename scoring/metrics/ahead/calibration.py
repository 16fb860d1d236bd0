"""tau from real images: how near what is seen in them comes to what is expected (PURE).

For every real image and every expected descriptor of a dimension that was looked at, the best match
is taken (or, as a variant, all pairs); tau is the third quartile (default), the median or the first
quartile of these similarities. Published: .52 and .67, for two extractors.

With the third quartile of best matches a quarter of the expected descriptors lies above it, so the
share aligned on the very same images is about .25 by construction; it says nothing about them.
Where a dimension was looked at with nothing seen there is no best match: counted, not guessed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scoring.backends.text_embedder import Embedder
from scoring.metrics.ahead.alignment import Compared, Subjects, align_values, compare
from scoring.metrics.ahead.descriptors import DIMENSIONS
from scoring.metrics.ahead.matching import DECIMALS, Vectors

ValuesOf = Literal["best", "pairs"]
QUARTILES = ("q1", "median", "q3")


class NothingToCalibrateError(ValueError):
    """No real image has both references and predicted descriptors; the message says so."""


@dataclass(frozen=True, slots=True)
class TauCalibration:
    """``values`` are the similarities (-1 to 1) that the quartiles are of, in ascending order.

    ``share_above_q3`` is the share of the best matches above Q3, whatever ``values_of`` is;
    ``align`` the mean overall ALIGN of the same images at Q3.
    """

    values_of: ValuesOf
    values: NDArray[np.float64]
    n_images: int
    n_unmatched: int
    q1: float
    median: float
    q3: float
    share_above_q3: float
    align: float | None


def calibrate(
    subjects: Subjects, embedder: Embedder, *, values_of: ValuesOf = "best"
) -> TauCalibration:
    """tau for real images, each with the references of its scene. Quartiles are interpolated
    linearly and rounded to six decimals.

    Raises ``NothingToCalibrateError`` without any similarity.
    """
    compared = compare(subjects, embedder)
    best = _best(compared)
    if not len(best):
        raise NothingToCalibrateError(
            "tau needs real images with predicted descriptors, and reference descriptors of their "
            "activity and country. Import or ask for them first."
        )
    values = best if values_of == "best" else _all_pairs(compared, embedder)
    q1, median, q3 = (round(float(q), DECIMALS) for q in np.quantile(values, (0.25, 0.5, 0.75)))
    aligns = [align_values(one, q3)[""].value for one in compared]
    defined = [value for value in aligns if value is not None]
    return TauCalibration(
        values_of=values_of,
        values=np.sort(values),
        n_images=sum(bool(one.dimensions) for one in compared),
        n_unmatched=_unmatched(compared),
        q1=q1,
        median=median,
        q3=q3,
        share_above_q3=float(np.mean(best > q3)),
        align=fmean(defined) if defined else None,
    )


def _best(compared: Sequence[Compared]) -> NDArray[np.float64]:
    found = [match.expected_best for one in compared for match in one.matches.values()]
    return np.concatenate(found) if found else np.empty(0)


def _all_pairs(compared: Sequence[Compared], embedder: Embedder) -> NDArray[np.float64]:
    matches = [m for one in compared for m in one.matches.values() if m.has_other]
    texts = (text for match in matches for side in (match.seen, match.expected) for text in side)
    vectors = Vectors(texts, embedder)
    return np.concatenate([vectors.similarity(m.seen, m.expected).ravel() for m in matches])


def _unmatched(compared: Sequence[Compared]) -> int:
    return sum(
        len(one.references[d])
        for one in compared
        for d in DIMENSIONS
        if one.looked_at(d) and not one.seen.tokens[d]
    )
