"""The best and worst categories of each country, and how often each category is among them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from statistics import fmean

from scoring.analysis.parts.automatic import CategoryCount, CountryExtremes, Extremes, Placed
from scoring.analysis.series import Series, SeriesFacts, Unit, UnitKey
from scoring.analysis.standing import DECIMALS

MOST_LISTED = 3


def extremes_of(
    series: Series, facts: SeriesFacts, units: Mapping[UnitKey, Unit]
) -> Extremes | None:
    """Up to three best and worst of each country; None without direction, categories, countries.

    A country with fewer than six categories lists half of them at each end, so that none is both.
    """
    if facts.better not in ("higher", "lower") or facts.dimension:
        return None
    values: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for key, (value, _) in series.values.items():
        unit = units.get(key)
        if value is not None and unit is not None and unit.country and unit.category:
            values[unit.country][unit.category].append(value)
    countries = tuple(
        _of_country(country, categories, facts.better)
        for country, categories in sorted(values.items())
        if len(categories) > 1
    )
    if not any(one.best for one in countries):
        return None
    return Extremes(
        series=facts.key, listed=MOST_LISTED, countries=countries, counts=_counts(countries, values)
    )


def _of_country(
    country: str, categories: Mapping[str, list[float]], better: str
) -> CountryExtremes:
    sign = -1.0 if better == "higher" else 1.0
    placed = [
        Placed(category=name, mean=fmean(found), n_units=len(found))
        for name, found in categories.items()
    ]
    placed.sort(key=lambda one: (sign * round(one.mean, DECIMALS), one.category))
    means = [round(one.mean, DECIMALS) for one in placed]
    if means[0] == means[-1]:
        return CountryExtremes(
            country=country, best=(), worst=(), n_categories=len(placed), tied=True
        )
    listed = min(MOST_LISTED, len(placed) // 2)
    return CountryExtremes(
        country=country,
        best=tuple(placed[:listed]),
        worst=tuple(reversed(placed[-listed:])),
        n_categories=len(placed),
        tied=means[listed - 1] == means[listed] or means[-listed] == means[-listed - 1],
    )


def _counts(
    countries: tuple[CountryExtremes, ...], values: Mapping[str, Mapping[str, list[float]]]
) -> tuple[CategoryCount, ...]:
    names = sorted({name for one in countries for name in values[one.country]})
    counts = [
        CategoryCount(
            category=name,
            best=sum(name in {p.category for p in one.best} for one in countries),
            worst=sum(name in {p.category for p in one.worst} for one in countries),
            countries=sum(name in values[one.country] for one in countries),
        )
        for name in names
    ]
    return tuple(sorted(counts, key=lambda count: (-count.best, count.worst, count.category)))
