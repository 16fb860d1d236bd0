"""The page on agreement: coefficients of each question, by country and pooled."""

from __future__ import annotations

from scoring.analysis.report import POOLED, GroupAnswers, QuestionReport, Report
from scoring.reports.cards import agreement_card
from scoring.reports.estimates import estimate_of
from scoring.reports.sections import Chart, Plots, Section
from scoring.reports.tables import Column, Row, Table
from scoring.reports.words import finding


def sections(report: Report, plots: Plots) -> tuple[Section, ...]:
    return tuple(
        Section(
            id=f"q-{question.key}",
            title=question.label,
            finding=finding(report, question),
            tables=(_by_country(report, question),),
            charts=(_forest(report, question),) if f"forest-{question.key}" in plots else (),
        )
        for question in report.questions
    )


def _by_country(report: Report, question: QuestionReport) -> Table:
    return Table(
        name=f"agreement-{question.key}",
        title=f"Agreement on {question.label} by the annotators\u2019 country",
        columns=(
            Column(key="group", title="Annotators in"),
            Column(key="alpha", title="Alpha (ordinal)", kind="number"),
            Column(key="same_point", title="Same point", kind="share"),
            Column(key="units", title="Items", kind="count"),
            Column(key="raters", title="Annotators", kind="count"),
            Column(key="ratings", title="Ratings", kind="count"),
        ),
        rows=tuple(_row(report, question, answers) for answers in question.groups),
        unit="item",
        aggregation="pooled over items",
        interval="95\u00a0% two-way bootstrap (items and annotators drawn anew; items only where "
        "fewer than three annotators rated)",
    )


def _row(report: Report, question: QuestionReport, answers: GroupAnswers) -> Row:
    return Row(
        cells=(
            report.group(answers.group).name,
            estimate_of(answers.alpha, n=answers.alpha.n_units_paired),
            estimate_of(answers.agreement),
            answers.summary.n_items,
            answers.summary.n_raters,
            answers.summary.n_ratings,
        ),
        strong=answers.group == POOLED,
        card=agreement_card(report, question, answers),
    )


def _forest(report: Report, question: QuestionReport) -> Chart:
    return Chart(
        key=f"forest-{question.key}",
        title=f"Agreement on {question.label} by country",
        caption=(
            "Krippendorff\u2019s alpha (ordinal); bars are 95\u00a0% two-way intervals (items and "
            "annotators drawn anew; items only where fewer than three annotators rated); the pale "
            "band is the pooled interval. In brackets: items with two or more ratings."
        ),
    )
