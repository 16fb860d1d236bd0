"""Every answer as a tidy row, texts included.

Rows are read some screens at a time, each lot by queries of its own: a slow reader of a long file
holds neither memory nor a cursor of the database.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from annotation.ratings.counting import Layer
from annotation.ratings.screens import Answer, Screen, lots_of_screens
from scoring.stats.sets import EMPTY, SEPARATOR
from studies.design import Design, frozen_design
from studies.models import Question, Study

Kind = Question.Kind
_OF_AN_ANSWER = (
    "item",
    "system",
    "country",
    "category",
    "prompt",
    "scenario",
    "subject",
    "probe",
    "probe_text",
    "probe_dimension",
    "descriptor",
    "value",
    "not_applicable",
    "text",
)
_WITHOUT_POINTS = {Kind.MULTI, Kind.RANKING, Kind.SLIDER}


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingRow:
    """One answer: one person, one question, one subject. Field names are the columns' names.

    The subject is the item of a unit of one; in a unit of several an item (multi-select, ranking),
    a probe, a probe and an item, or the unit as a whole (then ``item`` is empty, as are the fields
    that describe an item). A descriptor check has a row a descriptor, and one without for coverage
    and what is missing. docs/exports.md says what every field means.
    """

    study: str
    revision: int
    unit: str
    item: str
    system: str
    country: str
    panel_country: str
    category: str
    prompt_id: str
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
    set: str
    rank: int | None
    not_applicable: bool
    text: str
    rationale: str
    order_shown: str
    place_shown: int | None
    n_in_session: int
    repeat: bool
    seconds_on_screen: float | None
    active_seconds: float | None
    watched_share: float | None
    flags: str
    counted: bool
    excluded: str
    exclusion_layer: str
    simulated: bool
    served_at: datetime
    submitted_at: datetime | None


def rating_rows(
    study: Study, layer: Layer = Layer.AFTER_ALL, *, everything: bool = False
) -> Iterator[RatingRow]:
    """Every counted answer, text included, streamed person by person in the order they gave it.

    In a ``layer`` that heeds fewer exclusions ``excluded`` says by what an answer is left out of
    the others: a rule, or a person. ``everything`` gives what was sent besides, too: repeats of
    a screen, and surplus (``repeat``, ``counted``); ``layer`` is then of no matter.
    """
    words = _Words(study)
    for screen in lots_of_screens(study, None if everything else layer):
        yield from _rows_of(screen, words)


class _Words:
    """The study's questions, and the words of their points as they stood in each revision."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.questions = {question.pk: question for question in study.questions.all()}
        self._points: dict[int, dict[tuple[str, int], str]] = {}
        texts = [row for row in self.questions.values() if row.kind == Kind.TEXT]
        self.explained_by = {
            row.required_when_id: row.pk for row in texts if row.required_when_id is not None
        }
        free = [row.pk for row in texts if row.required_when_id is None]
        self.explains_all = free[0] if len(free) == 1 else None

    def label(self, revision: int, question: Question, answer: Answer) -> str:
        """The words of a scale's point. Places, ticks, verdicts and numbers are no points."""
        if question.kind in _WITHOUT_POINTS or answer.value is None:
            return ""
        if question.kind == Kind.DESCRIPTORS and answer.descriptor:
            return ""
        if revision not in self._points:
            self._points[revision] = _labels(frozen_design(self.study.pk, revision))
        return self._points[revision].get((question.key, answer.value), "")


def _labels(design: Design) -> dict[tuple[str, int], str]:
    """(question, value) -> the words of the point."""
    return {
        (question.key, point.value): point.label
        for question in design.questions
        for point in question.points
    }


def _rows_of(screen: Screen, words: _Words) -> Iterator[RatingRow]:
    questions = words.questions
    answers = sorted(screen.answers, key=lambda row: (questions[row.question].position, row.id))
    chosen = _sets(screen, questions)
    written = {(row.question, row.subject): row.text for row in answers if row.text}
    same = _of_the_screen(screen) | {"study": words.study.slug}
    for answer in answers:
        question = questions[answer.question]
        yield RatingRow(
            **same,
            **{name: getattr(answer, name) for name in _OF_AN_ANSWER},
            prompt_id=answer.prompt_id or screen.prompt_id,
            question=question.key,
            question_label=question.label,
            value_label=words.label(screen.revision, question, answer),
            set=chosen.get((answer.question, answer.probe), ""),
            rank=answer.value if question.kind == Kind.RANKING else None,
            rationale=_rationale(answer, question, written, words),
            place_shown=screen.place_of(answer.item),
            watched_share=screen.watched_share(answer.item),
        )


def _of_the_screen(screen: Screen) -> dict[str, Any]:
    """What all answers of a screen share."""
    return {
        "revision": screen.revision,
        "unit": screen.unit,
        "panel_country": screen.panel_country,
        "rater": screen.rater,
        "order_shown": SEPARATOR.join(screen.order),
        "n_in_session": screen.n,
        "repeat": screen.repeat,
        "seconds_on_screen": screen.seconds,
        "active_seconds": screen.active_seconds,
        "flags": SEPARATOR.join(screen.flags),
        "counted": screen.counted,
        "excluded": screen.excluded,
        "exclusion_layer": screen.exclusion_layer,
        "simulated": screen.simulated,
        "served_at": screen.served_at,
        "submitted_at": screen.submitted_at,
    }


def _sets(screen: Screen, questions: dict[int, Question]) -> dict[tuple[int, str], str]:
    """(question, probe) -> the items marked there, as one set in the syntax of `stats.sets`."""
    marked: dict[tuple[int, str], list[str]] = {}
    for answer in sorted(screen.answers, key=lambda row: row.item):
        if questions[answer.question].kind == Kind.MULTI:
            items = marked.setdefault((answer.question, answer.probe), [])
            if answer.value == 1:
                items.append(answer.item)
    return {about: SEPARATOR.join(items) or EMPTY for about, items in marked.items()}


def _rationale(
    answer: Answer, question: Question, written: dict[tuple[int, str], str], words: _Words
) -> str:
    """What was written about this answer: in the text that hangs on its question, else in the
    screen's only text that hangs on none."""
    if question.kind == Kind.TEXT:
        return answer.text
    text = words.explained_by.get(question.pk, words.explains_all)
    if text is None:
        return ""
    return written.get((text, answer.subject)) or written.get((text, ""), "")
