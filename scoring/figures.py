"""Charts of finished reports as files: asked for by a download, drawn by a worker, kept with the
report."""

from __future__ import annotations

import logging
from datetime import timedelta

from django.db import transaction
from django.utils import timezone
from kombu.exceptions import ChannelError, OperationalError

from scoring.models import ReportFigure, ReportSnapshot, WorkState

logger = logging.getLogger("concord.reports")

FORMS = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}
"""Form of a file -> its content type."""

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


def draw_figure(figure_id: int) -> None:
    """Draw a file that waits and store it; what goes wrong is stored as a sentence."""
    # The worker's share: these load matplotlib, which no web process may.
    from scoring.analysis.codec import from_json
    from scoring.reports.plots import NoSuchChart, draw_file

    waiting = ReportFigure.objects.filter(pk=figure_id, state=WorkState.QUEUED)
    figure = waiting.select_related("report").first()
    if figure is None:
        return
    try:
        content = draw_file(from_json(figure.report.report), figure.chart, figure.form)
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
