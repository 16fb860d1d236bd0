"""Finding something again by a few letters: studies, items and annotators one may see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from annotation.models import Participation
from studies.models import Item, Study

MOST = 20
"""Of each kind; more letters narrow it down."""


@dataclass(frozen=True, slots=True)
class Found:
    """What matches, the latest first, and of which kinds there is more than is shown."""

    studies: Sequence[Study] = ()
    items: Sequence[Item] = ()
    people: Sequence[Participation] = ()
    more: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not (self.studies or self.items or self.people)


def people_of_all(user) -> QuerySet[Participation]:
    """Everybody who has begun to rate in a study this user may see, the last seen first."""
    people = Participation.objects.filter(study__in=Study.objects.visible_to(user))
    return people.exclude(code="").select_related("study", "panel").order_by("-last_seen_at", "-pk")


def find(*, user, words: str) -> Found:
    """Studies by title or short address, items by their id, annotators by code."""
    wanted = words.strip()
    if not wanted:
        return Found()
    studies = Study.objects.visible_to(user)
    items = Item.objects.filter(study__in=studies, external_id__icontains=wanted)
    named = Q(title__icontains=wanted) | Q(slug__icontains=wanted)
    rows = {
        "studies": studies.filter(named).order_by("-created_at"),
        "items": items.select_related("study").order_by("-pk"),
        "people": people_of_all(user).filter(code__icontains=wanted),
    }
    taken = {kind: list(found[: MOST + 1]) for kind, found in rows.items()}
    more = tuple(kind for kind, found in taken.items() if len(found) > MOST)
    return Found(**{kind: found[:MOST] for kind, found in taken.items()}, more=more)
