"""A page of the report as it is shown: every number a string, rounded once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.utils.safestring import SafeString, mark_safe

from scoring.analysis.report import Report
from scoring.analysis.selection import Choice
from scoring.reports.moments import moment
from scoring.reports.parts import Asked, Part
from scoring.reports.sections import (
    Chart,
    GroupedMenu,
    Marks,
    Note,
    Plots,
    Section,
    UnitCard,
)
from scoring.reports.tables import ShownTable, shown
from scoring.reports.words import counted
from studies.models import Item

MediaOf = Callable[[set[int]], Mapping[int, Item]]
DrawnOf = Callable[[list[str]], Plots]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownChart:
    """Without a drawing (`wide` empty) the table stands alone; `waits`: it is being drawn."""

    key: str
    title: str
    caption: str
    legend: tuple[tuple[str, str], ...]
    wide: SafeString
    narrow: SafeString
    table: ShownTable | None
    waits: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownUnit:
    """A unit with its media: `items` are those that still exist, in their order."""

    name: str
    figure: str
    answers: tuple[str, ...]
    words: tuple[str, ...]
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownSection:
    """`all_units`: how many units there are beyond those shown, "396 units"; else empty."""

    id: str
    title: str
    aside: str
    finding: str
    notes: tuple[Note, ...]
    points: tuple[str, ...]
    tables: tuple[ShownTable, ...]
    charts: tuple[ShownChart, ...]
    units: tuple[ShownUnit, ...]
    units_title: str
    units_of: str
    all_units: str
    folded: bool
    listed: bool
    menu: GroupedMenu | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """`facts` is the data line: what exactly the numbers rest on. `choices` and `marks` are the
    page's own menus with what is chosen, `asked` the same as an address says it; `waits`: one of
    its charts is being drawn."""

    title: str
    as_of: str
    facts: tuple[str, ...]
    simulated: bool
    sections: tuple[ShownSection, ...]
    choices: tuple[tuple[Choice, str], ...]
    marks: tuple[Marks, ...]
    asked: Mapping[str, str]
    waits: bool
    software: str


def page_of(
    report: Report,
    plots: Plots,
    part: Part,
    media_of: MediaOf,
    *,
    asked: Asked | None = None,
    drawn_of: DrawnOf = lambda charts: {},
) -> Page:
    """One page of the report: all of it, or what is `asked` for where the page has menus.

    `media_of` looks items up by id, where the page shows any; `drawn_of` has the drawings of charts
    that are made on demand, as far as they are there.
    """
    menus = part.menus if asked is not None else None
    sections = menus.sections(report, asked or {}) if menus else part.sections(report, plots)
    on_demand = [one.key for section in sections for one in section.charts if one.on_demand]
    plots = {**plots, **drawn_of(on_demand)}
    ids = {item for section in sections for unit in section.units for item in unit.items}
    media = media_of(ids) if ids else {}
    return Page(
        title=part.title,
        as_of=moment(report.method.as_of),
        facts=data_line(report),
        simulated=report.data.simulated > 0,
        sections=tuple(_section(section, plots, media) for section in sections),
        choices=menus.choices(report, asked or {}) if menus else (),
        marks=menus.marks(report, asked or {}) if menus else (),
        asked=menus.kept(report, asked or {}) if menus else {},
        waits=any(key not in plots for key in on_demand),
        software=report.method.software,
    )


def data_line(report: Report) -> tuple[str, ...]:
    """What the numbers rest on, in a few words each; also the head of every file."""
    data = report.data
    facts = [
        counted(data.items, "item"),
        counted(data.raters, "annotator"),
        f"{counted(data.ratings, 'rating')} counted",
        *report.chosen,
        f"{counted(data.surplus, 'surplus rating')} left out" if data.surplus else "",
        f"{data.simulated:,} of the ratings simulated" if data.simulated else "",
        f"as of {moment(report.method.as_of)}",
    ]
    return tuple(fact for fact in facts if fact)


def _section(section: Section, plots: Plots, media: Mapping[int, Item]) -> ShownSection:
    return ShownSection(
        id=section.id,
        title=section.title,
        aside=section.aside,
        finding=section.finding,
        notes=section.notes,
        points=section.points,
        tables=tuple(shown(table) for table in section.tables),
        charts=tuple(_chart(chart, plots) for chart in section.charts),
        units=tuple(shown_unit(unit, media) for unit in section.units),
        units_title=section.units_title,
        units_of=section.units_of,
        all_units=counted(section.n_units, "unit") if section.n_units > len(section.units) else "",
        folded=section.folded,
        listed=section.listed,
        menu=section.menu,
    )


def shown_unit(unit: UnitCard, media: Mapping[int, Item]) -> ShownUnit:
    """A unit with those of its items that `media` has by id."""
    return ShownUnit(
        name=unit.name,
        figure=unit.figure,
        answers=unit.answers,
        words=unit.words,
        items=tuple(media[item] for item in unit.items if item in media),
    )


def _chart(chart: Chart, plots: Plots) -> ShownChart:
    drawn = plots.get(chart.key, {})
    return ShownChart(
        key=chart.key,
        title=chart.title,
        caption=chart.caption,
        legend=chart.legend if drawn else (),
        wide=_drawing(drawn.get("wide", "")),
        narrow=_drawing(drawn.get("narrow", "")),
        table=shown(chart.table) if chart.table is not None else None,
        waits=chart.on_demand and chart.key not in plots,
    )


def _drawing(svg: str) -> SafeString:
    # Ours from end to end: `plots.svg` serialises the tree, which escapes every name in it.
    return mark_safe(svg)
