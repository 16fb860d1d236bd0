"""For researchers: how the collection stands while it runs, and what needs them."""

from __future__ import annotations

import hashlib
from http import HTTPStatus

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils import timezone
from django.views.decorators.http import require_safe

from annotation.monitor.home import needs_of_all
from annotation.monitor.page import MOST_PEOPLE, monitor_of
from studies.access import fragment_asks_for_sign_in, study_page
from studies.models import Study


@require_safe
@study_page
def monitor(request: HttpRequest, study: Study) -> HttpResponse:
    """The whole page. Scripts then ask for its live part every ten seconds."""
    context = {"study": study, "tab": "monitor"}
    if not study.is_draft:
        context |= _live(request, study, shown=None)
    return render(request, "annotation/monitor.html", context)


@require_safe
@study_page
def monitor_live(request: HttpRequest, study: Study) -> HttpResponse:
    """The live part; 204 with the time while it would be the one that is ``seen``.

    ``rows`` names the people whose rows stand on the page: they keep their order.
    """
    shown = [code for code in request.GET.get("rows", "").split(",") if code][:MOST_PEOPLE]
    context = _live(request, study, shown=shown or None)
    if request.GET.get("seen") == context["mark"]:
        response = HttpResponse(status=HTTPStatus.NO_CONTENT)
    else:
        response = render(request, "annotation/_monitor_live.html", context)
    response["X-Counted-At"] = f"{context['at']:%H:%M:%S}"
    response["Cache-Control"] = "no-store"
    return response


def _live(request: HttpRequest, study: Study, *, shown: list[str] | None) -> dict:
    context = {"study": study, "monitor": monitor_of(study, shown=shown)}
    body = render_to_string("annotation/_monitor_body.html", context, request)
    mark = hashlib.sha256(body.encode()).hexdigest()[:16]
    return context | {"body": body, "mark": mark, "at": timezone.now()}


@require_safe
@study_page
def panels(request: HttpRequest, study: Study) -> HttpResponse:
    """How far each panel is, for the study's page in the admin."""
    context = {"study": study, "monitor": monitor_of(study), "short": True}
    return render(request, "annotation/_monitor_panels.html", context)


@require_safe
@fragment_asks_for_sign_in
@login_required
def needs(request: HttpRequest) -> HttpResponse:
    """What needs this person today, over all their studies; for Home."""
    if not request.user.is_staff:
        raise PermissionDenied
    studies = Study.objects.visible_to(request.user)
    return render(request, "annotation/_needs.html", {"needs": needs_of_all(studies)})
