"""JSON lines: one object a row, every value as it is stored."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime


def json_lines(names: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """One line for each row, ending in LF. Raises ValueError for nan or infinity."""
    for row in rows:
        record = dict(zip(names, row, strict=True))
        text = json.dumps(record, ensure_ascii=False, allow_nan=False, default=_moment)
        yield f"{text}\n"


def _moment(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} has no place in JSON")
