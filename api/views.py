"""What all views of the API share."""

from __future__ import annotations

from django.shortcuts import get_object_or_404
from django.utils import translation
from rest_framework.permissions import SAFE_METHODS
from rest_framework.views import APIView

from api.throttles import PerPerson, PerPersonImports
from studies.models import Study


class ApiView(APIView):
    """Only the person's own studies; words in English, whatever the browser prefers."""

    needs = "studies.change_study"

    def dispatch(self, request, *args, **kwargs):
        with translation.override("en"):
            response = super().dispatch(request, *args, **kwargs)
        response.headers.setdefault("Cache-Control", "no-store")
        return response

    @property
    def studies(self):
        return Study.objects.visible_to(self.request.user)

    def study(self, slug: str) -> Study:
        """The person's own study; somebody else's is as if it were not there."""
        return get_object_or_404(self.studies.select_related("owner"), slug=slug)


class BulkView(ApiView):
    """Views that take many rows: a brake of their own beside the common one."""

    def get_throttles(self):
        brakes = [PerPerson()]
        return brakes if self.request.method in SAFE_METHODS else [*brakes, PerPersonImports()]
