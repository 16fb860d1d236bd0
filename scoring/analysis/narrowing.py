"""Answers narrowed to a selection, and the rule on "does not apply"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from annotation.ratings import NOTHING, AnswerTable, RatedItem
from scoring.analysis.asked import AskedQuestion, Subjects
from scoring.analysis.selection import NO_MODEL, Selection
from scoring.stats.applicability import applicable_items
from studies.models.item import Purpose

Mask = npt.NDArray[np.bool_]
Codes = npt.NDArray[np.int64]

COMPARING = {"multi", "ranking"}
"""Kinds whose answers compare the items of a unit: choosing a model leaves them whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotApplicable:
    """What "does not apply" took out of one question in one panel (`group`: its country).

    An item (or probe) is removed where a majority of the panel's raters said so; with as many of
    either it stays, and counts among `n_tied`. `n_removed_answers` are answers on the scale that
    went with their items.
    """

    question: str
    group: str
    n_units: int
    n_removed: int
    n_tied: int
    n_answers: int
    n_not_applicable: int
    n_removed_answers: int


def chosen_items(items: Mapping[int, RatedItem], selection: Selection) -> dict[int, RatedItem]:
    """The items to be rated of the chosen model, category and country, by id.

    Practice, gold and examples are nobody's results: they would count as never rated or scored.
    """
    system = {NO_MODEL: ""}.get(selection.system, selection.system)
    return {
        pk: item
        for pk, item in items.items()
        if item.purpose == Purpose.RATED
        and (not selection.system or item.system == system)
        and (not selection.category or item.category == selection.category)
        and (not selection.shown or item.country == selection.shown)
    }


def chosen_answers(
    answers: AnswerTable,
    *,
    selection: Selection,
    asked: tuple[AskedQuestion, ...],
    items: Mapping[int, RatedItem],
    subjects: Subjects,
) -> Mask:
    """Which answers a selection keeps, shape (size,).

    `items` are the chosen ones. A unit belongs to a category, or shows a country, where one of its
    items does. Answers that compare the items of a unit, or are about none, are not narrowed by the
    model.
    """
    kept = np.ones(answers.size, dtype=bool)
    if selection.panel:
        kept &= answers.country == selection.panel
    if selection.category or selection.shown:
        kept &= np.isin(answers.unit, subjects.units_with(answers, items))
    if selection.system or selection.category or selection.shown:
        comparing = [question.id for question in asked if question.kind in COMPARING]
        free = (answers.item == NOTHING) | np.isin(answers.question, comparing)
        kept &= free | np.isin(answers.item, list(items))
    if selection.dimension:
        for column, known in (
            (answers.probe, subjects.probes),
            (answers.descriptor, subjects.descriptors),
        ):
            within = [pk for pk, fact in known.items() if fact.dimension == selection.dimension]
            kept &= (column == NOTHING) | np.isin(column, within)
    return kept


def applicable(
    answers: AnswerTable, asked: tuple[AskedQuestion, ...]
) -> tuple[AnswerTable, tuple[NotApplicable, ...]]:
    """The answers after the rule on "does not apply", and what it took out by question and panel.

    The rule goes panel by panel: what a majority of one country calls not applicable may well
    apply in another.
    """
    kept = ~answers.not_applicable
    counts = []
    for question in asked:
        of_question = answers.question == question.id
        if not question.allow_na and not (of_question & answers.not_applicable).any():
            continue
        country = answers.country
        for group in np.unique(country[of_question]).tolist():
            rows = np.flatnonzero(of_question & (country == group))
            codes, n_units = subject_codes(answers, rows)
            left = applicable_items(
                item=codes, not_applicable=answers.not_applicable[rows], n_items=n_units
            )
            kept[rows] = left.kept_answers
            counts.append(
                NotApplicable(
                    question=question.key,
                    group=group,
                    n_units=n_units,
                    n_removed=left.n_removed,
                    n_tied=left.n_tied,
                    n_answers=left.n_answers,
                    n_not_applicable=left.n_not_applicable,
                    n_removed_answers=left.n_applicable_removed,
                )
            )
    return answers.only(kept), tuple(counts)


def subject_codes(answers: AnswerTable, rows: Codes) -> tuple[Codes, int]:
    """What each of the answers is about (unit, item, probe, descriptor) as 0-based codes; how many
    there are."""
    columns = (answers.unit, answers.item, answers.probe, answers.descriptor)
    codes = np.zeros(rows.size, dtype=np.int64)
    n = 1 if rows.size else 0
    for column in columns:
        values, own = np.unique(column[rows], return_inverse=True)
        distinct, codes = np.unique(codes * max(values.size, 1) + own, return_inverse=True)
        n = int(distinct.size)
    return codes.astype(np.int64), n
