"""One metric against one question: at every level, on every part, and averaged over countries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from scoring.analysis.factors import ORIGINS
from scoring.analysis.families import UNADJUSTED, adjusted
from scoring.analysis.paired import Held, Units
from scoring.analysis.parts.against import (
    CountryAverage,
    LevelResult,
    PlannedCorrelation,
    Row,
    SliceResult,
)
from scoring.analysis.planned import methods_at
from scoring.analysis.series import ScoreData
from scoring.stats.association import Method
from scoring.stats.averages import average_over_groups
from scoring.stats.correlation import FEWEST_IN_GROUP, correlate_scores
from scoring.stats.level_values import Level
from scoring.stats.levels import LevelCorrelation, correlate_at_level
from scoring.stats.rated_items import RatedItems

DRAWN_RATINGS = 20_000_000
FEWEST_DRAWS = 400

LEVEL_WORDS = {
    ("pooled", ""): "items pooled",
    ("within", "country"): "within each country, averaged",
    ("centred", "country"): "less the country's mean on both sides",
    ("within", "system"): "within each model, averaged",
    ("system", "system"): "models' means",
}
SLICE_WORDS = {
    "country": "by country",
    "region": "by group of countries",
    "system": "by model",
    "origin": "by origin",
}


def levels_of(
    *,
    held: Held,
    items: Units,
    panels: Units,
    planned: PlannedCorrelation,
    target: bool,
    replicates: int,
    seed: int,
) -> tuple[LevelResult, ...]:
    """Each level that the data allow, by each method, the planned one first."""
    found = [("pooled", "", panels if held.matched else items)]
    if target:
        found += _grouped_levels(held, items, panels)
    there = {(level, grouping) for level, grouping, _ in found}
    wanted = (planned.level, planned.grouping)
    # No plan speaks of other pairs; what the data have no groups for is planned pooled.
    planned_at = (wanted if wanted in there else ("pooled", "")) if target else None
    results = [
        LevelResult(
            grouping=grouping,
            as_planned=(level, grouping) == planned_at and number == 0,
            correlation=correlation,
            adjusted=UNADJUSTED,
        )
        for level, grouping, units in found
        for number, correlation in enumerate(
            _correlated(_scored(held, units, level), level, planned, replicates, seed)
        )
    ]
    return tuple(sorted(results, key=lambda one: not one.as_planned))


def pooled_correlation(
    *, held: Held, units: Units, planned: PlannedCorrelation, replicates: int, seed: int
) -> LevelCorrelation:
    """The pooled coefficient by the primary method alone, from the same draws as `levels_of`."""
    (found,) = correlate_at_level(
        items=(scored := _scored(held, units, "pooled")),
        level="pooled",
        methods=(cast(Method, planned.methods[0]),),
        replicates=draws_for(replicates, scored),
        p_within=replicates > 0,
        seed=seed,
        raters="within",
    )
    return found


def draws_for(replicates: int, items: RatedItems) -> int:
    """Bootstrap replicates for so many ratings: all that are wanted up to 10,000 ratings, fewer
    beyond (an interval says how many), for each draws every rating anew."""
    if not replicates:
        return 0
    affordable = DRAWN_RATINGS // max(items.item.size, 1)
    return min(replicates, max(FEWEST_DRAWS, affordable))


def slices_of(
    *,
    data: ScoreData,
    held: Held,
    items: Units,
    panels: Units,
    planned: PlannedCorrelation,
    target: bool,
    replicates: int,
) -> tuple[SliceResult, ...]:
    """Each method on each part: panels always; regions, models and origins for a target."""
    if held.facts.dimension and not target:
        return ()
    parts = list(_panels(data, panels))
    if target:
        parts += _regions(data, panels)
        if not held.matched:
            parts += [*_systems(data, items), *_origins(items)]
    return tuple(
        _slice(kind, key, name, correlation)
        for kind, key, name, units in parts
        for correlation in _correlated(
            replace(_scored(held, units, "pooled"), group=None),
            "pooled",
            planned,
            replicates,
            data.seed,
            fewest_units=FEWEST_IN_GROUP,
        )
    )


def averages_of(*, held: Held, panels: Units, data: ScoreData) -> tuple[CountryAverage, ...]:
    """Averages of the countries' coefficients by each method; for each origin where there are two.

    Empty below two countries.
    """
    countries = tuple(code for code in dict.fromkeys(panels.country) if code)
    if len(countries) < 2 or held.facts.dimension:
        return ()
    origins = ["", *(origin for origin in ORIGINS if origin in panels.origin)]
    found = []
    for origin in origins if len(origins) > 2 else [""]:
        parts = {code: _values(held, panels, code, origin) for code in countries}
        found += [
            CountryAverage(
                method=method,
                origin=origin,
                average=average_over_groups(
                    values=[parts[code][method][0] for code in countries],
                    sizes=[parts[code][method][1] for code in countries],
                ),
                countries=countries,
                values=tuple(parts[code][method][0] for code in countries),
                sizes=tuple(parts[code][method][1] for code in countries),
            )
            for method in ("pearson", "spearman", "kendall")
        ]
    return tuple(found)


def adjust_rows(rows: Sequence[Row], label: str) -> tuple[Row, ...]:
    """The rows with p-values adjusted: the family is what one table shows of a question."""
    levels = [(place, one) for place, row in enumerate(rows) for one in row.levels]
    slices = [(place, one) for place, row in enumerate(rows) for one in row.slices]
    of_levels = adjusted(
        levels,
        p_of=lambda one: one[1].correlation.p_value,
        family_of=lambda one: (
            one[1].correlation.level,
            one[1].grouping,
            one[1].correlation.method,
        ),
        name_of=lambda one: (
            f"all metrics with {label}, "
            f"{LEVEL_WORDS[one[1].correlation.level, one[1].grouping]}, "
            f"{one[1].correlation.variant}"
        ),
    )
    of_slices = adjusted(
        slices,
        p_of=lambda one: one[1].p_value,
        family_of=lambda one: (one[1].kind, one[1].method),
        name_of=lambda one: f"all metrics with {label} {SLICE_WORDS[one[1].kind]}, {one[1].method}",
    )
    with_levels: list[list[LevelResult]] = [[] for _ in rows]
    for (place, one), p in zip(levels, of_levels, strict=True):
        with_levels[place].append(replace(one, adjusted=p))
    with_slices: list[list[SliceResult]] = [[] for _ in rows]
    for (place, part), p in zip(slices, of_slices, strict=True):
        with_slices[place].append(replace(part, adjusted=p))
    return tuple(
        replace(row, levels=tuple(with_levels[place]), slices=tuple(with_slices[place]))
        for place, row in enumerate(rows)
    )


def _grouped_levels(held: Held, items: Units, panels: Units) -> list[tuple[Level, str, Units]]:
    found: list[tuple[Level, str, Units]] = []
    if len(set(panels.country)) > 1:
        found += [("within", "country", panels), ("centred", "country", panels)]
    if len(set(items.system) - {""}) > 1 and not held.matched:
        by_system = items.grouped(items.system)
        found += [("within", "system", by_system), ("system", "system", by_system)]
    return found


def _scored(held: Held, units: Units, level: Level) -> RatedItems:
    """The units with scores. Pooled over panels, groups are no strata: they are let go."""
    scored = units.scored(held)
    return replace(scored, group=None) if level == "pooled" else scored


def _correlated(
    items: RatedItems,
    level: Level,
    planned: PlannedCorrelation,
    replicates: int,
    seed: int,
    **more: int,
) -> tuple[LevelCorrelation, ...]:
    return correlate_at_level(
        items=items,
        level=level,
        methods=methods_at(level, planned, estimates=not replicates),
        replicates=draws_for(replicates, items),
        p_within=replicates > 0,
        seed=seed,
        raters="within",
        **more,
    )


def _slice(kind: str, key: str, name: str, one: LevelCorrelation) -> SliceResult:
    return SliceResult(
        kind=kind,
        key=key,
        name=name,
        method=one.method,
        value=one.value,
        reason=one.reason,
        n_units=one.n_units,
        n_without_score=one.n_without_score,
        n_without_rating=one.n_without_rating,
        n_raters=one.n_raters,
        n_ratings=one.n_ratings,
        p_value=one.p_value,
        p_kind=one.p_kind,
        interval=one.interval,
        too_few_for_interval=one.too_few_for_interval,
        adjusted=UNADJUSTED,
    )


Part = tuple[str, str, str, Units]
"""(kind, key, name, units)"""


def _panels(data: ScoreData, panels: Units) -> Iterator[Part]:
    codes = sorted(set(panels.country), key=lambda code: data.countries.get(code, "").casefold())
    for code in codes:
        own = panels.where(np.array([one == code for one in panels.country], dtype=bool))
        yield "country", code, data.countries.get(code, "No panel"), own


def _regions(data: ScoreData, panels: Units) -> Iterator[Part]:
    """Every group of countries that holds some of the panels, and not all of them."""
    there = set(panels.country)
    for grouping, groups in sorted(data.groupings.items()):
        for name, codes in groups.items():
            if there & set(codes) and there - set(codes):
                own = np.array([code in codes for code in panels.country], dtype=bool)
                yield "region", f"{grouping}: {name}", name, panels.where(own)


def _systems(data: ScoreData, items: Units) -> Iterator[Part]:
    there = set(items.system) - {""}
    for name in data.systems if len(there) > 1 else ():
        if name in there:
            own = np.array([one == name for one in items.system], dtype=bool)
            yield "system", name, name, items.where(own)


def _origins(items: Units) -> Iterator[Part]:
    there = [origin for origin in ORIGINS if origin in items.origin]
    for origin in there if len(there) > 1 else ():
        own = np.array([one == origin for one in items.origin], dtype=bool)
        yield "origin", origin, ORIGINS[origin], items.where(own)


def _values(
    held: Held, panels: Units, code: str, origin: str
) -> Mapping[str, tuple[float | None, int]]:
    """{method: (coefficient or None, items)} of one panel, on items of one origin."""
    own = np.array(
        [
            country == code and origin in ("", of)
            for country, of in zip(panels.country, panels.origin, strict=True)
        ],
        dtype=bool,
    )
    items = panels.where(own).scored(held)
    found = correlate_scores(
        scores=items.score,
        mean_ratings=items.mean,
        methods=("pearson", "spearman", "kendall"),
        fewest_units=FEWEST_IN_GROUP,
    )
    return {one.method: (one.value, one.n_units) for one in found}
