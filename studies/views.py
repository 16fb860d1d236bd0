"""Home, and the way into a study."""

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from studies import presets
from studies.access import study_page
from studies.models import Study


@require_safe
@login_required
def home(request: HttpRequest) -> HttpResponse:
    if not request.user.is_staff:
        raise PermissionDenied
    mine = Study.objects.visible_to(request.user).prefetch_related("panels")
    shows_archive = request.GET.get("archive") == "yes"
    context = {
        "studies": mine.archived() if shows_archive else mine.in_use(),
        "shows_archive": shows_archive,
        "n_archived": mine.archived().count(),
        "protocols": presets.published().values(),
    }
    return render(request, "studies/home.html", context)


@require_safe
@study_page
def overview(request: HttpRequest, study: Study) -> HttpResponse:
    """The tab that matters now: the design of a draft, the report of what was launched."""
    if study.is_draft:
        return redirect("admin:studies_study_change", study.pk)
    return redirect("annotation:monitor", study.slug)
