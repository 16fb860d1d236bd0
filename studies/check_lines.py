"""Lines of the launch check list: what each part of the check makes of its faults."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

MARK_ORDER = {"stop": 0, "warn": 1, "todo": 2, "ok": 3}
Fault = tuple[str, str]
"""A sentence, and the address of what is to be mended."""


@dataclass(frozen=True)
class LaunchCheck:
    """One line of the check list.

    ``mark`` is stop, warn, todo or ok; ``url`` leads to the fix. With ``needs_note`` a warning is
    one that reviewers ask about: a launch in spite of it says why.
    """

    mark: str
    name: str
    sentence: str
    url: str
    needs_note: bool = False


FURTHER: list[Callable[[Any], list[LaunchCheck]]] = []
"""Lines that other apps add for a study: what they know of it and the design does not."""


def counted(n: int, noun: str, plural: str = "") -> str:
    return f"{n} {noun if n == 1 else plural or noun + 's'}"


def line(
    name: str, url: str, stops: list[Fault], warnings: list[Fault], ok: str
) -> list[LaunchCheck]:
    """A line a fault, stops first; without any, one that says ``ok``."""
    found = [LaunchCheck("stop", name, sentence, place) for sentence, place in stops]
    found += [LaunchCheck("warn", name, sentence, place) for sentence, place in warnings]
    return found or [LaunchCheck("ok", name, ok, url)]


def at(url: str, sentences: list[str]) -> list[Fault]:
    return [(sentence, url) for sentence in sentences]
