"""Ratings and scores on one scale: declared range, direction, composites.

The declared range counts, not the observed one: a study whose best item got 4 of 5 is not a study
with a perfect item.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from scoring.stats.association import rounded_ratings

Floats = npt.NDArray[np.float64]

Better = Literal["higher", "lower"]
BETTERS: tuple[Better, ...] = get_args(Better)


class OutOfRangeError(ValueError):
    """A value outside the declared range."""


@dataclass(frozen=True, slots=True)
class DeclaredRange:
    """The lowest and highest value a scale or metric can give, and which way is better.

    Raises ValueError for a range that is empty or not finite, or an unknown direction.
    """

    low: float
    high: float
    better: Better = "higher"

    def __post_init__(self) -> None:
        if not (np.isfinite(self.low) and np.isfinite(self.high) and self.low < self.high):
            raise ValueError(f"{self.low} to {self.high} is no range; the low end comes first.")
        if self.better not in BETTERS:
            raise ValueError(f"{self.better!r} is no direction; choose higher or lower.")

    def better_is_higher(self, values: npt.ArrayLike) -> Floats:
        """Values so that higher is better, on the same range: 6 - x for a 1-5 scale of faults.

        nan stays nan. Raises OutOfRangeError.
        """
        numbers = self._checked(values)
        return numbers if self.better == "higher" else self.low + self.high - numbers

    def to_unit(self, values: npt.ArrayLike) -> Floats:
        """Values from 0 (worst) to 1 (best): (x - low) / (high - low), reversed where lower is
        better. nan stays nan. Raises OutOfRangeError.
        """
        return (self.better_is_higher(values) - self.low) / (self.high - self.low)

    def _checked(self, values: npt.ArrayLike) -> Floats:
        numbers = np.asarray(values, dtype=np.float64)
        rounded = rounded_ratings(numbers)
        outside = (rounded < self.low) | (rounded > self.high)
        if outside.any():
            raise OutOfRangeError(
                f"{float(numbers[outside].flat[0]):g} lies outside the declared range "
                f"{self.low:g} to {self.high:g}."
            )
        return numbers


@dataclass(frozen=True, slots=True, eq=False)
class Composite:
    """The mean of an item's available dimensions, shape (n_items,), nan where it has none.

    `n_available` (n_items,) says how many dimensions each mean rests on.
    """

    value: Floats
    n_available: npt.NDArray[np.intp]


def composite(*, dimensions: npt.ArrayLike) -> Composite:
    """Composites of dimensions on one scale and in one direction, shape (n_items, n_dimensions).

    nan is a dimension that an item does not have. Raises ValueError for another shape.
    """
    values = np.asarray(dimensions, dtype=np.float64)
    if values.ndim != 2:
        raise ValueError(f"Dimensions of shape {values.shape} came; items x dimensions is needed.")
    available = ~np.isnan(values)
    n_available = available.sum(axis=1)
    sums = np.where(available, values, 0.0).sum(axis=1)
    mean = np.divide(sums, n_available, out=np.full(sums.shape, np.nan), where=n_available > 0)
    return Composite(value=rounded_ratings(mean), n_available=n_available)
