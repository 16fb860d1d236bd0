"""Bodies of requests: JSON of bounded size that means one thing only."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser

from api.problems import TooLarge

MAX_BYTES = 32 * 2**20
_MAY_HOLD_SURROGATES = re.compile(rb"\\u[dD][89a-fA-F]")


class BoundedJSONParser(BaseParser):
    """RFC 8259 in UTF-8 without what readers understand differently: NaN, a key twice, half a
    character."""

    media_type = "application/json"

    def parse(self, stream, media_type=None, parser_context=None) -> Any:
        raw = stream.read(MAX_BYTES + 1)
        if len(raw) > MAX_BYTES:
            raise TooLarge(
                f"The body is larger than {MAX_BYTES // 2**20} MB. Send the rows in several "
                "requests, or a table and its files as multipart/form-data."
            )
        try:
            text = raw.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
            value = json.loads(text, parse_constant=_no_number, object_pairs_hook=_once)
        except UnicodeDecodeError as error:
            raise ParseError(f"Byte {error.start + 1} of the body is not UTF-8.") from error
        except RecursionError as error:
            raise ParseError("The JSON is nested too deeply.") from error
        except ValueError as error:
            raise ParseError(f"The body is not valid JSON: {error}.") from error
        if _MAY_HOLD_SURROGATES.search(raw):
            _refuse_half_characters(value)
        return value


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))
        raise ValueError(f"the key {twice[:80]!r} stands twice in one object")
    return found


def _refuse_half_characters(value: Any) -> None:
    for text in _texts(value):
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            half = f"U+{ord(text[error.start]):04X}"
            raise ParseError(f"A text holds {half}, half of a character.") from error


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)
    elif isinstance(value, dict):
        for key, part in value.items():
            yield key
            yield from _texts(part)
