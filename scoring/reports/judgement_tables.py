"""Relevance of probes, majorities, descriptors: sections of the page on human scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from scoring.analysis.parts.scores import (
    CoverageRow,
    MajorityRow,
    Measured,
    MetricMajority,
    Precision,
    PrecisionRow,
    RaterMajority,
    Relevance,
    RelevanceRow,
)
from scoring.analysis.report import POOLED, Report
from scoring.reports.agreement_words import name_of
from scoring.reports.estimates import estimate, plain
from scoring.reports.sections import Section
from scoring.reports.tables import Cell, Column, Estimate, Row, Table
from scoring.reports.words import interval_text, share

CLUSTERED = "95\u00a0%, t, answers of one annotator and on one prompt taken to be alike"
BY_PROMPT = "95\u00a0%, t, probes of one prompt taken to be alike"
ALL = "All dimensions"


def label_of(report: Report, key: str) -> str:
    """A question's name in reports."""
    return next((one.label for one in report.questions if one.key == key), key)


def share_of(one: Measured) -> Estimate:
    """A share as a cell, with its own n."""
    return estimate(one.value, one.interval, reason=one.reason, se=one.se, n=one.n)


BY_GROUP = (
    Column(key="group", title="Annotators in"),
    Column(key="dimension", title="Dimension"),
)
TIED = Column(key="tied", title="Ties left out", kind="count")

RowOfGroup = TypeVar("RowOfGroup", RelevanceRow, MajorityRow, PrecisionRow)


def _by_group(
    report: Report, rows: Iterable[RowOfGroup], cells: Callable[[RowOfGroup], tuple[Cell, ...]]
) -> tuple[Row, ...]:
    """Under ``BY_GROUP``: a row a group of annotators and dimension, with ``cells`` behind both;
    that of everybody in all dimensions stands out."""
    return tuple(
        Row(
            cells=(name_of(report, row.group), row.dimension.capitalize() or ALL, *cells(row)),
            strong=row.group == POOLED and not row.dimension,
        )
        for row in rows
    )


def relevance_section(report: Report, relevance: Relevance) -> Section:
    """Which probes fit: by dimension and country, and the majority rule with its tie rule."""
    label = label_of(report, relevance.question)
    first = relevance.rows[0]
    dropped = ", ".join(label_of(report, key) for key in relevance.drops)
    finding = ""
    if first.answers.value is not None and first.probes.value is not None:
        finding = (
            f"{share(first.answers.value)}{_within(first.answers)} of answers call a probe "
            f"relevant; {first.n_irrelevant:,} of {first.n_probes:,} probes are called irrelevant "
            "by the majority of their country."
        )
    return Section(
        id=f"relevance-{relevance.question}",
        title=f"{label}: which probes fit",
        finding=finding,
        tables=(_relevance_table(report, relevance, label),),
        points=(
            f"Everybody answers everything; answers to {dropped} about probes that a majority of "
            "the country\u2019s annotators calls irrelevant are left out at analysis.",
            "A tie is no majority: the probe stays. Ties are counted.",
        ),
    )


def _within(one: Measured) -> str:
    bounds = one.interval
    if bounds is None or bounds.low is None or bounds.high is None:
        return ""
    return " " + interval_text(share(bounds.low), share(bounds.high))


def _relevance_table(report: Report, relevance: Relevance, label: str) -> Table:
    return Table(
        name=f"relevance-{relevance.question}",
        title=f"{label} by the annotators\u2019 country and dimension",
        columns=(
            *BY_GROUP,
            Column(key="answers", title="Answers that say relevant", kind="share"),
            Column(key="probes", title="Probes that stay", kind="share"),
            Column(key="n_probes", title="Probes", kind="count"),
            Column(key="relevant", title="Majority relevant", kind="count"),
            Column(key="irrelevant", title="Majority irrelevant", kind="count"),
            Column(key="tied", title="Tied, stay", kind="count"),
        ),
        rows=_by_group(
            report,
            relevance.rows,
            lambda row: (
                share_of(row.answers),
                share_of(row.probes),
                row.n_probes,
                row.n_relevant,
                row.n_irrelevant,
                row.n_tied,
            ),
        ),
        unit="answer; probe as asked of a unit and panel",
        aggregation="shares of single answers, and of probes by the majority of their country",
        interval=CLUSTERED,
        n_in_cells=True,
    )


def majority_section(report: Report) -> Iterator[Section]:
    """Rater-majority agreement: people against the majority of people."""
    if report.scores.rater_majority:
        yield Section(
            id="rater-majority",
            title="Rater-majority agreement",
            aside="people against the majority of people",
            tables=tuple(_majority(report, one) for one in report.scores.rater_majority),
        )


