"""Items with a metric's score and people's ratings of them, and what a bootstrap makes of both.

**What is drawn.** Items, or the clusters they belong to (the items of one prompt share what makes
a prompt easy), within strata (countries) where the estimate keeps those fixed. Ratings are, by
`Raters`: "fixed" (each item keeps its mean), "within" (each drawn item's ratings are drawn anew
from its own, for people who rated few items each) or "crossed" (people are drawn, and each of
their ratings comes as often as they do, for people who rated most items of a stratum).

Where every item has raters of its own, the differences between raters are already in the spread of
items, and drawing ratings within items adds their noise a second time: replicates then lie nearer
to 0 than the estimate. The intervals of `levels` are therefore moved back by that difference.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from scoring.stats.association import rounded_ratings, rounded_scores
from scoring.stats.counts import Codes
from scoring.stats.draws import Pool

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

Raters = Literal["fixed", "within", "crossed"]
RATERS: tuple[Raters, ...] = get_args(Raters)

BLOCK_CELLS = 150_000
"""Weights or ratings held at once by a block of replicates."""


@dataclass(frozen=True, slots=True, eq=False)
class RatedItems:
    """Items with score and mean rating, shape (n_items,), nan = missing; build with `rate_items`.

    `group`, `cluster`, `stratum`: 0-based codes (n_items,) or None. `item`, `rater`, `value`: the
    single ratings, shape (n_ratings,), sorted by item; `rater` is None where nobody is named.
    """

    score: Floats
    mean: Floats
    item: Codes
    value: Floats
    rater: Codes | None
    group: Codes | None
    cluster: Codes | None
    stratum: Codes | None

    @property
    def n_items(self) -> int:
        """How many items there are, with and without score and ratings."""
        return int(self.score.size)

    @property
    def n_without_score(self) -> int:
        """Items that people rated and the metric did not score."""
        return int((np.isnan(self.score) & ~np.isnan(self.mean)).sum())

    @property
    def n_without_rating(self) -> int:
        """Items without any rating, scored or not."""
        return int(np.isnan(self.mean).sum())

    @property
    def n_raters(self) -> int | None:
        """People with a rating; None where nobody is named."""
        return None if self.rater is None else int(np.unique(self.rater).size)

    def only(self, kept: Mask) -> RatedItems:
        """These items of all, renumbered; `kept` has shape (n_items,)."""
        return self._chosen(np.flatnonzero(kept))

    def _chosen(self, chosen: Codes) -> RatedItems:
        number = np.full(self.n_items, -1, dtype=np.intp)
        number[chosen] = np.arange(chosen.size)
        of_rating = number[self.item]
        order = np.argsort(of_rating, kind="stable")
        order = order[np.searchsorted(of_rating[order], 0) :]
        return RatedItems(
            score=self.score[chosen],
            mean=self.mean[chosen],
            item=of_rating[order],
            value=self.value[order],
            rater=None if self.rater is None else self.rater[order],
            group=None if self.group is None else self.group[chosen],
            cluster=None if self.cluster is None else self.cluster[chosen],
            stratum=None if self.stratum is None else self.stratum[chosen],
        )

    def paired(self) -> RatedItems:
        """The items that have both a score and a rating, the lowest score first.

        In that order no weight of a replicate has to be moved (`association.Pairs`).
        """
        both = np.flatnonzero(~np.isnan(self.score) & ~np.isnan(self.mean))
        return self._chosen(both[np.argsort(self.score[both], kind="stable")])

    def refuse_repeats(self) -> None:
        """Raises ValueError where a named rater has rated an item twice."""
        if self.rater is None:
            return
        keys = self.item * (int(self.rater.max(initial=0)) + 1) + self.rater
        if np.unique(keys).size < keys.size:
            raise ValueError("A rater has rated an item twice; keep one of the ratings.")

    def scored_by(self, scores: npt.ArrayLike) -> RatedItems:
        """The same items with another metric's scores, shape (n_items,)."""
        return replace(self, score=_checked_scores(scores, self.n_items))


