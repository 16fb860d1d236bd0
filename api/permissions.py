"""Who may use the API: the people who may use the workshop, with their own studies."""

from __future__ import annotations

from typing import Any

from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request


class MayUseStudies(BasePermission):
    """Researchers look at what is theirs; writing needs the right that the view names."""

    message = "Your account may look, but not do this. Ask whoever runs this site for the right."

    def has_permission(self, request: Request, view: Any) -> bool:
        user = request.user
        if not (user.is_authenticated and user.is_staff):
            return False
        if request.method in SAFE_METHODS:
            return True
        return user.has_perm(getattr(view, "needs", "studies.change_study"))
