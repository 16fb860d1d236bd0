"""Counted answers on scales as arrays for statistics, and the items and questions behind them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from django.db.models import Count, Q, Sum

from annotation.ratings.counting import Layer, counted_ratings
from studies.models import Item, Question, Study

CHUNK = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedItem:
    """What an analysis may group by. `cluster` is shared by items that are not independent.

    `purpose` is "rated" for items of the study itself; `parent` the id of the item it is an edit
    of, or None.
    """

    id: int
    external_id: str
    system: str
    origin: str
    country: str
    cluster: str
    category: str = ""
    aspect: str = ""
    scenario: str = ""
    variant: str = ""
    replicate: str = ""
    kind: str = "image"
    purpose: str = "rated"
    has_audio: bool = False
    parent: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedQuestion:
    """A Likert question with its declared points (value, label) in order."""

    id: int
    key: str
    label: str
    direction: str
    points: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RatingTable:
    """Counted answers on scales as long codes: the i-th entry of every array is one answer.

    `unit`, `item`, `rater`, `country` and `question` are 0-based positions in `n_units`, `items`,
    `raters`, `countries` (the panels' country codes) and `questions`; `value` is the scale
    point's number; `screen` numbers the screens the answers came from. A unit of analysis is an
    item as shown in one unit, so one person gives it at most one answer a question.
    """

    unit: npt.NDArray[np.int64]
    item: npt.NDArray[np.int64]
    rater: npt.NDArray[np.int64]
    country: npt.NDArray[np.int64]
    question: npt.NDArray[np.int64]
    value: npt.NDArray[np.int64]
    screen: npt.NDArray[np.int64]
    simulated: npt.NDArray[np.bool_]
    n_units: int
    items: tuple[RatedItem, ...]
    raters: tuple[str, ...]
    countries: tuple[str, ...]
    questions: tuple[RatedQuestion, ...]


def rating_table(study: Study, layer: Layer = Layer.AFTER_ALL) -> RatingTable:
    """Every counted answer on a scale, coded for statistics; of the ``layer`` that is wanted."""
    questions = likert_questions(study)
    position = {question.id: index for index, question in enumerate(questions)}
    units, items, raters, countries, screens = (_Codes() for _ in range(5))
    coded = [
        (
            units[(unit, item)],
            items[item],
            raters[rater],
            countries[panel or ""],
            position[question],
            value,
            screens[screen],
            simulated,
        )
        for unit, item, rater, panel, question, value, screen, simulated in _scale_answers(
            study, list(position), layer
        )
    ]
    known = rated_items(study)
    columns = np.array(coded, dtype=np.int64).reshape(-1, 8).T
    return RatingTable(
        unit=columns[0],
        item=columns[1],
        rater=columns[2],
        country=columns[3],
        question=columns[4],
        value=columns[5],
        screen=columns[6],
        simulated=columns[7].astype(bool),
        n_units=len(units),
        items=tuple(known[pk] for pk in items),
        raters=tuple(raters),
        countries=tuple(countries),
        questions=questions,
    )


def rated_items(study: Study) -> dict[int, RatedItem]:
    """Every item of the study, rated yet or not, by its id."""
    return {
        item.pk: RatedItem(
            id=item.pk,
            external_id=item.external_id,
            system=item.system.name if item.system else "",
            origin=item.origin,
            country=item.country,
            cluster=item.prompt_cluster,
            category=item.category,
            aspect=item.aspect,
            scenario=item.scenario,
            variant=item.variant,
            replicate=item.replicate,
            kind=item.kind,
            purpose=item.purpose,
            has_audio=item.has_audio,
            parent=item.parent_id,
        )
        for item in Item.objects.filter(study=study).select_related("system")
    }


def likert_questions(study: Study) -> tuple[RatedQuestion, ...]:
    """The study's Likert questions in their order, with the points they declare."""
    questions = Question.objects.filter(study=study, kind=Question.Kind.LIKERT)
    return tuple(
        RatedQuestion(
            id=question.pk,
            key=question.key,
            label=question.label,
            direction=question.direction,
            points=tuple((point.value, point.label) for point in question.points.all()),
        )
        for question in questions.prefetch_related("points")
    )


def mean_ratings(study: Study) -> dict[int, dict[int, tuple[float, int]]]:
    """{item id: {question id: (mean of the counted answers, how many)}} for Likert questions.

    As in reports, an item for which a majority of a panel's answers are "does not apply" has none
    of that panel's.
    """
    sums: dict[tuple[int, int], tuple[int, int]] = {}
    rows = (
        counted_ratings(study)
        .filter(item__isnull=False, probe__isnull=True, question__kind=Question.Kind.LIKERT)
        .order_by()
        .values("item_id", "question_id", "assignment__unit", "assignment__participation__panel")
        .annotate(
            total=Sum("value"),
            n=Count("value"),
            without=Count("id", filter=Q(not_applicable=True)),
        )
        .values_list("item_id", "question_id", "total", "n", "without")
    )
    for item, question, total, n, without in rows:
        if n and without <= n:
            before, times = sums.get((item, question), (0, 0))
            sums[item, question] = (before + total, times + n)
    means: dict[int, dict[int, tuple[float, int]]] = defaultdict(dict)
    for (item, question), (total, n) in sums.items():
        means[item][question] = (total / n, n)
    return dict(means)


def _scale_answers(study: Study, questions: list[int], layer: Layer) -> Iterator[tuple]:
    """(unit, item, rater, panel's country, question, value, screen, simulated) of each answer.

    About an item alone: what is asked of a probe or of a set of items is another table's.
    """
    answers = counted_ratings(study, layer).filter(
        value__isnull=False, question_id__in=questions, item__isnull=False, probe__isnull=True
    )
    return (
        answers.order_by("id")
        .values_list(
            "assignment__unit_id",
            "item_id",
            "assignment__participation__code",
            "assignment__participation__panel__country",
            "question_id",
            "value",
            "assignment_id",
            "assignment__participation__simulated",
        )
        .iterator(chunk_size=CHUNK)
    )


class _Codes(dict):
    """0-based codes in order of first appearance."""

    def __missing__(self, key: object) -> int:
        self[key] = code = len(self)
        return code