def rate_items(
    *,
    score: npt.ArrayLike,
    item: npt.ArrayLike,
    value: npt.ArrayLike,
    rater: npt.ArrayLike | None = None,
    group: npt.ArrayLike | None = None,
    cluster: npt.ArrayLike | None = None,
    stratum: npt.ArrayLike | None = None,
    repeats_allowed: bool = False,
) -> RatedItems:
    """Items from a score each, shape (n_items,), and ratings in long form, shape (n_ratings,).

    nan is a missing score or rating. `item` (0-based) says which item a rating is of, `rater` by
    whom. `group`, `cluster` and `stratum` hold a code for each item. Means are rounded to 9
    decimals. `repeats_allowed`: an item may have several ratings by one person, of different
    questions, that are averaged.

    Raises ValueError for infinite numbers, shapes that do not fit and, unless allowed, two ratings
    of an item by one rater.
    """
    scores = _checked_scores(score, None)
    items, values = _checked_ratings(item, value, scores.size)
    people = None if rater is None else _codes(rater, items.size, "raters", "ratings")
    given = ~np.isnan(values)
    order = np.argsort(items[given], kind="stable")
    items, values = items[given][order], values[given][order]
    if people is not None:
        people = people[given][order]
    sizes = np.bincount(items, minlength=scores.size)
    sums = np.bincount(items, weights=values, minlength=scores.size)
    means = np.divide(sums, sizes, out=np.full(scores.size, np.nan), where=sizes > 0)
    rated = RatedItems(
        score=scores,
        mean=rounded_ratings(means),
        item=items,
        value=values,
        rater=people,
        group=_optional_codes(group, scores.size, "groups"),
        cluster=_optional_codes(cluster, scores.size, "clusters"),
        stratum=_optional_codes(stratum, scores.size, "strata"),
    )
    if not repeats_allowed:
        rated.refuse_repeats()
    return rated


def _checked_ratings(
    item: npt.ArrayLike, value: npt.ArrayLike, n_items: int
) -> tuple[Codes, Floats]:
    items = np.asarray(item, dtype=np.intp)
    values = np.asarray(value, dtype=np.float64)
    if items.shape != values.shape or items.ndim != 1:
        raise ValueError(f"{items.shape} items and {values.shape} values came; one each is needed.")
    if np.isinf(values).any():
        raise ValueError("A rating is infinite; ratings must be finite numbers.")
    if items.size and not 0 <= int(items.min()) <= int(items.max()) < n_items:
        raise ValueError(f"A rating is of an item that is not one of the {n_items}.")
    return items, values


