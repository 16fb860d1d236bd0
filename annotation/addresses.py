"""Addresses of the booth. A rating screen names seven of them, so how each looks is asked once."""

from __future__ import annotations

from functools import cache

from django.urls import get_script_prefix, reverse

_TOKEN, _N = "TOKEN", 7_077


def address(page: str, token: str, n: int | None = None) -> str:
    """Of a page of a participation, or of its n-th screen; tokens need no quoting."""
    pattern = _pattern(page, n is not None, get_script_prefix())
    return pattern.format(token=token, n=n)


@cache
def _pattern(page: str, numbered: bool, prefix: str) -> str:
    path = reverse(f"annotation:{page}", args=[_TOKEN, _N] if numbered else [_TOKEN])
    path = path.replace("{", "{{").replace("}", "}}")
    return path.replace(_TOKEN, "{token}").replace(str(_N), "{n}")
