"""A page of the report as it is shown: every number a string, rounded once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.utils.safestring import SafeString, mark_safe

from scoring.analysis.report import Report
from scoring.reports.moments import moment
from scoring.reports.parts import Part
from scoring.reports.sections import Chart, Note, Plots, Section, UnitCard
from scoring.reports.tables import ShownTable, shown
from scoring.reports.words import counted
from studies.models import Item

MediaOf = Callable[[set[int]], Mapping[int, Item]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownChart:
    """Without a drawing (`wide` empty) the table stands alone."""

    key: str
    title: str
    caption: str
    legend: tuple[tuple[str, str], ...]
    wide: SafeString
    narrow: SafeString
    table: ShownTable | None


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
    folded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """`facts` is the data line: what exactly the numbers rest on."""

    title: str
    as_of: str
    facts: tuple[str, ...]
    simulated: bool
    sections: tuple[ShownSection, ...]
    software: str


def page_of(report: Report, plots: Plots, part: Part, media_of: MediaOf) -> Page:
    """One page of the report. `media_of` looks items up by id, where the page shows any."""
    sections = part.sections(report, plots)
    ids = {item for section in sections for unit in section.units for item in unit.items}
    media = media_of(ids) if ids else {}
    return Page(
        title=part.title,
        as_of=moment(report.method.as_of),
        facts=data_line(report),
        simulated=report.data.simulated > 0,
        sections=tuple(_section(section, plots, media) for section in sections),
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
        units=tuple(_unit(unit, media) for unit in section.units),
        units_title=section.units_title,
        folded=section.folded,
    )


def _unit(unit: UnitCard, media: Mapping[int, Item]) -> ShownUnit:
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
    )


def _drawing(svg: str) -> SafeString:
    # Ours from end to end: `plots.svg` serialises the tree, which escapes every name in it.
    return mark_safe(svg)
