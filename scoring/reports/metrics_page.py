"""The page on metrics against people: every finished metric against every question."""

from __future__ import annotations

from collections.abc import Iterator

from scoring.analysis.report import (
    POOLED,
    MetricReport,
    OutputReport,
    Pairing,
    QuestionReport,
    Report,
)
from scoring.reports.cards import correlation_card, named
from scoring.reports.estimates import estimate_of
from scoring.reports.moments import moment
from scoring.reports.sections import Note, Plots, Section
from scoring.reports.tables import Column, Estimate, Row, Table
from scoring.reports.words import counted
from scoring.stats.correlation import FEWEST_FOR_P

BETTER = {"higher", "lower"}


def sections(report: Report, plots: Plots) -> tuple[Section, ...]:
    if not report.metrics:
        return (
            Section(
                id="metrics",
                title="Metrics against people",
                finding="No metric has finished on this study. Its correlation with people appears "
                "here when a run is done.",
            ),
        )
    pairs = [
        (metric, output, question)
        for metric in report.metrics
        for output in metric.outputs
        for question in report.questions
    ]
    notes = [note for metric in report.metrics for note in _run_notes(metric)]
    contrary = [_contrary(output, question) for _, output, question in pairs]
    return (
        Section(
            id="metrics",
            title="Metrics against people",
            notes=(*notes, *(Note(text=text, warns=True) for text in contrary if text)),
            tables=(_pooled(report, pairs), *_by_country(report, pairs)),
        ),
    )


Pair = tuple[MetricReport, OutputReport, QuestionReport]


def _pooled(report: Report, pairs: list[Pair]) -> Table:
    return Table(
        name="metrics-pooled",
        title="All countries, pooled",
        columns=(
            Column(key="metric", title="Metric"),
            Column(key="question", title="Question"),
            Column(key="spearman", title="Spearman", kind="number"),
            Column(key="items", title="Items", kind="count"),
            Column(key="left_out", title="Left out"),
            Column(key="p", title="p", kind="p"),
            Column(key="better", title="Better means"),
        ),
        rows=tuple(_row(report, *pair) for pair in pairs),
        unit="item",
        aggregation="mean rating of each item, pooled over items",
        interval="95\u00a0% bootstrap, items drawn anew; where there are 20 prompts or more, those "
        "of one prompt together",
    )


def _row(
    report: Report, metric: MetricReport, output: OutputReport, question: QuestionReport
) -> Row:
    pooled = _of(output, question, pooled=True)[0]
    result = pooled.correlation
    p = Estimate(value=result.p_value, why=f"none below {FEWEST_FOR_P} items")
    return Row(
        cells=(
            output.name,
            question.label,
            estimate_of(result),
            result.n_units,
            _left_out(pooled),
            p if result.value is not None else None,
            output.better,
        ),
        card=correlation_card(report, metric, output, (pooled,), label=question.label),
    )


def _by_country(report: Report, pairs: list[Pair]) -> tuple[Table, ...]:
    panels = [group for group in report.groups if group.key != POOLED]
    if not panels:
        return ()
    rows = []
    for metric, output, question in pairs:
        pairings = _of(output, question, pooled=False)
        if not pairings:
            continue
        rows.append(
            Row(
                cells=(
                    output.name,
                    question.label,
                    *(estimate_of(one.correlation, n=one.correlation.n_units) for one in pairings),
                ),
                card=correlation_card(report, metric, output, pairings, label=question.label),
            )
        )
    return (
        Table(
            name="metrics-by-country",
            title="By the annotators\u2019 country",
            columns=(
                Column(key="metric", title="Metric"),
                Column(key="question", title="Question"),
                *(Column(key=panel.key, title=panel.name, kind="number") for panel in panels),
            ),
            rows=tuple(rows),
            unit="item",
            aggregation="Spearman of the mean rating of each item, within each country",
            n_in_cells=True,
        ),
    )


def _of(output: OutputReport, question: QuestionReport, *, pooled: bool) -> tuple[Pairing, ...]:
    return tuple(
        pairing
        for pairing in output.pairings
        if pairing.question == question.key and (pairing.group == POOLED) is pooled
    )


def _left_out(pairing: Pairing) -> str:
    parts = [f"{counted(part.items, 'item')}: {part.sentence}" for part in pairing.left_out]
    return " ".join(parts) or "0"


def _run_notes(metric: MetricReport) -> Iterator[Note]:
    """Which scores are used, and whether they are current."""
    if metric.runs > 1:
        at = f" of {moment(metric.finished_at)}" if metric.finished_at else ""
        used = ", ".join([f"run {metric.run}{at}", *named(metric.parameters)])
        yield Note(
            text=f"{metric.name}: of {metric.runs} finished runs the newest is used ({used})."
        )
    if metric.outdated:
        yield Note(
            text=f"{metric.name}: descriptors have been added or removed since its scores were "
            "made. Start a new run to bring the scores up to date.",
            warns=True,
        )


def _contrary(output: OutputReport, question: QuestionReport) -> str:
    """A sentence where the whole interval lies on the side that the directions speak against."""
    bounds = _of(output, question, pooled=True)[0].correlation.interval
    if {output.better, question.direction} - BETTER or bounds is None or bounds.low is None:
        return ""
    expected = 1 if output.better == question.direction else -1
    if max(expected * bounds.low, expected * (bounds.high or 0.0)) >= 0:
        return ""
    moves = "falls" if expected == 1 else "rises"
    return f"{output.name} {moves} when {question.label} rises. Check its direction."
