"""What a metric leaves out of its comparison with a question: item by item, with the reason."""

from __future__ import annotations

from dataclasses import dataclass

from django.core.paginator import Page as NumberedPage
from django.core.paginator import Paginator

from scoring.analysis.parts.against import QuestionAgainst, Row
from scoring.analysis.report import Report
from scoring.reports.against_shown import names_in, slugs_in
from scoring.reports.page import data_line
from scoring.reports.words import counted
from studies.names import country_name

UNITS_A_PAGE = 50


class NoSuchPair(LookupError):
    """A report holds no such metric against no such question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOutUnit:
    """`country` is empty where all annotators are pooled."""

    item: int
    name: str
    country: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOutListing:
    """One page of the list. `reasons` are (how many, sentence), `basis` says of what they are how
    many; `run` is the id of the metric's run. `by_country`: each panel is a case of its own."""

    metric: str
    question: str
    run: int | None
    facts: tuple[str, ...]
    simulated: bool
    basis: str
    reasons: tuple[tuple[str, str], ...]
    by_country: bool
    page: NumberedPage[LeftOutUnit]


def left_out_listing(report: Report, question: str, metric: str, number: str) -> LeftOutListing:
    """Page `number` (1 is the first; the nearest there is) of what a metric, as addresses name it,
    leaves out of a question.

    Raises NoSuchPair.
    """
    asked, row = _pair(report, question, metric)
    units = _units(row)
    return LeftOutListing(
        metric=names_in(report.against)[row.series.key],
        question=asked.label,
        run=row.series.run,
        facts=data_line(report),
        simulated=report.data.simulated > 0,
        basis=_basis(row, len(units)),
        reasons=tuple((f"{part.items:,}", part.sentence) for part in row.left_out),
        by_country=row.matched,
        page=Paginator(units, UNITS_A_PAGE).get_page(number),
    )


def _pair(report: Report, question: str, metric: str) -> tuple[QuestionAgainst, Row]:
    slugs = slugs_in(report.against)
    for one in report.against.questions:
        for row in one.rows:
            if (one.key, slugs[row.series.key]) == (question, metric):
                return one, row
    raise NoSuchPair(
        f"The report holds no metric \u201c{metric}\u201d against \u201c{question}\u201d."
    )


def _units(row: Row) -> list[LeftOutUnit]:
    return [
        LeftOutUnit(
            item=item,
            name=name,
            country=country_name(country) if country else "",
            reason=part.sentence,
        )
        for part in row.left_out
        for item, name, country in zip(part.item, part.name, part.country, strict=True)
    ]


def _basis(row: Row, n_listed: int) -> str:
    n_left = sum(part.items for part in row.left_out)
    unit = ("item in a panel", "items in panels") if row.matched else ("item", "items")
    pooled = next(one.correlation for one in row.levels if one.correlation.level == "pooled")
    every = counted(n_left + pooled.n_items, *unit)
    words = f"{n_left:,} of {every} could not be paired."
    if n_listed < n_left:
        words += f" The first {n_listed:,} are listed."
    return words
