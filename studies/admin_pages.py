"""Pages of one study in the admin beside its form: who may open them, what they all are given."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps

from django.contrib import messages
from django.contrib.admin import AdminSite
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, path

from studies.models import Study

View = Callable[..., HttpResponse]
Page = tuple[str, View, str]
"""Address below the study's, view ``(request, context, study, ...)``, last part of its name."""

OF_THE_ARCHIVE = {"archive", "duplicate", "save_preset"}
"""Pages that also work on what is in the archive: they leave it as it is, or bring it back."""


def study_pages(admin_site: AdminSite, pages: Iterable[Page], *, tab: str) -> list[URLPattern]:
    """Addresses for those who may change the study; other people get 404 or 403."""
    return [
        path(
            f"<int:pk>/{address}",
            admin_site.admin_view(_opened(view, admin_site, tab, name in OF_THE_ARCHIVE)),
            name=f"studies_study_{name}",
        )
        for address, view, name in pages
    ]


def _opened(view: View, admin_site: AdminSite, tab: str, of_the_archive: bool) -> View:
    @wraps(view)
    def opened(request: HttpRequest, pk: int, **kwargs) -> HttpResponse:
        study = get_object_or_404(Study.objects.visible_to(request.user), pk=pk)
        if not request.user.has_perm("studies.change_study"):
            raise PermissionDenied
        if request.method == "POST" and study.is_archived and not of_the_archive:
            messages.warning(
                request, f"“{study.title}” is in the archive. Take it out of the archive first."
            )
            return redirect("admin:studies_study_change", pk)
        context = {**admin_site.each_context(request), "study": study, "tab": tab}
        return view(request, context, study, **kwargs)

    return opened
