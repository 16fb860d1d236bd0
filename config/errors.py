"""Pages for what was not found or failed: a way back, and a number to find it by in the log."""

from __future__ import annotations

import logging
import secrets

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

log = logging.getLogger("concord.errors")


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _page(request, "404.html", status=404, level=logging.WARNING)


def failed(request: HttpRequest) -> HttpResponse:
    """Asks neither the database nor the session: either may be what failed."""
    return _page(request, "500.html", status=500, level=logging.ERROR)


def _page(request: HttpRequest, template: str, *, status: int, level: int) -> HttpResponse:
    reference = secrets.token_hex(4)
    log.log(level, "Reference %s: %s at %s", reference, status, request.path)
    context = {"reference": reference, "for_annotators": request.path.startswith(("/a/", "/i/"))}
    return render(request, template, context, status=status)
