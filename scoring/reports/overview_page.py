"""The report's first page: what was asked of whom, and how the numbers are made."""

from __future__ import annotations

from scoring.analysis.report import POOLED, Report
from scoring.reports.sections import Plots, Section
from scoring.reports.tables import Column, Row, Table


def sections(report: Report, plots: Plots) -> tuple[Section, ...]:
    return (_rests_on(report),)


def _rests_on(report: Report) -> Section:
    method = report.method
    return Section(
        id="rests-on",
        title="What the numbers rest on",
        tables=(_by_country(report),),
        points=(
            "A rating is one annotator\u2019s answers to one unit. Drafts and surplus ratings are "
            "not counted.",
            f"Intervals: 95\u00a0%, {method.replicates:,} draws, seed {method.seed}.",
            f"Computed by {method.software}. The JSON has every number with full precision.",
        ),
    )


def _by_country(report: Report) -> Table:
    return Table(
        name="rests-on",
        title="Items, annotators and ratings by the annotators\u2019 country",
        columns=(
            Column(key="group", title="Annotators in"),
            Column(key="items", title="Items", kind="count"),
            Column(key="raters", title="Annotators", kind="count"),
            Column(key="ratings", title="Ratings", kind="count"),
        ),
        rows=tuple(
            Row(
                cells=(group.name, group.items, group.raters, group.ratings),
                strong=group.key == POOLED,
            )
            for group in report.groups
        ),
        unit="rating (one annotator\u2019s answers to one unit)",
        aggregation="counts",
    )
