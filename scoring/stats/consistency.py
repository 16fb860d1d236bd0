"""How far annotators agree with themselves, from units they were shown more than once.

Answers of one rater to one unit are compared in the order they came: the first with the second,
the second with the third. Weighted kappa is Cohen's (1968) with the earlier and the later answers
as its two raters.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scoring.stats.counts import Codes, Floats
from scoring.stats.scale import MISSING, Scale
from scoring.stats.weights import Distance, disagreement_matrix


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfConsistency:
    """One rater's agreement with themselves, or everybody's (`rater` None), from 0 to 1.

    `n_units` counts the units answered more than once and `n_repeats` the comparisons. `exact` is
    the share of them with the same answer and `within_one` with an answer at most one category
    away (None on a nominal scale); `kappa` is weighted by `weights`. What is undefined is None:
    everything without a comparison (`reason` "no_repeats"), kappa alone where the answers do not
    vary (`reason` "no_variation").
    """

    rater: int | None
    n_units: int
    n_repeats: int
    exact: float | None
    within_one: float | None
    kappa: float | None
    weights: Distance
    reason: str | None


def self_consistency(
    *,
    unit: npt.ArrayLike,
    rater: npt.ArrayLike,
    category: npt.ArrayLike,
    scale: Scale,
    weights: Distance = "quadratic",
) -> tuple[SelfConsistency, ...]:
    """Everybody together first, then each rater who answered, by code.

    `unit`, `rater` and `category` have shape (n,): 0-based codes in the order the answers came;
    category -1 is a missing answer. Raises ValueError for columns of different lengths, for codes
    out of range, and where the weights need what the scale has not.
    """
    codes = [np.asarray(column, dtype=np.intp) for column in (unit, rater, category)]
    if len({column.shape for column in codes}) > 1 or codes[0].ndim != 1:
        raise ValueError(f"The columns have shapes {[column.shape for column in codes]}.")
    kept = codes[2] != MISSING
    units, raters, categories = (column[kept] for column in codes)
    if categories.size and not 0 <= int(categories.min()) <= int(categories.max()) < len(
        scale.labels
    ):
        raise ValueError(f"Category codes run from 0 to {len(scale.labels) - 1} on this scale.")
    apart = disagreement_matrix(weights, scale)
    order = np.lexsort((np.arange(units.size), units, raters))
    units, raters, categories = units[order], raters[order], categories[order]
    again = (np.diff(units) == 0) & (np.diff(raters) == 0)
    earlier, later = categories[:-1][again], categories[1:][again]
    of_rater, of_unit = raters[:-1][again], units[:-1][again]
    results = []
    for who in [None, *np.unique(raters).tolist()]:
        chosen = np.ones(of_rater.size, dtype=bool) if who is None else of_rater == who
        answered = np.stack([of_rater[chosen], of_unit[chosen]])
        n_units = int(np.unique(answered, axis=1).shape[1]) if chosen.any() else 0
        results.append(
            _consistency(earlier[chosen], later[chosen], who, n_units, apart, weights, scale)
        )
    return tuple(results)


def _consistency(
    earlier: Codes,
    later: Codes,
    rater: int | None,
    n_units: int,
    apart: Floats,
    weights: Distance,
    scale: Scale,
) -> SelfConsistency:
    n = int(earlier.size)
    kappa = _kappa(earlier, later, apart) if n else None
    reason = "no_repeats" if n == 0 else "no_variation" if kappa is None else None
    ordered = scale.level != "nominal"
    return SelfConsistency(
        rater=rater,
        n_units=n_units,
        n_repeats=n,
        exact=float((earlier == later).mean()) if n else None,
        within_one=float((np.abs(earlier - later) <= 1).mean()) if n and ordered else None,
        kappa=kappa,
        weights=weights,
        reason=reason,
    )


def _kappa(earlier: Codes, later: Codes, apart: Floats) -> float | None:
    q, n = apart.shape[0], earlier.size
    before = np.bincount(earlier, minlength=q).astype(np.float64)
    after = np.bincount(later, minlength=q).astype(np.float64)
    expected = float(before @ apart @ after)
    if expected == 0.0:
        return None
    return 1.0 - n * float(apart[earlier, later].sum()) / expected
