"""Agreement of people who are exchangeable: two ratings an item, by different people each time.

With two people an item, and others for the next item, nobody can be left out. The ratings of an
item are put into slots by chance, the first slot is held against the second over all items, and
the result is averaged over many such assignments: a fixed order (say, of arrival) would be one
arbitrary draw of them. The metric is held against the second slot too: like for like, one person.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from scoring.stats.association import Method, rounded_ratings, row_values
from scoring.stats.correlation import FEWEST_IN_GROUP
from scoring.stats.counts import Codes
from scoring.stats.rated_items import RatedItems

Floats = npt.NDArray[np.float64]

KappaWeights = Literal["identity", "linear", "quadratic"]
KAPPA_WEIGHTS: tuple[KappaWeights, ...] = get_args(KappaWeights)

ASSIGNMENTS = 1_000
BLOCK_CELLS = 500_000


class NotACategoryError(ValueError):
    """A rating that is not one of the declared categories."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotAgreement:
    """Means over seeded random slot assignments; None with the reason in `reason`.

    `correlation` is slot 1 with slot 2, `correlation_sd` its standard deviation over assignments;
    `metric` the metric with slot 2 on the same items, None without scores. `kappa` is Cohen's, with
    the weights named, over the declared categories. `n_units` items have two ratings or more.
    """

    method: Method
    correlation: float | None
    correlation_sd: float | None
    metric: float | None
    kappa: float | None
    kappa_sd: float | None
    kappa_weights: KappaWeights
    reason: str | None
    n_units: int
    assignments: int
    undefined_assignments: int
    seed: int
    aggregation: str = "rater slots 1 and 2 of each item, mean over random assignments to slots"


def slot_agreement(
    *,
    items: RatedItems,
    categories: Sequence[float],
    method: Method = "spearman",
    weights: KappaWeights = "quadratic",
    assignments: int = ASSIGNMENTS,
    seed: int = 0,
) -> SlotAgreement:
    """Slot correlation and slot kappa of the items with two ratings or more.

    `categories`: the declared points in order. Where there are scores, only scored items count.

    Raises NotACategoryError, and ValueError for unknown weights or no assignments.
    """
    if weights not in KAPPA_WEIGHTS:
        raise ValueError(f"Weights {weights!r} unknown; choose from {', '.join(KAPPA_WEIGHTS)}.")
    if assignments < 1:
        raise ValueError(f"{assignments} assignments were asked for; 1 or more is needed.")
    has_scores = not bool(np.isnan(items.score).all())
    used = items.only(~np.isnan(items.score)) if has_scores else items
    sizes = np.bincount(used.item, minlength=used.n_items)
    used = used.only(sizes > 1)
    codes = _category_codes(used.value, categories)
    reason = _obstacle(used)
    drawn = np.empty((0, 3))
    if reason is None:
        score = used.score if has_scores else None
        drawn = np.concatenate(
            [
                _of_block(used.value, codes, slots, method, weights, len(categories), score)
                for slots in _slot_blocks(used, assignments, np.random.default_rng(seed))
            ]
        )
        reason = "no_variation" if np.isnan(drawn[:, 0]).all() else None
    correlation, metric, kappa = (_summary(drawn[:, column]) for column in range(3))
    return SlotAgreement(
        method=method,
        correlation=correlation[0],
        correlation_sd=correlation[1],
        metric=metric[0],
        kappa=kappa[0],
        kappa_sd=kappa[1],
        kappa_weights=weights,
        reason=reason,
        n_units=used.n_items,
        assignments=assignments,
        undefined_assignments=int(np.isnan(drawn[:, 0]).sum()),
        seed=seed,
    )


def row_kappas(first: Codes, second: Codes, q: int, weights: KappaWeights) -> Floats:
    """Cohen's kappa of each row of two raters' categories, shape (b, n); nan where undefined."""
    b, n = first.shape
    cells = (np.arange(b)[:, None] * q + first) * q + second
    table = np.bincount(cells.ravel(), minlength=b * q * q).reshape(b, q, q) / n
    apart = np.abs(np.arange(q)[:, None] - np.arange(q)[None, :]).astype(np.float64)
    cost = {"identity": (apart > 0).astype(np.float64), "linear": apart, "quadratic": apart**2}
    observed = (table * cost[weights]).sum(axis=(1, 2))
    expected = np.einsum("bi,bj,ij->b", table.sum(axis=2), table.sum(axis=1), cost[weights])
    ratio = np.divide(observed, expected, out=np.full(b, np.nan), where=expected > 0)
    return np.asarray(1.0 - ratio)


def _of_block(
    value: Floats,
    codes: Codes,
    chosen: tuple[Codes, Codes],
    method: Method,
    weights: KappaWeights,
    n_categories: int,
    score: Floats | None,
) -> Floats:
    """(slot correlation, metric with slot 2, kappa) of each assignment, shape (b, 3)."""
    first, second = (rounded_ratings(value[slot]) for slot in chosen)
    one = np.ones(first.shape)
    correlation = row_values(method, first, second, one)
    metric = np.full(first.shape[0], np.nan)
    if score is not None:
        metric = row_values(method, np.broadcast_to(score, first.shape), second, one)
    kappa = row_kappas(codes[chosen[0]], codes[chosen[1]], n_categories, weights)
    return np.column_stack([correlation, metric, kappa])


def _slot_blocks(
    used: RatedItems, assignments: int, rng: np.random.Generator
) -> list[tuple[Codes, Codes]]:
    """Blocks of (rating in slot 1, rating in slot 2), each (b, n_items)."""
    sizes = np.bincount(used.item, minlength=used.n_items)
    starts = np.cumsum(sizes) - sizes
    block = max(1, BLOCK_CELLS // used.item.size)
    found = []
    for start in range(0, assignments, block):
        size = min(block, assignments - start)
        # Sorted by item and, within it, by chance.
        order = np.argsort(used.item + rng.random((size, used.item.size)), axis=1)
        found.append((order[:, starts], order[:, starts + 1]))
    return found


def _category_codes(values: Floats, categories: Sequence[float]) -> Codes:
    declared = rounded_ratings(np.asarray(categories, dtype=np.float64))
    rounded = rounded_ratings(values)
    order = np.argsort(declared)
    place = np.clip(np.searchsorted(declared[order], rounded), 0, max(declared.size - 1, 0))
    codes = order[place] if declared.size else np.zeros(values.size, dtype=np.intp)
    wrong = np.flatnonzero(declared[codes] != rounded) if declared.size else np.arange(values.size)
    if wrong.size:
        raise NotACategoryError(
            f"{rounded[wrong[0]]:g} is not one of the categories "
            f"{', '.join(f'{category:g}' for category in categories)}."
        )
    return np.asarray(codes, dtype=np.intp)


def _obstacle(used: RatedItems) -> str | None:
    if used.n_items == 0:
        return "no_pairs"
    if used.n_items < FEWEST_IN_GROUP:
        return "too_few_items"
    return "no_variation" if (used.value == used.value[0]).all() else None


def _summary(values: Floats) -> tuple[float | None, float | None]:
    """(mean, standard deviation) of the defined values."""
    defined = values[~np.isnan(values)]
    if defined.size == 0:
        return None, None
    return float(defined.mean()), float(defined.std(ddof=1)) if defined.size > 1 else None
