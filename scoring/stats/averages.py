"""One number for several groups: coefficients of countries, averaged by every rule in use.

The arithmetic mean is the habit of the field; the Fisher mean tanh(mean(atanh r)) is undefined
where a group correlates perfectly; the weighted mean counts each group by its items. Groups without
a coefficient enter none of them and are counted. SD and range say how far groups lie apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scoring.stats.level_values import fisher_mean


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupAverage:
    """Averages over the groups that have a value; None with `reason` where none has.

    `fisher` is also None where a value is exactly 1 or -1 (`fisher_reason`). `sd` is the sample
    standard deviation over groups (n - 1), None below two (`sd_reason`).
    """

    arithmetic: float | None
    fisher: float | None
    fisher_reason: str | None
    weighted: float | None
    sd: float | None
    sd_reason: str | None
    low: float | None
    high: float | None
    reason: str | None
    n_groups: int
    n_undefined: int


def average_over_groups(*, values: Sequence[float | None], sizes: Sequence[int]) -> GroupAverage:
    """Averages of the groups' values, -1..1; `sizes` are their numbers of items.

    Raises ValueError for lists of different lengths or a negative size.
    """
    if len(values) != len(sizes):
        raise ValueError(f"{len(values)} values and {len(sizes)} sizes came; one each is needed.")
    if any(size < 0 for size in sizes):
        raise ValueError("A group has a negative number of items.")
    defined = [
        (value, size) for value, size in zip(values, sizes, strict=True) if value is not None
    ]
    if not defined:
        return GroupAverage(
            arithmetic=None, fisher=None, fisher_reason="no_defined_group", weighted=None, sd=None,
            sd_reason="no_defined_group", low=None, high=None, reason="no_defined_group",
            n_groups=0, n_undefined=len(values),
        )  # fmt: skip
    numbers = np.array([value for value, _ in defined], dtype=np.float64)
    weights = np.array([size for _, size in defined], dtype=np.float64)
    fisher = float(fisher_mean(numbers[None])[0])
    total = float(weights.sum())
    return GroupAverage(
        arithmetic=float(numbers.mean()),
        fisher=None if np.isnan(fisher) else fisher,
        fisher_reason="perfect_correlation" if np.isnan(fisher) else None,
        weighted=float(numbers @ weights) / total if total > 0 else None,
        sd=float(numbers.std(ddof=1)) if numbers.size > 1 else None,
        sd_reason=None if numbers.size > 1 else "one_group",
        low=float(numbers.min()),
        high=float(numbers.max()),
        reason=None,
        n_groups=numbers.size,
        n_undefined=len(values) - numbers.size,
    )
