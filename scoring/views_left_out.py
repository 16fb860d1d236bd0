"""The list of what a metric leaves out of a question, from the stored report."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET

from scoring.analysis.codec import UnreadableReport, from_json
from scoring.analysis.selection import Selection, UnknownChoice
from scoring.reports.left_out_page import NoSuchPair, left_out_listing
from scoring.reports.parts import part_named
from scoring.snapshots import standing
from scoring.views_report import (
    address_of,
    asked_in,
    query_of,
    report_parts,
    wanted_selection,
)
from studies.access import study_page
from studies.models import Item, Study

METRICS = part_named("metrics")


@require_GET
@study_page
def left_out(request: HttpRequest, study: Study, question: str, metric: str) -> HttpResponse:
    """Some of the items; without a report to show, the page that asks for one."""
    selection = wanted_selection(request, study)
    now = standing(study, selection)
    query = _query(request, selection)
    back = address_of(study, METRICS, query)
    if now.shown is None:
        return redirect(back)
    try:
        report = from_json(now.shown.report)
        listing = left_out_listing(report, question, metric, request.GET.get("page", "1"))
    except UnreadableReport:
        return redirect(back)
    except NoSuchPair as error:
        raise Http404(str(error)) from error
    listed = {unit.item for unit in listing.page}
    context = {
        "study": study, "tab": "report", "part": METRICS, "back": back, "listing": listing,
        "parts": report_parts(study, selection),
        "outdated": now.outdated,
        "there": set(Item.objects.filter(study=study, pk__in=listed).values_list("pk", flat=True)),
        "run": study.metric_runs.filter(pk=listing.run).first(),
    }  # fmt: skip
    return render(request, "scoring/report_left_out.html", context)


def _query(request: HttpRequest, selection: Selection) -> str:
    """Which data, and what the page that led here showed of them."""
    try:
        return query_of(selection, asked_in(METRICS, request))
    except UnknownChoice as error:
        raise Http404(str(error)) from error
