"""The part of all answers that is Likert ratings of items, coded for statistics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from annotation.ratings import (
    NO_VALUE,
    NOTHING,
    AnswerTable,
    RatedItem,
    RatedQuestion,
    RatingTable,
)
from scoring.analysis.asked import AskedQuestion

NONE = np.empty(0, dtype=np.int64)
EMPTY_TABLE = RatingTable(
    unit=NONE,
    item=NONE,
    rater=NONE,
    country=NONE,
    question=NONE,
    value=NONE,
    screen=NONE,
    simulated=NONE.astype(bool),
    n_units=0,
    items=(),
    raters=(),
    countries=(),
    questions=(),
)


def likert_table(
    answers: AnswerTable, asked: tuple[AskedQuestion, ...], items: Mapping[int, RatedItem]
) -> RatingTable:
    """Answers on scales about an item alone; what is asked of probes or sets of items is not."""
    questions = tuple(_rated(question) for question in asked if question.kind == "likert")
    ids = np.array([question.id for question in questions], dtype=np.int64)
    cut = answers.only(
        np.isin(answers.question, ids)
        & (answers.value != NO_VALUE)
        & (answers.item != NOTHING)
        & (answers.probe == NOTHING)
    )
    item_ids, item = _dense(cut.item)
    raters, rater = _dense(cut.rater)
    countries, country = _dense(cut.country)
    units, unit = _dense(cut.unit * (item_ids.size or 1) + item)
    order = np.argsort(ids)
    return RatingTable(
        unit=unit,
        item=item,
        rater=rater,
        country=country,
        question=order[np.searchsorted(ids[order], cut.question)] if ids.size else NONE,
        value=cut.value,
        screen=_dense(cut.screen)[1],
        simulated=cut.simulated,
        n_units=int(units.size),
        items=tuple(items[pk] for pk in item_ids.tolist()),
        raters=tuple(answers.raters[place].code for place in raters.tolist()),
        countries=tuple(countries.tolist()),
        questions=questions,
    )


def _rated(question: AskedQuestion) -> RatedQuestion:
    return RatedQuestion(
        id=question.id,
        key=question.key,
        label=question.label,
        direction=question.direction,
        points=question.points,
    )


def _dense(column: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64]]:
    """(distinct values, the position of each entry's value among them)."""
    distinct, place = np.unique(column, return_inverse=True)
    return distinct, place.astype(np.int64)
