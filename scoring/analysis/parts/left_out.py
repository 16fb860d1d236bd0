"""What could not be used, and why."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """How many items (or cells) have no value or could not be paired, for one reason."""

    reason: str
    sentence: str
    items: int
