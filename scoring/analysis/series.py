"""Series: one number for each item (or cell), by a metric or by people, in a common form.

`score_data` reads them; the automatic results, the variants and the comparisons with people all
work on them, so that an item has one value everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from scoring.stats.correlation import mean_by_unit

Kind = Literal["metric", "human"]
UnitKind = Literal["item", "cell"]
UnitKey = int | str
"""An item's id, or a cell's key."""

Scored = Mapping[UnitKey, tuple[float | None, str]]
"""{item id or cell key: (value or None, reason)}"""

NO_RATING = "no_rating"
NOT_SCORED = "not_scored"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """What a value is of, and what it can be grouped by. Empty text: not given.

    `link` is the address of its file. `unique`: whether its scenario was judged to be unique
    without its country; None: nobody judged it.
    """

    key: UnitKey
    name: str
    system: str
    real: bool
    country: str
    category: str
    aspect: str
    variant: str
    scenario: str
    origin: str
    cluster: str
    link: str = ""
    unique: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesFacts:
    """What a series is. `better`: "higher", "lower", or "" where nobody declared it.

    `dimension` is empty for the whole metric. `low` and `high` are the declared range, None where
    it is not known. `unit`: what its values are of, items or cells. `run` is None for people.
    """

    key: str
    kind: Kind
    name: str
    metric: str
    metric_name: str
    run: int | None
    output: str
    dimension: str
    better: str
    low: float | None
    high: float | None
    unit: UnitKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """A series with its values; units without one stand with the reason."""

    facts: SeriesFacts
    values: Scored


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HumanSeries:
    """Every answer to one question on items, in long form: what people said, item by item.

    `item` holds item ids, `rater` codes, `country` the panel's code of each answer; `points` are
    the declared values in order. A ranking's value is the place (1 is best), a selection's and a
    yes-or-no's 0 or 1. `repeats`: one person may have answered several times on an item (of
    several probes); answers are then averaged.
    """

    facts: SeriesFacts
    question: str
    kind: str
    label: str
    points: tuple[float, ...]
    item: npt.NDArray[np.int64]
    rater: npt.NDArray[np.int64]
    country: npt.NDArray[np.str_]
    value: npt.NDArray[np.float64]
    repeats: bool

    def of(self, *, country: str | None = None, items: Iterable[int] | None = None) -> HumanSeries:
        """The answers of one panel, or on some items."""
        mask = np.ones(self.value.size, dtype=bool)
        if country is not None:
            mask &= self.country == country
        if items is not None:
            mask &= np.isin(self.item, np.fromiter(items, dtype=np.int64))
        return HumanSeries(
            facts=self.facts,
            question=self.question,
            kind=self.kind,
            label=self.label,
            points=self.points,
            item=self.item[mask],
            rater=self.rater[mask],
            country=self.country[mask],
            value=self.value[mask],
            repeats=self.repeats,
        )

    def once_each(self) -> HumanSeries:
        """One answer of a person on an item: where there are several, their mean."""
        if not self.repeats:
            return self
        width = int(self.rater.max(initial=0)) + 1
        pair = self.item * width + self.rater
        distinct, first, place = np.unique(pair, return_index=True, return_inverse=True)
        return replace(
            self,
            item=distinct // width,
            rater=distinct % width,
            country=self.country[first],
            value=np.bincount(place, weights=self.value) / np.bincount(place),
            repeats=False,
        )

    def series(self, items: Iterable[int]) -> Series:
        """The mean answer of each of the items; those without one have the reason `no_rating`."""
        wanted = list(items)
        position = {item: number for number, item in enumerate(wanted)}
        given = self.once_each()
        known = np.array([item in position for item in given.item.tolist()], dtype=bool)
        codes = np.array([position[i] for i in given.item[known].tolist()], dtype=np.intp)
        means = mean_by_unit(unit=codes, values=given.value[known], n_units=len(wanted))
        values: dict[UnitKey, tuple[float | None, str]] = {
            item: (None, NO_RATING) if np.isnan(mean) else (float(mean), "")
            for item, mean in zip(wanted, means, strict=True)
        }
        return Series(facts=self.facts, values=values)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What the analysis plan says of correlations; empty where there is no plan.

    `methods` and `level` are as the plan writes them; `targets` {metric: question keys}.
    """

    methods: tuple[str, ...] = ()
    level: str = ""
    targets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    fixed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreFacts:
    """What metrics say of the chosen items, and of cells, as it was read.

    `systems` are names in the study's order; `gold` is {label set: {item: {label: value}}}.
    """

    items: Mapping[int, Unit] = field(default_factory=dict)
    cells: Mapping[str, Unit] = field(default_factory=dict)
    metrics: tuple[Series, ...] = ()
    systems: tuple[str, ...] = ()
    gold: Mapping[str, Mapping[int, Mapping[str, float]]] = field(default_factory=dict)
    plan: Plan = Plan()


NO_SCORES = ScoreFacts()


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreData:
    """Every series of a study, by metrics and by people, and what units can be grouped by.

    `countries` are names by code, `groupings` {grouping: {group: country codes}}. `rated`: the
    items that people rated.
    """

    facts: ScoreFacts
    humans: tuple[HumanSeries, ...]
    countries: Mapping[str, str]
    groupings: Mapping[str, Mapping[str, Sequence[str]]]
    shown_to: Mapping[str, frozenset[int]]
    rated: frozenset[int]
    seed: int

    @property
    def items(self) -> Mapping[int, Unit]:
        return self.facts.items

    @property
    def metrics(self) -> tuple[Series, ...]:
        return self.facts.metrics

    @property
    def systems(self) -> tuple[str, ...]:
        return self.facts.systems

    def units(self, kind: UnitKind) -> dict[UnitKey, Unit]:
        return dict(self.facts.items) if kind == "item" else dict(self.facts.cells)
