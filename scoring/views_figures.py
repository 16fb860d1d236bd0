"""Charts as files: sent where they are drawn, else a page that waits for the worker."""

from __future__ import annotations

from http import HTTPStatus

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from scoring.figures import FORMS, has_chart, request_figure
from scoring.models import WorkState
from scoring.snapshots import finished_report
from scoring.views_report import wanted_selection
from studies.access import study_page
from studies.models import Study


@require_GET
@study_page
def figure(request: HttpRequest, study: Study, chart: str, form: str) -> HttpResponse:
    """One chart of the finished report as SVG, PNG or PDF; 202 with a page until it is drawn."""
    if form not in FORMS:
        raise Http404(f"Figures come as {', '.join(FORMS)}.")
    snapshot = finished_report(study, wanted_selection(request, study))
    if snapshot is None or not has_chart(snapshot, chart):
        raise Http404("The report has no such chart. Open its page and choose one there.")
    made = request_figure(snapshot, chart=chart, form=form)
    if made.state == WorkState.DONE:
        response = HttpResponse(bytes(made.content), content_type=FORMS[form])
        response["Content-Disposition"] = f'attachment; filename="{study.slug}-{chart}.{form}"'
        return response
    context = {"study": study, "tab": "report", "figure": made}
    return render(request, "scoring/report_figure.html", context, status=HTTPStatus.ACCEPTED)
