"""One number as a page shows it: rounded once, with its interval, or words why there is none."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Leading:
    """A name or a count that leads on: to the `item` with that id, or to the list of what `metric`
    (as addresses name it) leaves out of `question`. Files have the value alone.
    """

    value: str | int
    item: int = 0
    question: str = ""
    metric: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A number with its interval, or words why there is none. `note` stands below it; `leads`:
    where it leads on a page."""

    text: str
    interval: str = ""
    undefined: bool = False
    pending: bool = False
    note: str = ""
    leads: Leading | None = None
