"""The sums over items that every coefficient of the count family is a function of.

Notation, for one weighting of items (w_i) and raters (v_r; all 1 for the estimate):

    n_ic = sum of v_r over the raters who put item i into category c    (`counts`)
    s_ic = sum of v_r^2 over the same                                   (`own`: a rater's pairs with
                                                                         himself; n_ic where v = 1)
    n_i  = sum_c n_ic,   P_i = n_i^2 - sum_c s_ic                       (ordered pairs of the item)
    d_i  = sum_ck n_ic n_ik D(c, k)                                     (their disagreement)

D is zero on the diagonal, so pairs of a rating with itself never disagree and d_i needs no
correction; and full agreement is exactly zero disagreement, in floating point too. An item enters
only through `item_rows`, so a bootstrap forms other weighted sums of the same rows:

    totals = unpack(weights @ item_rows(counts, own, needs, scale).T, needs, q)

The rows that are formed are those the wanted coefficients need (`Needs`), nothing else. Only alpha
at the ordinal level, whose differences depend on the margins, needs the q x q coincidence matrix.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from scoring.stats.scale import Scale
from scoring.stats.weights import Distance, disagreement_matrix

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Needs:
    """Which sums the wanted coefficients need.

    `margins`: alpha's. `shares`: the chance terms of AC and kappa. `coincidences`: alpha at the
    ordinal level. `distances`: the fixed differences wanted. `comparable`: the sums without pairs
    of two empty sets, for the average pairwise similarity that leaves them out.
    """

    margins: bool = False
    shares: bool = False
    coincidences: bool = False
    distances: tuple[Distance, ...] = ()
    comparable: tuple[Distance, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Disagreement:
    """Disagreement in pairs under one D, for a batch of b weightings, (b,) each.

    `coincident`: sum of w_i (n_i / P_i) d_i, alpha's observed disagreement before it is divided by
    the number of ratings. `per_item`: sum of w_i d_i / P_i, each item's mean over its pairs.
    `pooled`: sum of w_i d_i, all pairs alike.
    """

    coincident: Floats
    per_item: Floats
    pooled: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Comparable:
    """The like without pairs of two empty sets: `items` and `pairs` count what is left, (b,)."""

    per_item: Floats
    pooled: Floats
    items: Floats
    pairs: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Totals:
    """Sums over items for a batch of b weightings (b = 1: the estimate itself).

    `paired` (b,): items with ratings by two raters or more. `pairs` (b,): their ordered pairs.
    `rated` (b,): rated items. `margins` (b, q): how often each category occurs in pairs, the row
    sums of Krippendorff's coincidence matrix. `shares` (b, q): sum over rated items of the share
    of their ratings in each category. `coincidences` (b, q, q): that matrix itself. What was not
    needed is None.
    """

    paired: Floats
    pairs: Floats
    rated: Floats
    margins: Floats | None
    shares: Floats | None
    coincidences: Floats | None
    disagreements: Mapping[Distance, Disagreement]
    comparable: Mapping[Distance, Comparable]


def item_rows(counts: Floats, own: Floats, needs: Needs, scale: Scale) -> Floats:
    """What each item adds to the sums, shape (n_rows, n_items), in the order `unpack` reads.

    `counts` and `own` have shape (q, n_items): categories first, so that sums over a handful of
    categories run along memory.
    """
    return np.vstack([*_simple_rows(counts, own, needs, scale), *_products(counts, own, needs)])


def n_rows(needs: Needs, q: int) -> int:
    """How many rows `item_rows` gives for q categories."""
    products = q * (q + 1) // 2 if needs.coincidences else 0
    by_category = q * (int(needs.margins) + int(needs.shares))
    return 3 + by_category + 3 * len(needs.distances) + 4 * len(needs.comparable) + products


def unpack(sums: Floats, needs: Needs, q: int) -> Totals:
    """Totals from sums of `item_rows`, shape (b, n_rows)."""
    rows = iter(np.ascontiguousarray(sums.T))
    rated, paired, pairs = (next(rows) for _ in range(3))
    margins = np.stack([next(rows) for _ in range(q)], axis=1) if needs.margins else None
    shares = np.stack([next(rows) for _ in range(q)], axis=1) if needs.shares else None
    disagreements = {
        distance: Disagreement(next(rows), next(rows), next(rows)) for distance in needs.distances
    }
    comparable = {
        distance: Comparable(next(rows), next(rows), next(rows), next(rows))
        for distance in needs.comparable
    }
    coincidences = None
    if needs.coincidences:
        upper, right = np.triu_indices(q)
        coincidences = np.empty((sums.shape[0], q, q))
        coincidences[:, upper, right] = sums[:, sums.shape[1] - upper.size :]
        coincidences[:, right, upper] = coincidences[:, upper, right]
    return Totals(
        rated=rated,
        paired=paired,
        pairs=pairs,
        margins=margins,
        shares=shares,
        coincidences=coincidences,
        disagreements=disagreements,
        comparable=comparable,
    )


def totals_of(
    counts: Floats, own: Floats, needs: Needs, scale: Scale, weights: Floats | None = None
) -> Totals:
    """The sums of one weighting of the items, shape (n_items,), or of every item once.

    `counts` and `own` have shape (q, n_items). One matrix product gives the coincidences here,
    where a batch of weightings is better served by `item_rows`.
    """
    if own is counts and weights is None and not needs.comparable:
        return _plain_totals(counts, needs, scale)
    simple = replace(needs, coincidences=False)
    blocks = _simple_rows(counts, own, simple, scale)
    summed = [block.sum(axis=1) if weights is None else block @ weights for block in blocks]
    totals = unpack(np.concatenate(summed)[None], simple, counts.shape[0])
    if not needs.coincidences:
        return totals
    sizes = counts.sum(axis=0)
    pairs = sizes * sizes - own.sum(axis=0)
    per_item = np.divide(sizes, pairs, out=np.zeros_like(sizes), where=pairs > 0)
    if weights is not None:
        per_item = per_item * weights
    coincidences = (counts * per_item) @ counts.T
    coincidences[np.diag_indices_from(coincidences)] -= own @ per_item
    return replace(totals, coincidences=coincidences[None])


def _plain_totals(counts: Floats, needs: Needs, scale: Scale) -> Totals:
    """The sums with every weight 1, by a few q x q products and no row for each item."""
    sizes = counts.sum(axis=0)
    paired = sizes > 1
    pairs = sizes * (sizes - 1.0)
    per_pair = np.divide(1.0, pairs, out=np.zeros_like(sizes), where=paired)
    per_rating = np.divide(1.0, sizes - 1.0, out=np.zeros_like(sizes), where=paired)
    # Entry (c, k) sums n_c n_k over items: the pairs of a rating with itself lie on the diagonal,
    # where D is 0.
    coincidences = (counts * per_rating) @ counts.T
    disagreements = {}
    if needs.distances:
        shares, products = (counts * per_pair) @ counts.T, counts @ counts.T
        for distance in needs.distances:
            apart = disagreement_matrix(distance, scale)
            coincident, per_item, pooled = (
                np.array([float((matrix * apart).sum())])
                for matrix in (coincidences, shares, products)
            )
            disagreements[distance] = Disagreement(coincident, per_item, pooled)
    coincidences[np.diag_indices_from(coincidences)] -= counts @ per_rating
    over_sizes = np.divide(1.0, sizes, out=np.zeros_like(sizes), where=sizes > 0)
    return Totals(
        rated=np.array([float((sizes > 0).sum())]),
        paired=np.array([float(paired.sum())]),
        pairs=np.array([float(pairs.sum())]),
        margins=(counts @ paired)[None] if needs.margins else None,
        shares=(counts @ over_sizes)[None] if needs.shares else None,
        coincidences=coincidences[None],
        disagreements=disagreements,
        comparable={},
    )


def disagreement_of_items(counts: Floats, distance: Distance, scale: Scale) -> Floats:
    """d_i of every item (see the module's text), shape (n_items,), from counts (q, n_items)."""
    if distance == "identity":
        sizes = counts.sum(axis=0)
        return np.asarray(sizes * sizes - np.einsum("ci,ci->i", counts, counts))
    differing = disagreement_matrix(distance, scale) @ counts
    return np.asarray(np.einsum("ci,ci->i", differing, counts))


def _simple_rows(counts: Floats, own: Floats, needs: Needs, scale: Scale) -> list[Floats]:
    """All rows but the products, as blocks of shape (k, n_items)."""
    sizes = counts.sum(axis=0)
    pairs = sizes * sizes - own.sum(axis=0)
    paired = pairs > 0
    rated = sizes > 0
    blocks = [np.stack([rated.astype(np.float64), paired.astype(np.float64), pairs])]
    if needs.margins or needs.shares:
        with_others = counts * sizes - own
    if needs.margins:
        # The division comes last: with every weight 1 it is exact and gives the counts.
        margins = with_others * sizes
        blocks.append(np.divide(margins, pairs, out=np.zeros_like(counts), where=paired))
    if needs.shares:
        shares = np.divide(counts, sizes, out=np.zeros_like(counts), where=rated & ~paired)
        blocks.append(np.divide(with_others, pairs, out=shares, where=paired))
    for distance in needs.distances:
        differing = disagreement_of_items(counts, distance, scale)
        share = np.divide(differing, pairs, out=np.zeros_like(sizes), where=paired)
        # Divided, not sizes * share: an integer quotient stays exact.
        coincident = np.divide(differing * sizes, pairs, out=np.zeros_like(sizes), where=paired)
        blocks.append(np.stack([coincident, share, differing]))
    for distance in needs.comparable:
        blocks.append(_comparable_rows(counts, own, pairs, distance, scale))
    return blocks


def _comparable_rows(
    counts: Floats, own: Floats, pairs: Floats, distance: Distance, scale: Scale
) -> Floats:
    differing = disagreement_of_items(counts, distance, scale)
    left = pairs.copy()
    members = scale.members or ()
    if frozenset() in members:
        empty = members.index(frozenset())
        left -= counts[empty] ** 2 - own[empty]
    some = left > 0
    share = np.divide(differing, left, out=np.zeros_like(left), where=some)
    return np.stack([share, differing, some.astype(np.float64), left])


def _products(counts: Floats, own: Floats, needs: Needs) -> list[Floats]:
    """The coincidences of each item, one row for each two categories c <= k."""
    if not needs.coincidences:
        return []
    sizes = counts.sum(axis=0)
    pairs = sizes * sizes - own.sum(axis=0)
    per_item = np.divide(sizes, pairs, out=np.zeros_like(sizes), where=pairs > 0)
    upper, right = np.triu_indices(counts.shape[0])
    products = counts[upper] * counts[right]
    products[upper == right] -= own
    return [products * per_item]
