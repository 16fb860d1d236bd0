"""Where two documents differ, number by number, by names that people find again."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

CLOSE = 1e-9
"""Relative: what another processor or library may make of the last digits."""

_NAMES = (
    *("key", "name", "layer", "metric", "output", "question", "group", "coefficient", "level"),
    *("weights", "form", "system", "rater", "item", "by", "title"),
)


@dataclass(frozen=True, slots=True)
class Difference:
    """``said`` is what the bundle says, ``found`` what was computed. ``close``: numbers that agree
    to nine digits."""

    where: str
    said: str
    found: str
    close: bool = False

    def __str__(self) -> str:
        return f"{self.where}: the bundle says {self.said}, computed {self.found}"


def differences(said: Any, found: Any, where: str = "") -> Iterator[Difference]:
    """Every leaf at which two JSON documents differ."""
    if isinstance(said, Mapping) and isinstance(found, Mapping):
        for key in dict.fromkeys([*said, *found]):
            inner = f"{where}.{key}" if where else str(key)
            yield from differences(said.get(key, _MISSING), found.get(key, _MISSING), inner)
    elif isinstance(said, list) and isinstance(found, list):
        yield from _of_lists(said, found, where)
    elif (
        said is not _MISSING and said == found and isinstance(said, bool) == isinstance(found, bool)
    ):
        return
    else:
        yield Difference(where, _shown(said), _shown(found), _close(said, found))


def count_numbers(document: Any) -> int:
    """How many numbers a JSON document holds."""
    if isinstance(document, Mapping):
        return sum(map(count_numbers, document.values()))
    if isinstance(document, list):
        return sum(map(count_numbers, document))
    return int(isinstance(document, int | float) and not isinstance(document, bool))


def _of_lists(said: list[Any], found: list[Any], where: str) -> Iterator[Difference]:
    names = _names(said, found)
    ours, theirs = (dict(zip(_labels(rows, names), rows, strict=True)) for rows in (said, found))
    for label in dict.fromkeys([*ours, *theirs]):
        inner = f"{where}[{label}]"
        yield from differences(ours.get(label, _MISSING), theirs.get(label, _MISSING), inner)


def _names(*lists: list[Any]) -> tuple[str, ...]:
    """The fields that tell the entries of both lists apart; none: their places do."""
    rows = [row for some in lists for row in some]
    present = [
        name
        for name in _NAMES
        if rows and all(isinstance(row, Mapping) and _may_name(row, name) for row in rows)
    ]
    for n in range(1, len(present) + 1):
        names = tuple(present[:n])
        if all(len(set(_labels(some, names))) == len(some) for some in lists):
            return names
    return ()


def _labels(rows: list[Any], names: tuple[str, ...]) -> list[str]:
    if not names:
        return [str(place) for place in range(len(rows))]
    return [", ".join(row[name] for name in names if row[name]) for row in rows]


def _may_name(row: Mapping[str, Any], name: str) -> bool:
    """Whether the field is a text, or is there without one."""
    return name in row and (row[name] is None or isinstance(row[name], str))


class _Missing:
    pass


_MISSING = _Missing()


def _shown(value: Any) -> str:
    if value is _MISSING:
        return "nothing"
    if isinstance(value, Mapping | list):
        return f"{len(value)} entries"
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _close(said: Any, found: Any) -> bool:
    numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in (said, found))
    return numbers and math.isclose(said, found, rel_tol=CLOSE, abs_tol=1e-12)
