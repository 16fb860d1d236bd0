"""Home, and the media of items."""

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_safe

from studies.access import study_page
from studies.models import Item, Study


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


@require_safe
def media(request: HttpRequest, public_id: str) -> FileResponse:
    """An item's file under its unguessable id, without the name it came with."""
    item = get_object_or_404(Item.objects.only("media", "content_type"), public_id=public_id)
    try:
        file = item.media.open("rb")
    except FileNotFoundError as missing:
        raise Http404("The file of this item is missing.") from missing
    response = FileResponse(file, content_type=item.content_type)
    response["Content-Disposition"] = "inline"
    response["Cache-Control"] = "private, max-age=31536000, immutable"
    return response
