"""Charts of a report: as SVG for the page (two widths, the page's colours), and as files.

They are drawn in the worker. `DRAWN` has the charts of each page.
"""

from __future__ import annotations

import io
from collections.abc import Iterator

from matplotlib.collections import Collection

from scoring.analysis.report import Report
from scoring.figures import FORMS
from scoring.reports.plots import agreement, automatic, metrics, overview, scores, sensitivity
from scoring.reports.plots.canvas import styled
from scoring.reports.plots.drawing import Drawing
from scoring.reports.plots.svg import inline_svg

__all__ = ["FORMS", "chart_keys", "draw_file", "draw_for_page", "draw_plots"]

DRAWN = (
    overview.drawings,
    scores.drawings,
    agreement.drawings,
    automatic.drawings,
    metrics.drawings,
    sensitivity.drawings,
)

ON_DEMAND = (metrics.on_demand,)
"""Charts that few readers want: drawn one by one, when a page asks for them."""

WIDTHS = ("wide", "narrow")

DOTS_PER_INCH = 300


class NoSuchChart(LookupError):
    """A report has no chart of that name."""


def drawings(report: Report) -> Iterator[Drawing]:
    """Every chart of the report, in the order of its pages."""
    for of_page in DRAWN:
        yield from of_page(report)


def draw_plots(report: Report) -> dict[str, dict[str, str]]:
    """{chart key: {"wide": svg, "narrow": svg, "alt": text}} for the page."""
    return {drawing.key: _for_page(drawing) for drawing in drawings(report)}


def draw_for_page(report: Report, key: str) -> dict[str, str]:
    """One chart as `draw_plots` has it, those that are drawn on demand too.

    Raises NoSuchChart.
    """
    return _for_page(_drawing(report, key))


def chart_keys(report: Report) -> list[str]:
    """The names of the charts that every report has."""
    return [drawing.key for drawing in drawings(report)]


def draw_file(report: Report, key: str, form: str) -> bytes:
    """One chart as a file (`FORMS`) in the light palette, fonts embedded.

    Raises NoSuchChart.
    """
    return _file(_drawing(report, key), form)


def _drawing(report: Report, key: str) -> Drawing:
    for of_page in (*DRAWN, *ON_DEMAND):
        for drawing in of_page(report):
            if drawing.key == key:
                return drawing
    for drawing in metrics.of_chosen(report, key):
        return drawing
    raise NoSuchChart(f"This report has no chart “{key}”. Open its page and choose one there.")


def _for_page(drawing: Drawing) -> dict[str, str]:
    return {"alt": drawing.alt} | {width: _inline(drawing, width) for width in WIDTHS}


def _inline(drawing: Drawing, width: str) -> str:
    with styled():
        figure = drawing.draw(width)
        return inline_svg(figure, key=f"{drawing.key}-{width}", alt=drawing.alt, width=width)


def _file(drawing: Drawing, form: str) -> bytes:
    file = io.BytesIO()
    nameless = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {"Software": None}}
    with styled():
        figure = drawing.draw("wide")
        for points in figure.findobj(Collection):
            points.set_urls([None])  # a file away from the site leads nowhere
        figure.savefig(file, format=form, dpi=DOTS_PER_INCH, metadata=nameless[form])
    return file.getvalue()
