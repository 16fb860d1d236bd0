"""Charts of the page on metrics against people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from scoring.analysis.parts.against import PlannedCorrelation, QuestionAgainst, Row
from scoring.analysis.report import Report
from scoring.reports.against_items import scatter_key, scatter_rows
from scoring.reports.against_shown import chart_asked, names_in, slugs_in
from scoring.reports.aggregation import (
    Found,
    countries_key,
    other_aggregations,
    planned_found,
    planned_key,
)
from scoring.reports.plots.against_forest import against_alt, draw_against
from scoring.reports.plots.drawing import Drawing
from scoring.reports.plots.heat import countries_alt, draw_countries, draw_heat, heat_alt
from scoring.reports.plots.scatter import draw_scatter, scatter_alt


def drawings(report: Report) -> Iterator[Drawing]:
    """Each question's forest, heat by country and scatters; then the heat of all series."""
    against = report.against
    if not report.metrics:
        return
    names = names_in(against)
    method = against.planned.methods[0]
    for one in against.questions:
        found = planned_found(one, against.planned)
        if found.defined:
            yield _forest(one, names, planned_key(one), found)
        if _has_countries(one):
            yield _countries(one, names, against.planned, method)
        for row in scatter_rows(one, method):
            yield _scatter(report, one, row)
    if against.heat.cells:
        yield Drawing(
            key="heat-metrics", alt=heat_alt(against.heat), draw=partial(draw_heat, against.heat)
        )


def on_demand(report: Report) -> Iterator[Drawing]:
    """The same at every other level and by every other coefficient, and the other scatters: drawn
    when a page asks."""
    planned = report.against.planned
    names = names_in(report.against)
    for one in report.against.questions if report.metrics else ():
        for key, found in other_aggregations(one, planned):
            if found.defined:
                yield _forest(one, names, key, found)
        for method in planned.methods[1:] if _has_countries(one) else ():
            yield _countries(one, names, planned, method)
        first = scatter_rows(one, planned.methods[0])
        for row in one.targets:
            if row.scatter is not None and row not in first:
                yield _scatter(report, one, row)


def of_chosen(report: Report, key: str) -> Iterator[Drawing]:
    """The chart of that name, where the name says which of the metrics it shows."""
    narrowed, plain = chart_asked(report, key)
    if plain != key:
        for drawing in (*drawings(narrowed), *on_demand(narrowed)):
            if drawing.key == plain:
                yield replace(drawing, key=key)


def _forest(question: QuestionAgainst, names: Mapping[str, str], key: str, found: Found) -> Drawing:
    return Drawing(
        key=key,
        alt=against_alt(question, names, found),
        draw=partial(draw_against, question, names, found),
    )


def _scatter(report: Report, question: QuestionAgainst, row: Row) -> Drawing:
    name = names_in(report.against)[row.series.key]
    return Drawing(
        key=scatter_key(question, row, slugs_in(report.against)),
        alt=scatter_alt(question, row, name, report.against.planned.methods[0]),
        draw=partial(draw_scatter, question, row, name, _systems(report)),
    )


def _has_countries(question: QuestionAgainst) -> bool:
    return any(part.kind == "country" for row in question.rows for part in row.slices)


def _countries(
    question: QuestionAgainst, names: Mapping[str, str], planned: PlannedCorrelation, method: str
) -> Drawing:
    return Drawing(
        key=countries_key(question, planned, method),
        alt=countries_alt(question, names, method),
        draw=partial(draw_countries, question, names, method),
    )


def _systems(report: Report) -> list[str]:
    """The systems in the study's order, as points name them."""
    for factor in report.automatic.factors:
        if factor.key == "system":
            return [level.key for level in factor.levels]
    return []
