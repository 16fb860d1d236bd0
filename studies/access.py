"""Who may open a study's pages."""

from collections.abc import Callable
from functools import wraps

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404

from studies.models import Study


def fragment_asks_for_sign_in(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    @wraps(view)
    def guarded(request: HttpRequest, *args, **kwargs) -> HttpResponse:
        if request.htmx and not request.user.is_authenticated:
            return HttpResponse(status=204, headers={"HX-Refresh": "true"})
        return view(request, *args, **kwargs)

    return guarded


def study_page(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """A view ``(request, study, ...)`` under ``/studies/<slug>/``, for those who may see it.

    Strangers are sent to sign in; a person without rights to the study gets 404, so that an
    address does not tell which studies exist. A fragment whose reader's sign-in has run out tells
    htmx to load the whole page, which then asks for it.
    """

    @fragment_asks_for_sign_in
    @login_required
    @wraps(view)
    def opened(request: HttpRequest, slug: str, *args, **kwargs) -> HttpResponse:
        if not request.user.is_staff:
            raise PermissionDenied
        study = get_object_or_404(Study.objects.visible_to(request.user), slug=slug)
        return view(request, study, *args, **kwargs)

    return opened
