"""The page on metrics against people: question by question, then what is common to all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from scoring.analysis.parts.against import Against, QuestionAgainst
from scoring.analysis.report import MetricReport, Report
from scoring.reports.against_charts import countries_chart, forest_chart
from scoring.reports.against_countries import (
    countries_table,
    each_country_table,
    origins_table,
    parts_table,
)
from scoring.reports.against_items import items_behind
from scoring.reports.against_shown import names_in
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
from scoring.reports.aggregation import planned_found
from scoring.reports.cards import named
from scoring.reports.heat_words import heat_table, heat_words
from scoring.reports.label_tables import judge_tables, label_table
from scoring.reports.moments import moment
from scoring.reports.sections import Chart, Note, Plots, Section
from scoring.reports.series_words import METHODS, slug
from scoring.reports.tables import Column, Estimate, Table
from scoring.reports.tables import Row as TableRow
from scoring.reports.words import not_defined

NOTHING = (
    "No metric has finished on this study. Its correlation with people appears here when a run is "
    "done."
)


def sections(report: Report, plots: Plots) -> tuple[Section, ...]:
    against = report.against
    if not report.metrics or not against.questions:
        return (Section(id="metrics", title="Metrics against people", finding=NOTHING),)
    names = names_in(against)
    return (
        opening(report, names),
        *(part for one in against.questions for part in _of_question(report, one, names)),
        *common(report, names),
    )


def common(report: Report, names: Mapping[str, str]) -> Iterator[Section]:
    """What is about all questions: the heat table, directions, labels."""
    yield from _heat(report)
    yield _directions(report, names)
    yield from _labels(report.against)


def opening(report: Report, names: Mapping[str, str]) -> Section:
    """What the plan says, which runs are used, what goes against its direction."""
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
                text=f"{metric.name}: what it reads of the study (descriptors, prompts, questions) "
                "has changed since its scores were made. Start a new run to bring the scores up to "
                "date.",
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
    key = slug(question.key)
    yield Section(
        id=f"question-{key}",
        title=question.label,
        aside=f"{question.better} is better" if question.better else "",
        finding=finding(question, names, planned_found(question, report.against.planned)),
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
        each_country_table(report, question, names, report.against.planned.methods),
        *folded,
        parts_table(report, question, names, report.against.planned.methods),
        origins_table(question, names, report.against.planned.methods),
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
    yield from items_behind(report, question, names)
    yield from judged(question, names)


def judged(question: QuestionAgainst, names: Mapping[str, str]) -> Iterator[Section]:
    """The judges of a question."""
    if question.judges:
        yield Section(
            id=f"judges-{slug(question.key)}",
            title=f"{question.label}: judges and the majority of people",
            tables=judge_tables(question, names),
        )


def _charts(report: Report, question: QuestionAgainst, names: Mapping[str, str]) -> Iterator[Chart]:
    planned = report.against.planned
    if question.targets:
        yield replace(
            forest_chart(question, planned, planned_found(question, planned)),
            table=planned_table(report, question, names),
        )
    countries = countries_chart(report, question, names, planned.methods[0])
    if countries is not None:
        yield countries


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
