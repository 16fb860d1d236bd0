"""Prompt variants against each other, over the prompts that all of them have.

- **gain**: extended less base, over pairs of system and scenario that have both.
- **drop**: country-removed less extended, and country-removed less base, signed, over those that
  have every variant the study compares: a drop on other prompts than its rival would be another
  number. Where scenarios were judged for being unique without their country, only unique ones
  count. Several images of one system, scenario and variant are averaged first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from scoring.analysis.factors import FactorOf, system_of
from scoring.analysis.mean_requests import Requests
from scoring.analysis.parts.automatic import Contrast
from scoring.analysis.series import Series, Unit, UnitKey

BASE, EXTENDED, REMOVED = "base", "extended", "country-removed"
COMPARED = (BASE, EXTENDED, REMOVED)
CONTRASTS = (
    ("gain", EXTENDED, BASE),
    ("drop-extended", REMOVED, EXTENDED),
    ("drop-base", REMOVED, BASE),
)
FORMULAS = {
    "gain": "extended \u2212 base",
    "drop-extended": "country removed \u2212 extended",
    "drop-base": "country removed \u2212 base",
}
MATCHED = "mean over matched pairs of model and scenario"
UNIQUE = ", scenarios unique without their country alone"
BY = ("system", "country")


@dataclass(frozen=True, slots=True)
class AskedContrast:
    """A contrast whose mean difference was asked for at `place`."""

    name: str
    factor: str
    level: str
    first: float | None
    second: float | None
    place: int
    n_unmatched: int

    def answered(self, requests: Requests) -> Contrast:
        return Contrast(
            name=self.name,
            formula=FORMULAS[self.name],
            factor=self.factor,
            level=self.level,
            first=self.first,
            second=self.second,
            difference=requests[self.place],
            n_unmatched=self.n_unmatched,
        )


@dataclass(frozen=True, slots=True)
class _Pair:
    """One system and scenario: an item of it, and the mean value of each variant it has."""

    item: UnitKey
    means: Mapping[str, float]
    unique: bool | None

    def is_matched(self, needed: Sequence[str], *, unique: bool) -> bool:
        return all(variant in self.means for variant in needed) and (
            self.unique is True or not unique
        )


def ask_contrasts(
    series: Series,
    units: Mapping[UnitKey, Unit],
    requests: Requests,
    factors: Sequence[FactorOf],
) -> tuple[AskedContrast, ...]:
    """Every contrast of the variants there are: over all, by system and by country."""
    pairs = _pairs(series, units)
    there = [name for name in COMPARED if any(name in pair.means for pair in pairs)]
    judged = any(pair.unique is not None for pair in pairs)
    if len(there) < 2:
        return ()
    asked = [
        _ask(name, "", "", pairs, _needed(name, there), judged, requests)
        for name, first, second in CONTRASTS
        if first in there and second in there
    ]
    for one in factors:
        if one.factor.key not in BY:
            continue
        for level in one.factor.levels:
            own = [pair for pair in pairs if one.level_of(units[pair.item]) == level.key]
            asked += [
                _ask(name, one.factor.key, level.key, own, _needed(name, there), judged, requests)
                for name, first, second in CONTRASTS
                if first in there and second in there and own
            ]
    return tuple(asked)


def _needed(name: str, there: Sequence[str]) -> Sequence[str]:
    """The variants that a matched pair has: a gain needs two, drops all that are compared."""
    return (BASE, EXTENDED) if name == "gain" else there


def _ask(
    name: str,
    factor: str,
    level: str,
    pairs: Sequence[_Pair],
    needed: Sequence[str],
    judged: bool,
    requests: Requests,
) -> AskedContrast:
    _, first, second = next(contrast for contrast in CONTRASTS if contrast[0] == name)
    unique = judged and name != "gain"
    matched = [pair for pair in pairs if pair.is_matched(needed, unique=unique)]
    some = sum(any(variant in pair.means for variant in needed) for pair in pairs)
    place = requests.ask(
        [pair.item for pair in matched],
        [pair.means[first] - pair.means[second] for pair in matched],
        aggregation=f"{MATCHED}{UNIQUE if unique else ''}",
        unit="model and scenario",
    )
    return AskedContrast(
        name=name,
        factor=factor,
        level=level,
        first=fmean(pair.means[first] for pair in matched) if matched else None,
        second=fmean(pair.means[second] for pair in matched) if matched else None,
        place=place,
        n_unmatched=some - len(matched),
    )


def _pairs(series: Series, units: Mapping[UnitKey, Unit]) -> list[_Pair]:
    values: dict[tuple[str, str, str], dict[str, list[float]]] = defaultdict(dict)
    items: dict[tuple[str, str, str], UnitKey] = {}
    for key, (value, _) in series.values.items():
        unit = units.get(key)
        if value is None or unit is None or unit.variant not in COMPARED or not unit.scenario:
            continue
        pair = (system_of(unit), unit.country, unit.scenario)
        values[pair].setdefault(unit.variant, []).append(value)
        items.setdefault(pair, key)
    return [
        _Pair(
            items[pair],
            {variant: fmean(found) for variant, found in variants.items()},
            units[items[pair]].unique,
        )
        for pair, variants in values.items()
    ]
