"""Answers that are sets of options ("choose all that apply"): each distinct set is a category.

Two empty sets are the same answer, so their similarity is 1. (Leaving such pairs out instead is an
option of the average pairwise similarity, see `coefficients`.)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from scoring.stats.scale import Scale, scale_of_sets

Floats = npt.NDArray[np.float64]

SEPARATOR = "|"
EMPTY = "∅"
"""How a cell says "answered, and nothing chosen"; an empty cell is a missing answer."""


class SetSyntaxError(ValueError):
    """A cell cannot be read as a set of options."""


def jaccard_similarity(a: frozenset[str], b: frozenset[str]) -> float:
    """|A and B| / |A or B|, from 0 to 1; 1 for two empty sets (Jaccard 1912)."""
    union = len(a | b)
    return len(a & b) / union if union else 1.0


def masi_similarity(a: frozenset[str], b: frozenset[str]) -> float:
    """Jaccard times monotonicity, from 0 to 1 (Passonneau 2006).

    Monotonicity is 1 for equal sets, 2/3 where one contains the other, 1/3 where they overlap and
    0 where they do not. The empty set is contained in every other, but Jaccard is 0 there.
    """
    if a == b:
        return 1.0
    if a <= b or b <= a:
        return jaccard_similarity(a, b) * 2.0 / 3.0
    return jaccard_similarity(a, b) / 3.0


def jaccard_matrix(members: Sequence[frozenset[str]]) -> Floats:
    """1 - Jaccard similarity of every two sets, shape (q, q), zeros on the diagonal."""
    shared, union = _overlaps(members)
    # Two empty sets: nothing in the union, and no difference.
    same = np.divide(shared, union, out=np.ones_like(shared), where=union > 0)
    return np.asarray(1.0 - same)


def masi_matrix(members: Sequence[frozenset[str]]) -> Floats:
    """1 - MASI similarity of every two sets, shape (q, q), zeros on the diagonal."""
    shared, union = _overlaps(members)
    sizes = np.diag(shared)
    same = np.divide(shared, union, out=np.ones_like(shared), where=union > 0)
    contained = (shared == sizes[:, None]) | (shared == sizes[None, :])
    equal = (shared == sizes[:, None]) & (shared == sizes[None, :])
    monotonicity = np.where(equal, 1.0, np.where(contained, 2.0 / 3.0, 1.0 / 3.0))
    return np.asarray(1.0 - same * monotonicity)


def parse_set(
    cell: str, *, separator: str = SEPARATOR, empty: str = EMPTY
) -> frozenset[str] | None:
    """The options a cell names; None for an empty cell, which is a missing answer.

    Raises SetSyntaxError for an option without a name or one that comes twice.
    """
    text = cell.strip()
    if not text:
        return None
    if text == empty:
        return frozenset()
    options = [part.strip() for part in text.split(separator)]
    if "" in options or empty in options:
        raise SetSyntaxError(
            f"{cell!r} names an option that is empty; write {empty} alone for nothing chosen."
        )
    if len(set(options)) < len(options):
        raise SetSyntaxError(f"{cell!r} names an option twice.")
    return frozenset(options)


def set_scale(
    *,
    found: Iterable[frozenset[str]],
    options: Sequence[str] | None = None,
    separator: str = SEPARATOR,
    empty: str = EMPTY,
) -> Scale:
    """A nominal scale whose categories are the distinct sets that were answered.

    `options` declares what can be chosen, in order; it orders the labels and refuses others.
    `Scale.code_of_set` codes an answer.

    Raises ValueError for an option that is not declared.
    """
    distinct = set(found)
    known = sorted({option for one in distinct for option in one})
    if options is not None:
        unknown = [option for option in known if option not in options]
        if unknown:
            raise ValueError(f"{unknown[0]!r} is not one of the options {', '.join(options)}.")
        known = list(options)
    position = {option: place for place, option in enumerate(known)}
    ordered = sorted(distinct, key=lambda one: sorted(position[option] for option in one))
    labels = [set_label(one, order=position, separator=separator, empty=empty) for one in ordered]
    return scale_of_sets(labels=labels, members=ordered)


def set_label(
    chosen: frozenset[str],
    *,
    order: dict[str, int] | None = None,
    separator: str = SEPARATOR,
    empty: str = EMPTY,
) -> str:
    """How a set is written: its options in order, or the sign for nothing chosen."""
    place = order if order is not None else {}
    return separator.join(sorted(chosen, key=lambda o: (place.get(o, 0), o))) or empty


def _overlaps(members: Sequence[frozenset[str]]) -> tuple[Floats, Floats]:
    """(sizes of intersections, sizes of unions), both (q, q)."""
    options = sorted({option for one in members for option in one})
    has = np.array([[option in one for option in options] for one in members], dtype=np.float64)
    has = has.reshape(len(members), len(options))
    shared = has @ has.T
    sizes = np.diag(shared)
    return shared, sizes[:, None] + sizes[None, :] - shared
