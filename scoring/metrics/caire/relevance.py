"""From a distribution over the five points to a score, and from scores to the spread of a set.

    caire           argmax_k P(k), k = 1 ... 5         1 to 5, higher is more relevant
    caire_expected  sum_k k P(k)

With each picture's scores of all labels divided by their sum, p_1 ... p_n:

    caire_diversity = mean over pairs of the Jensen-Shannon distance of p_i and p_j, the square
                      root of their divergence in natural logarithms    0 to sqrt(log 2), about .83
    caire_coverage  = share of labels that some picture scores 4 or more           0 to 1

Higher is more varied.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring.backends.answer_options import OptionProbabilities, option_probabilities
from scoring.backends.chat import REFUSED, BadAnswerError, Choice

POINTS = ("1", "2", "3", "4", "5")
COVERED = 4

Floats = NDArray[np.float64]


def read_points(choice: Choice) -> OptionProbabilities:
    """The distribution over the five points. Raises ``BadAnswerError``."""
    return option_probabilities(choice, POINTS)


def read_free(choice: Choice) -> int:
    """A point written as the whole answer. Raises ``BadAnswerError``."""
    if choice.outcome == REFUSED:
        raise BadAnswerError("refused", f"The model refused: {choice.text[:200]}")
    found = re.fullmatch(r"\s*([1-5])\s*\.?\s*", choice.text)
    if found is None:
        raise BadAnswerError("parse_failed", f"No point from 1 to 5 alone: {choice.text[:200]!r}")
    return int(found[1])


def most_probable_point(probabilities: Mapping[str, float]) -> int:
    """Of equally probable ones the lowest."""
    return int(max(POINTS, key=lambda point: probabilities[point]))


def expected_point(probabilities: Mapping[str, float]) -> float:
    return float(sum(int(point) * probabilities[point] for point in POINTS))


def mean_distance(scores: NDArray[Any]) -> float:
    """Mean Jensen-Shannon distance (natural log) over the pairs of rows, each divided by its sum.

    ``scores`` has the shape (n, labels), is not negative, and no row is all 0. Raises
    ``ValueError`` otherwise and for n below 2.
    """
    x = np.asarray(scores, dtype=np.float64)
    if x.ndim != 2 or len(x) < 2 or (x < 0).any() or (x.sum(axis=1) <= 0).any():
        raise ValueError(f"No distances between rows of this array, of shape {x.shape}.")
    p = x / x.sum(axis=1, keepdims=True)
    first, second = np.triu_indices(len(p), k=1)
    own = _negative_entropy(p)
    middle = _negative_entropy((p[first] + p[second]) / 2)
    divergence = (own[first] + own[second]) / 2 - middle
    return float(np.sqrt(np.maximum(divergence, 0)).mean())  # rounding leaves some below 0


def coverage(scores: NDArray[Any], *, threshold: float = COVERED) -> float:
    """Share of columns of ``scores``, shape (n, labels), with a value of ``threshold`` or more."""
    x = np.asarray(scores, dtype=np.float64)
    if x.ndim != 2 or not x.size:
        raise ValueError(f"No coverage of an array of shape {x.shape}.")
    return float((x >= threshold).any(axis=0).mean())


def _negative_entropy(p: Floats) -> Floats:
    """sum p log p of each row, with 0 log 0 = 0."""
    terms: Floats = np.where(p > 0, p * np.log(np.where(p > 0, p, 1)), 0)
    return np.asarray(terms.sum(axis=-1), dtype=np.float64)
