"""The Report pages of a study and their downloads. Nothing is computed here: see `snapshots`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from http import HTTPStatus
from urllib.parse import urlencode

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
from scoring.figures import drawn_for_page, n_drawn_for_page
from scoring.models import ReportSnapshot
from scoring.reports.page import MediaOf, Page, page_of
from scoring.reports.parts import Part, asked_of, part_named, parts_with
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
        selection, asked = selection_of(request.GET, offered), asked_in(page, request)
    except UnknownChoice as error:
        return _refused(request, study, page, offered, str(error))
    if request.method == "POST":
        retry_report(study, selection)
        return redirect(address_of(study, page, query_of(selection, asked)))
    mark = fingerprint(study, selection)
    request_report(study, selection, mark=mark)
    now = standing(study, selection, mark=mark)
    # The page waits for one newer report. What comes in after that is a reload away: a page that
    # renews itself under the reader's eyes cannot be read.
    context = _context(study, page, offered, selection, asked, now, wait=now.outdated)
    return _drawn(request, context)


@require_GET
@study_page
def report_fragment(request: HttpRequest, study: Study) -> HttpResponse:
    """The report's body once there is something new to show; 204 until then."""
    page = _known(request.GET.get("part", ""))
    offered = choices(study)
    try:
        selection, asked = selection_of(request.GET, offered), asked_in(page, request)
    except UnknownChoice as error:
        raise Http404(str(error)) from error
    now = standing(study, selection)
    if request.GET.get("seen") != now.mark or _is_drawn(request, now):
        context = _context(study, page, offered, selection, asked, now, wait=False)
        return render(request, "scoring/_report_body.html", context)
    if now.working is None:
        request_report(study, selection)
    else:
        requeue_stale_reports(study=study)
    if request.GET.get("steps", "") == now.steps:
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    # Only the line that says how far it is: the page itself stays under the reader's eyes.
    context = _frame(study, page, offered, selection, asked)
    context |= {"now": now, "page": True, "polls": True, "drawn": request.GET.get("drawn", "")}
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


def _is_drawn(request: HttpRequest, now: Standing) -> bool:
    """Whether charts were drawn since a page that waits for some counted them."""
    seen = request.GET.get("drawn", "")
    return bool(seen) and seen != str(n_drawn_for_page(now.shown))


def _known(key: str) -> Part:
    part = part_named(key)
    if part is None:
        raise Http404(f"The report has no page “{key}”.")
    return part


def address_of(study: Study, part: Part, query: str = "") -> str:
    """Where a page of the report is; `query` says which data, and which numbers of them."""
    arguments = [study.slug, part.key] if part.key else [study.slug]
    name = "scoring:report_part" if part.key else "scoring:report"
    address = reverse(name, args=arguments)
    return f"{address}?{query}" if query else address


def report_parts(study: Study, selection: Selection) -> list[tuple[Part, str]]:
    """The report's pages with their addresses, on the same data."""
    done = study.metric_runs.filter(state=RunState.DONE)
    scored = set(done.order_by().values_list("metric", flat=True).distinct())
    return [(one, address_of(study, one, selection.key)) for one in parts_with(scored)]


def asked_in(part: Part, request: HttpRequest) -> dict[str, str]:
    """What the address asks the page for beside the data; several values of a name with commas.

    Raises UnknownChoice for a value that the page never has.
    """
    return asked_of(part, {name: ",".join(values) for name, values in request.GET.lists()})


def query_of(selection: Selection, asked: Mapping[str, str]) -> str:
    """Which data and which numbers of them, as an address says it."""
    return "&".join(filter(None, (selection.key, urlencode(asked, safe=","))))


def _drawn(request: HttpRequest, context: dict[str, object]) -> HttpResponse:
    """The whole page, or its body for htmx."""
    body_only = request.htmx and not request.htmx.history_restore_request
    template = "scoring/_report_body.html" if body_only else "scoring/report.html"
    response = render(request, template, context)
    if body_only:
        # The form names every menu, the address only what is chosen.
        query = context["query"]
        response["HX-Push-Url"] = f"{context['address']}?{query}" if query else context["address"]
    patch_vary_headers(response, ["HX-Request"])
    return response


def _refused(
    request: HttpRequest, study: Study, part: Part, offered: tuple[Choice, ...], sentence: str
) -> HttpResponse:
    context = _frame(study, part, offered, Selection(), {}) | {"refused": sentence, "polls": False}
    return render(request, "scoring/report.html", context, status=HTTPStatus.BAD_REQUEST)


def _frame(
    study: Study,
    part: Part,
    offered: tuple[Choice, ...],
    selection: Selection,
    asked: Mapping[str, str],
) -> dict[str, object]:
    return {
        "study": study,
        "tab": "report",
        "part": part,
        "address": address_of(study, part),
        "whole": selection.is_whole,
        "reset": address_of(study, part, urlencode(asked, safe=",")),
        "selection": selection.key,
        "query": query_of(selection, asked),
        "parts": report_parts(study, selection),
        "filters": [(choice, getattr(selection, choice.name)) for choice in offered],
    }


def _context(
    study: Study,
    part: Part,
    offered: tuple[Choice, ...],
    selection: Selection,
    asked: Mapping[str, str],
    now: Standing,
    *,
    wait: bool,
) -> dict[str, object]:
    page, unreadable = None, ""
    # Counted before the page is made: what is drawn meanwhile is then noticed.
    drawn = n_drawn_for_page(now.shown) if part.menus else 0
    if now.shown is not None:
        try:
            page = _page(study, part, now.shown, asked)
        except UnreadableReport as error:
            unreadable = str(error)
    if page is not None:
        asked = page.asked
    waits = wait or not now.is_finished or (page is not None and page.waits)
    marks = {menu.name for menu in page.marks} if page is not None else set()
    unmarked = {name: asked[name] for name in asked if name not in marks}
    return _frame(study, part, offered, selection, asked) | {
        "now": now,
        "page": page,
        "every": address_of(study, part, query_of(selection, unmarked)),
        "unreadable": unreadable,
        "drawn": drawn if page is not None and page.waits else "",
        "polls": now.failed is None and waits,
    }


def _page(study: Study, part: Part, shown: ReportSnapshot, asked: Mapping[str, str]) -> Page:
    return page_of(
        from_json(shown.report),
        shown.plots,
        part,
        media_of(study),
        asked=asked,
        drawn_of=partial(drawn_for_page, shown),
    )


def media_of(study: Study) -> MediaOf:
    """Looks items up by id, those of this study alone."""
    return lambda ids: Item.objects.filter(study=study).in_bulk(sorted(ids))
