"""Charts of the overview."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from scoring.analysis.report import Report
from scoring.reports.plots.drawing import Drawing
from scoring.reports.plots.timeline import draw_timeline, has_timeline, timeline_alt


def drawings(report: Report) -> Iterator[Drawing]:
    """The timeline of collection, where anything was collected."""
    if has_timeline(report.overview.timeline):
        yield Drawing(key="timeline", alt=timeline_alt(report), draw=partial(draw_timeline, report))
