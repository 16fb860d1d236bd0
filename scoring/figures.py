"""Charts of finished reports: asked for by a download or by a page, drawn by a worker, kept with
the report."""

from __future__ import annotations

import json
import logging
from collections.abc import Collection
from datetime import timedelta

from django.db import transaction
from django.utils import timezone
from kombu.exceptions import ChannelError, OperationalError

from scoring.models import ReportFigure, ReportSnapshot, WorkState

logger = logging.getLogger("concord.reports")

FORMS = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}
"""Form of a file -> its content type."""

ON_PAGE = "page"
"""Form of a chart that is drawn for the page when somebody looks: JSON of its SVGs and words."""

ASK_AGAIN_AFTER = timedelta(seconds=60)
"""A file that nobody has drawn by then is asked for again, and one that failed is tried again."""


def request_figure(report: ReportSnapshot, *, chart: str, form: str) -> ReportFigure:
    """The file of one chart, asked for if nobody has; harmless when repeated."""
    figure, is_new = ReportFigure.objects.get_or_create(report=report, chart=chart, form=form)
    late = figure.state != WorkState.DONE and figure.asked_at < timezone.now() - ASK_AGAIN_AFTER
    if is_new or late:
        ReportFigure.objects.filter(pk=figure.pk).exclude(state=WorkState.DONE).update(
            state=WorkState.QUEUED, asked_at=timezone.now(), error=""
        )
        transaction.on_commit(lambda: _send(figure.pk))
    return figure


def drawn_for_page(report: ReportSnapshot, charts: Collection[str]) -> dict[str, dict[str, str]]:
    """{chart: {"wide": svg, "narrow": svg, "alt": text}} of those that are drawn.

    The others are asked for. One that failed is there without its drawings. Nothing is drawn
    before the report is finished.
    """
    if not charts or report.state != WorkState.DONE:
        return {}
    made = [request_figure(report, chart=chart, form=ON_PAGE) for chart in charts]
    drawn = {one.chart: json.loads(one.content) for one in made if one.state == WorkState.DONE}
    return drawn | {one.chart: {} for one in made if one.state == WorkState.FAILED}


def n_drawn_for_page(report: ReportSnapshot | None) -> int:
    """How many charts of a report were drawn for its page, or failed to be."""
    over = (WorkState.DONE, WorkState.FAILED)
    return ReportFigure.objects.filter(report=report, form=ON_PAGE, state__in=over).count()


def has_chart(report: ReportSnapshot, chart: str) -> bool:
    """Whether a report has a chart of that name: one of its own, or one that a page showed."""
    return chart in report.plots or report.figures.filter(chart=chart, form=ON_PAGE).exists()


def draw_figure(figure_id: int) -> None:
    """Draw a file that waits and store it; what goes wrong is stored as a sentence."""
    # The worker's share: these load matplotlib, which no web process may.
    from scoring.analysis.codec import from_json
    from scoring.reports.plots import NoSuchChart, draw_file, draw_for_page

    waiting = ReportFigure.objects.filter(pk=figure_id, state=WorkState.QUEUED)
    figure = waiting.select_related("report").first()
    if figure is None:
        return
    try:
        report = from_json(figure.report.report)
        if figure.form == ON_PAGE:
            content = json.dumps(draw_for_page(report, figure.chart)).encode()
        else:
            content = draw_file(report, figure.chart, figure.form)
    except NoSuchChart as error:
        waiting.update(state=WorkState.FAILED, error=str(error))
    except Exception as error:  # the run boundary: whatever happened is kept and shown
        logger.exception("Figure %s could not be drawn.", figure)
        waiting.update(
            state=WorkState.FAILED,
            error=f"The figure could not be drawn ({type(error).__name__}).",
        )
    else:
        waiting.update(state=WorkState.DONE, content=content)


def _send(figure_id: int) -> None:
    from scoring.report_tasks import draw_report_figure  # it imports this module

    try:
        draw_report_figure.delay(figure_id)
    except (OperationalError, ChannelError):
        # It stays queued, and is sent again when somebody asks (`ASK_AGAIN_AFTER`).
        logger.error("The broker took no message for figure %s.", figure_id)
