"""Compression of what gains by it."""

from django.http import HttpRequest, HttpResponseBase
from django.middleware.gzip import GZipMiddleware

COMPRESSED_ALREADY = ("image/", "video/", "audio/")


class GZipPages(GZipMiddleware):
    """Pages and data are packed; media pass as they are, with their length."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase):
        if response.get("Content-Type", "").startswith(COMPRESSED_ALREADY):
            return response
        return super().process_response(request, response)
