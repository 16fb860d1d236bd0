"""One number as a page shows it: rounded once, with its interval, or words why there is none."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A number with its interval, or words why there is none. `note` stands below it."""

    text: str
    interval: str = ""
    undefined: bool = False
    pending: bool = False
    note: str = ""
