"""Charts of the page on metrics against people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from scoring.analysis.parts.against import PlannedCorrelation, QuestionAgainst
from scoring.analysis.report import Report
from scoring.reports.against_items import scatter_key, scatter_rows
from scoring.reports.aggregation import (
    Found,
    countries_key,
    other_aggregations,
    planned_found,
    planned_key,
)
from scoring.reports.metrics_page import names_in
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
    systems = _systems(report)
    for one in against.questions:
        found = planned_found(one, against.planned)
        if found.defined:
            yield _forest(one, names, planned_key(one), found)
        if _has_countries(one):
            yield _countries(one, names, against.planned, method)
        for row in scatter_rows(one, method):
            name = names[row.series.key]
            yield Drawing(
                key=scatter_key(one, row),
                alt=scatter_alt(one, row, name, method),
                draw=partial(draw_scatter, one, row, name, systems),
            )
    if against.heat.cells:
        yield Drawing(
            key="heat-metrics", alt=heat_alt(against.heat), draw=partial(draw_heat, against.heat)
        )


def on_demand(report: Report) -> Iterator[Drawing]:
    """The same at every other level and by every other coefficient: drawn when a page asks."""
    planned = report.against.planned
    names = names_in(report.against)
    for one in report.against.questions if report.metrics else ():
        for key, found in other_aggregations(one, planned):
            if found.defined:
                yield _forest(one, names, key, found)
        for method in planned.methods[1:] if _has_countries(one) else ():
            yield _countries(one, names, planned, method)


def _forest(question: QuestionAgainst, names: Mapping[str, str], key: str, found: Found) -> Drawing:
    return Drawing(
        key=key,
        alt=against_alt(question, names, found),
        draw=partial(draw_against, question, names, found),
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