class Redraw:
    """Bootstrap draws of some paired items: how often each comes, and its mean rating then.

    Without explicit strata, items are drawn within their groups (which stay as they are) unless
    the clusters hold items of several groups. `whole_groups`: each group lies in one cluster, so
    that groups themselves are drawn.
    """

    def __init__(self, items: RatedItems, raters: Raters) -> None:
        if raters not in RATERS:
            raise ValueError(f"Raters {raters!r} is unknown; choose from {', '.join(RATERS)}.")
        if raters == "crossed" and items.rater is None:
            raise ValueError("Drawing people needs to know who gave each rating.")
        self._items = items
        self._raters = raters
        n = items.n_items
        things = np.arange(n) if items.cluster is None else items.cluster
        self.whole_groups = (
            items.group is not None
            and items.cluster is not None
            and _lies_within(items.group, items.cluster)
        )
        strata = items.stratum
        if strata is None and items.group is not None and not self.whole_groups:
            strata = items.group if _lies_within(things, items.group) else None
        # A cluster with items in several strata is drawn in each of them by itself.
        keys = things if strata is None else things * (int(strata.max(initial=0)) + 1) + strata
        first, self._thing = np.unique(keys, return_index=True, return_inverse=True)[1:]
        self.n_things = int(first.size)
        self._pool = Pool(self.n_things, None if strata is None else strata[first])
        self._people = _people_pool(items, strata) if raters == "crossed" else None
        # Where each item's ratings begin, and how many they are.
        self._sizes = np.bincount(items.item, minlength=n)
        self._starts = np.cumsum(self._sizes) - self._sizes
        # Of each rating; the same draws come several times faster below one number for all.
        self._choices: int | Codes = self._sizes[items.item]
        if np.unique(self._sizes).size == 1:
            self._choices = int(self._sizes[0])
        what = "items" if items.cluster is None else "clusters of items"
        where = "" if strata is None else " within strata"
        who = {"fixed": "", "within": ", ratings within items", "crossed": ", and raters"}
        self.what = f"{what}{where}{who[raters]}"

    @property
    def redraws_ratings(self) -> bool:
        """Whether mean ratings differ from replicate to replicate."""
        return self._raters != "fixed"

    def blocks(self, rng: np.random.Generator, replicates: int) -> Iterator[tuple[Floats, Floats]]:
        """Blocks of (weights, mean ratings): (b, n_items) each; means (n_items,) where fixed.

        An item none of whose raters were drawn has weight 0 in that replicate.
        """
        # Ratings have a generator of their own, so that the size of a block changes no draw.
        of_ratings = rng.spawn(1)[0]
        cells = max(self._items.n_items, self._items.item.size, 1)
        block = max(1, BLOCK_CELLS // cells)
        for start in range(0, replicates, block):
            size = min(block, replicates - start)
            weights = self._pool.draw(rng, size)[:, self._thing].astype(np.float64)
            if not self.redraws_ratings:
                yield weights, self._items.mean
                continue
            means, rated = self._means(of_ratings, size)
            yield weights * rated, rounded_ratings(means)

    def _means(self, rng: np.random.Generator, times: int) -> tuple[Floats, Mask]:
        items = self._items
        if self._people is None:
            offsets = rng.integers(self._choices, size=(times, items.item.size))
            chosen = items.value[self._starts[items.item] + offsets]
            return np.add.reduceat(chosen, self._starts, axis=1) / self._sizes, np.ones(1, bool)
        pool, person = self._people
        times_drawn = pool.draw(rng, times)[:, person].astype(np.float64)
        sums = np.add.reduceat(times_drawn * items.value, self._starts, axis=1)
        sizes = np.add.reduceat(times_drawn, self._starts, axis=1)
        return np.divide(sums, sizes, out=np.zeros_like(sums), where=sizes > 0), sizes > 0


def _people_pool(items: RatedItems, strata: Codes | None) -> tuple[Pool, Codes]:
    """(raters to draw from, which of them gave each rating); within strata where given."""
    rater = np.zeros(items.item.size, dtype=np.intp) if items.rater is None else items.rater
    if strata is None:
        person = np.unique(rater, return_inverse=True)[1]
        return Pool(int(person.max(initial=-1)) + 1), person
    of_rating = strata[items.item]
    keys = rater * (int(strata.max(initial=0)) + 1) + of_rating
    first, person = np.unique(keys, return_index=True, return_inverse=True)[1:]
    return Pool(int(first.size), of_rating[first]), person


def _lies_within(small: Codes, large: Codes) -> bool:
    """Whether the things of each code of `small` all have one code of `large`."""
    n_small = np.unique(small).size
    both = np.unique(small * (int(large.max(initial=0)) + 1) + large).size
    return bool(both == n_small)


def _checked_scores(score: npt.ArrayLike, n_items: int | None) -> Floats:
    scores = np.asarray(score, dtype=np.float64)
    if scores.ndim != 1 or (n_items is not None and scores.size != n_items):
        raise ValueError(f"Scores of shape {scores.shape} came; one for each item is needed.")
    if np.isinf(scores).any():
        raise ValueError("A score is infinite; only finite numbers can be correlated.")
    return rounded_scores(scores)


def _optional_codes(codes: npt.ArrayLike | None, n: int, what: str) -> Codes | None:
    return None if codes is None else _codes(codes, n, what, "items")


def _codes(codes: npt.ArrayLike, n: int, what: str, of: str) -> Codes:
    array = np.asarray(codes)
    if array.shape != (n,) or not (np.issubdtype(array.dtype, np.integer) or n == 0):
        raise ValueError(
            f"{what.capitalize()} of shape {array.shape} and type {array.dtype} came; one whole "
            f"number for each of the {n} {of} is needed."
        )
    if n and int(array.min()) < 0:
        raise ValueError(f"{what.capitalize()} must be 0 or more.")
    return array.astype(np.intp)
