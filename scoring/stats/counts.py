"""From ratings to integer codes and the item x category count matrix.

A rating is (unit, rater, category). Codes are made once; everything after works on integers.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import numpy.typing as npt

from scoring.stats.scale import MISSING, RatingValue, Scale

Codes = npt.NDArray[np.intp]
Floats = npt.NDArray[np.float64]

MAX_CELLS = 100_000_000
"""Largest item x category matrix that is built (400 MB of 32-bit counts)."""


class DuplicateRatingError(ValueError):
    """Two ratings of one unit by one rater. `first` and `second` are their positions."""

    def __init__(self, *, first: int, second: int) -> None:
        self.first = first
        self.second = second
        super().__init__(
            f"Ratings {first} and {second} (counted from 0) are of the same unit by the same "
            "rater; keep one of them."
        )


class ClusterError(ValueError):
    """One unit has two cluster labels. `first` and `second` are the positions of the ratings."""

    def __init__(self, *, first: int, second: int) -> None:
        self.first = first
        self.second = second
        super().__init__(
            f"Ratings {first} and {second} (counted from 0) are of the same unit but name "
            "different clusters; a unit belongs to one cluster."
        )


@dataclass(frozen=True, slots=True, eq=False)
class CodedRatings:
    """Validated ratings as dense integer codes; build it with `code_ratings`.

    `unit`, `rater`, `category`: shape (n_ratings,), 0-based, every unit and rater occurs.
    `cluster`: shape (n_units,), 0-based cluster of each unit, or None.
    """

    unit: Codes
    rater: Codes
    category: Codes
    n_units: int
    n_raters: int
    scale: Scale
    cluster: Codes | None = None

    @property
    def n_ratings(self) -> int:
        """How many ratings there are, missing ones not counted."""
        return int(self.unit.size)

    def count_matrix(self) -> npt.NDArray[np.int32]:
        """Ratings of each unit in each category, shape (n_units, n_categories)."""
        n_categories = len(self.scale.labels)
        cells = self.n_units * n_categories
        if cells > MAX_CELLS:
            raise ValueError(
                f"{self.n_units} units x {n_categories} distinct values are too many for a count "
                "matrix; round the values to the steps of the scale."
            )
        flat = np.bincount(self.unit * n_categories + self.category, minlength=cells)
        return flat.astype(np.int32).reshape(self.n_units, n_categories)


def code_ratings(
    *,
    unit: npt.ArrayLike,
    rater: npt.ArrayLike,
    category: npt.ArrayLike,
    scale: Scale,
    cluster: npt.ArrayLike | None = None,
) -> CodedRatings:
    """Check integer codes and make them dense.

    All arguments have shape (n,). Category -1 is a missing rating and its row is dropped; units
    and raters without ratings disappear from the codes. `cluster` names the cluster of each
    rating's unit.

    Raises DuplicateRatingError, ClusterError, and ValueError for shapes or codes out of range.
    """
    columns = {"unit": unit, "rater": rater, "category": category}
    if cluster is not None:
        columns["cluster"] = cluster
    arrays = {name: _checked_codes(name, column) for name, column in columns.items()}
    sizes = {name: array.size for name, array in arrays.items()}
    if len(set(sizes.values())) > 1:
        raise ValueError(f"The columns have different lengths: {sizes}.")
    n_categories = len(scale.labels)
    if arrays["category"].size and int(arrays["category"].max()) >= n_categories:
        raise ValueError(
            f"Category code {int(arrays['category'].max())} is unknown: the scale declares "
            f"{n_categories} categories."
        )
    kept = _kept(arrays["category"])
    arrays = {name: array[kept] for name, array in arrays.items()}
    units, n_units = _dense(arrays["unit"])
    raters, n_raters = _dense(arrays["rater"])
    _refuse_duplicates(units, raters, n_units, n_raters, kept)
    clusters = None
    if cluster is not None:
        clusters = _cluster_of_units(units, arrays["cluster"], n_units, kept)
    return CodedRatings(
        unit=units,
        rater=raters,
        category=arrays["category"],
        n_units=n_units,
        n_raters=n_raters,
        scale=scale,
        cluster=clusters,
    )


def ratings_from_labels(
    *,
    units: Sequence[Hashable],
    raters: Sequence[Hashable],
    values: Sequence[RatingValue],
    scale: Scale,
    clusters: Sequence[Hashable] | None = None,
) -> CodedRatings:
    """Code ratings given by labels, one entry a rating; None and '' are missing values.

    Raises what `Scale.code` and `code_ratings` raise.
    """
    return code_ratings(
        unit=_codes_of(units),
        rater=_codes_of(raters),
        category=np.fromiter((scale.code(value) for value in values), np.intp, len(values)),
        scale=scale,
        cluster=None if clusters is None else _codes_of(clusters),
    )


def ratings_from_counts(*, counts: npt.ArrayLike, scale: Scale) -> CodedRatings:
    """Ratings from a count matrix, shape (n_units, n_categories), when raters are not known.

    The raters are numbered within each unit, so only coefficients and the item bootstrap make
    sense of the outcome; nothing that resamples raters does.
    """
    matrix = np.asarray(counts)
    if matrix.ndim != 2 or matrix.shape[1] != len(scale.labels):
        raise ValueError(
            f"The count matrix has shape {matrix.shape}; it needs one column for each of the "
            f"{len(scale.labels)} categories."
        )
    if matrix.size and (not np.issubdtype(matrix.dtype, np.integer) or matrix.min() < 0):
        raise ValueError("Counts must be whole numbers of 0 or more.")
    unit = np.repeat(np.arange(matrix.shape[0]), matrix.sum(axis=1))
    cells = np.tile(np.arange(matrix.shape[1]), matrix.shape[0])
    category = np.repeat(cells, matrix.ravel())
    starts = np.concatenate(([0], np.cumsum(matrix.sum(axis=1))[:-1])) if matrix.size else unit
    rater = np.arange(unit.size) - starts[unit]
    return code_ratings(unit=unit, rater=rater, category=category, scale=scale)


def _codes_of(labels: Iterable[Hashable]) -> Codes:
    """0-based codes in order of first appearance."""
    seen: dict[Hashable, int] = {}
    return np.array([seen.setdefault(label, len(seen)) for label in labels], dtype=np.intp)


def _checked_codes(name: str, column: npt.ArrayLike) -> Codes:
    array = np.asarray(column)
    if array.ndim != 1:
        raise ValueError(f"The {name} codes have shape {array.shape}; one dimension is needed.")
    if array.size == 0:
        return np.empty(0, dtype=np.intp)
    if not np.issubdtype(array.dtype, np.integer):
        raise ValueError(f"The {name} codes are {array.dtype}; whole numbers are needed.")
    lowest = MISSING if name == "category" else 0
    if int(array.min()) < lowest:
        raise ValueError(f"The {name} code {int(array.min())} is below {lowest}.")
    return array.astype(np.intp, copy=False)


def _kept(category: Codes) -> Codes | slice:
    """The positions of ratings that are not missing; a slice, which copies nothing, for all."""
    missing = category == MISSING
    return np.flatnonzero(~missing) if missing.any() else slice(None)


def _position(kept: Codes | slice, place: Codes | int) -> int:
    return int(place) if isinstance(kept, slice) else int(kept[place])


def _dense(codes: Codes) -> tuple[Codes, int]:
    """Renumber codes so that every number from 0 occurs, order kept."""
    if codes.size == 0:
        return codes, 0
    highest = int(codes.max())
    if highest > 4 * codes.size + 1024:
        distinct, inverse = np.unique(codes, return_inverse=True)
        return inverse.astype(np.intp, copy=False), int(distinct.size)
    present = np.bincount(codes, minlength=highest + 1) > 0
    total = int(present.sum())
    if total == highest + 1:
        return codes, total
    renumbered = np.cumsum(present) - 1
    return cast(Codes, renumbered[codes]), total


def _refuse_duplicates(
    unit: Codes, rater: Codes, n_units: int, n_raters: int, kept: Codes | slice
) -> None:
    key = unit * n_raters + rater
    if n_units * n_raters <= 16 * key.size:
        # A table of all pairs is cheaper than a sort unless the pairs are mostly empty.
        if key.size and int(np.bincount(key).max()) < 2:
            return
    else:
        ordered = np.sort(key)
        if not bool((ordered[1:] == ordered[:-1]).any()):
            return
    if key.size == 0:
        return
    order = np.argsort(key, kind="stable")
    repeated = np.flatnonzero(np.diff(key[order]) == 0)
    # The repetition that comes first in the input is the one a person meets first.
    earliest = repeated[np.argmin(order[repeated + 1])]
    raise DuplicateRatingError(
        first=_position(kept, order[earliest]), second=_position(kept, order[earliest + 1])
    )


def _cluster_of_units(unit: Codes, cluster: Codes, n_units: int, kept: Codes | slice) -> Codes:
    first = np.full(n_units, -1, dtype=np.intp)
    # Written in reverse, so that the first rating of a unit is the one that stays.
    first[unit[::-1]] = np.arange(unit.size)[::-1]
    differs = np.flatnonzero(cluster != cluster[first[unit]])
    if differs.size:
        clash = int(differs[0])
        raise ClusterError(first=_position(kept, first[unit[clash]]), second=_position(kept, clash))
    return _dense(cluster[first])[0]
