"""The list of all metrics that the site knows, for whoever chooses among them."""

from __future__ import annotations

from itertools import groupby

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import researchers_only
from scoring.known_metrics import told_metrics
from scoring.metrics.absent import absent_metrics
from studies.models import Study


@require_safe
@researchers_only
def known_metrics(request: HttpRequest) -> HttpResponse:
    by_family = groupby(told_metrics(), key=lambda metric: metric.family)
    context = {
        "families": [(family, list(metrics)) for family, metrics in by_family],
        "absent": absent_metrics(),
        "studies": Study.objects.visible_to(request.user).in_use(),
    }
    return render(request, "scoring/known_metrics.html", context)
