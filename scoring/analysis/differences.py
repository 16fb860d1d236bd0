"""Which metric differs from which: pairs on the same items and people, by the planned coefficient.

Both metrics of a pair must point the same way; one that falls as ratings rise is reversed. Up to
`EVERY_PAIR` metrics are compared pair by pair, more of them each with the strongest one only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import cast

from scoring.analysis.against_levels import draws_for
from scoring.analysis.directions import expected_sign
from scoring.analysis.families import UNADJUSTED, adjusted
from scoring.analysis.paired import Held, Units
from scoring.analysis.parts.against import (
    Difference,
    PlannedCorrelation,
    QuestionAgainst,
    Row,
)
from scoring.analysis.series import HumanSeries
from scoring.stats.association import Method
from scoring.stats.comparison import compare_metrics
from scoring.stats.level_values import Level
from scoring.stats.rated_items import RatedItems

EVERY_PAIR = 8


def differences_of(
    *,
    question: HumanSeries,
    rows: Sequence[Row],
    held: Mapping[str, Held],
    items: Units,
    panels: Units,
    planned: PlannedCorrelation,
    replicates: int,
    seed: int,
    on_step: Callable[[], None],
) -> tuple[Difference, ...]:
    """The pairs of the question's targets; none before intervals are asked for."""
    signs = {
        row.series.key: sign
        for row in rows
        if row.is_target and (sign := expected_sign(row.series.better, question.facts.better))
    }
    pairs = _pairs([row for row in rows if row.series.key in signs], planned)
    found = []
    for first, second in pairs:
        if replicates:
            units = _units(held[first].matched or held[second].matched, items, panels, planned)
            found.append(
                _difference(held[first], held[second], signs, units, planned, replicates, seed)
            )
        on_step()
    return _adjusted(found, question.label)


def comparing_words(questions: Sequence[QuestionAgainst]) -> str:
    """Which pairs of metrics were compared."""
    most = max((len(question.targets) for question in questions), default=0)
    if most > EVERY_PAIR:
        return (
            f"Where a question has more than {EVERY_PAIR} metrics, each is compared with the one "
            "that lies furthest from 0; else every pair is compared."
        )
    return "Every pair of metrics is compared."


def _pairs(rows: Sequence[Row], planned: PlannedCorrelation) -> list[tuple[str, str]]:
    """Pairs of series keys, the stronger one first."""
    strength = {row.series.key: _strength(row, planned) for row in rows}
    ordered = sorted(strength, key=lambda key: -strength[key])
    if len(ordered) > EVERY_PAIR:
        return [(ordered[0], other) for other in ordered[1:]]
    return list(combinations(ordered, 2))


def _strength(row: Row, planned: PlannedCorrelation) -> float:
    found = row.level("pooled", planned.methods[0])
    value = None if found is None else found.correlation.value
    return -1.0 if value is None else abs(value)


def _units(
    matched: bool, items: Units, panels: Units, planned: PlannedCorrelation
) -> tuple[Units, Level]:
    """The units that hold both metrics' scores, at the planned level where it is to be had."""
    level = cast(Level, planned.level)
    by_country = planned.grouping == "country" and len(set(panels.country)) > 1
    by_system = planned.grouping == "system" and len(set(items.system) - {""}) > 1
    if by_country:
        return panels, level
    if by_system and not matched:
        return items.grouped(items.system), level
    return panels if matched else items, "pooled"


def _difference(
    first: Held,
    second: Held,
    signs: Mapping[str, int],
    units: tuple[Units, Level],
    planned: PlannedCorrelation,
    replicates: int,
    seed: int,
) -> Difference:
    members, level = units
    one, two = (_oriented(members, held, signs, level) for held in (first, second))
    comparison = compare_metrics(
        items=one,
        other=two.score,
        level=level,
        method=cast(Method, planned.methods[0]),
        replicates=draws_for(replicates, one),
        seed=seed,
        raters="within",
    )
    keys = (first.facts.key, second.facts.key)
    return Difference(
        first=keys[0],
        second=keys[1],
        reversed=tuple(key for key in keys if signs[key] < 0),
        comparison=comparison,
        adjusted=UNADJUSTED,
    )


def _oriented(units: Units, held: Held, signs: Mapping[str, int], level: Level) -> RatedItems:
    items = units.scored(held)
    items = replace(items, group=None) if level == "pooled" else items
    return items.scored_by(signs[held.facts.key] * items.score)


def _adjusted(found: list[Difference], label: str) -> tuple[Difference, ...]:
    family = f"all pairs of metrics compared on {label}"
    p_values = adjusted(
        found,
        p_of=lambda one: one.comparison.p_value,
        family_of=lambda one: "",
        name_of=lambda one: family,
    )
    return tuple(replace(one, adjusted=p) for one, p in zip(found, p_values, strict=True))
