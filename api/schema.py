"""How endpoints are described in OpenAPI: signing in, and refusals with an example of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema
from rest_framework import serializers

from api.problems import KINDS, MEDIA_TYPE


class BearerToken(OpenApiAuthenticationExtension):
    target_class = "accounts.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema) -> dict[str, str]:
        return {
            "type": "http",
            "scheme": "bearer",
            "description": "A token made under API tokens; it begins with `concord_`.",
        }


class LaunchLine(serializers.Serializer):
    mark = serializers.ChoiceField(
        choices=["stop", "warn", "todo", "ok"],
        help_text="A stop stops a launch; a warning is worth a thought; todo is not done yet.",
    )
    name = serializers.CharField()
    sentence = serializers.CharField()
    url = serializers.URLField(help_text="Where it is mended.")
    needs_note = serializers.BooleanField(
        help_text="A launch in spite of this warning has to say why in its note."
    )


class FieldError(serializers.Serializer):
    field = serializers.CharField(help_text="'' where the request as a whole is meant.")
    wrong = serializers.CharField()


class RowProblem(serializers.Serializer):
    index = serializers.IntegerField(
        allow_null=True,
        help_text="Place in the JSON list, from 0; null for a table or where all rows are meant.",
    )
    line = serializers.IntegerField(
        allow_null=True, help_text="Line of the table, from 1; null for a JSON list."
    )
    field = serializers.CharField(help_text="'' where the whole row is meant.")
    value = serializers.CharField(help_text="What was found there.")
    wrong = serializers.CharField()
    fix = serializers.CharField()


class Problem(serializers.Serializer):
    """A refusal (RFC 9457). Which further members it has depends on its type."""

    type = serializers.CharField(help_text="A stable name for programs.")
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField(help_text="What happened and what to do, for people.")
    errors = FieldError(many=True, required=False)
    stops = LaunchLine(many=True, required=False)
    warnings = LaunchLine(many=True, required=False)
    sentences = serializers.ListField(child=serializers.CharField(), required=False)
    problems = RowProblem(many=True, required=False)
    n_problems = serializers.IntegerField(required=False)


_ROW = {
    "index": 1,
    "line": None,
    "field": "country",
    "value": "Nepaal",
    "wrong": "Not a country",
    "fix": "Did you mean Nepal (NP)?",
}
_STOP = {
    "mark": "stop",
    "name": "Items",
    "sentence": "no items yet",
    "url": "https://concord.example.org/admin/studies/study/7/items/",
    "needs_note": False,
}
_WARNING = {
    "mark": "warn",
    "name": "Attention checks",
    "sentence": "none: careless answers cannot be told",
    "url": "https://concord.example.org/admin/studies/study/7/change/#attention_checks-group",
    "needs_note": True,
}
_EXAMPLES: Mapping[str, tuple[str, dict[str, Any]]] = {
    "malformed": ("The body is not valid JSON: Expecting value: line 1 column 1 (char 0).", {}),
    "not-signed-in": ("This token is unknown or was revoked.", {}),
    "not-allowed": ("Your account may look, but not do this.", {}),
    "not-found": ("There is nothing here, or it is not yours.", {}),
    "wrong-state": ("“Weddings” is live already.", {}),
    "frozen": (
        "“sound” (sound) cannot change once the study was opened. Duplicate the study.",
        {"sentences": ["“sound” (sound) cannot change once the study was opened."]},
    ),
    "too-large": ("12,000 rows; a request takes 10,000. Send them in several requests.", {}),
    "media-type": ('Unsupported media type "text/plain" in request.', {}),
    "invalid": (
        "See: title.",
        {"errors": [{"field": "title", "wrong": "This field is required."}]},
    ),
    "rows": ("1 problem; nothing was written.", {"problems": [_ROW], "n_problems": 1}),
    "stops": ("Items: no items yet", {"stops": [_STOP]}),
    "note-missing": (
        "Attention checks: none. Write a note that says why you launch all the same.",
        {"warnings": [_WARNING]},
    ),
    "too-many": ("Request was throttled. Expected available in 12 seconds.", {}),
}
ALWAYS = ("not-signed-in", "not-allowed", "too-many")
ROWS_REFUSED = (
    *("malformed", "media-type", "not-found", "wrong-state", "frozen"),
    *("too-large", "invalid", "rows"),
)
"""What a request that brings rows may be refused for."""


def problem_responses(names: tuple[str, ...]) -> dict[tuple[int, str], OpenApiResponse]:
    """One response a status, with an example of every kind of refusal that has it."""
    by_status: dict[int, list[str]] = {}
    for name in (*names, *ALWAYS):
        by_status.setdefault(KINDS[name].status, []).append(name)
    return {
        (status, MEDIA_TYPE): OpenApiResponse(
            Problem,
            description=" / ".join(KINDS[name].title for name in kinds),
            examples=[_example(name) for name in kinds],
        )
        for status, kinds in sorted(by_status.items())
    }


def _example(name: str) -> OpenApiExample:
    kind, (detail, more) = KINDS[name], _EXAMPLES[name]
    value = {"type": kind.type, "title": kind.title, "status": kind.status, "detail": detail}
    return OpenApiExample(name, value=value | more, media_type=MEDIA_TYPE)


def described(
    *, responses: Mapping[Any, Any], problems: tuple[str, ...] = (), **more: Any
) -> Callable[[Any], Any]:
    """``extend_schema`` with the refusals that the view may answer."""
    return extend_schema(responses={**responses, **problem_responses(problems)}, **more)


def sample(name: str, value: Any, *, request: bool = False, status: int | None = None):
    """An example of a request's or of an answer's body."""
    codes = [str(status)] if status else None
    return OpenApiExample(
        name, value=value, request_only=request, response_only=not request, status_codes=codes
    )
