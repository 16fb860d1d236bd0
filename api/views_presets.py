"""Presets to make studies from."""

from __future__ import annotations

from django.http import Http404
from rest_framework.request import Request
from rest_framework.response import Response

from api.schema import described
from api.study_data import PresetData, PresetDetail
from api.views import ApiView
from studies import presets


class PresetsView(ApiView):
    @described(
        operation_id="list_presets",
        summary="The protocols to make a study from",
        tags=["presets"],
        responses={200: PresetData(many=True)},
    )
    def get(self, request: Request) -> Response:
        """The published ones, then your own by name."""
        return Response(PresetData(presets.available(request.user), many=True).data)


class PresetView(ApiView):
    @described(
        operation_id="get_preset",
        summary="One preset with all of its settings",
        tags=["presets"],
        responses={200: PresetDetail},
        problems=("not-found",),
    )
    def get(self, request: Request, key: str) -> Response:
        """Each setting says whether it is a published fact, inferred from one, or ours."""
        try:
            preset = presets.get(key, request.user)
        except presets.NoSuchPreset as missing:
            raise Http404 from missing
        return Response(PresetDetail(preset).data)
