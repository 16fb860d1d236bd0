"""Small pieces of sentences about imports. Pure."""

from __future__ import annotations

from collections.abc import Sequence


def listed(names: Sequence[str]) -> str:
    """The first eight names, and how many there are besides."""
    if len(names) > 8:
        return f"{', '.join(names[:8])} and {len(names) - 8:,} more"
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def counted(n: int, noun: str) -> str:
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"