def _majority(report: Report, majority: RaterMajority) -> Table:
    label = label_of(report, majority.question)
    return Table(
        name=f"rater-majority-{majority.question}",
        title=f"{label}: how often an answer is the majority",
        columns=(
            *BY_GROUP,
            Column(key="of_all", title="Majority of all", kind="share"),
            Column(key="of_others", title="Majority of the others", kind="share"),
            TIED,
        ),
        rows=_by_group(
            report,
            majority.rows,
            lambda row: (share_of(row.of_all), share_of(row.of_others), row.n_tied),
        ),
        unit="single answer (of a multi-select: each item marked or not)",
        aggregation="share of answers that are the majority of the answers to the same thing; ties "
        "have no majority and are left out",
        interval=CLUSTERED,
        notes=("The majority of all has the own answer in it, so it is the higher number.",),
        n_in_cells=True,
    )


def metric_majority_section(report: Report) -> Iterator[Section]:
    """Metric-majority agreement: automatic answers against the majority of people."""
    if report.scores.metric_majority:
        yield Section(
            id="metric-majority",
            title="Metric-majority agreement",
            aside="automatic answers against the majority of people",
            tables=tuple(_metric(report, one) for one in report.scores.metric_majority),
        )


def _metric(report: Report, majority: MetricMajority) -> Table:
    label = label_of(report, majority.question)
    return Table(
        name=f"metric-majority-{majority.question}",
        title=f"{label}: how often a metric\u2019s answer is people\u2019s majority",
        columns=(
            Column(key="metric", title="Metric"),
            Column(key="dimension", title="Dimension"),
            Column(key="model", title="Model"),
            Column(key="agreement", title="Same as the majority", kind="share"),
            Column(key="unanswered", title="Not answered by the metric", kind="count"),
            TIED,
        ),
        rows=tuple(
            Row(
                cells=(
                    row.output,
                    row.dimension.capitalize() or ALL,
                    row.system or "All models",
                    share_of(row.agreement),
                    row.n_without_score,
                    row.n_tied,
                ),
                strong=not row.dimension and not row.system,
            )
            for row in majority.rows
        ),
        unit="probe asked of an item",
        aggregation="share of a metric\u2019s answers that are people\u2019s majority",
        interval=BY_PROMPT,
        n_in_cells=True,
    )


def precision_section(report: Report, precision: Precision) -> Section:
    """How right the reference descriptors are, and how complete their lists."""
    label = label_of(report, precision.question)
    return Section(
        id=f"precision-{precision.question}",
        title=f"{label}: descriptor precision and coverage",
        finding=_precision_finding(precision),
        tables=(_precision(report, precision, label), _coverage(report, precision, label)),
    )


def _precision_finding(precision: Precision) -> str:
    first, lists = precision.rows[0], precision.coverage[0]
    if first.verdicts.value is None:
        return ""
    gap = (
        f" {lists.n_raters_gap:,} of {lists.n_raters:,} annotators name something that is missing."
        if lists.n_raters
        else ""
    )
    return (
        f"{share(first.verdicts.value)}{_within(first.verdicts)} of {first.verdicts.n:,} verdicts "
        f"call a descriptor right.{gap}"
    )


def _precision(report: Report, precision: Precision, label: str) -> Table:
    return Table(
        name=f"precision-{precision.question}",
        title=f"{label}: descriptor precision by the annotators\u2019 country and dimension",
        columns=(
            *BY_GROUP,
            Column(key="verdicts", title="Verdicts \u201cright\u201d", kind="share"),
            Column(key="descriptors", title="Descriptors right by majority", kind="share"),
            TIED,
        ),
        rows=_by_group(
            report,
            precision.rows,
            lambda row: (share_of(row.verdicts), share_of(row.descriptors), row.n_tied),
        ),
        unit="verdict; descriptor of an item\u2019s list",
        aggregation="share of single verdicts, and of descriptors by their verdicts\u2019 majority",
        interval=CLUSTERED,
        n_in_cells=True,
    )


def _coverage(report: Report, precision: Precision, label: str) -> Table:
    return Table(
        name=f"coverage-{precision.question}",
        title=f"{label}: how complete the lists are",
        columns=(
            Column(key="group", title="Annotators in"),
            Column(key="mean", title="Mean coverage", kind="number"),
            Column(key="sd", title="SD", kind="number"),
            Column(key="lists", title="Lists judged", kind="count"),
            Column(key="gaps", title="Lists with a gap", kind="count"),
            Column(key="raters", title="Annotators", kind="count"),
            Column(key="raters_gap", title="Annotators who name a gap", kind="count"),
        ),
        rows=tuple(_coverage_row(report, row) for row in precision.coverage),
        unit="list judged by one annotator",
        aggregation=f"mean over single answers, on the scale {', '.join(precision.points)}"
        if precision.points
        else "no coverage is asked",
        interval=CLUSTERED,
    )


def _coverage_row(report: Report, row: CoverageRow) -> Row:
    summary = row.summary
    return Row(
        cells=(
            name_of(report, row.group),
            estimate(summary.mean, summary.interval, reason=summary.reason, se=summary.se),
            plain(summary.sd, summary.sd_reason),
            row.n_lists,
            row.n_with_gap,
            row.n_raters,
            row.n_raters_gap,
        ),
        strong=row.group == POOLED,
    )
