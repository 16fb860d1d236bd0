"""Pages for what was not found or failed: a way back, and a number to find it by in the log."""

from __future__ import annotations

import logging
import secrets

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from api.problems import KINDS, MEDIA_TYPE

log = logging.getLogger("concord.errors")


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Programs that ask for an address outside every view of the API get its kind of answer."""
    if request.path.startswith("/api/"):
        kind = KINDS["not-found"]
        document = {"type": kind.type, "title": kind.title, "status": 404, "detail": kind.title}
        return JsonResponse(document, status=404, content_type=MEDIA_TYPE)
    return _page(request, "404.html", status=404, level=logging.WARNING)


def failed(request: HttpRequest) -> HttpResponse:
    """Asks neither the database nor the session: either may be what failed."""
    return _page(request, "500.html", status=500, level=logging.ERROR)


def _page(request: HttpRequest, template: str, *, status: int, level: int) -> HttpResponse:
    reference = secrets.token_hex(4)
    log.log(level, "Reference %s: %s at %s", reference, status, request.path)
    context = {"reference": reference, "for_annotators": request.path.startswith(("/a/", "/i/"))}
    return render(request, template, context, status=status)
