"""Which of a study's items a run is about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from studies.models import Item, Study
from studies.names import country_name

_LISTED = 20  # ids that are named in words


class UnknownItemsError(Exception):
    """A selection names items, systems, countries or categories that the study does not have."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Each part narrows the others; an empty part narrows nothing.

    ``systems`` are names, ``countries`` codes, ``items`` the researcher's item ids.
    """

    systems: tuple[str, ...] = ()
    countries: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    items: tuple[str, ...] = ()

    @classmethod
    def stored(cls, given: Mapping[str, Any] | None) -> Selection:
        """From a run's ``selection``."""
        parts = {name: tuple(values) for name, values in (given or {}).items()}
        return cls(**parts)

    def to_store(self) -> dict[str, list[str]]:
        """Sorted and without empty parts, so that equal selections are equal."""
        parts = {name: sorted(set(getattr(self, name))) for name in self.__slots__}
        return {name: values for name, values in parts.items() if values}

    def words(self) -> str:
        """E.g. ``SDXL; Nepal, India; 3 items by id``. Empty where all items are meant."""
        parts = [", ".join(self.systems), ", ".join(map(country_name, self.countries))]
        parts += [", ".join(self.categories)]
        n = len(self.items)
        parts += [", ".join(self.items) if n <= 3 else f"{n} items by id"] if n else []
        return "; ".join(part for part in parts if part)


def scored_items(study: Study) -> QuerySet[Item]:
    """The items that metrics score: those to be rated. Not practice, gold and examples."""
    return study.items.filter(purpose=Item.Purpose.RATED)


def selected_items(study: Study, selection: Selection) -> QuerySet[Item]:
    """In the order of primary keys, with their systems."""
    items = scored_items(study)
    if selection.systems:
        items = items.filter(system__name__in=selection.systems)
    if selection.countries:
        items = items.filter(country__in=selection.countries)
    if selection.categories:
        items = items.filter(category__in=selection.categories)
    if selection.items:
        items = items.filter(external_id__in=selection.items)
    return items.select_related("system").order_by("pk")


def check_selection(study: Study, selection: Selection) -> None:
    """Raises ``UnknownItemsError`` for a name that no item to be rated has, and where nothing
    is left."""
    items = scored_items(study).order_by()
    for field, given, what in (
        ("system__name", selection.systems, "model"),
        ("country", selection.countries, "country"),
        ("category", selection.categories, "category"),
        ("external_id", selection.items, "id"),
    ):
        known = items.filter(**{f"{field}__in": given}).values_list(field, flat=True)
        _refuse(sorted(set(given) - set(known)), what)
    if not selected_items(study, selection).exists():
        raise UnknownItemsError("No item to be rated is left by this selection. Widen it.")


def choices(study: Study) -> dict[str, list[str]]:
    """The values that a selection can name: systems, countries, categories."""
    items = scored_items(study).order_by()
    fields = {"systems": "system__name", "countries": "country", "categories": "category"}
    return {
        name: sorted(filter(None, items.values_list(field, flat=True).distinct()))
        for name, field in fields.items()
    }


def _refuse(unknown: Iterable[str], what: str) -> None:
    named = list(unknown)
    if named:
        more = f" and {len(named) - _LISTED} more" if len(named) > _LISTED else ""
        listed = ", ".join(named[:_LISTED])
        raise UnknownItemsError(f"No item to be rated has the {what} {listed}{more}.")
