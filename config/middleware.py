"""Compression of what gains by it, the reader's language where people rate, the policy of contents,
what rating screens do without, and what no address holds.
"""

import re

from csp.constants import HEADER
from csp.middleware import CSPMiddleware
from csp.utils import build_policy
from django.conf import settings
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import Http404, HttpRequest, HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.middleware.locale import LocaleMiddleware
from django.utils import translation
from django.utils.deprecation import MiddlewareMixin

COMPRESSED_ALREADY = ("image/", "video/", "audio/")
BOOTH = "/a/"
SCREEN = re.compile(r"/a/[^/]+/\d+/")


class NoNul:
    """No address of ours holds a NUL: PostgreSQL refuses it in any comparison. Annotators whose
    link has one behind the question mark read there what is the matter with it."""

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request: HttpRequest):
        path, query = request.path_info, request.META.get("QUERY_STRING", "")
        if "\x00" in path or ("%00" in query and not path.startswith(BOOTH)):
            raise Http404("An address with a NUL in it.")
        return self.get_response(request)


class GZipPages(GZipMiddleware):
    """Pages and data are packed; media pass as they are, with their length."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase):
        if response.get("Content-Type", "").startswith(COMPRESSED_ALREADY):
            return response
        return super().process_response(request, response)


class _NotOnScreens(MiddlewareMixin):
    """A rating screen is opened by its address alone: nobody is signed in there, nothing is kept in
    a session, and a third of what the middleware takes is saved. CSRF is checked there too."""

    def __call__(self, request: HttpRequest):
        if SCREEN.match(request.path_info):
            return self.get_response(request)
        return super().__call__(request)


class Sessions(_NotOnScreens, SessionMiddleware):
    pass


class SignedIn(_NotOnScreens, AuthenticationMiddleware):
    pass


class Notices(_NotOnScreens, MessageMiddleware):
    pass


class ContentPolicy(CSPMiddleware):
    """The site's Content-Security-Policy, worked out once: few pages have one of their own."""

    def __init__(self, get_response):
        super().__init__(get_response)
        self.usual = build_policy()

    def process_response(self, request: HttpRequest, response: HttpResponseBase):
        own = HEADER in response or any(name.startswith("_csp") for name in vars(response))
        if own or settings.DEBUG or getattr(request, "_csp_nonce", None) is not None:
            return super().process_response(request, response)
        response.headers[HEADER] = self.usual
        return response


class BoothLanguage(LocaleMiddleware):
    """The browser's language for annotators' pages; researchers' pages are in English.

    Who is known reads the language of their participation instead (annotation.booth).
    """

    def process_request(self, request: HttpRequest):
        if request.path.startswith(BOOTH):
            super().process_request(request)
            return
        # Threads serve one request after the other: the last one's language would stay.
        translation.activate(settings.LANGUAGE_CODE)
        request.LANGUAGE_CODE = translation.get_language()

    def process_response(self, request: HttpRequest, response: HttpResponseBase):
        if not request.path.startswith(BOOTH):
            return response
        return super().process_response(request, response)
