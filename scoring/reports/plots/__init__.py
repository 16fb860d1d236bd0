"""Charts as SVG for the page: drawn in the worker, twice (wide, narrow), coloured by the page."""

from __future__ import annotations

from scoring.analysis.report import Report
from scoring.reports.plots.forest import draw_forest, forest_alt
from scoring.reports.plots.likert import draw_likert, likert_alt, likert_fits

__all__ = ["draw_plots"]

WIDTHS = ("wide", "narrow")


def draw_plots(report: Report) -> dict[str, dict[str, str]]:
    """{"likert-KEY" or "forest-KEY": {"wide": svg, "narrow": svg, "alt": text}} by question."""
    plots = {}
    for question in report.questions:
        if likert_fits(question):
            key = f"likert-{question.key}"
            alt = likert_alt(question)
            plots[key] = {
                width: draw_likert(question, width=width, key=f"{key}-{width}", alt=alt)
                for width in WIDTHS
            } | {"alt": alt}
        if any(answers.alpha.value is not None for answers in question.groups):
            key = f"forest-{question.key}"
            alt = forest_alt(report, question)
            plots[key] = {
                width: draw_forest(report, question, width=width, key=f"{key}-{width}", alt=alt)
                for width in WIDTHS
            } | {"alt": alt}
    return plots
