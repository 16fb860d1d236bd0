"""The pages of a report: each draws its share of the one stored report."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from scoring.analysis.report import Report
from scoring.reports import (
    agreement_page,
    automatic_page,
    culturescore_page,
    metrics_page,
    overview_page,
    scores_page,
    sensitivity_page,
)
from scoring.reports.sections import Plots, Section

Sections = Callable[[Report, Plots], tuple[Section, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """`key` is its place in the address, "" for the first page. `metric`: the page is about that
    metric alone, and nothing leads there before it was run.
    """

    key: str
    title: str
    sections: Sections
    metric: str = ""


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
    Part(key="metrics", title="Metrics against people", sections=metrics_page.sections),
    Part(key="sensitivity", title="Sensitivity", sections=sensitivity_page.sections),
)


def parts_with(metrics: Collection[str]) -> tuple[Part, ...]:
    """The pages of a report on these metrics, by their keys."""
    return tuple(part for part in PARTS if not part.metric or part.metric in metrics)


def part_named(key: str) -> Part | None:
    """The part with this key, or None."""
    return next((part for part in PARTS if part.key == key), None)
