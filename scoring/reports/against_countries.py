"""Metrics against people on parts of the items: countries and their averages, regions, models."""

from __future__ import annotations

from scoring.analysis.parts.against import CountryAverage, QuestionAgainst, Row, SliceResult
from scoring.analysis.report import Report
from scoring.reports.against_cards import country_card
from scoring.reports.against_cells import p_cells, slice_cell
from scoring.reports.against_tables import P_COLUMNS, Names, drawn
from scoring.reports.estimates import plain
from scoring.reports.series_words import METHODS, SHORT_METHODS, slug
from scoring.reports.tables import Column, Table
from scoring.reports.tables import Row as TableRow
from scoring.reports.words import num

PART_KINDS = {"region": "group of countries", "system": "model", "origin": "origin"}


def countries_table(
    report: Report, question: QuestionAgainst, names: Names, method: str
) -> Table | None:
    """Metrics in rows, countries in columns, the averages by every rule at the end."""
    rows = [row for row in question.rows if _of_countries(row, method)]
    if not rows:
        return None
    first = _of_countries(rows[0], method)
    return Table(
        name=f"against-{slug(question.key)}-countries-{method}",
        title=f"{question.label} by the annotators\u2019 country: {METHODS[method]}",
        columns=(
            Column(key="metric", title="Metric"),
            *(Column(key=one.key or "none", title=one.name, kind="number") for one in first),
            Column(key="mean", title="Mean", kind="number"),
            Column(key="fisher", title="Mean (Fisher)", kind="number"),
            Column(key="weighted", title="Mean, weighted by items", kind="number"),
            Column(key="sd", title="SD over countries", kind="number"),
            Column(key="undefined", title="Not defined", kind="count"),
        ),
        rows=tuple(
            TableRow(
                cells=(
                    names[row.series.key],
                    *(slice_cell(one) for one in _of_countries(row, method)),
                    *_average_cells(_average(row, method)),
                ),
                card=country_card(report, question, row, names[row.series.key], method),
            )
            for row in rows
        ),
        unit="item",
        aggregation="mean rating of each item by the country\u2019s annotators; means over the "
        "countries that have a coefficient",
        interval=drawn(report),
        n_in_cells=True,
    )


def _of_countries(row: Row, method: str) -> list[SliceResult]:
    return [one for one in row.slices if (one.kind, one.method) == ("country", method)]


def _average(row: Row, method: str, origin: str = "") -> CountryAverage | None:
    for one in row.averages:
        if (one.method, one.origin) == (method, origin):
            return one
    return None


def _average_cells(found: CountryAverage | None) -> tuple[object, ...]:
    if found is None:
        return (None,) * 5
    one = found.average
    return (
        plain(one.arithmetic, one.reason, n=one.n_groups),
        plain(one.fisher, one.fisher_reason, n=one.n_groups),
        plain(one.weighted, one.reason, n=one.n_groups),
        plain(one.sd, one.sd_reason),
        one.n_undefined,
    )


def each_country_table(
    report: Report, question: QuestionAgainst, names: Names, methods: tuple[str, ...]
) -> Table | None:
    """One row a metric and country: the coefficients, n, and the first one's p raw and adjusted."""
    rows = []
    for row in question.rows:
        for main in _of_countries(row, methods[0]):
            parts = {
                one.method: one
                for one in row.slices
                if (one.kind, one.key) == ("country", main.key)
            }
            rows.append(
                TableRow(
                    cells=(
                        names[row.series.key],
                        main.name,
                        *(slice_cell(parts[one]) for one in methods),
                        main.n_units,
                        main.n_without_score,
                        main.n_without_rating,
                        *p_cells(main.value, main.p_value, main.adjusted),
                    )
                )
            )
    if not rows:
        return None
    family = next(one.adjusted for row in question.rows for one in _of_countries(row, methods[0]))
    return Table(
        name=f"against-{slug(question.key)}-by-country",
        title=f"{question.label}: every metric and country",
        columns=(
            Column(key="metric", title="Metric"),
            Column(key="country", title="Annotators in"),
            *(Column(key=one, title=SHORT_METHODS[one], kind="number") for one in methods),
            Column(key="n", title="Items", kind="count"),
            Column(key="no_score", title="Without score", kind="count"),
            Column(key="no_rating", title="Without rating", kind="count"),
            *P_COLUMNS,
        ),
        rows=tuple(rows),
        unit="item",
        aggregation="mean rating of each item by the country\u2019s annotators",
        interval=drawn(report),
        notes=(
            f"p is that of {METHODS[methods[0]]}; family of {family.n_tests:,}: {family.family}.",
        ),
    )


def parts_table(
    report: Report, question: QuestionAgainst, names: Names, methods: tuple[str, ...]
) -> Table | None:
    """Targets on groups of countries, on each model's items and on each origin's."""
    rows = []
    for row in question.targets:
        for kind, words in PART_KINDS.items():
            for main in row.slices:
                if (main.kind, main.method) != (kind, methods[0]):
                    continue
                parts = {
                    one.method: one for one in row.slices if (one.kind, one.key) == (kind, main.key)
                }
                rows.append(
                    TableRow(
                        cells=(
                            names[row.series.key],
                            words,
                            main.name,
                            *(slice_cell(parts[one]) for one in methods),
                            main.n_units,
                            *p_cells(main.value, main.p_value, main.adjusted),
                        )
                    )
                )
    if not rows:
        return None
    return Table(
        name=f"against-{slug(question.key)}-parts",
        title=f"{question.label}: groups of countries, models, origins",
        columns=(
            Column(key="metric", title="Metric"),
            Column(key="part", title="Part"),
            Column(key="of", title="Items of"),
            *(Column(key=one, title=SHORT_METHODS[one], kind="number") for one in methods),
            Column(key="n", title="Items", kind="count"),
            *P_COLUMNS,
        ),
        rows=tuple(rows),
        unit="item",
        aggregation="mean rating of each item, pooled over the items of the part",
        interval=drawn(report),
        notes=(f"p is that of {METHODS[methods[0]]}, adjusted within each kind of part.",),
    )


def origins_table(
    question: QuestionAgainst, names: Names, methods: tuple[str, ...]
) -> Table | None:
    """Averages over countries for each origin apart, where items have several."""
    rows = [
        TableRow(
            cells=(
                names[row.series.key],
                SHORT_METHODS[one.method],
                one.origin,
                *_average_cells(one),
                "; ".join(
                    f"{code or 'none'} {_short(value)} (n {size})"
                    for code, value, size in zip(one.countries, one.values, one.sizes, strict=True)
                ),
            )
        )
        for row in question.targets
        for one in row.averages
        if one.origin and one.method in methods
    ]
    if not rows:
        return None
    return Table(
        name=f"against-{slug(question.key)}-origins",
        title=f"{question.label}: averages over countries, natural and generated items apart",
        columns=(
            Column(key="metric", title="Metric"),
            Column(key="method", title="Coefficient"),
            Column(key="origin", title="Items"),
            Column(key="mean", title="Mean", kind="number"),
            Column(key="fisher", title="Mean (Fisher)", kind="number"),
            Column(key="weighted", title="Mean, weighted by items", kind="number"),
            Column(key="sd", title="SD over countries", kind="number"),
            Column(key="undefined", title="Not defined", kind="count"),
            Column(key="countries", title="Countries"),
        ),
        rows=tuple(rows),
        unit="item",
        aggregation="coefficient within each country, averaged over the countries that have one",
    )


def _short(value: float | None) -> str:
    return "not defined" if value is None else num(value)
