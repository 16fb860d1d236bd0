"""Every series of a study: scores as they were read, and people's answers as they are counted."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from annotation.ratings import NO_VALUE, NOTHING
from scoring.analysis.asked import AskedQuestion
from scoring.analysis.gather import StudyData
from scoring.analysis.series import HumanSeries, ScoreData, SeriesFacts
from studies.models import Question
from studies.names import country_name

Kind = Question.Kind
OF_ITEMS = {Kind.LIKERT, Kind.SLIDER, Kind.YES_NO, Kind.MULTI, Kind.RANKING}
BETTERS = ("higher", "lower")


def score_data(data: StudyData) -> ScoreData:
    """The study's series over the chosen items, as answers are counted in `data`."""
    humans = tuple(_human_series(data))
    units = (*data.scored.items.values(), *data.scored.cells.values())
    codes = {unit.country for unit in units} | set(data.shown_to)
    return ScoreData(
        facts=data.scored,
        humans=humans,
        countries={code: country_name(code) for code in sorted(codes) if code},
        groupings=data.groupings,
        shown_to=data.shown_to,
        rated=frozenset(item for human in humans for item in human.item.tolist()),
        seed=data.study.seed,
    )


def _human_series(data: StudyData) -> Iterator[HumanSeries]:
    """Every question whose answers are a number for each item, as they are counted in `data`."""
    answers = data.answers
    of_items = (answers.value != NO_VALUE) & np.isin(answers.item, list(data.items))
    for question in data.asked:
        if question.kind not in OF_ITEMS:
            continue
        mask = of_items & (answers.question == question.id)
        if question.kind == Kind.LIKERT:
            mask &= answers.probe == NOTHING
        own = answers.only(mask)
        points = _points(question, own.value)
        yield HumanSeries(
            facts=_human_facts(question.key, question.label, _better(question), points),
            question=question.key,
            kind=question.kind,
            label=question.label,
            points=points,
            item=own.item,
            rater=own.rater,
            country=own.country,
            value=own.value.astype(np.float64),
            repeats=_repeats(own.item, own.rater),
        )


def _points(question: AskedQuestion, values: np.ndarray) -> tuple[float, ...]:
    """The declared points; of a ranking, the places; of a slider, none."""
    if question.kind == Kind.RANKING:
        return tuple(float(place) for place in range(1, int(values.max(initial=0)) + 1))
    return tuple(float(value) for value, _ in question.points)


def _better(question: AskedQuestion) -> str:
    """A ranking's first place is the best, and what is marked or answered yes is better."""
    if question.kind == Kind.RANKING:
        return "lower"
    if question.kind in (Kind.MULTI, Kind.YES_NO) and question.direction not in BETTERS:
        return "higher"
    return question.direction


def _human_facts(key: str, label: str, direction: str, points: tuple[float, ...]) -> SeriesFacts:
    return SeriesFacts(
        key=f"people/{key}",
        kind="human",
        name=label,
        metric="",
        metric_name="",
        run=None,
        output=key,
        dimension="",
        better=direction if direction in BETTERS else "",
        low=min(points, default=None),
        high=max(points, default=None),
        unit="item",
    )


def _repeats(item: np.ndarray, rater: np.ndarray) -> bool:
    """Whether somebody has answered more than once on an item."""
    pairs = np.stack([item, rater])
    return bool(np.unique(pairs, axis=1).shape[1] < pairs.shape[1])
