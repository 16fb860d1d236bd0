"""Charts of the page on human scores."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from scoring.analysis.report import Report
from scoring.reports.plots.drawing import Drawing
from scoring.reports.plots.likert import draw_likert, likert_alt, likert_fits


def drawings(report: Report) -> Iterator[Drawing]:
    """Shares of each point by model, for questions whose scale has colours."""
    for question in report.questions:
        if likert_fits(question):
            yield Drawing(
                key=f"likert-{question.key}",
                alt=likert_alt(question),
                draw=partial(draw_likert, question),
            )
