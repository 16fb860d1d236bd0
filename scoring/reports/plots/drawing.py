"""One chart, ready to be drawn at either width."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """`key` names it on the page and as a file; `alt` says in words what it shows.

    `draw` takes "wide" or "narrow" and is called within our style (`canvas.styled`).
    """

    key: str
    alt: str
    draw: Callable[[str], Figure]
