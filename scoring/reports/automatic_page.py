"""The page on automatic results: what metrics say by themselves, with people beside them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from scoring.analysis.factors import GROUPING
from scoring.analysis.parts.automatic import Automatic, Factor, RankPanel, SeriesResult
from scoring.analysis.report import Report
from scoring.analysis.targets import bears_name_of
from scoring.reports.automatic_cards import series_card
from scoring.reports.automatic_factors import (
    factor_table,
    factor_words,
    interval_words,
    rated_table,
)
from scoring.reports.automatic_tables import (
    contrast_table,
    count_table,
    extreme_tables,
    rank_table,
    ranking_table,
)
from scoring.reports.country_scatter import country_chart
from scoring.reports.estimates import estimate
from scoring.reports.sections import Chart, Note, Plots, Section
from scoring.reports.series_words import better_words, left_out_words, names_of, slug, slugs_of
from scoring.reports.tables import Column, Estimate, Row, Table
from scoring.reports.words import MINUS, counted, listed, num

NOTHING = "No metric has finished on this study. Its results appear here when a run is done."
PEOPLE = "Means of people are over items, each counting once with the mean of its ratings."


def sections(report: Report, plots: Plots) -> tuple[Section, ...]:
    automatic = report.automatic
    if not automatic.metrics:
        return (Section(id="results", title="Automatic results", finding=NOTHING),)
    return tuple(
        section
        for section in (
            _overall(report),
            _ranks(report),
            *_by_factor(report),
            _regions(report),
            _dimensions(report),
            *_extremes(report),
            *_variants(report),
        )
        if section is not None
    )


def _overall(report: Report) -> Section:
    automatic = report.automatic
    return Section(
        id="results",
        title="Automatic results",
        finding=(
            f"{counted(len(automatic.metrics), 'series', 'series')} of scores over "
            f"{counted(automatic.n_items, 'item')}; people rated {automatic.n_rated:,} of them."
        ),
        notes=tuple(_run_notes(report)),
        tables=(_overall_table(report),),
    )


def _overall_table(report: Report) -> Table:
    series = report.automatic.series
    names = names_of([one.facts for one in series])
    return Table(
        name="automatic-overall",
        title="Every output and dimension, and people",
        columns=(
            Column(key="series", title="Score"),
            Column(key="metric", title="Metric"),
            Column(key="mean", title="Mean", kind="number"),
            Column(key="sd", title="SD", kind="number"),
            Column(key="n", title="n", kind="count"),
            Column(key="undefined", title="Not defined"),
            Column(key="rated_mean", title="On the rated items", kind="number"),
            Column(key="range", title="Range"),
            Column(key="better", title="Direction"),
        ),
        rows=tuple(_overall_row(report, one, names[one.facts.key]) for one in series),
        unit="item, or cell of items where the metric scores cells",
        aggregation="mean over items",
        interval=interval_words(report),
        notes=(PEOPLE,),
        n_in_cells=True,
    )


def _overall_row(report: Report, one: SeriesResult, name: str) -> Row:
    found = one.overall.mean
    return Row(
        cells=(
            name,
            "people" if one.facts.kind == "human" else one.facts.metric_name,
            estimate(found.value, found.interval, reason=found.reason, se=found.se),
            found.sd,
            found.n_units,
            left_out_words(one.overall.undefined, one.facts.unit),
            _of_rated(one),
            _range_words(one),
            better_words(one.facts.better),
        ),
        card=series_card(report, one, name),
    )


def _of_rated(one: SeriesResult) -> Estimate | None:
    if one.rated is None:
        return None
    found = one.rated.mean
    return estimate(found.value, found.interval, reason=found.reason, se=found.se, n=found.n_units)


def _range_words(one: SeriesResult) -> str:
    low, high = one.facts.low, one.facts.high
    if not one.facts.better:
        return "not declared"
    if low is None and high is None:
        return "any number"
    if low is None or high is None:
        words = f"from {low:g}" if high is None else f"up to {high:g}"
    else:
        words = f"{low:g} to {high:g}"
    return words.replace("-", MINUS)


def _run_notes(report: Report) -> Iterator[Note]:
    """Metrics whose scores are older than what they were made from."""
    for metric in report.metrics:
        if metric.outdated:
            yield Note(
                text=f"{metric.name}: what it reads of the study (descriptors, prompts, questions) "
                "has changed since its scores were made. Start a new run to bring the scores up to "
                "date.",
                warns=True,
            )


def _by_factor(report: Report) -> Iterator[Section]:
    """Models, countries, categories, aspects, origins: one table each over all whole metrics."""
    for factor in report.automatic.factors:
        if factor.key.startswith((GROUPING, "system-")) or factor.key == "variant":
            continue
        charts = tuple(_chart(report, one, factor) for one in charted(report.automatic, factor.key))
        extra = (ranking_table(report, factor),) if factor.key == "country" else ()
        scatter = country_chart(report.automatic) if factor.key == "country" else None
        charts = (*charts, *((scatter,) if scatter else ()))
        yield Section(
            id=f"by-{factor.key}",
            title=f"By {factor_words(factor)}",
            finding=_finding(report.automatic, factor),
            tables=(factor_table(report, factor), *rated_table(report, factor), *extra),
            charts=charts,
        )


def charted(automatic: Automatic, factor: str) -> tuple[SeriesResult, ...]:
    """Whole metrics whose means by model or country are drawn: those whose means differ."""
    if factor not in ("system", "country"):
        return ()
    return tuple(
        one
        for one in automatic.metrics
        if not one.facts.dimension and (by := one.by(factor)) and by.spread
    )


def _chart(report: Report, one: SeriesResult, factor: Factor) -> Chart:
    automatic = report.automatic
    names = names_of([series.facts for series in automatic.series])
    return Chart(
        key=chart_key(automatic, one, factor.key),
        title=f"{names[one.facts.key]} by {factor_words(factor)}",
        caption=(
            f"Mean over {one.facts.unit}s; bars are 95\u00a0% intervals. "
            f"In brackets: {one.facts.unit}s with a score. "
            f"{better_words(one.facts.better).capitalize()}."
        ),
        table=replace(
            factor_table(report, factor, series=[one]),
            name=chart_key(automatic, one, factor.key),
            title=f"{names[one.facts.key]} by {factor_words(factor)}",
        ),
    )


def rank_key(panel: RankPanel) -> str:
    return f"auto-ranks-{slug(panel.key)}"


def chart_key(automatic: Automatic, one: SeriesResult, factor: str) -> str:
    slugs = slugs_of([series.facts for series in automatic.series])
    return f"auto-means-{factor}-{slugs[one.facts.key]}"


def _finding(automatic: Automatic, factor: Factor) -> str:
    """Best and worst of the first metric that has them."""
    levels = {level.key: level.name for level in factor.levels}
    names = names_of([one.facts for one in automatic.series])
    for one in automatic.metrics:
        by = one.by(factor.key)
        if by is None or not by.best or not by.worst:
            continue
        means = {cell.level: cell.mean.value or 0.0 for cell in by.cells}
        best, worst = ([levels[key] for key in keys] for keys in (by.best, by.worst))
        return (
            f"{names[one.facts.key]} ({better_words(one.facts.better)}): best in {listed(best)}, "
            f"{num(means[by.best[0]])}; worst in {listed(worst)}, {num(means[by.worst[0]])}."
        )
    return ""


def _regions(report: Report) -> Section | None:
    """Groups of countries, and models within them."""
    factors = [
        factor
        for factor in report.automatic.factors
        if factor.key.startswith((GROUPING, "system-"))
    ]
    if not factors:
        return None
    return Section(
        id="regions",
        title="By group of countries",
        tables=tuple(factor_table(report, factor) for factor in factors),
    )


def _dimensions(report: Report) -> Section | None:
    """Each output with dimensions, by model and by country; people where they were asked."""
    automatic = report.automatic
    outputs: dict[tuple[str, str], list[SeriesResult]] = {}
    for one in automatic.metrics:
        outputs.setdefault((one.facts.metric, one.facts.output), []).append(one)
    tables = []
    for (metric, output), of_output in outputs.items():
        if not any(one.facts.dimension for one in of_output):
            continue
        series = [part for one in of_output for part in (one, *_people_of(automatic, one))]
        for key in ("system", "country"):
            factor = next((one for one in automatic.factors if one.key == key), None)
            if factor is None:
                continue
            table = factor_table(report, factor, series=series)
            name = f"automatic-{slug(f'{metric}-{output}')}-{key}"
            title = f"{of_output[0].facts.metric_name} by {factor_words(factor)} and dimension"
            tables.append(_renamed(table, name, title))
    if not tables:
        return None
    return Section(id="dimensions", title="By dimension", tables=tuple(tables))


def _people_of(automatic: Automatic, one: SeriesResult) -> Iterator[SeriesResult]:
    """The question that a dimension bears the name of."""
    return (human for human in automatic.humans if bears_name_of(one.facts, human.facts.output))


def _renamed(table: Table, name: str, title: str) -> Table:
    return replace(table, name=name, title=title)


def _ranks(report: Report) -> Section | None:
    automatic = report.automatic
    panels = [panel for panel in automatic.rank_panels if len(panel.series) > 1]
    if not panels:
        return None
    return Section(
        id="ranks",
        title="Ranks of models by dimension and evaluator",
        charts=tuple(
            Chart(
                key=rank_key(panel),
                title=panel.name,
                caption=(
                    "Rank of each model\u2019s mean, 1 is best, by people and by each metric"
                    + (
                        "; metrics on the items that people rated."
                        if panel.subset == "rated"
                        else "."
                    )
                    + " Equal means share a rank. How far means lie apart is in the table."
                ),
                table=rank_table(report, panel),
            )
            for panel in panels
        ),
    )


def _extremes(report: Report) -> Iterator[Section]:
    if not report.automatic.extremes:
        return
    yield Section(
        id="extremes",
        title="Best and worst categories",
        notes=(
            Note(
                text="Of each country up to three at each end; a country with fewer than six "
                "categories lists half of them at each end."
            ),
        ),
        tables=count_table(report),
    )
    yield Section(
        id="extremes-by-country",
        title="Best and worst categories of each country",
        tables=extreme_tables(report),
        folded=True,
    )


def _variants(report: Report) -> Iterator[Section]:
    automatic = report.automatic
    factor = next((one for one in automatic.factors if one.key == "variant"), None)
    if factor is None or len(factor.levels) < 2:
        return
    interval = interval_words(report)
    yield Section(
        id="variants",
        title="Prompt variants",
        notes=(
            Note(
                text="Means by variant rest on all items. Gains and drops rest on matched pairs "
                "alone: the same model and scenario in every variant that is compared. Where "
                "scenarios were judged for being unique without their country, drops count only "
                "those that are."
            ),
        ),
        tables=(
            factor_table(report, factor),
            *contrast_table(report, interval, by=("", "system")),
        ),
    )
    by_country = contrast_table(report, interval, by=("country",))
    if by_country:
        yield Section(
            id="variants-by-country",
            title="Gains and drops by country",
            tables=by_country,
            folded=True,
        )
