"""What could not be used, and why."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """How many items (or cells) have no value or could not be paired, for one reason."""

    reason: str
    sentence: str
    items: int


MOST_LISTED = 500
"""So many units of one reason are listed, which keeps the stored report small."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOutUnits(LeftOut):
    """The same with the units themselves, as columns: the i-th entries of all are one unit.

    `item` are ids, `name` how the study calls them; `country` is the panel where a metric is held
    against each panel apart, else "". `items` counts all, of more than `MOST_LISTED` the first are
    listed.
    """

    item: tuple[int, ...]
    name: tuple[str, ...]
    country: tuple[str, ...]
