"""The pages of a report: each draws its share of the one stored report."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from scoring.analysis.report import Report
from scoring.analysis.selection import Choice, UnknownChoice
from scoring.reports import (
    agreement_page,
    automatic_page,
    culturescore_page,
    metrics_chosen,
    metrics_page,
    overview_page,
    scores_page,
    sensitivity_page,
)
from scoring.reports.sections import Marks, Plots, Section

Asked = Mapping[str, str]
"""What an address asks a page for beside the data: {name: value}."""

Sections = Callable[[Report, Plots], tuple[Section, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Menus:
    """What readers choose on a page beside the data. The numbers are the same stored ones.

    `asks`: {name in the address: values}, None where the report says which there are. `sections`
    are what is chosen, `choices` the menus, each with the value that is chosen, `marks` those of
    which several can be, `kept` what an address asks for as far as the report has it; a report's
    files go on to hold everything.
    """

    asks: Mapping[str, Collection[str] | None] = field(hash=False)
    sections: Callable[[Report, Asked], tuple[Section, ...]]
    choices: Callable[[Report, Asked], tuple[tuple[Choice, str], ...]]
    marks: Callable[[Report, Asked], tuple[Marks, ...]]
    kept: Callable[[Report, Asked], Asked]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """`key` is its place in the address, "" for the first page. `metric`: the page is about that
    metric alone, and nothing leads there before it was run. `sections` are all there is; a page
    with `menus` shows what is chosen of it.
    """

    key: str
    title: str
    sections: Sections
    metric: str = ""
    menus: Menus | None = None


PARTS = (
    Part(key="", title="Overview", sections=overview_page.sections),
    Part(key="scores", title="Human scores", sections=scores_page.sections),
    Part(key="agreement", title="Agreement", sections=agreement_page.sections),
    Part(key="automatic", title="Automatic results", sections=automatic_page.sections),
    Part(
        key="culturescore",
        title="CultureScore",
        sections=culturescore_page.sections,
        metric="culturescore",
    ),
    Part(
        key="metrics",
        title="Metrics against people",
        sections=metrics_page.sections,
        menus=Menus(
            asks=metrics_chosen.ASKS,
            sections=metrics_chosen.sections,
            choices=metrics_chosen.choices,
            marks=metrics_chosen.marks,
            kept=metrics_chosen.kept,
        ),
    ),
    Part(key="sensitivity", title="Sensitivity", sections=sensitivity_page.sections),
)


def parts_with(metrics: Collection[str]) -> tuple[Part, ...]:
    """The pages of a report on these metrics, by their keys."""
    return tuple(part for part in PARTS if not part.metric or part.metric in metrics)


def part_named(key: str) -> Part | None:
    """The part with this key, or None."""
    return next((part for part in PARTS if part.key == key), None)


def asked_of(part: Part, query: Mapping[str, str]) -> dict[str, str]:
    """What an address asks the page for beside the data; several values of a name with commas.

    Raises UnknownChoice for a value that the page never has.
    """
    asks = part.menus.asks if part.menus else {}
    asked = {name: query[name] for name in asks if query.get(name)}
    for name, wanted in asked.items():
        known = asks[name]
        if known is not None and wanted not in known:
            raise UnknownChoice(
                f"There is no {name} “{wanted[:60]}” to choose. Choose from the lists, or show "
                "everything."
            )
    return asked
