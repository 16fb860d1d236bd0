"""Home, and the way into a study."""

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from studies.access import study_page
from studies.models import Study


@require_safe
@login_required
def home(request: HttpRequest) -> HttpResponse:
    if not request.user.is_staff:
        raise PermissionDenied
    studies = Study.objects.visible_to(request.user).prefetch_related("panels")
    return render(request, "studies/home.html", {"studies": studies})


@require_safe
@study_page
def overview(request: HttpRequest, study: Study) -> HttpResponse:
    """The tab that matters now: the design of a draft, the report of what was launched."""
    if study.is_draft:
        return redirect("admin:studies_study_change", study.pk)
    return redirect("annotation:progress", study.slug)
