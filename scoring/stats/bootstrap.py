"""Bootstrap intervals for agreement: items, clusters of items, and items x raters.

**Items.** An item enters the coefficients only through its count row, so items with the same row
are exchangeable: instead of n items, the K distinct rows are drawn, multinomial with their
shares. Sums for a block of replicates are one product W (b x K) @ F (K x p). With clusters, whole
clusters are drawn and F holds the sums of each cluster.

**Items x raters.** Raters are a sample too. A replicate draws items (multiplicity w_i) and,
independently, raters (multiplicity v_r). A rater drawn twice is not a second opinion, so pairs run
over distinct original raters only, weighted v_r v_s. With n_ic the sum of v_r over the raters who
put item i into category c, s_ic the sum of v_r^2 over the same and n_i the sum of n_ic over c:

    pairs_i(c, k) = n_ic n_ik - [c = k] s_ic
    P_i           = n_i^2 - sum_c s_ic                (all pairs of the item)
    O(c, k)       = sum_i w_i (n_i / P_i) pairs_i(c, k)

so that an item's coincidences add up to n_i, the number of its (weighted) ratings, as they do in
Krippendorff's matrix: with all v_r = 1, n_i / P_i is 1 / (n_i - 1). The chance terms of AC1 and
Fleiss' kappa take an item's category shares from the same pairs, (n_i n_ic - s_ic) / P_i: with
n_ic / n_i two raters, one of them drawn twice, would differ in pairs but count 2 to 1 in what is
expected of them. An item left with one distinct rater (P_i = 0) has no pairs in that replicate; its
shares n_ic / n_i still enter those terms, as those of single-rated items do. N and the margins of
alpha's expected disagreement are read off O. With all weights 1 the replicate is the estimate.

A draw of a single rater holds no pair whatever the items are; it is drawn again. With two raters
that leaves only both of them, so there the items alone are resampled, and the result says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from scoring.stats.agreement import estimate_agreement
from scoring.stats.coefficients import Coefficient, Floats, coefficient_values, needs_of
from scoring.stats.counts import CodedRatings, Codes
from scoring.stats.many_values import SpreadRatings, has_many_values
from scoring.stats.result import AgreementResult, Interval
from scoring.stats.totals import Needs, Totals, item_rows, n_rows, totals_of, unpack

Resample = Literal["two-way", "items"]
RESAMPLES: tuple[Resample, ...] = ("two-way", "items")

COVERAGE = 0.95
MAX_UNDEFINED_SHARE = 0.05
BLOCK_CELLS = 4_000_000
"""Numbers held at once by a block of replicates (32 MB)."""


def bootstrap_agreement(
    *,
    ratings: CodedRatings,
    coefficients: Sequence[Coefficient],
    replicates: int,
    seed: int,
    resample: Resample = "two-way",
) -> tuple[AgreementResult, ...]:
    """Each coefficient with a 95 % percentile interval; all from the same draws.

    `replicates` 0 gives estimates without interval. Items are drawn by cluster where the ratings
    carry clusters. The same seed gives the same interval.

    Raises ValueError for an unknown `resample` or a negative number of replicates.
    """
    if resample not in RESAMPLES:
        raise ValueError(f"Resampling {resample!r} is unknown; choose from {', '.join(RESAMPLES)}.")
    if replicates < 0:
        raise ValueError(f"{replicates} bootstrap replicates were asked for; 0 or more is needed.")
    estimates = estimate_agreement(ratings=ratings, coefficients=coefficients)
    if replicates == 0 or not estimates:
        return estimates
    two_way = resample == "two-way" and ratings.n_raters > 2
    drawn: Floats = np.empty((0, len(coefficients)))
    obstacle = _obstacle(ratings, estimates[0])
    if obstacle is None:
        drawn = replicate_values(
            ratings=ratings,
            coefficients=coefficients,
            replicates=replicates,
            rng=np.random.default_rng(seed),
            resample="two-way" if two_way else "items",
        )
    what = "items" if ratings.cluster is None else "clusters of items"
    return tuple(
        _with_interval(
            estimate,
            drawn[:, column],
            obstacle=estimate.reason or obstacle,
            resampled=f"{what} and raters" if two_way else what,
            replicates=replicates,
            seed=seed,
        )
        for column, estimate in enumerate(estimates)
    )


def replicate_values(
    *,
    ratings: CodedRatings,
    coefficients: Sequence[Coefficient],
    replicates: int,
    rng: np.random.Generator,
    resample: Resample,
) -> Floats:
    """Bootstrap replicates, shape (replicates, n_coefficients); nan where undefined."""
    if has_many_values(ratings.scale):
        return _many_valued_replicates(ratings, coefficients, replicates, rng, resample)
    needs = needs_of(coefficients)
    batches = (
        _two_way_totals(ratings, needs, replicates, rng)
        if resample == "two-way"
        else _item_totals(ratings, needs, replicates, rng)
    )
    blocks = [
        np.column_stack([coefficient_values(totals, c, ratings.scale) for c in coefficients])
        for totals in batches
    ]
    return np.concatenate(blocks)


def two_way_totals(
    *,
    ratings: CodedRatings,
    coefficients: Sequence[Coefficient],
    item_weights: npt.ArrayLike,
    rater_weights: npt.ArrayLike,
) -> Totals:
    """The sums of one items x raters replicate (see the module's text) for some coefficients.

    `item_weights` (n_units,) and `rater_weights` (n_raters,) are multiplicities; all 1 gives the
    sums of the estimate.
    """
    w = np.asarray(item_weights, dtype=np.float64)
    v = np.asarray(rater_weights, dtype=np.float64)
    if w.shape != (ratings.n_units,) or v.shape != (ratings.n_raters,):
        raise ValueError(
            f"Weights of shape {w.shape} and {v.shape} came for {ratings.n_units} units and "
            f"{ratings.n_raters} raters."
        )
    return _weighted_totals(ratings, _cells(ratings), needs_of(coefficients), w, v)


def percentile_interval(
    drawn: Floats, *, resampled: str, replicates: int, seed: int, reason: str | None
) -> Interval:
    """A 95 % percentile interval of replicates, shape (replicates,); nan counts as undefined.

    `reason` set, or more than 5 % undefined replicates: no bounds.
    """
    undefined = float(np.isnan(drawn).mean()) if drawn.size else None
    low = high = None
    if reason is None and undefined is not None and undefined > MAX_UNDEFINED_SHARE:
        reason = "undefined_replicates"
    if reason is None:
        tail = (1.0 - COVERAGE) / 2.0
        low, high = (float(bound) for bound in np.nanquantile(drawn, [tail, 1.0 - tail]))
    return Interval(
        low=low,
        high=high,
        reason=reason,
        level=COVERAGE,
        kind="percentile",
        resampled=resampled,
        replicates=replicates,
        seed=seed,
        undefined_share=undefined,
    )


def standard_error(drawn: Floats) -> float | None:
    """Standard deviation of the defined replicates; None for fewer than two."""
    defined = drawn[~np.isnan(drawn)]
    return float(defined.std(ddof=1)) if defined.size > 1 else None


def _obstacle(ratings: CodedRatings, estimate: AgreementResult) -> str | None:
    if estimate.n_units_paired < 2:
        return "one_item" if estimate.n_units_paired else "no_pairs"
    if ratings.cluster is not None and int(ratings.cluster.max()) == 0:
        return "one_cluster"
    return None


def _with_interval(
    estimate: AgreementResult,
    drawn: Floats,
    *,
    obstacle: str | None,
    resampled: str,
    replicates: int,
    seed: int,
) -> AgreementResult:
    interval = percentile_interval(
        drawn, resampled=resampled, replicates=replicates, seed=seed, reason=obstacle
    )
    se = standard_error(drawn) if interval.reason is None else None
    return replace(estimate, interval=interval, se=se)


def _item_totals(
    ratings: CodedRatings, needs: Needs, replicates: int, rng: np.random.Generator
) -> Iterator[Totals]:
    """Sums of item-bootstrap replicates, in blocks."""
    rows, shares, n_draws, cluster = _drawable_rows(ratings)
    q = rows.shape[1]
    n_features = n_rows(needs, q)
    block = max(1, BLOCK_CELLS // (shares.size + n_features + 2 * q * q))
    for start in range(0, replicates, block):
        size = min(block, replicates - start)
        weights = rng.multinomial(n_draws, shares, size=size).astype(np.float64)
        sums = np.zeros((size, n_features))
        step = max(1, BLOCK_CELLS // max(n_features, size))
        for first in range(0, rows.shape[0], step):
            part = slice(first, first + step)
            columns = weights[:, part] if cluster is None else weights[:, cluster[part]]
            counts = rows[part].T.astype(np.float64, order="C")
            sums += columns @ item_rows(counts, counts, needs, ratings.scale).T
        yield unpack(sums, needs, q)


def _drawable_rows(
    ratings: CodedRatings,
) -> tuple[npt.NDArray[np.int32], Floats, int, Codes | None]:
    """(count rows, probability of each thing drawn, number of draws, cluster of each row).

    Without clusters the rows are the distinct ones and are drawn themselves.
    """
    counts = ratings.count_matrix()
    if ratings.cluster is not None:
        n_clusters = int(ratings.cluster.max()) + 1
        return counts, np.full(n_clusters, 1.0 / n_clusters), n_clusters, ratings.cluster
    rows, multiplicity = _distinct_rows(counts)
    return rows, multiplicity / ratings.n_units, ratings.n_units, None


def _distinct_rows(
    counts: npt.NDArray[np.int32],
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.intp]]:
    n_columns = counts.shape[1]
    base = int(counts.max()) + 1
    if base**n_columns < 2**62:
        # A row read as a number in base (largest count + 1): sorting numbers, not rows.
        key = counts @ (base ** np.arange(n_columns, dtype=np.int64))
        _, first, multiplicity = np.unique(key, return_index=True, return_counts=True)
        return counts[first], multiplicity
    rows, multiplicity = np.unique(counts, axis=0, return_counts=True)
    return rows, multiplicity


def _two_way_totals(
    ratings: CodedRatings, needs: Needs, replicates: int, rng: np.random.Generator
) -> Iterator[Totals]:
    """Sums of items x raters replicates, one at a time: memory stays that of the ratings."""
    cell = _cells(ratings)
    for _ in range(replicates):
        items = _draw_items(ratings, rng)
        raters = _draw_raters(ratings.n_raters, rng)
        yield _weighted_totals(ratings, cell, needs, items, raters)


def _many_valued_replicates(
    ratings: CodedRatings,
    coefficients: Sequence[Coefficient],
    replicates: int,
    rng: np.random.Generator,
    resample: Resample,
) -> Floats:
    """Replicates on a scale with many values, shape (replicates, n_coefficients)."""
    spread = SpreadRatings.of(ratings)
    every_rater = np.ones(ratings.n_raters)
    drawn = np.empty((replicates, len(coefficients)))
    for row in range(replicates):
        items = _draw_items(ratings, rng)
        raters = _draw_raters(ratings.n_raters, rng) if resample == "two-way" else every_rater
        drawn[row] = spread.values(coefficients, items, raters)
    return drawn


def _cells(ratings: CodedRatings) -> Codes:
    return ratings.category * ratings.n_units + ratings.unit


def _draw_items(ratings: CodedRatings, rng: np.random.Generator) -> Floats:
    if ratings.cluster is None:
        return _multiplicities(ratings.n_units, rng)
    n_clusters = int(ratings.cluster.max()) + 1
    return _multiplicities(n_clusters, rng)[ratings.cluster]


def _draw_raters(n_raters: int, rng: np.random.Generator) -> Floats:
    while True:
        drawn = _multiplicities(n_raters, rng)
        if int(np.count_nonzero(drawn)) > 1:
            return drawn


def _multiplicities(n: int, rng: np.random.Generator) -> Floats:
    return np.bincount(rng.integers(n, size=n), minlength=n).astype(np.float64)


def _weighted_totals(
    ratings: CodedRatings, cell: Codes, needs: Needs, w: Floats, v: Floats
) -> Totals:
    """Sums of one replicate; `cell` is category x unit, so that sums over categories are fast."""
    q = len(ratings.scale.labels)
    each = v[ratings.rater]
    shape = (q, w.size)
    counts = np.bincount(cell, weights=each, minlength=q * w.size).astype(np.float64)
    own = np.bincount(cell, weights=each * each, minlength=q * w.size).astype(np.float64)
    return totals_of(counts.reshape(shape), own.reshape(shape), needs, ratings.scale, w)
