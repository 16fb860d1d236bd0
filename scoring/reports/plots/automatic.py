"""Charts of the page on automatic results."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from scoring.analysis.report import Report
from scoring.reports.automatic_page import chart_key, charted, rank_key
from scoring.reports.country_scatter import KEY, country_alt, country_points
from scoring.reports.plots.countries import draw_countries
from scoring.reports.plots.drawing import Drawing
from scoring.reports.plots.means import draw_means, means_alt
from scoring.reports.plots.ranks import draw_ranks, ranks_alt
from scoring.reports.series_words import names_of


def drawings(report: Report) -> Iterator[Drawing]:
    """Ranks by dimension, ALIGN against HAL, then each metric's means by model and country."""
    automatic = report.automatic
    for panel in automatic.rank_panels:
        if len(panel.series) > 1:
            yield Drawing(
                key=rank_key(panel),
                alt=ranks_alt(automatic, panel),
                draw=partial(draw_ranks, automatic, panel),
            )
    if points := country_points(automatic):
        yield Drawing(key=KEY, alt=country_alt(points), draw=partial(draw_countries, points))
    names = names_of([one.facts for one in automatic.series])
    for factor in automatic.factors:
        for one in charted(automatic, factor.key):
            breakdown = one.by(factor.key)
            if breakdown is not None:
                yield Drawing(
                    key=chart_key(automatic, one, factor.key),
                    alt=means_alt(one, breakdown, factor, names[one.facts.key]),
                    draw=partial(draw_means, one, breakdown, factor),
                )
