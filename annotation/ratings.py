"""The exit: what people answered, read-only, as tidy rows and as arrays for statistics.

Everything here rests on *counted* screens only: submitted, and among the wanted number of their
unit. Drafts never leave; surplus is counted and named, not mixed in. A person appears under the
pseudonym of their participation, never under a token.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

import numpy as np
import numpy.typing as npt
from django.db.models import Avg, Count, F, Max, Q, QuerySet, Sum

from annotation.models import Assignment, Rating
from studies.models import Item, Question, ScalePoint, Study

CHUNK = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingRow:
    """One answer: one person, one question, one item. Field names are the CSV's column names."""

    unit: str
    item: str
    system: str
    country: str
    panel_country: str
    category: str
    prompt: str
    scenario: str
    rater: str
    question: str
    question_label: str
    value: int | None
    value_label: str
    text: str
    seconds_on_screen: float | None
    n_in_session: int
    revision: int
    simulated: bool
    served_at: datetime
    submitted_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingCounts:
    """How much there is. A rating is one person's counted answers on one unit's screen.

    `answers` are the values on scales and `texts` the free texts within those ratings;
    `simulated` the ratings that no person gave. `surplus` ratings are kept but left out: others
    filled their unit meanwhile.
    """

    items: int
    raters: int
    ratings: int
    answers: int
    texts: int
    surplus: int
    simulated: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedItem:
    """What an analysis may group by. `cluster` is shared by items that are not independent."""

    id: int
    external_id: str
    system: str
    origin: str
    country: str
    cluster: str


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


def counted_ratings(study: Study) -> QuerySet[Rating]:
    """The answers that analysis rests on."""
    return Rating.objects.filter(assignment__counted=True, assignment__participation__study=study)


# RatingRow's fields that are columns of the database; the rest is derived.
_COLUMNS = {
    "unit": "assignment__unit__key",
    "item": "item__external_id",
    "system": "item__system__name",
    "country": "item__country",
    "panel_country": "assignment__participation__panel__country",
    "category": "item__category",
    "prompt": "item__prompt",
    "scenario": "item__scenario",
    "rater": "assignment__participation__code",
    "question": "question__key",
    "value": "value",
    "text": "text",
    "n_in_session": "assignment__n",
    "revision": "assignment__participation__revision",
    "simulated": "assignment__participation__simulated",
    "served_at": "assignment__served_at",
    "submitted_at": "assignment__submitted_at",
}


def rating_rows(study: Study) -> Iterator[RatingRow]:
    """Every counted answer, text included, streamed person by person in the order they gave it."""
    points = ScalePoint.objects.filter(question__study=study)
    labels = {
        (question, value): label
        for question, value, label in points.values_list("question__key", "value", "label")
    }
    names = {question.key: question.label for question in Question.objects.filter(study=study)}
    person_by_person = counted_ratings(study).order_by(
        "assignment__participation_id", "assignment__n", "question__position", "id"
    )
    for values in person_by_person.values_list(*_COLUMNS.values()).iterator(chunk_size=CHUNK):
        row = dict(zip(_COLUMNS, values, strict=True))
        row["system"] = row["system"] or ""
        row["panel_country"] = row["panel_country"] or ""
        submitted = row["submitted_at"]
        yield RatingRow(
            **row,
            question_label=names[row["question"]],
            value_label=labels.get((row["question"], row["value"]), ""),
            seconds_on_screen=(submitted - row["served_at"]).total_seconds() if submitted else None,
        )


def rating_table(study: Study) -> RatingTable:
    """Every counted answer on a scale, coded for statistics."""
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
            study, list(position)
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
    """{item id: {question id: (mean of the counted answers, how many)}} for Likert questions."""
    means: dict[int, dict[int, tuple[float, int]]] = defaultdict(dict)
    rows = (
        counted_ratings(study)
        .filter(value__isnull=False)
        .values("item_id", "question_id")
        .annotate(mean=Avg("value"), n=Count("id"))
        .values_list("item_id", "question_id", "mean", "n")
    )
    for item, question, mean, n in rows:
        means[item][question] = (float(mean), n)
    return dict(means)


def rating_counts(study: Study) -> RatingCounts:
    """What the numbers of a study rest on."""
    answers = counted_ratings(study).aggregate(
        items=Count("item", distinct=True),
        raters=Count("assignment__participation", distinct=True),
        ratings=Count("assignment", distinct=True),
        answers=Count("value"),
        texts=Count("id", filter=Q(value__isnull=True)),
        simulated=Count(
            "assignment", distinct=True, filter=Q(assignment__participation__simulated=True)
        ),
    )
    return RatingCounts(**answers, surplus=surplus_ratings(study))


def surplus_ratings(study: Study) -> int:
    """Submitted screens that are kept but not counted."""
    return Assignment.objects.filter(participation__study=study, counted=False).count()


def ratings_mark(study: Study) -> list[int | str | None]:
    """A few sums that differ as soon as any counted answer is added, changed or removed.

    One query over the answers and one over the surplus; cheap enough for a page's request.
    """
    sums = counted_ratings(study).aggregate(
        n=Count("id"),
        last=Max("id"),
        total=Sum("value"),
        # A change of one answer that another undoes in the total moves these.
        by_id=Sum(F("id") * F("value")),
        by_square=Sum(F("id") * F("value") * F("value")),
        submitted=Max("assignment__submitted_at"),
    )
    submitted = sums.pop("submitted")
    numbers = [None if number is None else int(number) for number in sums.values()]
    return [*numbers, submitted and submitted.isoformat(), surplus_ratings(study)]


def _scale_answers(study: Study, questions: list[int]) -> Iterator[tuple]:
    """(unit, item, rater, panel's country, question, value, screen, simulated) of each answer."""
    answers = counted_ratings(study).filter(value__isnull=False, question_id__in=questions)
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
