"""Which scenes are the same, and which questions and lists belong to an item's scene.

Categories, aspects and activities come from several files by several hands: capitals and blanks
around a name make no other scene.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

Scene = tuple[str, str]
"""An activity, plain, and a country."""


class OfScenes(Protocol):
    """A question as a row or as it was frozen."""

    shown_categories: Iterable[str]
    shown_aspects: Iterable[str]


class InScene(Protocol):
    category: str
    aspect: str
    scenario: str
    country: str


def plain(name: str) -> str:
    return name.strip().casefold()


def is_among(name: str, names: Iterable[str]) -> bool:
    return plain(name) in {plain(other) for other in names}


def is_shown_for(question: OfScenes, item: InScene) -> bool:
    """Whether the question's categories and aspects, where it has any, are the item's."""
    categories, aspects = list(question.shown_categories), list(question.shown_aspects)
    in_category = not categories or is_among(item.category, categories)
    return in_category and (not aspects or is_among(item.aspect, aspects))


def scenes_of(item: InScene) -> list[Scene]:
    """Where an item's reference descriptors are looked for, in this order."""
    return [(plain(name), item.country) for name in (item.scenario, item.category) if name.strip()]
