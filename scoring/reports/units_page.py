"""All units of one question by how far people disagree on them, some a page."""

from __future__ import annotations

from dataclasses import dataclass

from django.core.paginator import Page as NumberedPage
from django.core.paginator import Paginator

from scoring.analysis.report import QuestionReport, Report
from scoring.reports.disputes_tables import disagreement_words, ordered_cards
from scoring.reports.page import MediaOf, ShownUnit, data_line, shown_unit
from scoring.reports.words import counted

UNITS_A_PAGE = 24


class NoSuchQuestion(LookupError):
    """A report has no question of that key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitListing:
    """One page of the list. `basis` says what the figures are, and what is not listed."""

    question: str
    title: str
    facts: tuple[str, ...]
    simulated: bool
    basis: str
    page: NumberedPage
    units: tuple[ShownUnit, ...]


def unit_listing(report: Report, question: str, number: str, media_of: MediaOf) -> UnitListing:
    """Page `number` (1 is the first; the nearest there is) of a question's units.

    Raises NoSuchQuestion.
    """
    asked = next((one for one in report.questions if one.key == question), None)
    if asked is None:
        raise NoSuchQuestion(f"The report has no question “{question}”.")
    order = report.disputes.questions[report.questions.index(asked)].order
    page = Paginator(range(len(order.name)), UNITS_A_PAGE).get_page(number)
    cards = ordered_cards(order, slice(max(page.start_index() - 1, 0), page.end_index()))
    media = media_of({item for card in cards for item in card.items})
    return UnitListing(
        question=question,
        title=asked.label,
        facts=data_line(report),
        simulated=report.data.simulated > 0,
        basis=_basis(asked, order.n_units, len(order.name), order.n_alone),
        page=page,
        units=tuple(shown_unit(card, media) for card in cards),
    )


def _basis(question: QuestionReport, n_units: int, n_listed: int, n_alone: int) -> str:
    parts = [disagreement_words(question)]
    if n_listed < n_units:
        parts.append(f"The first {n_listed:,} of {counted(n_units, 'unit')} are listed.")
    if n_alone:
        verb = "has" if n_alone == 1 else "have"
        parts.append(f"{counted(n_alone, 'unit')} {verb} a single answer and cannot be disputed.")
    return " ".join(parts)
