"""Every counted answer as a tidy row, texts included."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from annotation.ratings.counting import Layer, counted_ratings
from studies.design import Design, frozen_design
from studies.models import Question, Study

CHUNK = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingRow:
    """One answer: one person, one question, one subject. Field names are the CSV's column names.

    The subject is the item of a unit of one; in a unit of several an item (multi-select, ranking),
    a probe, a probe and an item, or the unit as a whole (then ``item`` is empty, as are the fields
    that describe an item). A descriptor check has a row a descriptor, and one without for coverage
    and what is missing.
    """

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
    subject: str
    probe: str
    probe_text: str
    probe_dimension: str
    descriptor: str
    value: int | None
    value_label: str
    not_applicable: bool
    text: str
    seconds_on_screen: float | None
    n_in_session: int
    revision: int
    simulated: bool
    excluded: str
    served_at: datetime
    submitted_at: datetime | None


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
    "subject": "subject",
    "probe": "probe__external_id",
    "probe_text": "probe__text",
    "probe_dimension": "probe__dimension",
    "descriptor": "descriptor__token",
    "value": "value",
    "not_applicable": "not_applicable",
    "text": "text",
    "n_in_session": "assignment__n",
    "revision": "assignment__participation__revision",
    "simulated": "assignment__participation__simulated",
    "excluded": "assignment__excluded",
    "served_at": "assignment__served_at",
    "submitted_at": "assignment__submitted_at",
}


_WITHOUT_POINTS = {Question.Kind.MULTI, Question.Kind.RANKING, Question.Kind.SLIDER}
_MAYBE_ABSENT = (
    "item",
    "system",
    "country",
    "category",
    "prompt",
    "scenario",
    "panel_country",
    "probe",
    "probe_text",
    "probe_dimension",
    "descriptor",
)


def rating_rows(study: Study, layer: Layer = Layer.AFTER_ALL) -> Iterator[RatingRow]:
    """Every counted answer, text included, streamed person by person in the order they gave it.

    In a ``layer`` that heeds fewer exclusions ``excluded`` says by what an answer is left out of
    the others: a rule, or a person.
    """
    labels: dict[int, dict[tuple[str, int], str]] = {}
    questions = list(Question.objects.filter(study=study))
    names = {question.key: question.label for question in questions}
    kinds = {question.key: question.kind for question in questions}
    person_by_person = counted_ratings(study, layer).order_by(
        "assignment__participation_id", "assignment__n", "question__position", "id"
    )
    for values in person_by_person.values_list(*_COLUMNS.values()).iterator(chunk_size=CHUNK):
        row = dict(zip(_COLUMNS, values, strict=True))
        row |= {name: row[name] or "" for name in _MAYBE_ABSENT}
        submitted = row["submitted_at"]
        revision = row["revision"]
        if revision not in labels:
            labels[revision] = _labels(frozen_design(study.pk, revision))
        value_label = _value_label(labels[revision], kinds[row["question"]], row)
        yield RatingRow(
            **row,
            question_label=names[row["question"]],
            value_label=value_label,
            seconds_on_screen=(submitted - row["served_at"]).total_seconds() if submitted else None,
        )


def _labels(design: Design) -> dict[tuple[str, int], str]:
    """(question, value) -> the words of the point, as they stood in that revision."""
    return {
        (question.key, point.value): point.label
        for question in design.questions
        for point in question.points
    }


def _value_label(labels: dict[tuple[str, int], str], kind: str, row: dict) -> str:
    """The words of a scale's point. Places, ticks, verdicts and numbers are no points of one."""
    if kind in _WITHOUT_POINTS or (kind == Question.Kind.DESCRIPTORS and row["descriptor"]):
        return ""
    return labels.get((row["question"], row["value"]), "")
