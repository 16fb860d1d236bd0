"""Long lists in pages."""

from rest_framework.pagination import LimitOffsetPagination


class Pages(LimitOffsetPagination):
    default_limit = 100
    max_limit = 1000
