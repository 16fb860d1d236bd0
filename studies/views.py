"""Home, and the way into a study."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from accounts.access import researchers_only
from studies import presets
from studies.access import study_page
from studies.models import Study
from studies.study_tabs import address_of


@require_safe
@researchers_only
def home(request: HttpRequest) -> HttpResponse:
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


@require_safe
@study_page
def go(request: HttpRequest, study: Study) -> HttpResponse:
    """Where the menu of a study's pages leads, for browsers that run no script."""
    address = address_of(study, request.GET.get("to", ""))
    if address is None:
        raise Http404("A study has no page of this name.")
    return redirect(address)
