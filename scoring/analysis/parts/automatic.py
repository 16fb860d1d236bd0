"""The automatic results of a study in their own right, as frozen values: page, plots and export."""

from __future__ import annotations

from dataclasses import dataclass

from scoring.analysis.parts.left_out import LeftOut
from scoring.analysis.series import SeriesFacts
from scoring.stats.means import MeanResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """The mean of a series over the units of one level (or all of them).

    `rank`: 1 is best, equal means share the mean of their ranks; None without a mean, or where the
    series has no direction.
    """

    level: str
    mean: MeanResult
    undefined: tuple[LeftOut, ...]
    rank: float | None = None

    @property
    def n_undefined(self) -> int:
        return sum(part.items for part in self.undefined)


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """One value of a factor: a system, a country, a region, a category, a variant."""

    key: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Factor:
    """Something results are broken down by. `key` of a grouping is "grouping:" and its name."""

    key: str
    name: str
    levels: tuple[Level, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Breakdown:
    """A series by the levels of a factor, in the factor's order.

    `subset` is "all", or "rated": the human-rated items alone. `best` and `worst` are the keys of
    the levels that share the best and the worst mean; empty where there is nothing to compare.
    `sd` and `spread` are the standard deviation (n - 1) and the range of the levels' means.
    """

    factor: str
    subset: str
    cells: tuple[Cell, ...]
    best: tuple[str, ...]
    worst: tuple[str, ...]
    sd: float | None
    spread: float | None
    dispersion_reason: str | None
    n_defined: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """One variant less another over matched prompts: the same system and scenario in both.

    `first` and `second` are the two means over the matched set, `difference` first less second.
    `n_unmatched`: pairs of system and scenario with some value, but not in all that is compared.
    `level` is "" for all, else a level of `factor` ("system" or "country").
    """

    name: str
    formula: str
    factor: str
    level: str
    first: float | None
    second: float | None
    difference: MeanResult
    n_unmatched: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesResult:
    """One series: over everything, over the human-rated items, broken down, and its contrasts."""

    facts: SeriesFacts
    overall: Cell
    rated: Cell | None
    breakdowns: tuple[Breakdown, ...]
    contrasts: tuple[Contrast, ...]

    def by(self, factor: str, subset: str = "all") -> Breakdown | None:
        for breakdown in self.breakdowns:
            if (breakdown.factor, breakdown.subset) == (factor, subset):
                return breakdown
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A category among the best or worst of a country."""

    category: str
    mean: float
    n_units: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CountryExtremes:
    """The best and worst categories of a country, best first and worst first.

    `tied`: another category has the same mean as the last that is listed. Where all categories have
    the same mean, none is listed.
    """

    country: str
    best: tuple[Placed, ...]
    worst: tuple[Placed, ...]
    n_categories: int
    tied: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryCount:
    """How often a category is among a country's best and worst, of the countries that have it."""

    category: str
    best: int
    worst: int
    countries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Extremes:
    """Best and worst categories by country, by one series; `listed` are at most shown of each."""

    series: str
    listed: int
    countries: tuple[CountryExtremes, ...]
    counts: tuple[CategoryCount, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankPanel:
    """What ranks the systems on one dimension: series keys, people first. `subset` as above."""

    key: str
    name: str
    subset: str
    series: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Automatic:
    """`series` are metrics and then people. `n_prompts`: prompts drawn by the intervals."""

    factors: tuple[Factor, ...]
    series: tuple[SeriesResult, ...]
    extremes: tuple[Extremes, ...]
    rank_panels: tuple[RankPanel, ...]
    n_items: int
    n_rated: int
    n_prompts: int
    resampled: str

    def factor(self, key: str) -> Factor:
        """The factor with this key; raises KeyError."""
        for factor in self.factors:
            if factor.key == key:
                return factor
        raise KeyError(key)

    def one(self, key: str) -> SeriesResult:
        """The series with this key; raises KeyError."""
        for result in self.series:
            if result.facts.key == key:
                return result
        raise KeyError(key)

    @property
    def metrics(self) -> tuple[SeriesResult, ...]:
        return tuple(result for result in self.series if result.facts.kind == "metric")

    @property
    def humans(self) -> tuple[SeriesResult, ...]:
        return tuple(result for result in self.series if result.facts.kind == "human")
