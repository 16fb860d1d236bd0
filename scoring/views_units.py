"""The list of all units by disagreement, from the stored report."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET

from scoring.analysis.codec import UnreadableReport, from_json
from scoring.reports.parts import part_named
from scoring.reports.units_page import NoSuchQuestion, unit_listing
from scoring.snapshots import standing
from scoring.views_report import address_of, media_of, report_parts, wanted_selection
from studies.access import study_page
from studies.models import Study

AGREEMENT = part_named("agreement")


@require_GET
@study_page
def report_units(request: HttpRequest, study: Study, question: str) -> HttpResponse:
    """Some of a question's units; without a report to show, the page that asks for one."""
    selection = wanted_selection(request, study)
    now = standing(study, selection)
    back = address_of(study, AGREEMENT, selection.key)
    if now.shown is None:
        return redirect(back)
    try:
        report = from_json(now.shown.report)
        listing = unit_listing(report, question, request.GET.get("page", "1"), media_of(study))
    except UnreadableReport:
        return redirect(back)
    except NoSuchQuestion as error:
        raise Http404(str(error)) from error
    context = {
        "study": study, "tab": "report", "part": AGREEMENT, "back": back, "listing": listing,
        "parts": report_parts(study, selection), "selection": selection.key,
        "outdated": now.outdated,
    }  # fmt: skip
    return render(request, "scoring/report_units.html", context)
