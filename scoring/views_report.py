"""The Report pages of a study and their downloads. Nothing is computed here: see `snapshots`."""

from __future__ import annotations

import json
from http import HTTPStatus

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_GET, require_http_methods

from annotation.ratings import surplus_ratings
from scoring.analysis.codec import UnreadableReport, from_json
from scoring.analysis.selection import (
    Choice,
    Selection,
    UnknownChoice,
    choices,
    selection_of,
)
from scoring.reports.page import MediaOf, page_of
from scoring.reports.parts import Part, part_named, parts_with
from scoring.snapshots import (
    Standing,
    fingerprint,
    finished_report,
    has_results,
    request_report,
    requeue_stale_reports,
    retry_report,
    standing,
)
from scoring.work_state import RunState
from studies.access import study_page
from studies.models import Item, Study


@require_http_methods(["GET", "HEAD", "POST"])
@study_page
def report(request: HttpRequest, study: Study, part: str = "") -> HttpResponse:
    """A page of the newest report; asks for a new one where the data have changed.

    POST: try again. htmx gets the body alone, as when a filter is changed.
    """
    page = _known(part)
    if not has_results(study):
        context = {"study": study, "tab": "report", "surplus": surplus_ratings(study)}
        return render(request, "scoring/report_empty.html", context)
    offered = choices(study)
    try:
        selection = selection_of(request.GET, offered)
    except UnknownChoice as error:
        return _refused(request, study, page, offered, str(error))
    if request.method == "POST":
        retry_report(study, selection)
        return redirect(_address(study, page, selection))
    mark = fingerprint(study, selection)
    request_report(study, selection, mark=mark)
    now = standing(study, selection, mark=mark)
    # The page waits for one newer report. What comes in after that is a reload away: a page that
    # renews itself under the reader's eyes cannot be read.
    context = _context(study, page, offered, selection, now, wait=now.outdated)
    return _drawn(request, context)


@require_GET
@study_page
def report_fragment(request: HttpRequest, study: Study) -> HttpResponse:
    """The report's body once there is something new to show; 204 until then."""
    page = _known(request.GET.get("part", ""))
    offered = choices(study)
    try:
        selection = selection_of(request.GET, offered)
    except UnknownChoice as error:
        raise Http404(str(error)) from error
    now = standing(study, selection)
    if request.GET.get("seen") != now.mark:
        context = _context(study, page, offered, selection, now, wait=False)
        return render(request, "scoring/_report_body.html", context)
    if now.working is None:
        request_report(study, selection)
    else:
        requeue_stale_reports(study=study)
    if request.GET.get("steps", "") == now.steps:
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    # Only the line that says how far it is: the page itself stays under the reader's eyes.
    context = _frame(study, page, offered, selection) | {"now": now, "page": True, "polls": True}
    response = render(request, "scoring/_report_state.html", context)
    response["HX-Retarget"] = "#report_state"
    return response


@require_GET
@study_page
def report_json(request: HttpRequest, study: Study) -> HttpResponse:
    """The finished report that the page shows, with full precision."""
    snapshot = finished_report(study, wanted_selection(request, study))
    if snapshot is None:
        raise Http404("No report is finished yet. Open the report's page, which makes one.")
    text = json.dumps(snapshot.report, ensure_ascii=False, allow_nan=False, indent=1)
    response = HttpResponse(text, content_type="application/json; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{study.slug}-report.json"'
    return response


def wanted_selection(request: HttpRequest, study: Study) -> Selection:
    """The selection an address asks for; 404 with the reason where there is no such."""
    try:
        return selection_of(request.GET, choices(study))
    except UnknownChoice as error:
        raise Http404(str(error)) from error


def _known(key: str) -> Part:
    part = part_named(key)
    if part is None:
        raise Http404(f"The report has no page “{key}”.")
    return part


def _address(study: Study, part: Part, selection: Selection) -> str:
    arguments = [study.slug, part.key] if part.key else [study.slug]
    name = "scoring:report_part" if part.key else "scoring:report"
    address = reverse(name, args=arguments)
    return f"{address}?{selection.key}" if selection.key else address


def _drawn(request: HttpRequest, context: dict[str, object]) -> HttpResponse:
    """The whole page, or its body for htmx."""
    body_only = request.htmx and not request.htmx.history_restore_request
    template = "scoring/_report_body.html" if body_only else "scoring/report.html"
    response = render(request, template, context)
    patch_vary_headers(response, ["HX-Request"])
    return response


def _refused(
    request: HttpRequest, study: Study, part: Part, offered: tuple[Choice, ...], sentence: str
) -> HttpResponse:
    context = _frame(study, part, offered, Selection()) | {"refused": sentence, "polls": False}
    return render(request, "scoring/report.html", context, status=HTTPStatus.BAD_REQUEST)


def _frame(
    study: Study, part: Part, offered: tuple[Choice, ...], selection: Selection
) -> dict[str, object]:
    done = study.metric_runs.filter(state=RunState.DONE)
    scored = set(done.order_by().values_list("metric", flat=True).distinct())
    return {
        "study": study,
        "tab": "report",
        "part": part,
        "address": _address(study, part, Selection()),
        "whole": selection.is_whole,
        "selection": selection.key,
        "parts": [(one, _address(study, one, selection)) for one in parts_with(scored)],
        "filters": [(choice, getattr(selection, choice.name)) for choice in offered],
    }


def _context(
    study: Study,
    part: Part,
    offered: tuple[Choice, ...],
    selection: Selection,
    now: Standing,
    *,
    wait: bool,
) -> dict[str, object]:
    page, unreadable = None, ""
    if now.shown is not None:
        try:
            page = page_of(from_json(now.shown.report), now.shown.plots, part, _media_of(study))
        except UnreadableReport as error:
            unreadable = str(error)
    return _frame(study, part, offered, selection) | {
        "now": now,
        "page": page,
        "unreadable": unreadable,
        "polls": now.failed is None and (wait or not now.is_finished),
    }


def _media_of(study: Study) -> MediaOf:
    """Looks items up by id, those of this study alone."""
    return lambda ids: Item.objects.filter(study=study).in_bulk(sorted(ids))
