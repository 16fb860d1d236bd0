"""Refusals as problem documents (RFC 9457): what happened, what to do, and the rows or lines meant.

Views let the verbs' errors pass; here each gets its status and name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response

from studies import presets
from studies.check_lines import LaunchCheck
from studies.refusals import (
    DesignFrozen,
    EditRefused,
    LaunchNoteMissing,
    LaunchRefused,
    WrongState,
)
from studies.units import TooManySets

MEDIA_TYPE = "application/problem+json"


@dataclass(frozen=True)
class Kind:
    """A kind of refusal. ``name`` is the end of its type, a stable name for programs."""

    name: str
    status: int
    title: str

    @property
    def type(self) -> str:
        return f"urn:concord:problem:{self.name}"


KINDS = {
    kind.name: kind
    for kind in (
        Kind("malformed", 400, "The request cannot be read"),
        Kind("not-signed-in", 401, "Nobody is signed in"),
        Kind("not-allowed", 403, "This person may not do that"),
        Kind("not-found", 404, "There is nothing at this address"),
        Kind("method", 405, "This address does not take that method"),
        Kind("not-acceptable", 406, "Answers are JSON"),
        Kind("wrong-state", 409, "The study, or the import, is not in the right state"),
        Kind("frozen", 409, "The study was opened: this cannot change any more"),
        Kind("too-large", 413, "The request is too large"),
        Kind("media-type", 415, "Bodies of this type are not taken here"),
        Kind("invalid", 422, "Something in the request is wrong"),
        Kind("rows", 422, "Some rows are wrong; nothing was written"),
        Kind("stops", 422, "The check list has stops"),
        Kind("note-missing", 422, "A note has to say why"),
        Kind("too-many", 429, "Too many requests"),
    )
}
_BY_STATUS = {
    400: "malformed",
    401: "not-signed-in",
    403: "not-allowed",
    404: "not-found",
    405: "method",
    406: "not-acceptable",
    415: "media-type",
    429: "too-many",
}


class Refused(exceptions.APIException):
    """A refusal of the API's own. ``more`` are further members of its document."""

    def __init__(self, kind: str, detail: str, **more: Any) -> None:
        super().__init__(detail)
        self.kind = kind
        self.more = more


class TooLarge(Refused):
    def __init__(self, detail: str) -> None:
        super().__init__("too-large", detail)


def problem_response(error: Exception, context: dict[str, Any]) -> Response | None:
    """The answer to an error; None for what nobody expected, which Django then reports."""
    found = _told(error)
    if found is None:
        return None
    name, detail, more = found
    kind = KINDS[name]
    data = {"type": kind.type, "title": kind.title, "status": kind.status, "detail": detail, **more}
    response = Response(data, status=kind.status, content_type=MEDIA_TYPE)
    if header := getattr(error, "auth_header", None):
        response["WWW-Authenticate"] = header
    if wait := getattr(error, "wait", None):
        response["Retry-After"] = str(int(wait) + 1)
    return response


def _told(error: Exception) -> tuple[str, str, dict[str, Any]] | None:
    """Name of the kind, sentence, further members."""
    for known, tell in _TOLD.items():
        if isinstance(error, known):
            return tell(error)
    if isinstance(error, exceptions.APIException) and error.status_code in _BY_STATUS:
        return _BY_STATUS[error.status_code], str(error.detail), {}
    return None


def _plain(name: str) -> Callable[[Exception], tuple[str, str, dict[str, Any]]]:
    return lambda error: (name, str(error), {})


def _invalid(error: exceptions.ValidationError) -> tuple[str, str, dict[str, Any]]:
    errors = list(_flat(error.detail))
    fields = ", ".join(dict.fromkeys(row["field"] for row in errors if row["field"]))
    detail = f"See: {fields}." if fields else errors[0]["wrong"] if errors else "It is empty."
    return "invalid", detail, {"errors": errors}


def _flat(detail: Any, field: str = "") -> Iterator[dict[str, str]]:
    """Nested errors of a serializer as rows; ``panels.0.country`` names a field of a field."""
    if isinstance(detail, dict):
        for name, inner in detail.items():
            own = name != "non_field_errors"
            yield from _flat(inner, ".".join(filter(None, (field, str(name) if own else ""))))
    elif isinstance(detail, list):
        for inner in detail:
            yield from _flat(inner, field)
    else:
        yield {"field": field, "wrong": str(detail)}


def told_line(check: LaunchCheck) -> dict[str, Any]:
    """One line of the check list, its address in full."""
    return {
        "mark": check.mark,
        "name": check.name,
        "sentence": check.sentence,
        "url": f"{settings.SITE_URL}{check.url}",
        "needs_note": check.needs_note,
    }


def _stops(error: LaunchRefused) -> tuple[str, str, dict[str, Any]]:
    return "stops", str(error), {"stops": [told_line(stop) for stop in error.stops]}


def _note(error: LaunchNoteMissing) -> tuple[str, str, dict[str, Any]]:
    return "note-missing", str(error), {"warnings": [told_line(line) for line in error.warnings]}


def _preset(error: Exception) -> tuple[str, str, dict[str, Any]]:
    return "invalid", str(error), {"errors": [{"field": "preset", "wrong": str(error)}]}


_TOLD: dict[type[Exception], Callable[[Any], tuple[str, str, dict[str, Any]]]] = {
    Refused: lambda error: (error.kind, str(error.detail), error.more),
    exceptions.NotAuthenticated: lambda error: ("not-signed-in", NOT_SIGNED_IN, {}),
    exceptions.ValidationError: _invalid,
    LaunchRefused: _stops,
    LaunchNoteMissing: _note,
    WrongState: _plain("wrong-state"),
    DesignFrozen: _plain("frozen"),
    EditRefused: lambda error: ("frozen", str(error), {"sentences": list(error.sentences)}),
    TooManySets: _plain("invalid"),
    presets.NoSuchPreset: _preset,
    presets.PresetRefused: _preset,
    Http404: lambda error: ("not-found", NOT_FOUND, {}),
    PermissionDenied: lambda error: ("not-allowed", str(error) or "You may not do that.", {}),
    SuspiciousOperation: _plain("malformed"),
}
NOT_SIGNED_IN = "Send the header “Authorization: Bearer <token>”. Tokens: /account/tokens/."
NOT_FOUND = "There is nothing here, or it is not yours. Addresses end with a slash."
