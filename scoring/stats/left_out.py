"""Coefficients without one item, one cluster or one rater: what BCa and jackknife-t rest on.

Where sums over items are enough, a thing is left out by subtracting what it adds: for an item its
row of sums, for a rater the change of every item he or she rated. That costs as much as one pass
over the ratings, not one pass for each thing left out. Where it takes the ratings themselves,
things are left out by weights of 0, in at most MOST_PASSES parts of the sample.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from scoring.stats.counts import CodedRatings, Codes
from scoring.stats.draws import ItemPool, Pool
from scoring.stats.intervals import LeftOut
from scoring.stats.item_sums import BLOCK_CELLS, Counts, ItemSums
from scoring.stats.progress import Watch
from scoring.stats.totals import Floats, Totals

MOST_PASSES = 1_000
"""Larger samples are left out in this many parts of alike size where each takes a pass."""

ROUNDING = 1e-12
"""What is left of a sum after subtraction, as a share of the sum, when nothing is left."""

OfTotals = Callable[[Totals], Floats]
"""Coefficients (b, n_coefficients) of totals of b weightings."""

OfWeights = Callable[[Floats, Floats], Floats]
"""Coefficients (n_coefficients,) of item weights (n_units,) and rater weights (n_raters,)."""


@dataclass(frozen=True, slots=True, eq=False)
class LeftOutValues:
    """One sample: `values` (k, n_coefficients), each row for `times` (k,) alike things."""

    values: Floats
    times: Floats

    def of(self, column: int) -> LeftOut:
        """The values of one coefficient."""
        return LeftOut(values=self.values[:, column], times=self.times)


def left_out_of_sums(
    sums: ItemSums, values_of: OfTotals, items: ItemPool | None, raters: Pool | None
) -> list[LeftOutValues]:
    """The samples of items (or clusters) and of raters, each None where it is not drawn anew."""
    patterns = sums.patterns
    whole = _sum_of_patterns(sums)
    samples = []
    if items is not None and not items.clustered:
        values = _values_without(sums, whole, values_of, _rows_of(sums))
        for stratum in np.unique(patterns.stratum):
            own = patterns.stratum == stratum
            samples.append(LeftOutValues(values[own], patterns.times[own].astype(np.float64)))
    if items is not None and items.clustered:
        added = _sums_by_group(sums, patterns.rows, patterns.of_unit, items.thing, items.pool.n)
        samples += _split(_values_without(sums, whole, values_of, iter([added])), items.pool)
    if raters is not None:
        added = _sums_of_raters(sums, raters.n)
        samples += _split(_values_without(sums, whole, values_of, iter([added])), raters)
    return samples


def left_out_of_weights(
    ratings: CodedRatings,
    values_of: OfWeights,
    items: ItemPool | None,
    raters: Pool | None,
    watch: Watch | None = None,
) -> list[LeftOutValues]:
    """The same where coefficients take the weights themselves; `watch` is told of each pass."""
    every_item, every_rater = np.ones(ratings.n_units), np.ones(ratings.n_raters)
    samples = []
    if items is not None:
        for things in items.pool.samples():
            kept = (_without(items.pool.n, part)[items.thing] for part in _parts(things))
            samples.append(_passes((values_of(weights, every_rater) for weights in kept), watch))
    if raters is not None:
        for things in raters.samples():
            kept = (_without(raters.n, part) for part in _parts(things))
            samples.append(_passes((values_of(every_item, weights) for weights in kept), watch))
    return samples


def _without(n: int, part: Codes) -> Floats:
    weights = np.ones(n)
    weights[part] = 0.0
    return weights


def n_passes(items: ItemPool | None, raters: Pool | None) -> int:
    """How many passes `left_out_of_weights` takes."""
    pools = [items.pool] if items is not None else []
    pools += [raters] if raters is not None else []
    return sum(min(things.size, MOST_PASSES) for pool in pools for things in pool.samples())


def _passes(values: Iterator[Floats], watch: Watch | None) -> LeftOutValues:
    collected = []
    for value in values:
        collected.append(value)
        if watch is not None:
            watch.add(1)
    return LeftOutValues(np.array(collected), np.ones(len(collected)))


def _parts(things: Codes) -> Iterator[Codes]:
    """Single things or, of a large sample, MOST_PASSES parts of it, mixed by a fixed seed."""
    if things.size <= MOST_PASSES:
        yield from things[:, None]
        return
    yield from np.array_split(np.random.default_rng(0).permutation(things), MOST_PASSES)


def _split(values: Floats, pool: Pool) -> list[LeftOutValues]:
    return [LeftOutValues(values[things], np.ones(things.size)) for things in pool.samples()]


def _rows_of(sums: ItemSums) -> Iterator[Floats]:
    """What the patterns add, in blocks."""
    step = max(1, BLOCK_CELLS // sums.width)
    for first in range(0, len(sums.patterns.rows), step):
        yield sums.of_rows(sums.patterns.rows[first : first + step])


def _sum_of_patterns(sums: ItemSums) -> Floats:
    times = sums.patterns.times.astype(np.float64)
    return np.asarray(sums.weighted(times[None])[0])


def _values_without(
    sums: ItemSums, whole: Floats, values_of: OfTotals, added: Iterator[Floats]
) -> Floats:
    """Coefficients without each of the things that add `added`, blocks of (n, width)."""
    step = max(1, BLOCK_CELLS // (sums.width + 2 * sums.q**2))
    values = []
    for rows in added:
        for first in range(0, len(rows), step):
            rest = whole - rows[first : first + step]
            rest[np.abs(rest) <= ROUNDING * np.abs(whole)] = 0.0
            values.append(values_of(sums.totals(rest)))
    return np.concatenate(values)


def _sums_of_raters(sums: ItemSums, n_raters: int) -> Floats:
    """What each rater adds, shape (n_raters, width): each item's row less its row without them."""
    ratings = sums.ratings
    key = sums.patterns.of_unit[ratings.unit] * sums.q + ratings.category
    distinct, of_rating = np.unique(key, return_inverse=True)
    rows, category = sums.patterns.rows[distinct // sums.q], distinct % sums.q
    return _sums_by_group(sums, rows, of_rating, ratings.rater, n_raters, leaving=category)


def _sums_by_group(
    sums: ItemSums,
    rows: Counts,
    of_member: Codes,
    group: Codes,
    n_groups: int,
    leaving: Codes | None = None,
) -> Floats:
    """What each group of members adds, shape (n_groups, width).

    A member has a count row, `of_member` (n_members,), and a `group` (n_members,). With `leaving`
    (n_rows,) it is not the whole row that is counted but what changes when one rating of that
    category leaves it.
    """
    from scipy.sparse import csc_array

    shape = (n_groups, len(rows))
    members = csc_array((np.ones(group.size), (group, of_member)), shape=shape)
    added = np.zeros((n_groups, sums.width))
    step = max(1, BLOCK_CELLS // (2 * sums.width))
    for first in range(0, len(rows), step):
        part = slice(first, first + step)
        each = sums.of_rows(rows[part])
        if leaving is not None:
            without = rows[part].copy()
            without[np.arange(len(without)), leaving[part]] -= 1
            each = each - sums.of_rows(without)
        added += members[:, part] @ each
    return added
