"""What a page of the report is made of: sections with findings, tables, charts and units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scoring.reports.tables import Table

Plots = Mapping[str, Mapping[str, str]]
"""{chart key: {"wide": svg, "narrow": svg, "alt": text}} as a worker drew them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A sentence above what it is about; `warns` where something should be looked at."""

    text: str
    warns: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A drawing with its words: `key` as the worker names it, `legend` (token, label) pairs.

    `table` is the table behind it. Where the worker drew nothing, the table stands alone.
    `on_demand`: it is drawn when a page shows it.
    """

    key: str
    title: str
    caption: str
    legend: tuple[tuple[str, str], ...] = ()
    table: Table | None = None
    on_demand: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitCard:
    """A unit to look at: `items` are database ids, `answers` and `words` what people said of it."""

    name: str
    items: tuple[int, ...]
    figure: str
    answers: tuple[str, ...]
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """A menu of which several can be marked, to show them alone: (value, label, whether it is
    marked). None is marked where all are shown. `summary` says in few words what is shown."""

    name: str
    label: str
    summary: str
    options: tuple[tuple[str, str, bool], ...]

    @property
    def is_part(self) -> bool:
        return any(marked for _, _, marked in self.options)


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupedMenu:
    """A menu that stands in a section and chooses what it shows: `groups` are (heading, ((value,
    label), ...)), `chosen` is a value."""

    name: str
    label: str
    groups: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    chosen: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """`id` is unique on its page; `aside` are quiet words beside the title; `points` a list of
    facts; `folded` sections open when they are asked to; `listed`: the page's list of sections
    names it. `units` are the first of `n_units` of the question `units_of`, which have a page of
    their own. `menu` chooses what the section shows, on a page with menus.
    """

    id: str
    title: str
    aside: str = ""
    finding: str = ""
    notes: tuple[Note, ...] = ()
    points: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    charts: tuple[Chart, ...] = ()
    units: tuple[UnitCard, ...] = ()
    units_title: str = ""
    units_of: str = ""
    n_units: int = 0
    folded: bool = False
    listed: bool = True
    menu: GroupedMenu | None = None
