"""Answers worth a conversation: where a score and its rationale do not go together, and where two
annotators of a panel are furthest apart.

Neither list says who is right. What is asked about them is kept in ``conversations``.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from statistics import median

from annotation.quality.texts import normalised
from annotation.ratings import counted_ratings
from studies.models import Question, Study

MOST = 50
LONG = 2.0
"""A rationale is long from this many times the study's median length on."""
SHORT = 0.5


@dataclass(frozen=True, slots=True)
class Odd:
    """One answer beside its rationale. ``why`` says in which way they do not go together."""

    screen: int
    rater: str
    n: int
    unit: str
    question: str
    value: int
    text: str
    why: str


@dataclass(frozen=True, slots=True)
class Apart:
    """Two answers of one panel to one question on one unit: the lowest and the highest."""

    unit: str
    question: str
    low: tuple[int, str, int, int]  # value, rater, number of the screen, its id
    high: tuple[int, str, int, int]
    share: float  # of the scale's length
    n: int

    @property
    def ends(self) -> tuple[tuple[int, str, int, int], ...]:
        return self.low, self.high


def score_against_rationale(study: Study, *, most: int = MOST) -> list[Odd]:
    """Rationales held against the answer that they explain, on a scale.

    Odd is a long text though the answer says that nothing is wrong, and a short one though it lies
    at the worst end. That answer is the one that asks for the text, and nothing is wrong outside
    the range that does; of a text that is always asked for it is the first scale of its step with a
    better end, and nothing is wrong at that end. Long and short go by the study's own median
    length; the oddest first.
    """
    found: list[tuple[float, Odd]] = []
    for asked in Question.objects.filter(study=study, kind=Question.Kind.TEXT, retired=False):
        if (pair := _explained(asked)) is not None:
            found += _odd_texts(study, asked, pair)
    found.sort(key=lambda pair: (-pair[0], pair[1].rater, pair[1].n))
    return [odd for _, odd in found[:most]]


@dataclass(frozen=True, slots=True)
class _Explained:
    """The scale a text explains: from ``low`` to ``high`` something is wrong, most at ``worst``."""

    scale: Question
    low: int
    high: int
    worst: int


def _explained(asked: Question) -> _Explained | None:
    likert = Question.objects.filter(study=asked.study_id, kind=Question.Kind.LIKERT)
    scale = likert.filter(pk=asked.required_when_id).first()
    if scale is None and asked.required_when_id is None and asked.required:
        with_ends = likert.filter(retired=False, tier=asked.tier, direction__in=_BETTER_ENDS)
        scale = with_ends.order_by("position").first()
    if scale is None:
        return None
    is_higher = scale.direction == Question.Direction.HIGHER
    if asked.required_when_id is not None:
        low, high = asked.required_from or 0, asked.required_to or 0
        return _Explained(scale, low, high, low if is_higher else high)
    points = sorted(scale.points.values_list("value", flat=True))
    if len(points) < 2:
        return None
    wrong = points[:-1] if is_higher else points[1:]
    return _Explained(scale, wrong[0], wrong[-1], points[0] if is_higher else points[-1])


_BETTER_ENDS = (Question.Direction.HIGHER, Question.Direction.LOWER)


def _odd_texts(study: Study, asked: Question, pair: _Explained) -> list[tuple[float, Odd]]:
    low, high, scored = pair.low, pair.high, pair.scale
    values = _by_screen(study, scored.pk, "value")
    texts = {screen: text for screen, text in _by_screen(study, asked.pk, "text").items() if text}
    lengths = {screen: len(normalised(text)) for screen, text in texts.items()}
    if not any(lengths.values()):
        return []
    middle = median(lengths.values())
    screens = _screens(study, asked.pk)
    found = []
    for screen, text in texts.items():
        value = values.get(screen)
        if value is None or screen not in screens:
            continue
        outside, times = not low <= value <= high, lengths[screen] / max(middle, 1)
        if outside and times >= LONG:
            why = "Much is written, though the answer says that little is wrong."
        elif value == pair.worst and times <= SHORT:
            why = "Little is written, though the answer says that much is wrong."
        else:
            continue
        oddness = times if outside else 1 / max(times, 0.01)
        found.append((oddness, Odd(screen, *screens[screen], scored.label, value, text, why)))
    return found


def _screens(study: Study, question: int) -> dict[int, tuple[str, int, str]]:
    """Screen -> rater, its number, unit."""
    rows = counted_ratings(study).filter(question=question)
    fields = ("assignment__participation__code", "assignment__n", "assignment__unit__key")
    return {screen: tuple(rest) for screen, *rest in rows.values_list("assignment", *fields)}


def _by_screen(study: Study, question: int, field: str) -> dict:
    rows = counted_ratings(study).filter(question=question)
    return dict(rows.values_list("assignment", field))


def furthest_apart(study: Study, *, most: int = MOST) -> list[Apart]:
    """Units on which counted answers of one panel to a Likert question are furthest apart.

    At least half of the scale's length; the furthest first, then the most answered.
    """
    spans: dict[int, int] = {}
    labels: dict[int, str] = {}
    for question in Question.objects.filter(
        study=study, kind=Question.Kind.LIKERT
    ).prefetch_related("points"):
        values = [point.value for point in question.points.all()]
        if len(values) > 1:
            spans[question.pk], labels[question.pk] = max(values) - min(values), question.label
    groups: dict[tuple, list[tuple[int, str, int, int]]] = defaultdict(list)
    rows = counted_ratings(study).filter(question__in=list(spans), value__isnull=False)
    for panel, unit, question, subject, *answer in rows.values_list(
        "assignment__participation__panel",
        "assignment__unit__key",
        "question",
        "subject",
        "value",
        "assignment__participation__code",
        "assignment__n",
        "assignment",
    ):
        groups[panel, unit, question, subject].append(tuple(answer))
    found = []
    for (_, unit, question, _subject), answers in groups.items():
        low, high = min(answers), max(answers)
        share = (high[0] - low[0]) / spans[question]
        if share >= 0.5:
            found.append(Apart(unit, labels[question], low, high, share, len(answers)))
    found.sort(key=lambda row: (-row.share, -row.n, row.unit, row.question))
    return found[:most]
