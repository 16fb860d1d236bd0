"""Charts of the page on metrics against people."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from scoring.analysis.report import Report
from scoring.reports.against_words import planned_results
from scoring.reports.metrics_page import names_in, scatter_key, scatter_rows
from scoring.reports.plots.against_forest import against_alt, draw_against
from scoring.reports.plots.drawing import Drawing
from scoring.reports.plots.heat import countries_alt, draw_countries, draw_heat, heat_alt
from scoring.reports.plots.scatter import draw_scatter, scatter_alt
from scoring.reports.series_words import slug


def drawings(report: Report) -> Iterator[Drawing]:
    """Each question's forest, heat by country and scatters; then the heat of all series."""
    against = report.against
    if not report.metrics:
        return
    names = names_in(against)
    method = against.planned.methods[0]
    systems = _systems(report)
    for one in against.questions:
        key = slug(one.key)
        if any(result.correlation.value is not None for _, result in planned_results(one)):
            yield Drawing(
                key=f"against-{key}",
                alt=against_alt(one, names, against.planned),
                draw=partial(draw_against, one, names, against.planned),
            )
        if any(part.kind == "country" for row in one.rows for part in row.slices):
            yield Drawing(
                key=f"countries-{key}",
                alt=countries_alt(one, names, method),
                draw=partial(draw_countries, one, names, method),
            )
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


def _systems(report: Report) -> list[str]:
    """The systems in the study's order, as points name them."""
    for factor in report.automatic.factors:
        if factor.key == "system":
            return [level.key for level in factor.levels]
    return []
