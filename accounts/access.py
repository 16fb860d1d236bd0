"""Who may open the pages that belong to no study."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse


def researchers_only(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Strangers are sent to sign in; annotators with an account are refused."""

    @login_required
    @wraps(view)
    def opened(request: HttpRequest, *args, **kwargs) -> HttpResponse:
        if not request.user.is_staff:
            raise PermissionDenied
        return view(request, *args, **kwargs)

    return opened
