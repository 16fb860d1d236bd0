"""How the levels of one factor stand to each other: ranks, best and worst, how far apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import stdev

DECIMALS = 9
"""Means this close are equal: the order of a sum must not decide who is best."""

Means = Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class Dispersion:
    """Standard deviation (n - 1) and range of `n` levels' means; None with the reason below two."""

    sd: float | None
    spread: float | None
    reason: str | None
    n: int


def mean_ranks(means: Means, better: str) -> dict[str, float]:
    """Rank of each level that has a mean, 1 for the best; equal means share the mean of theirs.

    Empty where `better` is neither "higher" nor "lower".
    """
    if better not in ("higher", "lower"):
        return {}
    sign = -1.0 if better == "higher" else 1.0
    oriented = {
        key: sign * round(mean, DECIMALS) for key, mean in means.items() if mean is not None
    }
    return {
        key: 1.0
        + sum(other < value for other in oriented.values())
        + (sum(other == value for other in oriented.values()) - 1) / 2
        for key, value in oriented.items()
    }


def best_and_worst(means: Means, better: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The levels that share the best mean and those that share the worst; none if all are equal."""
    ranks = mean_ranks(means, better)
    if len(set(ranks.values())) < 2:
        return (), ()
    first, last = min(ranks.values()), max(ranks.values())
    return (
        tuple(key for key, rank in ranks.items() if rank == first),
        tuple(key for key, rank in ranks.items() if rank == last),
    )


def dispersion(means: Means) -> Dispersion:
    defined = [mean for mean in means.values() if mean is not None]
    if len(defined) < 2:
        return Dispersion(None, None, "one_group" if defined else "no_values", len(defined))
    return Dispersion(stdev(defined), max(defined) - min(defined), None, len(defined))
