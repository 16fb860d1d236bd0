"""What endpoints that list long tables share: their parameters, their page."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.response import Response

from api.pages import Pages
from api.views import ApiView


class PageData(serializers.Serializer):
    """What a page has beside its ``results``."""

    count = serializers.IntegerField()
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)


PARAMETERS = [
    OpenApiParameter("limit", int, description="How many, at most 1,000."),
    OpenApiParameter("offset", int, description="After how many to begin."),
]


def paged(view: ApiView, rows: Any, serializer: type[serializers.BaseSerializer]) -> Response:
    pages = Pages()
    page = pages.paginate_queryset(rows, view.request, view=view)
    return pages.get_paginated_response(serializer(page, many=True).data)
