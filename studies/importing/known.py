"""The items that a study has, small enough to hold a hundred thousand of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from studies.models import Item, Study

# Fields of a record that an item has under the same name.
COPIED = (
    "prompt",
    "country",
    "category",
    "aspect",
    "scenario",
    "variant",
    "replicate",
    "origin",
    "cultural_element",
    "element_picture",
    "purpose",
    "expected",
    "feedback",
)
# What the file itself shows. ``duration`` and ``has_audio`` are the probe's.
OF_MEDIA = (
    "kind",
    "content_type",
    "sha256",
    "source_sha256",
    "width",
    "height",
    "has_audio",
    "duration",
)
FILES = ("media", "silent_media", "poster")
_PLAIN = (
    "pk",
    "public_id",
    "sub_activities",
    "metadata",
    "source_name",
    "source_url",
    "preparation",
)


@dataclass(frozen=True, slots=True)
class KnownItem:
    """``values`` are those of COPIED, OF_MEDIA and FILES, in that order."""

    pk: int
    public_id: str
    parent: str
    system: str
    values: tuple[Any, ...]
    sub_activities: list[str]
    metadata: dict[str, str]
    source_name: str
    source_url: str
    preparation: list[str]

    def __getitem__(self, name: str) -> Any:
        return self.values[_PLACES[name]]

    @property
    def source(self) -> str:
        return self.source_name or self.source_url


_NAMES = (*COPIED, *OF_MEDIA, *FILES)
_PLACES = {name: place for place, name in enumerate(_NAMES)}


def known_items(study: Study) -> dict[str, KnownItem]:
    """The items of a study by their id."""
    rows = Item.objects.filter(study=study).order_by("pk")
    found = rows.values_list(
        "external_id", "parent__external_id", "system__name", *_PLAIN, *_NAMES
    ).iterator(chunk_size=5000)
    known = {}
    for (
        external_id,
        parent,
        system,
        pk,
        public_id,
        steps,
        metadata,
        file,
        url,
        done,
        *values,
    ) in found:
        known[external_id] = KnownItem(
            pk=pk,
            public_id=public_id,
            parent=parent or "",
            system=system or "",
            values=tuple(values),
            sub_activities=steps,
            metadata=metadata,
            source_name=file,
            source_url=url,
            preparation=done,
        )
    return known


def answered_items(study: Study) -> frozenset[str]:
    """The ids of items that somebody was shown: what they saw must not change under the answer."""
    if study.is_draft:
        return frozenset()
    shown = study.items.filter(memberships__unit__assignments__isnull=False)
    return frozenset(shown.values_list("external_id", flat=True).distinct())


def placed_items(study: Study) -> frozenset[str]:
    """The ids of items that a panel is to rate: their country decides whose they are."""
    if study.is_draft:
        return frozenset()
    placed = study.items.filter(memberships__unit__places__isnull=False)
    return frozenset(placed.values_list("external_id", flat=True).distinct())
