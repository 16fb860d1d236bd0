"""Brakes: how many requests one person may send."""

from __future__ import annotations

from django.conf import settings
from rest_framework.throttling import UserRateThrottle


class PerPerson(UserRateThrottle):
    """All requests of one person. Without a sign-in nothing is done at all."""

    scope = "requests"

    def get_rate(self) -> str:
        return settings.API_RATES[self.scope]


class PerPersonImports(PerPerson):
    """Requests that leave work for a worker, or write many rows."""

    scope = "imports"
