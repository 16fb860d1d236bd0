"""The report as one HTML file: plots and styles inside, nothing is fetched, made to be printed."""

from __future__ import annotations

import re

from django.conf import settings
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe

from scoring.analysis.report import Report
from scoring.reports.page import Page, data_line, page_of
from scoring.reports.parts import parts_with
from scoring.reports.sections import Plots

_LINK = re.compile(r"<(/?)a\b[^>]*>")
STYLES = ("tokens.css", "charts.css", "report-file.css")


def report_html(report: Report, plots: Plots) -> str:
    """Every page of the report after another. Media are not in it: they may not be passed on."""
    drawn = {key: {name: unlinked(svg) for name, svg in one.items()} for key, one in plots.items()}
    pages: list[tuple[str, Page]] = [
        (part.key or "overview", page_of(report, drawn, part, lambda ids: {}))
        for part in parts_with([metric.key for metric in report.metrics])
    ]
    context = {
        "study": report.study,
        "facts": data_line(report),
        "simulated": report.data.simulated > 0,
        "pages": [(key, page) for key, page in pages if page.sections],
        "method": report.method,
        "styles": _styles(),
    }
    return render_to_string("scoring/report_file.html", context)


def unlinked(svg: str) -> str:
    """A drawing whose points lead nowhere: what they lead to is on the site."""
    return _LINK.sub(r"<\1g>", svg)


def _styles() -> SafeString:
    # Files of our own, without a closing tag in them.
    folder = settings.BASE_DIR / "static" / "css"
    return mark_safe("\n".join((folder / name).read_text("utf-8") for name in STYLES))
