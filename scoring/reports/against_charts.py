"""The charts of metrics against people at one level by one coefficient, with their words."""

from __future__ import annotations

from collections.abc import Mapping

from scoring.analysis.parts.against import PlannedCorrelation, QuestionAgainst
from scoring.analysis.report import Report
from scoring.reports.against_countries import countries_table
from scoring.reports.against_words import person_line
from scoring.reports.aggregation import Found, countries_key, forest_key, planned_key
from scoring.reports.sections import Chart
from scoring.reports.series_words import METHODS


def countries_chart(
    report: Report, question: QuestionAgainst, names: Mapping[str, str], method: str
) -> Chart | None:
    """Metrics by country by one coefficient, with its table; None without panels."""
    table = countries_table(report, question, names, method)
    if table is None:
        return None
    key = countries_key(question, report.against.planned, method)
    return Chart(
        key=key,
        title=f"Metrics against {question.label} by country",
        caption=(
            f"{METHODS[method]} over the items of each country\u2019s annotators. "
            "Bold: the interval leaves out 0. n/d: not defined; the table says why."
        ),
        table=table,
        on_demand=method != report.against.planned.methods[0],
    )


def forest_chart(question: QuestionAgainst, planned: PlannedCorrelation, found: Found) -> Chart:
    """Each metric with its interval at one aggregation, and people's lines; without a table."""
    key = forest_key(question, found)
    people = []
    if found.person is not None:
        people.append("People are ink, metrics blue.")
    if found.ceiling is not None and found.ceiling.value is not None:
        people.append("The vertical line is the human ceiling with its interval.")
    if found.person is None:
        people.append(_without_person(question, planned, found))
    return Chart(
        key=key,
        title=f"Metrics against {question.label}",
        caption=" ".join(
            filter(
                None,
                (
                    f"{found.aggregation.words}; bars are 95\u00a0% intervals, open points those "
                    "that include 0.",
                    *people,
                ),
            )
        ),
        on_demand=key != planned_key(question),
    )


def _without_person(question: QuestionAgainst, planned: PlannedCorrelation, found: Found) -> str:
    """Why people's own line is missing, where they have one elsewhere."""
    if person_line(question) is None:
        return ""
    if found.aggregation.level == "system":
        return "People\u2019s own lines are about items, so none stands beside means of models."
    return f"One person\u2019s line is by {METHODS[planned.methods[0]]} alone."
