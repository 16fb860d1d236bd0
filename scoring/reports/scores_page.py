"""The page on human scores: means, spreads and distributions of each question, and what follows."""

from __future__ import annotations

from scoring.analysis.parts.scores import Breakdown
from scoring.analysis.report import POOLED, GroupAnswers, QuestionReport, Report, Summary
from scoring.reports.estimates import estimate, plain
from scoring.reports.judgement_tables import (
    majority_section,
    metric_majority_section,
    precision_section,
    relevance_section,
)
from scoring.reports.palette import MOST_POINTS, point_tokens
from scoring.reports.ranking_tables import ranking_section
from scoring.reports.score_cards import summary_card
from scoring.reports.score_words import is_choice, is_share, scores_finding, span_words
from scoring.reports.sections import Chart, Note, Plots, Section
from scoring.reports.tables import Cell, Column, Row, Table

BETTER = {"higher", "lower"}
DIRECTIONS = {"higher": "higher is better", "lower": "lower is better", "none": ""}
INTERVAL = "95\u00a0%, t, answers of one annotator and on one prompt taken to be alike"


def sections(report: Report, plots: Plots) -> tuple[Section, ...]:
    found = [
        _question(report, question, number)
        for number, question in enumerate(report.questions)
        if question.kind != "ranking"
    ]
    found += [relevance_section(report, one) for one in report.scores.relevance]
    found += majority_section(report)
    found += metric_majority_section(report)
    found += [precision_section(report, one) for one in report.scores.precision]
    found += ranking_section(report)
    return tuple(found)


def _question(report: Report, question: QuestionReport, number: int) -> Section:
    tables = [by_country(report, question)]
    if question.dimensions:
        tables.append(_by_dimension(report, question))
    tables += [
        _breakdown(report, question, one) for one in report.scores.questions[number].breakdowns
    ]
    return Section(
        id=f"q-{question.key}",
        title=question.label,
        aside=_aside(question),
        finding=scores_finding(question),
        notes=_notes(report, question),
        tables=tuple(tables),
        charts=_charts(report, question),
    )


def _aside(question: QuestionReport) -> str:
    """Which way is better and between what; of options neither is said."""
    direction = "" if is_choice(question) else DIRECTIONS[question.direction]
    return ", ".join(filter(None, (direction, span_words(question))))


def _notes(report: Report, question: QuestionReport) -> tuple[Note, ...]:
    irrelevant = report.overview.questions[report.questions.index(question)].n_irrelevant
    if not irrelevant:
        return ()
    return (
        Note(
            text=f"{irrelevant:,} answers about probes that a majority of their country called "
            "irrelevant are left out."
        ),
    )


def by_country(report: Report, question: QuestionReport) -> Table:
    """Everybody's answers and each country's."""
    return Table(
        name=f"scores-{question.key}-by-country",
        title=f"{question.label} by the annotators\u2019 country",
        columns=(Column(key="group", title="Annotators in"), *columns_of(report, question)),
        rows=tuple(
            _row(report, question, report.group(answers.group).name, answers)
            for answers in question.groups
        ),
        unit="single answer",
        aggregation=_aggregation(question),
        interval=_interval(question),
    )


def _by_dimension(report: Report, question: QuestionReport) -> Table:
    return Table(
        name=f"scores-{question.key}-by-dimension",
        title=f"{question.label} by dimension",
        columns=(Column(key="dimension", title="Dimension"), *columns_of(report, question)),
        rows=tuple(
            _row(report, question, answers.group.capitalize(), answers)
            for answers in question.dimensions
        ),
        unit="single answer",
        aggregation=f"all countries pooled; {_aggregation(question)}",
        interval=_interval(question),
    )


def _row(report: Report, question: QuestionReport, name: str, answers: GroupAnswers) -> Row:
    return Row(
        cells=(name, *cells_of(report, question, answers.summary)),
        strong=answers.group == POOLED,
        card=summary_card(report, question, name, answers.group, answers.summary),
    )


def _breakdown(report: Report, question: QuestionReport, breakdown: Breakdown) -> Table:
    slug = "".join(letter if letter.isalnum() else "-" for letter in breakdown.title.lower())
    by = "group of countries: " if breakdown.by == "grouping" else ""
    return Table(
        name=f"scores-{question.key}-by-{slug}",
        title=f"{question.label} by {by}{breakdown.title if by else breakdown.title.lower()}",
        columns=(Column(key=breakdown.by, title=breakdown.title), *columns_of(report, question)),
        rows=tuple(
            Row(cells=(row.name, *cells_of(report, question, row.summary)))
            for row in breakdown.rows
        ),
        unit="single answer",
        aggregation=f"all countries pooled within a row; {_aggregation(question)}",
        interval=_interval(question),
        folded=True,
    )


def _aggregation(question: QuestionReport) -> str:
    if is_share(question) or is_choice(question):
        return "share of single answers"
    return "mean and standard deviation (n \u2212 1) over single answers"


def _interval(question: QuestionReport) -> str:
    return "" if is_choice(question) else INTERVAL


def columns_of(report: Report, question: QuestionReport) -> tuple[Column, ...]:
    """The columns of a summary: mean or share, spread, each point's share, what it rests on."""
    middle: tuple[Column, ...] = ()
    if is_share(question):
        label = question.points[-1].label
        first = (Column(key="share", title=f"\u201c{label}\u201d", kind="share"),)
    elif question.level == "nominal":
        first = ()
    else:
        first = (
            Column(key="mean", title="Mean", kind="number"),
            Column(key="sd", title="SD", kind="number"),
        )
    if report.scores.rescaled and not is_share(question) and question.kind != "ranking":
        middle = (Column(key="rescaled", title="Mean, 0\u20131", kind="number"),) if first else ()
    shares = ()
    if not is_share(question):
        shares = tuple(
            Column(key=f"point_{point.value}", title=_point(question, number), kind="share")
            for number, point in enumerate(question.points)
        )
    return (
        *first,
        *middle,
        *shares,
        Column(key="items", title="Items", kind="count"),
        Column(key="raters", title="Annotators", kind="count"),
        Column(key="answers", title="Answers", kind="count"),
    )


def _point(question: QuestionReport, number: int) -> str:
    point = question.points[number]
    return str(point.value) if question.kind == "likert" else point.label


def cells_of(report: Report, question: QuestionReport, summary: Summary) -> tuple[Cell, ...]:
    """The cells that go with `columns_of`."""
    cells: list[Cell] = []
    if is_share(question) or question.level != "nominal":
        cells.append(estimate(summary.mean, summary.interval, reason=summary.reason, se=summary.se))
        if not is_share(question):
            cells.append(plain(summary.sd, summary.sd_reason))
            if report.scores.rescaled and question.kind != "ranking":
                cells.append(plain(summary.rescaled, summary.reason))
    if not is_share(question):
        total = sum(summary.counts)
        cells += [count / total if total else None for count in summary.counts]
    return (*cells, summary.n_items, summary.n_raters, summary.n_ratings)


def _charts(report: Report, question: QuestionReport) -> tuple[Chart, ...]:
    if not question.systems:
        return ()
    return (_by_model(report, question),)


def _by_model(report: Report, question: QuestionReport) -> Chart:
    """A choice among very many options has the table only."""
    labels = [f"{point.value} {point.label}".strip() for point in question.points]
    few = question.kind == "likert" and 2 <= len(labels) <= MOST_POINTS
    tokens = point_tokens(len(labels), question.direction) if few else ()
    return Chart(
        key=f"{_drawn_as(question, is_diverging=few)}-{question.key}",
        title=f"{question.label} by model",
        caption=_caption(question, is_diverging=few),
        legend=tuple(zip(tokens, labels, strict=True)) if few else (),
        table=Table(
            name=f"scores-{question.key}-by-model",
            title=f"{question.label} by model",
            columns=(Column(key="model", title="Model"), *columns_of(report, question)),
            rows=tuple(
                Row(
                    cells=(one.system, *cells_of(report, question, one.summary)),
                    card=summary_card(report, question, one.system, one.system, one.summary),
                )
                for one in question.systems
            ),
            unit="single answer",
            aggregation=f"all countries pooled; {_aggregation(question)}",
            interval=_interval(question),
        ),
    )


def _drawn_as(question: QuestionReport, *, is_diverging: bool) -> str:
    if is_choice(question):
        return "choices"
    return "likert" if is_diverging else "means"


def _caption(question: QuestionReport, *, is_diverging: bool) -> str:
    order = "best" if question.direction in BETTER else "highest"
    real = ", real pictures on top" if any(s.real for s in question.systems) else ""
    if is_choice(question):
        return (
            "Share of answers that took each option; all bars start at 0 on one scale. All "
            "countries pooled."
        )
    if is_diverging:
        return (
            "Share of ratings at each point, in\u00a0%; bars are centred on the middle of the "
            "scale. All countries pooled; mean over single ratings; "
            f"{order} mean first{real}."
        )
    what = "Share of answers" if is_share(question) else "Mean over single answers"
    return (
        f"{what} with 95\u00a0% intervals (annotators and prompts clustered). All countries "
        f"pooled; {order} first{real}."
    )
