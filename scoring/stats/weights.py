"""How much two categories differ: one disagreement matrix D for each weighting, 0 to 1.

D is 1 - W for the agreement weights W of Gwet 2014 (Handbook of Inter-Rater Reliability, 4th
edition, chapter 3), with zeros on the diagonal; for sets it is one minus the similarity of `sets`.
x and y are the numbers of two categories; where categories are words their positions 1, 2, ... q
stand in. R is the range of the declared categories.

| name | D(x, y) |
| --- | --- |
| identity | 1 for different categories |
| linear, quadratic, radical | |x - y| / R, ((x - y) / R)^2, sqrt(|x - y| / R) |
| ratio | ((x - y) / (x + y))^2 over its largest possible value |
| circular | sin^2(pi (x - y) / (R + 1)) over its largest value |
| bipolar | (x - y)^2 / ((x + y - 2 min)(2 max - x - y)) over its largest value |
| ordinal | pairs of positions from one category to the other, C(steps + 1, 2), over the largest |

Krippendorff's interval and ratio differences are the quadratic and the ratio D up to a factor,
which alpha does not feel. His ordinal difference is another one: it depends on how often categories
occur (see `coefficients`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from scoring.stats.scale import Scale
from scoring.stats.sets import jaccard_matrix, masi_matrix

Floats = npt.NDArray[np.float64]

WeightsName = Literal[
    "identity", "linear", "quadratic", "ordinal", "radical", "ratio", "circular", "bipolar"
]
WEIGHTS: tuple[WeightsName, ...] = get_args(WeightsName)

SetDistance = Literal["jaccard", "masi"]
SET_DISTANCES: tuple[SetDistance, ...] = get_args(SetDistance)

Distance = WeightsName | SetDistance
DISTANCES: tuple[Distance, ...] = (*WEIGHTS, *SET_DISTANCES)

MOST_FOR_MATRIX = 2_000
"""Up to this many categories a q x q matrix of differences is built (32 MB)."""


class WithoutOrderError(ValueError):
    """Graded differences, ranks or means are wanted of categories without an order."""


def require_order(scale: Scale) -> None:
    """Raises WithoutOrderError for a nominal scale of words or of sets."""
    if scale.values is None and scale.level == "nominal":
        shown = ", ".join(scale.labels[:5]) + (", ..." if len(scale.labels) > 5 else "")
        raise WithoutOrderError(
            f"This needs categories in order, but {shown} are on a nominal scale. Declare their "
            "order (ordinal level), or choose a coefficient without weights."
        )


def category_numbers(scale: Scale) -> Floats:
    """The number of each category, shape (q,): its value, or its position for words.

    Raises WithoutOrderError.
    """
    require_order(scale)
    if scale.values is not None:
        return np.array(scale.values, dtype=np.float64)
    return np.arange(1.0, len(scale.labels) + 1.0)


@lru_cache(maxsize=4)
def disagreement_matrix(distance: Distance, scale: Scale) -> Floats:
    """D for a scale, shape (q, q), read-only, from 0 (the same) to 1; the diagonal is exactly 0.

    Raises WithoutOrderError for graded differences on a nominal scale of words, and ValueError for
    a set distance on a scale without sets, for ratio weights of negative values, and for more
    categories than a matrix is built for.
    """
    q = len(scale.labels)
    if q > MOST_FOR_MATRIX:
        way_out = (
            "Declare fewer options, or count sets that differ at all alike (nominal level)."
            if distance in SET_DISTANCES
            else "Round them, or use the quadratic weights or the interval level."
        )
        raise ValueError(
            f"The {distance} difference of {q} different values needs too large a matrix (up to "
            f"{MOST_FOR_MATRIX} values). {way_out}"
        )
    matrix = _matrix(distance, scale)
    matrix.setflags(write=False)
    return matrix


def expected_disagreement(distance: Distance, parts: Floats, scale: Scale) -> Floats:
    """Sum over categories c, k of p_c p_k D(c, k) for each row p of `parts` (b, q), shape (b,).

    Exactly 0 where a row has a single category. Raises what `disagreement_matrix` raises.
    """
    if distance == "identity":
        rest = parts.sum(axis=1, keepdims=True) - parts
        # One category and zeros: the sum is that number itself, so the rest is exactly zero.
        return np.asarray(np.einsum("bq,bq->b", parts, rest))
    if distance == "quadratic" and parts.shape[1] > 1:
        x = category_numbers(scale)
        total = parts.sum(axis=1)
        safe = np.where(total > 0, total, 1.0)
        # Centred, so that the sums of squares do not cancel each other's digits.
        away = (x - ((parts @ x) / safe)[:, None]) / (x.max() - x.min())
        single = np.count_nonzero(parts, axis=1) < 2
        return np.asarray(np.where(single, 0.0, 2.0 * total * (parts * away**2).sum(axis=1)))
    differing = parts @ disagreement_matrix(distance, scale)
    return np.asarray(np.einsum("bq,bq->b", differing, parts))


def total_disagreement(distance: Distance, scale: Scale) -> float:
    """The sum of D over all pairs of categories."""
    ones = np.ones((1, len(scale.labels)))
    return float(expected_disagreement(distance, ones, scale)[0])


def _matrix(distance: Distance, scale: Scale) -> Floats:
    q = len(scale.labels)
    if distance == "jaccard":
        return jaccard_matrix(_members(distance, scale))
    if distance == "masi":
        return masi_matrix(_members(distance, scale))
    if distance == "identity":
        return np.asarray(1.0 - np.eye(q))
    require_order(scale)
    if q < 2:
        return np.zeros((q, q))
    if distance == "ordinal":
        steps = np.abs(np.subtract.outer(np.arange(q), np.arange(q))).astype(np.float64)
        return np.asarray(steps * (steps + 1.0) / (q * (q - 1.0)))
    return _by_number(distance, category_numbers(scale))


def _by_number(distance: Distance, x: Floats) -> Floats:
    low, high = float(x.min()), float(x.max())
    apart = np.abs(x[:, None] - x[None, :])
    if distance == "linear":
        return np.asarray(apart / (high - low))
    if distance == "quadratic":
        return np.asarray((apart / (high - low)) ** 2)
    if distance == "radical":
        return np.sqrt(apart / (high - low))
    together = x[:, None] + x[None, :]
    if distance == "ratio":
        if low < 0:
            raise ValueError("Ratio weights need a true zero and no negative values.")
        # Both values zero: no difference, and 0/0 is not formed.
        scaled = np.divide(apart, together, out=np.zeros_like(apart), where=together > 0)
        return np.asarray((scaled / ((high - low) / (high + low))) ** 2)
    if distance == "circular":
        around = np.sin(np.pi * apart / (high - low + 1.0)) ** 2
        return np.asarray(around / around.max())
    ends = (together - 2.0 * low) * (2.0 * high - together)
    polar = np.divide(apart**2, ends, out=np.zeros_like(apart), where=apart > 0)
    return np.asarray(polar / polar.max())


def _members(distance: Distance, scale: Scale) -> tuple[frozenset[str], ...]:
    if scale.members is None:
        raise ValueError(
            f"The {distance} similarity compares sets of options, but the categories "
            f"{', '.join(scale.labels[:5])} are not declared as sets."
        )
    return scale.members
