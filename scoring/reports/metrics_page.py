"""The page on metrics against people: question by question, then what is common to all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scoring.analysis.parts.against import (
    Against,
    Point,
    QuestionAgainst,
    Row,
)
from scoring.analysis.report import REAL, MetricReport, Report
from scoring.reports.against_countries import (
    countries_table,
    each_country_table,
    origins_table,
    parts_table,
)
from scoring.reports.against_tables import (
    differences_table,
    levels_table,
    lines_table,
    planned_table,
)
from scoring.reports.against_words import (
    contrary_note,
    direction_words,
    finding,
    outcome_words,
    planned_words,
)
from scoring.reports.cards import named
from scoring.reports.heat_words import heat_table, heat_words
from scoring.reports.label_tables import judge_tables, label_table
from scoring.reports.moments import moment
from scoring.reports.palette import SYSTEMS, TOKENS
from scoring.reports.sections import Chart, Note, Plots, Section, UnitCard
from scoring.reports.series_words import METHODS, names_of, slug, slugs_of
from scoring.reports.tables import Column, Estimate, Table
from scoring.reports.tables import Row as TableRow
from scoring.reports.words import counted, not_defined, num

NOTHING = (
    "No metric has finished on this study. Its correlation with people appears here when a run is "
    "done."
)
MOST_SCATTERS = 4
"""Scatter charts of one question: the targets whose coefficients lie furthest from 0."""


def sections(report: Report, plots: Plots) -> tuple[Section, ...]:
    against = report.against
    if not report.metrics or not against.questions:
        return (Section(id="metrics", title="Metrics against people", finding=NOTHING),)
    names = names_in(against)
    return (
        _opening(report, names),
        *(part for one in against.questions for part in _of_question(report, one, names)),
        *_heat(report),
        _directions(report, names),
        *_labels(against),
    )


def names_in(against: Against) -> dict[str, str]:
    """{series key: name} of every series that is held against people."""
    series = {row.series.key: row.series for one in against.questions for row in one.rows}
    return names_of(list(series.values()))


def scatter_rows(question: QuestionAgainst, method: str) -> list[Row]:
    """The targets whose items are drawn."""
    rows = [row for row in question.targets if row.scatter is not None]
    rows.sort(key=lambda row: -abs(_pooled(row, method) or 0.0))
    return rows[:MOST_SCATTERS]


def scatter_key(question: QuestionAgainst, row: Row) -> str:
    return f"scatter-{slug(question.key)}-{slugs_of([row.series])[row.series.key]}"


def _opening(report: Report, names: Mapping[str, str]) -> Section:
    against = report.against
    planned = against.planned
    when = "fixed" if planned.fixed else "not fixed yet"
    points = [
        f"The plan ({when}) correlates by {planned_words(planned)}"
        + (f" (\u201c{planned.named}\u201d)." if planned.named else "."),
        "Each metric is held against the questions that the plan names for it; the rest is "
        "exploration, items pooled."
        if planned.has_targets
        else "The plan names no questions for metrics, so every metric is held against every "
        "question.",
        "An item\u2019s rating is the mean of its ratings, rounded to nine decimals before "
        "ranking.",
    ]
    return Section(
        id="metrics",
        title="Metrics against people",
        notes=(*_run_notes(report), *_contrary(against, names)),
        points=tuple(points),
    )


def _run_notes(report: Report) -> Iterator[Note]:
    """Which scores are used, and whether they are current."""
    for metric in report.metrics:
        if metric.runs > 1:
            yield Note(text=_newest(metric))
        if metric.outdated:
            yield Note(
                text=f"{metric.name}: descriptors have been added or removed since its scores "
                "were made. Start a new run to bring the scores up to date.",
                warns=True,
            )


def _newest(metric: MetricReport) -> str:
    at = f" of {moment(metric.finished_at)}" if metric.finished_at else ""
    used = ", ".join([f"run {metric.run}{at}", *named(metric.parameters)])
    return f"{metric.name}: of {metric.runs} finished runs the newest is used ({used})."


def _contrary(against: Against, names: Mapping[str, str]) -> Iterator[Note]:
    """A note where a whole interval lies on the side that the directions speak against."""
    labels = {question.key: question.label for question in against.questions}
    for check in against.directions:
        if check.outcome == "contrary":
            text = contrary_note(check, names[check.series], labels[check.question])
            yield Note(text=text, warns=True)


def _of_question(
    report: Report, question: QuestionAgainst, names: Mapping[str, str]
) -> Iterator[Section]:
    key, method = slug(question.key), report.against.planned.methods[0]
    yield Section(
        id=f"question-{key}",
        title=question.label,
        aside=f"{question.better} is better" if question.better else "",
        finding=finding(question, names),
        charts=tuple(_charts(report, question, names)),
    )
    yield Section(
        id=f"levels-{key}",
        title=f"{question.label}: every level, and people\u2019s lines",
        tables=(levels_table(report, question, names), lines_table(report, question, names)),
    )
    folded = (
        countries_table(report, question, names, other)
        for other in report.against.planned.methods[1:]
    )
    more = (
        each_country_table(report, question, names),
        *folded,
        parts_table(report, question, names),
        origins_table(question, names),
    )
    differences = differences_table(report, question, names)
    if differences is not None:
        yield Section(
            id=f"differ-{key}",
            title=f"{question.label}: which metrics differ",
            tables=(differences,),
        )
    if any(more):
        yield Section(
            id=f"parts-{key}",
            title=f"{question.label}: countries, groups of countries, models",
            tables=tuple(table for table in more if table is not None),
            folded=True,
        )
    yield from _items(report, question, names, method)
    if question.judges:
        yield Section(
            id=f"judges-{key}",
            title=f"{question.label}: judges and the majority of people",
            tables=judge_tables(question, names),
        )


def _charts(report: Report, question: QuestionAgainst, names: Mapping[str, str]) -> Iterator[Chart]:
    planned = report.against.planned
    key = slug(question.key)
    if question.targets:
        yield _forest(report, question, names)
    countries = countries_table(report, question, names, planned.methods[0])
    if countries is not None:
        yield Chart(
            key=f"countries-{key}",
            title=f"Metrics against {question.label} by country",
            caption=(
                f"{METHODS[planned.methods[0]]} over the items of each country\u2019s annotators. "
                "Bold: the interval leaves out 0. n/d: not defined; the table says why."
            ),
            table=countries,
        )


def _forest(report: Report, question: QuestionAgainst, names: Mapping[str, str]) -> Chart:
    planned = report.against.planned
    return Chart(
        key=f"against-{slug(question.key)}",
        title=f"Metrics against {question.label}",
        caption=(
            f"{planned_words(planned)}; bars are 95\u00a0% intervals, open points those that "
            "include 0. People are ink, metrics blue; the vertical line is the human ceiling with "
            "its interval."
        ),
        table=planned_table(report, question, names),
    )


def _items(
    report: Report, question: QuestionAgainst, names: Mapping[str, str], method: str
) -> Iterator[Section]:
    """The items behind the numbers: scatters, and the items furthest from the trend."""
    rows = scatter_rows(question, method)
    if not rows:
        return
    left = len([row for row in question.targets if row.scatter is not None]) - len(rows)
    yield Section(
        id=f"items-{slug(question.key)}",
        title=f"{question.label}: the items behind the numbers",
        notes=(
            Note(text=f"Of {left + len(rows)} metrics, the {len(rows)} furthest from 0 are drawn."),
        )
        if left
        else (),
        charts=tuple(
            _scatter(question, row, names[row.series.key], system_legend(report)) for row in rows
        ),
        units=tuple(_furthest(rows[0], names[rows[0].series.key])),
        folded=True,
    )


def _scatter(
    question: QuestionAgainst, row: Row, name: str, legend: tuple[tuple[str, str], ...]
) -> Chart:
    scatter = row.scatter
    n = scatter.n_points if scatter else 0
    points = scatter.furthest_points if scatter else ()
    return Chart(
        key=scatter_key(question, row),
        title=f"{name} and {question.label}",
        caption=(
            f"{counted(n, 'item')} with a score and a rating; each point is an item and leads to "
            "its file. Along the sides: how many lie where. Colour and marker: model. The table "
            f"has the {len(points)} items whose ranks on the two sides lie furthest apart."
        ),
        legend=legend,
        table=_furthest_table(question, row, name),
    )


def system_legend(report: Report) -> tuple[tuple[str, str], ...]:
    """(token, system) in the colours of the charts; empty above as many as there are colours."""
    factor = next((one for one in report.automatic.factors if one.key == "system"), None)
    made = [level.key for level in factor.levels if level.key != REAL] if factor else []
    if len(made) > len(SYSTEMS):
        return ()
    return tuple((TOKENS[colour], name) for colour, name in zip(SYSTEMS, made, strict=False))


def _furthest_table(question: QuestionAgainst, row: Row, name: str) -> Table:
    points = row.scatter.furthest_points if row.scatter else ()
    return Table(
        name=f"against-{scatter_key(question, row)}",
        title=f"{name} and {question.label}: items furthest from the trend",
        columns=(
            Column(key="item", title="Item"),
            Column(key="model", title="Model"),
            Column(key="people", title="People\u2019s mean", kind="number"),
            Column(key="score", title="Score", kind="number", decimals=3),
        ),
        rows=tuple(
            TableRow(cells=(point.name, point.system, point.human, point.score)) for point in points
        ),
        unit="item",
        aggregation="mean rating of each item; furthest by the difference of the two mid-ranks",
    )


def _furthest(row: Row, name: str) -> Iterator[UnitCard]:
    """The first of them to look at."""
    points: tuple[Point, ...] = row.scatter.furthest_points if row.scatter else ()
    for point in points[:8]:
        yield UnitCard(
            name=point.name,
            items=(point.item,),
            figure=f"people {num(point.human)}, {name} {num(point.score, 3)}",
            answers=(),
            words=(),
        )


def _pooled(row: Row, method: str) -> float | None:
    found = row.level("pooled", method)
    return None if found is None else found.correlation.value


def _heat(report: Report) -> Iterator[Section]:
    heat = report.against.heat
    if not heat.cells:
        return
    yield Section(
        id="heat",
        title="Questions and metrics among each other",
        finding=heat_words(heat),
        charts=(
            Chart(
                key="heat-metrics",
                title="Correlations among questions and metrics",
                caption=(
                    f"{METHODS[heat.method]} over the items that have both, items pooled. Bold: "
                    "the 95\u00a0% interval leaves out 0. The frame: metrics against questions."
                ),
                table=heat_table(report),
            ),
        ),
    )


def _directions(report: Report, names: Mapping[str, str]) -> Section:
    against = report.against
    labels = {question.key: question.label for question in against.questions}
    return Section(
        id="directions",
        title="Declared directions, and what the data show",
        tables=(
            Table(
                name="against-directions",
                title="Direction of every metric with every question",
                columns=(
                    Column(key="metric", title="Metric"),
                    Column(key="question", title="Question"),
                    Column(key="declared", title="By the declared directions"),
                    Column(key="found", title="In these data"),
                    Column(key="value", title="Coefficient", kind="number"),
                    Column(key="n", title="Items", kind="count"),
                ),
                rows=tuple(
                    TableRow(
                        cells=(
                            names[check.series],
                            labels[check.question],
                            direction_words(check, names[check.series], labels[check.question]),
                            outcome_words(check),
                            Estimate(
                                value=check.value,
                                why=not_defined(check.reason, metric=True)
                                if check.value is None
                                else "",
                                low=check.interval.low if check.interval else None,
                                high=check.interval.high if check.interval else None,
                            ),
                            check.n_units,
                        )
                    )
                    for check in against.directions
                ),
                unit="item",
                aggregation=f"{METHODS[against.planned.methods[0]]}, items pooled",
                notes=("A direction is read off the interval: without 0 in it, rises or falls.",),
            ),
        ),
        folded=True,
    )


def _labels(against: Against) -> Iterator[Section]:
    if against.labels:
        yield Section(
            id="labels",
            title="Labels against gold labels, by threshold",
            tables=tuple(label_table(one) for one in against.labels),
        )
