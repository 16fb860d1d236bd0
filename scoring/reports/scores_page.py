"""The page on human scores: means, spreads and distributions of each question."""

from __future__ import annotations

from scoring.analysis.report import POOLED, QuestionReport, Report, Summary
from scoring.reports.estimates import plain
from scoring.reports.palette import MOST_POINTS, point_tokens
from scoring.reports.sections import Chart, Plots, Section
from scoring.reports.tables import Cell, Column, Row, Table

BETTER = {"higher", "lower"}
DIRECTIONS = {"higher": "higher is better", "lower": "lower is better", "none": ""}


def sections(report: Report, plots: Plots) -> tuple[Section, ...]:
    return tuple(
        Section(
            id=f"q-{question.key}",
            title=question.label,
            aside=DIRECTIONS.get(question.direction, ""),
            tables=(_by_country(report, question),),
            charts=(_by_model(question),) if question.systems else (),
        )
        for question in report.questions
    )


def _by_country(report: Report, question: QuestionReport) -> Table:
    return Table(
        name=f"scores-{question.key}-by-country",
        title=f"{question.label} by the annotators\u2019 country",
        columns=(Column(key="group", title="Annotators in"), *_columns()),
        rows=tuple(
            Row(
                cells=(report.group(answers.group).name, *_cells(answers.summary)),
                strong=answers.group == POOLED,
            )
            for answers in question.groups
        ),
        unit="single rating",
        aggregation="mean and standard deviation (n \u2212 1) over single ratings",
    )


def _columns() -> tuple[Column, ...]:
    return (
        Column(key="mean", title="Mean", kind="number"),
        Column(key="sd", title="SD", kind="number"),
        Column(key="items", title="Items", kind="count"),
        Column(key="raters", title="Annotators", kind="count"),
        Column(key="ratings", title="Ratings", kind="count"),
    )


def _cells(summary: Summary) -> tuple[Cell, ...]:
    return (
        plain(summary.mean, summary.reason),
        plain(summary.sd, summary.sd_reason),
        summary.n_items,
        summary.n_raters,
        summary.n_ratings,
    )


def _by_model(question: QuestionReport) -> Chart:
    """Shares by model. A scale with more points than there are colours has the table only."""
    labels = [f"{point.value} {point.label}".strip() for point in question.points]
    few = 2 <= len(labels) <= MOST_POINTS
    tokens = point_tokens(len(labels), question.direction) if few else ()
    return Chart(
        key=f"likert-{question.key}",
        title=f"{question.label} by model",
        caption=_caption(question, is_drawn=few),
        legend=tuple(zip(tokens, labels, strict=True)) if few else (),
        table=Table(
            name=f"scores-{question.key}-by-model",
            title=f"{question.label} by model",
            columns=(
                Column(key="model", title="Model"),
                *(
                    Column(key=f"point_{point.value}", title=label, kind="share")
                    for point, label in zip(question.points, labels, strict=True)
                ),
                *_columns(),
            ),
            rows=tuple(
                Row(
                    cells=(
                        answers.system,
                        *(count / answers.summary.n_ratings for count in answers.summary.counts),
                        *_cells(answers.summary),
                    )
                )
                for answers in question.systems
            ),
            unit="single rating",
            aggregation="all countries pooled",
        ),
    )


def _caption(question: QuestionReport, *, is_drawn: bool) -> str:
    bars = "; bars are centred on the middle of the scale" if is_drawn else ""
    order = "best" if question.direction in BETTER else "highest"
    real = ", real pictures on top" if any(s.real for s in question.systems) else ""
    return (
        f"Share of ratings at each point, in\u00a0%{bars}. All countries pooled; mean over single "
        f"ratings; {order} mean first{real}."
    )
