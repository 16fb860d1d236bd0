"""The report as one HTML file: plots and styles inside, nothing is fetched, made to be printed."""

from __future__ import annotations

from django.conf import settings
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe

from scoring.analysis.report import Report
from scoring.reports.page import Page, data_line, page_of
from scoring.reports.parts import PARTS
from scoring.reports.sections import Plots

STYLES = ("tokens.css", "charts.css", "report-file.css")


def report_html(report: Report, plots: Plots) -> str:
    """Every page of the report after another. Media are not in it: they may not be passed on."""
    pages: list[tuple[str, Page]] = [
        (part.key or "overview", page_of(report, plots, part, lambda ids: {})) for part in PARTS
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


def _styles() -> SafeString:
    # Files of our own, without a closing tag in them.
    folder = settings.BASE_DIR / "static" / "css"
    return mark_safe("\n".join((folder / name).read_text("utf-8") for name in STYLES))
