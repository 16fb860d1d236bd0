"""Help: what there is to read, one document, its pictures."""

from __future__ import annotations

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import researchers_only
from guide import addresses
from guide.contents import chapters, document, title_of
from guide.contents import picture as picture_file
from guide.drawing import drawn_file


@require_safe
@researchers_only
def contents(request: HttpRequest) -> HttpResponse:
    return render(request, "guide/contents.html", {"chapters": chapters()})


@require_safe
@researchers_only
def page(request: HttpRequest, name: str) -> HttpResponse:
    path = document(name)
    if path is None:
        raise Http404("No document has this name.")
    drawn = drawn_file(
        path, path.stat().st_mtime_ns, addresses.link, addresses.image, addresses.titled
    )
    return render(request, "guide/page.html", {"title": title_of(path), "drawn": drawn})


@require_safe
@researchers_only
def picture(request: HttpRequest, name: str) -> HttpResponse:
    path = picture_file(name)
    if path is None:
        raise Http404("No document has this picture.")
    return FileResponse(path.open("rb"), content_type="image/png")
