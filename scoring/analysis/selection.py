"""Which part of a study's data a report rests on: chosen on the page, stored with the report.

A report on a selection is the same analysis on fewer answers and items. The panel says who
answered; model, category and the country shown say about which items; the dimension narrows
whatever has one (probes, descriptors, scores by dimension) and leaves the rest; the layer says
which exclusions are heeded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from urllib.parse import parse_qsl, urlencode

from django.db.models import F, Q, QuerySet

from annotation.ratings import Layer
from studies.models import Descriptor, Item, Probe, Study, UnitItem
from studies.models.item import Purpose
from studies.names import country_name

LAYER_NAMES = {
    Layer.ALL: "Without exclusions",
    Layer.AFTER_RULES: "After rules",
    Layer.AFTER_ALL: "After all exclusions",
}
NO_MODEL = "(none)"
"""Chooses items that name no model."""


class UnknownChoice(ValueError):
    """A selection names something that the study has not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What is chosen; an empty text chooses all. `panel` is the annotators' country, `shown` the
    items'; `layer` is a value of `Layer`.
    """

    panel: str = ""
    system: str = ""
    category: str = ""
    shown: str = ""
    dimension: str = ""
    layer: str = Layer.AFTER_ALL.value

    @property
    def key(self) -> str:
        """The selection as a query string in one spelling; "" for everything."""
        chosen = {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if getattr(self, field.name) != field.default
        }
        return urlencode(chosen)

    @property
    def is_whole(self) -> bool:
        """Whether nothing is chosen."""
        return not self.key


WHOLE = Selection()


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One filter: its name in the address, its label, and (value, label) of what can be chosen."""

    name: str
    label: str
    options: tuple[tuple[str, str], ...]


def choices(study: Study) -> tuple[Choice, ...]:
    """The filters that a study has: those with two values or more, and the layer."""
    items = Item.objects.filter(study=study, purpose=Purpose.RATED)
    panels = _panels(study)
    systems = [(name, name) for name in study.systems.values_list("name", flat=True)]
    if systems and items.filter(system=None).exists():
        systems.append((NO_MODEL, "No model named, or real"))
    categories = items.exclude(category="").order_by("category").distinct()
    dimensions = {
        *Probe.objects.filter(study=study).values_list("dimension", flat=True).distinct(),
        *Descriptor.objects.filter(study=study).values_list("dimension", flat=True).distinct(),
    } - {""}
    found = (
        Choice(name="panel", label="Annotators in", options=panels),
        Choice(name="system", label="Model", options=tuple(systems)),
        Choice(
            name="category",
            label="Category",
            options=tuple((name, name) for name in categories.values_list("category", flat=True)),
        ),
        Choice(name="shown", label="Country shown", options=_shown(study, items, panels)),
        Choice(
            name="dimension",
            label="Dimension",
            options=tuple((name, name.capitalize()) for name in sorted(dimensions)),
        ),
    )
    layer = Choice(
        name="layer",
        label="Exclusions",
        options=tuple((layer.value, name) for layer, name in LAYER_NAMES.items()),
    )
    return (*(choice for choice in found if len(choice.options) > 1), layer)


def selection_of(query: Mapping[str, str], offered: tuple[Choice, ...]) -> Selection:
    """The selection that an address asks for; what it does not name is not narrowed.

    Raises UnknownChoice for a value that is not offered.
    """
    values = {}
    for choice in offered:
        wanted = query.get(choice.name, "")
        if wanted and wanted not in dict(choice.options):
            raise UnknownChoice(
                f"This study has no {choice.label.lower()} “{wanted[:60]}” to choose. "
                "Choose from the lists, or show everything."
            )
        if wanted:
            values[choice.name] = wanted
    hidden = {field.name for field in fields(Selection)} - {choice.name for choice in offered}
    for name in sorted(hidden):
        if query.get(name):
            raise UnknownChoice(
                f"This study has nothing to choose by {name}. Show everything instead."
            )
    return Selection(**values)


def stored_selection(key: str) -> Selection:
    """The selection that `key` was made from."""
    return Selection(**dict(parse_qsl(key)))


def in_words(selection: Selection, offered: tuple[Choice, ...]) -> tuple[str, ...]:
    """ "Annotators in: Iran" for each thing that is chosen."""
    named = []
    for choice in offered:
        value = getattr(selection, choice.name)
        if value != getattr(WHOLE, choice.name):
            named.append(f"{choice.label}: {dict(choice.options).get(value, value)}")
    return tuple(named)


def _panels(study: Study) -> tuple[tuple[str, str], ...]:
    return _by_name(study.panels.values_list("country", flat=True))


def _shown(
    study: Study, items: QuerySet[Item], panels: tuple[tuple[str, str], ...]
) -> tuple[tuple[str, str], ...]:
    """The items' countries, where some panel rates items of another country than its own."""
    of_items = items.exclude(country="")
    codes = list(of_items.order_by().values_list("country", flat=True).distinct())
    if len(codes) < 2 or not _crosses(study, [code for code, _ in panels]):
        return ()
    return _by_name(codes)


def _crosses(study: Study, panels: list[str]) -> bool:
    """Whether an item of one country is shown to the panel of another; units without a country are
    for every panel."""
    for_all = Q(unit__country="")
    crossing = ~for_all & ~Q(unit__country=F("item__country"))
    if len(panels) > 1:
        crossing |= for_all
    elif panels:
        crossing |= for_all & ~Q(item__country__in=panels)
    shown = UnitItem.objects.filter(unit__study=study, item__purpose=Purpose.RATED)
    return shown.exclude(item__country="").filter(crossing).exists()


def _by_name(codes: Iterable[str]) -> tuple[tuple[str, str], ...]:
    named = [(code, country_name(code)) for code in codes]
    return tuple(sorted(named, key=lambda one: one[1].casefold()))
