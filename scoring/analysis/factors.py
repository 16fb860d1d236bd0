"""What results are broken down by: systems, countries, groups of them, categories, variants."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from scoring.analysis.parts.automatic import Factor, Level
from scoring.analysis.report import REAL, UNNAMED
from scoring.analysis.series import ScoreData, Unit

GROUPING = "grouping:"
VARIANTS = {
    "base": "Base",
    "extended": "Extended",
    "country-removed": "Country removed",
    "free": "Free",
}
ORIGINS = {"generated": "Generated", "real": "Real", "edited": "Edited"}


@dataclass(frozen=True, slots=True)
class FactorOf:
    """A factor, and which of its levels a unit belongs to ("" where it belongs to none)."""

    factor: Factor
    level_of: Callable[[Unit], str]


def factors_of(data: ScoreData, units: Iterable[Unit]) -> tuple[FactorOf, ...]:
    """Every factor that divides the units, or names the one level they all have."""
    given = list(units)
    found = [
        _factor("system", "Model", given, system_of, _in_order(data.systems, last=(REAL, UNNAMED))),
        _factor("country", "Country", given, lambda unit: unit.country, _by_name(data.countries)),
        *_groupings(data, given),
        _factor("category", "Category", given, lambda unit: unit.category, sorted),
        _factor("aspect", "Aspect", given, lambda unit: unit.aspect, sorted),
        _factor("variant", "Prompt variant", given, lambda unit: unit.variant, _in_order(VARIANTS)),
        _factor("origin", "Origin", given, lambda unit: unit.origin, _in_order(ORIGINS)),
        *_crossed(data, given),
    ]
    names = {"country": data.countries, "variant": VARIANTS, "origin": ORIGINS}
    return tuple(_named(one, names.get(one.factor.key, {})) for one in found if _divides(one))


def system_of(unit: Unit) -> str:
    """The unit's system; real items without one are a level of their own."""
    return unit.system or (REAL if unit.real else UNNAMED)


def _divides(one: FactorOf) -> bool:
    """A factor without levels says nothing; one level of origin or of no model neither."""
    levels = [level.key for level in one.factor.levels]
    if one.factor.key == "origin" or "system-" in one.factor.key:
        return len(levels) > 1
    return bool(levels) and levels != [UNNAMED]


def _factor(
    key: str,
    name: str,
    units: list[Unit],
    level_of: Callable[[Unit], str],
    ordered: Callable[[Iterable[str]], list[str]],
) -> FactorOf:
    there = {level_of(unit) for unit in units}
    levels = ordered(level for level in there if level)
    return FactorOf(
        Factor(key=key, name=name, levels=tuple(Level(key=k, name=k) for k in levels)), level_of
    )


def _groupings(data: ScoreData, units: list[Unit]) -> Iterable[FactorOf]:
    for grouping, groups in sorted(data.groupings.items()):
        of_country = {code: name for name, codes in groups.items() for code in codes}
        yield _factor(
            f"{GROUPING}{grouping}",
            grouping,
            units,
            lambda unit, known=of_country: known.get(unit.country, ""),
            _in_order(groups),
        )


def _crossed(data: ScoreData, units: list[Unit]) -> Iterable[FactorOf]:
    """Systems within each group of countries, for every grouping."""
    for one in _groupings(data, units):
        yield _factor(
            f"system-{one.factor.key}",
            f"{one.factor.name} and model",
            units,
            lambda unit, inner=one: _pair(inner.level_of(unit), system_of(unit)),
            lambda found, inner=one: _pairs_in_order(data, inner.factor, found),
        )


def _pair(group: str, system: str) -> str:
    return f"{group}, {system}" if group else ""


def _pairs_in_order(data: ScoreData, factor: Factor, found: Iterable[str]) -> list[str]:
    there = set(found)
    systems = (*data.systems, REAL, UNNAMED)
    wanted = [_pair(level.key, system) for level in factor.levels for system in systems]
    return [pair for pair in wanted if pair in there]


def _in_order(
    order: Iterable[str], last: tuple[str, ...] = ()
) -> Callable[[Iterable[str]], list[str]]:
    place = {key: number for number, key in enumerate((*order, *last))}

    def ordered(found: Iterable[str]) -> list[str]:
        return sorted(found, key=lambda key: (place.get(key, len(place)), key))

    return ordered


def _by_name(names: dict[str, str]) -> Callable[[Iterable[str]], list[str]]:
    def ordered(found: Iterable[str]) -> list[str]:
        return sorted(found, key=lambda code: names.get(code, code).casefold())

    return ordered


def _named(one: FactorOf, names: dict[str, str]) -> FactorOf:
    levels = tuple(
        Level(key=level.key, name=names.get(level.key, level.key)) for level in one.factor.levels
    )
    factor = Factor(key=one.factor.key, name=one.factor.name, levels=levels)
    return FactorOf(factor, one.level_of)
