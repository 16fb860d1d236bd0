"""Charts of the page on agreement."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from scoring.analysis.report import Report
from scoring.reports.plots.drawing import Drawing
from scoring.reports.plots.forest import draw_forest, forest_alt


def drawings(report: Report) -> Iterator[Drawing]:
    """Alpha of each question by country, where any is defined."""
    for question in report.questions:
        if any(answers.alpha.value is not None for answers in question.groups):
            yield Drawing(
                key=f"forest-{question.key}",
                alt=forest_alt(report, question),
                draw=partial(draw_forest, report, question),
            )
