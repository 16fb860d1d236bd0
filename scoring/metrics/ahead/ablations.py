"""AHEaD's ablations: one table of variants, each held against mean human ratings (PURE).

A variant is a number for every item. Its correlation is Spearman's over the items that have both
sides, the items pooled; the sign is expected to be positive where the variant and the question look
in the same direction, negative where they look in opposite ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from scoring.metrics.ahead.faithfulness import SUBSETS, composite, subset_name
from scoring.stats.correlation import correlate_scores

ByItem = Mapping[str, float | None]
"""A value by item key; None where it is undefined."""


@dataclass(frozen=True, slots=True)
class Variant:
    """``group`` is what is varied (parts, tau, proposers, candidates, form); ``name`` how."""

    group: str
    name: str
    values: ByItem
    is_main: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """``mean`` over the ``n_defined`` items with a value; ``rho`` over ``n_both``, or a reason.

    ``low`` and ``high`` are the 95 % bootstrap interval, None where there is none.
    """

    group: str
    name: str
    is_main: bool
    n_defined: int
    mean: float | None
    n_both: int
    rho: float | None
    rho_reason: str
    low: float | None
    high: float | None


def part_variants(parts: Mapping[str, Mapping[str, float | None]]) -> list[Variant]:
    """Every choice of the parts ALIGN, 1 - HAL, 1 - EXAG, from the three values of each item."""
    return [
        Variant(
            group="parts",
            name=subset_name(names),
            values={item: composite(one, names) for item, one in parts.items()},
            is_main=names == SUBSETS[-1],
        )
        for names in SUBSETS
    ]


def ablation_table(
    variants: Sequence[Variant],
    ratings: Mapping[str, float],
    *,
    clusters: Mapping[str, str],
    replicates: int = 1000,
    seed: int = 0,
) -> list[Line]:
    """One line a variant. ``ratings`` are the items' mean ratings on the question of interest,
    ``clusters`` names the prompt of each item: intervals resample items of one prompt together."""
    return [_line(one, ratings, clusters, replicates, seed) for one in variants]


def _line(
    variant: Variant,
    ratings: Mapping[str, float],
    clusters: Mapping[str, str],
    replicates: int,
    seed: int,
) -> Line:
    defined = {item: value for item, value in variant.values.items() if value is not None}
    both = [item for item in defined if item in ratings]
    code = {name: at for at, name in enumerate(dict.fromkeys(clusters[i] for i in both))}
    [result] = correlate_scores(
        scores=[defined[item] for item in both],
        mean_ratings=[ratings[item] for item in both],
        clusters=[code[clusters[item]] for item in both] if both else None,
        replicates=replicates,
        seed=seed,
    )
    interval = result.interval
    return Line(
        group=variant.group,
        name=variant.name,
        is_main=variant.is_main,
        n_defined=len(defined),
        mean=fmean(defined.values()) if defined else None,
        n_both=len(both),
        rho=result.value,
        rho_reason=result.reason or "",
        low=interval.low if interval else None,
        high=interval.high if interval else None,
    )
