"""The Report page of a study and its downloads. Nothing is computed here: see `snapshots`."""

from __future__ import annotations

import json
from http import HTTPStatus

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from annotation.ratings import Layer, rating_rows, surplus_ratings
from scoring.analysis.codec import UnreadableReport, from_json
from scoring.reports.items_csv import item_lines
from scoring.reports.page import page_of
from scoring.reports.ratings_csv import csv_lines
from scoring.snapshots import (
    Standing,
    finished_report,
    has_ratings,
    request_report,
    requeue_stale_reports,
    retry_report,
    standing,
)
from studies.access import study_page
from studies.models import Study


@require_http_methods(["GET", "HEAD", "POST"])
@study_page
def report(request: HttpRequest, study: Study) -> HttpResponse:
    """The newest report; asks for a new one where the data have changed. POST: try again."""
    if request.method == "POST":
        retry_report(study)
        return redirect("scoring:report", study.slug)
    if not has_ratings(study):
        context = {"study": study, "tab": "report", "surplus": surplus_ratings(study)}
        return render(request, "scoring/report_empty.html", context)
    request_report(study)
    now = standing(study)
    # The page waits for one newer report. What comes in after that is a reload away: a page that
    # renews itself under the reader's eyes cannot be read.
    return render(request, "scoring/report.html", _context(study, now, wait=now.outdated))


@require_GET
@study_page
def report_fragment(request: HttpRequest, study: Study) -> HttpResponse:
    """The report's body once there is something new to show; 204 until then."""
    now = standing(study)
    if request.GET.get("seen") == now.mark:
        if now.working is None:
            request_report(study)
        else:
            requeue_stale_reports(study=study)
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    return render(request, "scoring/_report_body.html", _context(study, now, wait=False))


@require_GET
@study_page
def report_json(request: HttpRequest, study: Study) -> HttpResponse:
    """The finished report that the page shows, with full precision."""
    snapshot = finished_report(study)
    if snapshot is None:
        raise Http404("No report is finished yet. Open the report's page, which makes one.")
    text = json.dumps(snapshot.report, ensure_ascii=False, allow_nan=False, indent=1)
    response = HttpResponse(text, content_type="application/json; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{study.slug}-report.json"'
    return response


@require_GET
@study_page
def ratings_csv(request: HttpRequest, study: Study) -> StreamingHttpResponse:
    """Ratings without what is excluded; with ``?layer=all`` that too, marked so."""
    wanted = request.GET.get("layer", Layer.AFTER_ALL)
    if wanted not in list(Layer):
        raise Http404(f"Layers are {', '.join(Layer)}.")
    rows = rating_rows(study, Layer(wanted))
    response = StreamingHttpResponse(csv_lines(rows), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{study.slug}-ratings.csv"'
    return response


@require_GET
@study_page
def items_csv(request: HttpRequest, study: Study) -> StreamingHttpResponse:
    response = StreamingHttpResponse(item_lines(study), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{study.slug}-items.csv"'
    return response


def _context(study: Study, now: Standing, *, wait: bool) -> dict[str, object]:
    page, unreadable = None, ""
    if now.shown is not None:
        try:
            page = page_of(from_json(now.shown.report), now.shown.plots)
        except UnreadableReport as error:
            unreadable = str(error)
    return {
        "study": study,
        "tab": "report",
        "now": now,
        "page": page,
        "unreadable": unreadable,
        "polls": now.failed is None and (wait or not now.is_finished),
    }
