"""Both sides of a comparison: each item's score beside people's ratings of it.

Two sets of units. **Items**: an item once, with the ratings of all panels. **Items in panels**: an
item once for each panel that is asked about it, with that panel's ratings; its group is the panel.
Where every item belongs to one panel both are the same items. Several answers of one person on one
item (of several probes) are averaged first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from scoring.analysis.prompts import prompt_clusters
from scoring.analysis.series import (
    NOT_SCORED,
    HumanSeries,
    Scored,
    ScoreData,
    Series,
    SeriesFacts,
    Unit,
)
from scoring.stats.rated_items import RatedItems, rate_items

Codes = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A metric's series as it is held against people.

    `by_panel` is empty where an item has one score for everybody; else {panel's country: scores},
    for a metric that scores an item for each country (a label each).
    """

    facts: SeriesFacts
    values: Scored
    by_panel: Mapping[str, Scored]

    @property
    def matched(self) -> bool:
        return bool(self.by_panel)

    def score(self, item: int, country: str) -> tuple[float | None, str]:
        """(value or None, reason) for an item, in a panel."""
        values = self.by_panel.get(country, {}) if self.by_panel else self.values
        return values.get(item, (None, NOT_SCORED))


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """The units of one question: `item` ids and `country` codes of each, and their ratings.

    `rated` holds no scores yet; `scored` puts a metric's in.
    """

    item: tuple[int, ...]
    country: tuple[str, ...]
    system: tuple[str, ...]
    origin: tuple[str, ...]
    rated: RatedItems
    prompt: Codes

    def scored(self, held: Held) -> RatedItems:
        """The units with a metric's scores, prompts as clusters where whole ones are drawn."""
        found = [
            held.score(item, code)[0] for item, code in zip(self.item, self.country, strict=True)
        ]
        scores = np.array([np.nan if value is None else value for value in found], dtype=np.float64)
        items = self.rated.scored_by(scores)
        paired = ~np.isnan(items.score) & ~np.isnan(items.mean)
        return replace(items, cluster=prompt_clusters(self.prompt, counted=paired))

    def where(self, chosen: Mask) -> Units:
        """These units of all."""
        picked = np.flatnonzero(chosen).tolist()
        return Units(
            item=tuple(self.item[place] for place in picked),
            country=tuple(self.country[place] for place in picked),
            system=tuple(self.system[place] for place in picked),
            origin=tuple(self.origin[place] for place in picked),
            rated=self.rated.only(chosen),
            prompt=self.prompt[chosen],
        )

    def grouped(self, group_of: Iterable[str]) -> Units:
        """The same units in groups, "" standing for none: such units are left out."""
        names = list(group_of)
        kept = self.where(np.array([bool(name) for name in names], dtype=bool))
        codes = _codes(name for name in names if name)
        return replace(kept, rated=replace(kept.rated, group=codes))


def units_of_items(data: ScoreData, human: HumanSeries) -> Units:
    """Every chosen item once; its country is "", since all panels are pooled."""
    human = human.once_each()
    items = list(data.items)
    place = {item: number for number, item in enumerate(items)}
    unit = np.array([place[item] for item in human.item.tolist()], dtype=np.intp)
    return _units(data, items, [""] * len(items), unit, human)


def units_in_panels(data: ScoreData, human: HumanSeries) -> Units:
    """Every item once for each panel that is asked about it, or has rated it."""
    human = human.once_each()
    rated: dict[str, set[int]] = {code: set(items) for code, items in data.shown_to.items()}
    for item, code in zip(human.item.tolist(), human.country.tolist(), strict=True):
        rated.setdefault(code, set()).add(item)
    pairs = [(item, code) for code in rated for item in data.items if item in rated[code]]
    place = {pair: number for number, pair in enumerate(pairs)}
    given = zip(human.item.tolist(), human.country.tolist(), strict=True)
    unit = np.array([place[pair] for pair in given], dtype=np.intp)
    units = _units(data, [item for item, _ in pairs], [code for _, code in pairs], unit, human)
    return replace(units, rated=replace(units.rated, group=_codes(units.country)))


def held_series(data: ScoreData) -> tuple[Held, ...]:
    """Every series of items; a metric whose dimensions are the panels' countries as one of them."""
    by_output: dict[tuple[str, str], list[Series]] = {}
    for series in data.metrics:
        if series.facts.unit == "item":
            by_output.setdefault((series.facts.metric, series.facts.output), []).append(series)
    found = []
    for of_output in by_output.values():
        labels = _labels_of_panels(data, of_output)
        if labels:
            found += [_held(one) for one in of_output if not one.facts.dimension]
            found.append(_matched(of_output[0].facts, labels))
        else:
            found += [_held(one) for one in of_output]
    return tuple(found)


def _held(series: Series) -> Held:
    return Held(facts=series.facts, values=series.values, by_panel={})


def _matched(facts: SeriesFacts, labels: Mapping[str, Scored]) -> Held:
    name = facts.name.split(" \u00b7 ")[0]
    key = "/".join((facts.metric, facts.output, "own country", facts.unit))
    own = replace(facts, key=key, name=f"{name}, own country", dimension="")
    return Held(facts=own, values={}, by_panel=labels)


def _labels_of_panels(data: ScoreData, of_output: list[Series]) -> dict[str, Scored]:
    """{panel's country: its label's scores} where two panels or more have a label of their name."""
    names = {code.casefold(): code for code in data.shown_to if code}
    names |= {data.countries[code].casefold(): code for code in data.shown_to if code}
    found = {
        names[series.facts.dimension.casefold()]: series.values
        for series in of_output
        if series.facts.dimension.casefold() in names
    }
    return found if len(found) > 1 else {}


def _units(
    data: ScoreData, items: list[int], countries: list[str], unit: Codes, human: HumanSeries
) -> Units:
    of: list[Unit] = [data.items[item] for item in items]
    rated = rate_items(
        score=np.full(len(items), np.nan), item=unit, value=human.value, rater=human.rater
    )
    return Units(
        item=tuple(items),
        country=tuple(countries),
        system=tuple(one.system if one.system and not one.real else "" for one in of),
        origin=tuple(one.origin for one in of),
        rated=rated,
        prompt=_codes(one.cluster for one in of),
    )


def _codes(names: Iterable[str]) -> Codes:
    number: dict[str, int] = {}
    return np.array([number.setdefault(name, len(number)) for name in names], dtype=np.intp)
