"""Adjusted p-values of a family of tests, raw and adjusted side by side.

Holm (1979) holds the chance of any false claim in the family; Benjamini and Hochberg (1995) the
expected share of false ones among those declared, for exploration. The family is what a table
shows, and is named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

Adjustment = Literal["holm", "benjamini-hochberg", "bonferroni"]
ADJUSTMENTS: tuple[Adjustment, ...] = get_args(Adjustment)


@dataclass(frozen=True, slots=True, kw_only=True)
class AdjustedFamily:
    """`raw` and `adjusted` p-values in the given order, None where there was no p.

    `n_tests` counts those that had one: a test without p is no member of the family.
    """

    family: str
    method: Adjustment
    n_tests: int
    raw: tuple[float | None, ...]
    adjusted: tuple[float | None, ...]

    def n_rejected(self, alpha: float = 0.05) -> int:
        """How many adjusted p-values are at most alpha."""
        return sum(p is not None and p <= alpha for p in self.adjusted)


def adjust_p_values(
    *, p_values: Sequence[float | None], method: Adjustment, family: str
) -> AdjustedFamily:
    """A family's p-values adjusted by a method. `family` says in words what belongs to it.

    Raises ValueError for an unknown method or a p-value outside 0..1.
    """
    if method not in ADJUSTMENTS:
        raise ValueError(f"Adjustment {method!r} is unknown; choose from {', '.join(ADJUSTMENTS)}.")
    given = [p for p in p_values if p is not None]
    if not all(0.0 <= p <= 1.0 for p in given):
        raise ValueError("A p-value lies outside 0 to 1.")
    adjust = {"holm": _holm, "benjamini-hochberg": _step_up, "bonferroni": _bonferroni}[method]
    found = iter(adjust(np.array(given, dtype=np.float64)).tolist())
    return AdjustedFamily(
        family=family,
        method=method,
        n_tests=len(given),
        raw=tuple(p_values),
        adjusted=tuple(None if p is None else next(found) for p in p_values),
    )


def _holm(p: Floats) -> Floats:
    """max over smaller ranks j of (m - j + 1) p_(j), at most 1."""
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    return _in_place(order, stepped)


def _step_up(p: Floats) -> Floats:
    """min over larger ranks j of m p_(j) / j, at most 1."""
    order = np.argsort(p, kind="stable")
    ratio = p[order] * p.size / np.arange(1, p.size + 1)
    return _in_place(order, np.minimum.accumulate(ratio[::-1])[::-1])


def _bonferroni(p: Floats) -> Floats:
    return np.minimum(p * p.size, 1.0)


def _in_place(order: npt.NDArray[np.intp], stepped: Floats) -> Floats:
    adjusted = np.empty_like(stepped)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted
