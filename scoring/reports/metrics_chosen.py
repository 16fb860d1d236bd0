"""The page on metrics against people as a reader has chosen it: one level, one coefficient.

The numbers are those of `metrics_page.sections`, which holds every level and coefficient.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from scoring.analysis.parts.against import QuestionAgainst
from scoring.analysis.report import Report
from scoring.analysis.selection import Choice
from scoring.reports import metrics_page
from scoring.reports.against_charts import countries_chart, forest_chart
from scoring.reports.against_countries import each_country_table, origins_table, parts_table
from scoring.reports.against_tables import differences_table, lines_table, results_table
from scoring.reports.against_words import finding, planned_words
from scoring.reports.aggregation import (
    Aggregation,
    aggregation_asked,
    aggregation_choices,
    found_at,
    levels_in,
    planned_aggregation,
    results_at,
)
from scoring.reports.sections import Note, Section
from scoring.reports.series_words import METHODS, slug
from scoring.reports.tables import Table

GROUPS = {"country": "two countries of annotators", "system": "two models"}


def choices(report: Report, asked: Mapping[str, str]) -> tuple[tuple[Choice, str], ...]:
    """The menus of level and coefficient; none where nothing is held against people."""
    if not _has_results(report):
        return ()
    return aggregation_choices(report.against, asked)


def sections(report: Report, asked: Mapping[str, str]) -> tuple[Section, ...]:
    """Each question at what is chosen, the rest folded, then what is common to all."""
    if not _has_results(report):
        return metrics_page.sections(report, {})
    chosen = aggregation_asked(report.against, asked)
    names = metrics_page.names_in(report.against)
    opening = metrics_page.opening(report, names)
    return (
        replace(opening, notes=(*_notes(report, chosen), *opening.notes)),
        *(
            part
            for one in report.against.questions
            for part in _of_question(report, one, names, chosen)
        ),
        *metrics_page.common(report, names),
    )


def _has_results(report: Report) -> bool:
    return bool(report.metrics and report.against.questions)


def _notes(report: Report, chosen: Aggregation) -> Iterator[Note]:
    """That something else than the plan's is shown, and why it is empty where it is."""
    against = report.against
    if chosen != planned_aggregation(against):
        yield Note(
            text=f"Shown: {chosen.words}. The plan correlates by {planned_words(against.planned)}."
        )
    if not any(results_at(question.rows, chosen) for question in against.questions):
        yield Note(text=_nothing(report, chosen), warns=True)


def _nothing(report: Report, chosen: Aggregation) -> str:
    """Why no question has the chosen aggregation."""
    there = levels_in(report.against)
    if not there:
        return "No metric has been held against a question of what is shown here."
    if (chosen.level, chosen.grouping) not in there:
        return f"This level needs {GROUPS[chosen.grouping]} or more among what is shown here."
    if not report.method.intervals_ready:
        return "These coefficients are being computed."
    return (
        f"{METHODS[chosen.method]} is computed at this level only where the analysis plan names "
        "it. Choose items pooled, or another coefficient."
    )


def _of_question(
    report: Report, question: QuestionAgainst, names: Mapping[str, str], chosen: Aggregation
) -> Iterator[Section]:
    found = found_at(question, report.against.planned, chosen)
    table = results_table(report, question, names, chosen)
    more = (differences_table(report, question, names), lines_table(report, question, names))
    yield Section(
        id=f"question-{slug(question.key)}",
        title=question.label,
        aside=f"{question.better} is better" if question.better else "",
        finding=finding(question, names, found) if found.results else "",
        notes=tuple(_question_notes(report, question, is_empty=table is None)),
        charts=(forest_chart(question, report.against.planned, found),) if found.defined else (),
        tables=(
            *((table,) if table else ()),
            *(replace(one, folded=True) for one in more if one is not None),
        ),
    )
    yield from _parts(report, question, names, chosen.method)
    for section in metrics_page.behind(report, question, names):
        yield replace(section, folded=True, listed=False)


def _question_notes(report: Report, question: QuestionAgainst, *, is_empty: bool) -> Iterator[Note]:
    if report.against.planned.has_targets and not question.targets:
        yield Note(
            text=f"The plan holds no metric against {question.label}: what it has is exploration, "
            "items pooled."
        )
    if is_empty:
        yield Note(text=f"{question.label} has no coefficients at this level.")


def _parts(
    report: Report, question: QuestionAgainst, names: Mapping[str, str], method: str
) -> Iterator[Section]:
    chart = countries_chart(report, question, names, method)
    tables: tuple[Table | None, ...] = (
        each_country_table(report, question, names, (method,)),
        parts_table(report, question, names, (method,)),
        origins_table(question, names, (method,)),
    )
    if chart is not None or any(tables):
        yield Section(
            id=f"parts-{slug(question.key)}",
            title=f"{question.label}: countries, groups of countries, models",
            charts=(chart,) if chart is not None else (),
            tables=tuple(table for table in tables if table is not None),
            folded=True,
            listed=False,
        )
