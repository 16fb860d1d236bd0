"""Two people at a time: how often their answers to the same units are the same."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from scoring.analysis.coding import Judged
from scoring.analysis.parts.agreement import PairSummary, RaterPair
from scoring.stats.counts import CodedRatings

Codes = npt.NDArray[np.int64]

FEWEST_UNITS = 5
"""Pairs that share fewer units are counted, not listed."""

LISTED = 10


def rater_pairs(given: Judged) -> PairSummary:
    """All pairs of people who share units; the least and the most alike of them by name."""
    ratings = given.ratings
    first, second, n, alike = _shared(ratings)
    enough = n >= FEWEST_UNITS
    pairs = np.stack([first[enough], second[enough], n[enough]])
    same = alike[enough] / n[enough]
    order = np.lexsort((pairs[1], pairs[0], -pairs[2], same))
    names = _names(given)

    def listed(places: Codes) -> tuple[RaterPair, ...]:
        return tuple(
            RaterPair(
                first=names[one],
                second=names[other],
                n_units=int(shared),
                same=float(same[at]),
                apart=_apart(ratings, int(one), int(other)),
            )
            for at, (one, other, shared) in zip(places, pairs[:, places].T, strict=True)
        )

    return PairSummary(
        n_pairs=int(n.size),
        fewest_units=FEWEST_UNITS,
        n_pairs_with_enough=int(enough.sum()),
        mean_same=float(same.mean()) if same.size else None,
        lowest=listed(order[:LISTED]),
        highest=listed(order[::-1][: min(LISTED, max(order.size - LISTED, 0))]),
    )


def _shared(ratings: CodedRatings) -> tuple[Codes, Codes, Codes, Codes]:
    """(one person, another, units both judged, the same answers among them) of every pair."""
    none = np.empty(0, dtype=np.int64)
    if ratings.n_ratings == 0:
        return none, none, none, none
    from scipy import sparse

    ones = np.ones(ratings.n_ratings)
    cell = ratings.unit * len(ratings.scale.labels) + ratings.category
    place = np.unique(cell, return_inverse=True)[1]
    rated = sparse.csr_array((ones, (ratings.rater, ratings.unit)))
    chosen = sparse.csr_array((ones, (ratings.rater, place)))
    shared = sparse.triu(rated @ rated.T, k=1).tocoo()
    first, second = shared.row.astype(np.int64), shared.col.astype(np.int64)
    if not first.size:
        return none, none, none, none
    alike = np.asarray((chosen @ chosen.T).tocsr()[first, second]).ravel()
    return first, second, shared.data.astype(np.int64), alike.astype(np.int64)


def _names(given: Judged) -> list[str]:
    """Pseudonyms in the order of the rater codes."""
    raters = np.unique(given.answers.rater)
    return [given.answers.raters[place].code for place in raters.tolist()]


def _apart(ratings: CodedRatings, first: int, second: int) -> float | None:
    """Mean absolute difference over the units both judged; None without numbers in an order."""
    if ratings.scale.level == "nominal" or ratings.scale.values is None:
        return None
    x = np.array(ratings.scale.values)
    rows = [np.flatnonzero(ratings.rater == who) for who in (first, second)]
    _, one, two = np.intersect1d(
        ratings.unit[rows[0]], ratings.unit[rows[1]], assume_unique=True, return_indices=True
    )
    differences = x[ratings.category[rows[0][one]]] - x[ratings.category[rows[1][two]]]
    return float(np.abs(differences).mean())
