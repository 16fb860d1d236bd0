"""Tables of the automatic results beside those by factor: ranks, extremes, gains and drops."""

from __future__ import annotations

from scoring.analysis.parts.automatic import Contrast, Extremes, Factor, RankPanel, SeriesResult
from scoring.analysis.report import Report
from scoring.reports.estimates import estimate
from scoring.reports.series_words import names_of, slug, slugs_of
from scoring.reports.tables import Column, Row, Table
from scoring.reports.words import num

CONTRASTS = {
    "gain": "Gain",
    "drop-extended": "Drop from extended",
    "drop-base": "Drop from base",
}


CONTRAST_COLUMNS = (
    Column(key="series", title="Score"),
    Column(key="contrast", title="Contrast"),
    Column(key="formula", title="What is taken from what"),
    Column(key="level", title="Of"),
    Column(key="first", title="First mean", kind="number"),
    Column(key="second", title="Second mean", kind="number"),
    Column(key="difference", title="Difference", kind="number"),
    Column(key="matched", title="Matched pairs", kind="count"),
    Column(key="unmatched", title="Not matched", kind="count"),
)


def ranking_table(report: Report, factor: Factor) -> Table:
    """The rank of each country by each whole metric and question."""
    automatic = report.automatic
    names = names_of([one.facts for one in automatic.series])
    slugs = slugs_of([one.facts for one in automatic.series])
    chosen = [
        one
        for one in automatic.series
        if one.facts.better and not one.facts.dimension and one.by(factor.key)
    ]
    return Table(
        name=f"automatic-{factor.key}-ranks",
        title=f"Ranks of {factor.name.lower()} means",
        columns=(
            Column(key="level", title=factor.name),
            *(
                Column(
                    key=slugs[one.facts.key], title=names[one.facts.key], kind="number", decimals=1
                )
                for one in chosen
            ),
        ),
        rows=tuple(
            Row(cells=(level.name, *(_rank(one, factor.key, level.key) for one in chosen)))
            for level in factor.levels
        ),
        unit=factor.name.lower(),
        aggregation="rank of the mean over items, 1 is best; equal means share a rank",
    )


def rank_table(report: Report, panel: RankPanel) -> Table:
    """The means and ranks of the systems behind a rank chart."""
    automatic = report.automatic
    names = names_of([one.facts for one in automatic.series])
    slugs = slugs_of([one.facts for one in automatic.series])
    chosen = [automatic.one(key) for key in panel.series]
    levels = automatic.factor("system").levels
    columns = [Column(key="model", title="Model")]
    for one in chosen:
        name = "People" if one.facts.kind == "human" else names[one.facts.key]
        columns += [
            Column(key=f"{slugs[one.facts.key]}-rank", title=f"{name}: rank", kind="number",
                   decimals=1),
            Column(key=slugs[one.facts.key], title=f"{name}: mean", kind="number"),
        ]  # fmt: skip
    rows = []
    for level in levels:
        cells: list[object] = [level.name]
        for one in chosen:
            breakdown = one.by("system", panel.subset) or one.by("system")
            cell = next(
                (c for c in (breakdown.cells if breakdown else ()) if c.level == level.key), None
            )
            mean = cell.mean if cell else None
            cells += [
                cell.rank if cell else None,
                estimate(mean.value, mean.interval, reason=mean.reason, n=mean.n_units)
                if mean
                else None,
            ]
        rows.append(Row(cells=tuple(cells)))
    return Table(
        name=f"automatic-ranks-{slug(panel.key)}",
        title=f"Ranks of models: {panel.name}",
        columns=tuple(columns),
        rows=tuple(rows),
        unit="model",
        aggregation="rank of the mean over items, 1 is best; equal means share a rank",
        n_in_cells=True,
    )


def _rank(one: SeriesResult, factor: str, level: str) -> float | None:
    breakdown = one.by(factor)
    for cell in breakdown.cells if breakdown else ():
        if cell.level == level:
            return cell.rank
    return None


def extreme_tables(report: Report) -> tuple[Table, ...]:
    """For each series the best and worst categories of every country."""
    automatic = report.automatic
    slugs = slugs_of([one.facts for one in automatic.series])
    names = names_of([one.facts for one in automatic.series])
    countries = {level.key: level.name for level in automatic.factor("country").levels}
    return tuple(
        Table(
            name=f"automatic-extremes-{slugs[one.series]}",
            title=f"Best and worst categories by country: {names[one.series]}",
            columns=(
                Column(key="country", title="Country"),
                Column(key="best", title="Best"),
                Column(key="worst", title="Worst"),
                Column(key="categories", title="Categories", kind="count"),
                Column(key="tied", title="Ties"),
            ),
            rows=_extreme_rows(one, countries),
            unit="category within a country",
            aggregation="mean over items",
        )
        for one in automatic.extremes
    )


def _extreme_rows(one: Extremes, countries: dict[str, str]) -> tuple[Row, ...]:
    return tuple(
        Row(
            cells=(
                countries.get(of.country, of.country),
                "; ".join(f"{p.category} {num(p.mean)} (n {p.n_units})" for p in of.best),
                "; ".join(f"{p.category} {num(p.mean)} (n {p.n_units})" for p in of.worst),
                of.n_categories,
                "another has the same mean as the last listed" if of.tied else "",
            )
        )
        for of in one.countries
    )


def count_table(report: Report) -> tuple[Table, ...]:
    """How often each category is among the best and the worst of the countries that have it."""
    automatic = report.automatic
    names = names_of([one.facts for one in automatic.series])
    rows = [
        Row(cells=(names[one.series], count.category, count.best, count.worst, count.countries))
        for one in automatic.extremes
        for count in one.counts
    ]
    if not rows:
        return ()
    return (
        Table(
            name="automatic-extremes-counts",
            title="How often a category is among the best or the worst",
            columns=(
                Column(key="series", title="Score"),
                Column(key="category", title="Category"),
                Column(key="best", title="Among the best", kind="count"),
                Column(key="worst", title="Among the worst", kind="count"),
                Column(key="countries", title="Of countries", kind="count"),
            ),
            rows=tuple(rows),
            unit="country",
            aggregation="count over countries",
        ),
    )


def contrast_table(report: Report, interval: str, *, by: tuple[str, ...]) -> tuple[Table, ...]:
    """Gains and drops on matched pairs: by what is named, "" over all."""
    automatic = report.automatic
    names = names_of([one.facts for one in automatic.series])
    factors = {
        (factor.key, level.key): level.name
        for factor in automatic.factors
        for level in factor.levels
    }
    rows = [
        Row(
            cells=(
                names[one.facts.key],
                CONTRASTS[contrast.name],
                contrast.formula,
                factors.get((contrast.factor, contrast.level), "All"),
                contrast.first,
                contrast.second,
                _difference(contrast),
                contrast.difference.n_units,
                contrast.n_unmatched,
            ),
            strong=not contrast.factor,
        )
        for one in automatic.series
        for contrast in one.contrasts
        if contrast.factor in by
    ]
    if not rows:
        return ()
    return (
        Table(
            name="automatic-contrasts" + ("" if "" in by else f"-{by[0]}"),
            title="Gains and drops on matched pairs" + ("" if "" in by else f", by {by[0]}"),
            columns=CONTRAST_COLUMNS,
            rows=tuple(rows),
            unit="pair of model and scenario",
            aggregation="mean of differences over matched pairs; images of one pair are averaged",
            interval=interval,
        ),
    )


def _difference(contrast: Contrast) -> object:
    found = contrast.difference
    return estimate(found.value, found.interval, reason=found.reason, se=found.se, n=found.n_units)
