"""A study's answers as columns for the findings: read in a handful of queries, whatever its size.

Everything that was sent in the study itself, whether it counts or is excluded, so that leaving
somebody out does not change what the others are measured against. Pilots, gold screens and repeats
stay out; repeats are read apart, against their first time.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Max

from annotation.checks import checks_of, n_failed
from annotation.models import Assignment, Participation, Rating
from annotation.quality.findings import (
    Finding,
    far_from_others,
    same_answer,
    same_position,
    unlike_themselves,
    very_fast,
)
from annotation.quality.texts import Written, copied_texts, shared_texts, short_texts
from studies.models import Question, Study, UnitItem
from studies.quality_rules import Kind

CHUNK = 5000
SCALES = (Question.Kind.LIKERT, Question.Kind.SLIDER)


@dataclass(frozen=True, slots=True)
class _Screen:
    person: int
    n: int
    unit: int
    active: float | None
    order: tuple[int, ...]


class Evidence:
    """What was sent in a study. ``people``: ids of participations; codes are positions in it."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.people = list(
            Participation.objects.filter(study=study, pilot=False)
            .exclude(code="")
            .order_by("pk")
            .values_list("pk", flat=True)
        )
        self._code = {pk: code for code, pk in enumerate(self.people)}
        self._screens = self._read_screens()

    def findings(self) -> dict[str, dict[int, Finding]]:
        """Kind of rule -> participation id -> what was found."""
        found = {
            Kind.CHECKS: self._checks(),
            Kind.FAST: self._fast(),
            **self._scales(),
            Kind.POSITION: self._positions(),
            Kind.REPEATS: self._repeats(),
            **self._texts(),
        }
        return {
            kind: {self.people[code]: finding for code, finding in of_kind.items()}
            for kind, of_kind in found.items()
        }

    def _read_screens(self) -> dict[int, _Screen]:
        rows = Assignment.objects.filter(
            participation__in=self._mine(), submitted_at__isnull=False, repeat_of=None, gold=False
        ).values_list("pk", "participation", "n", "unit", "timing", "item_order")
        return {
            pk: _Screen(self._code[person], n, unit, _active(timing), tuple(order))
            for pk, person, n, unit, timing, order in rows.iterator(chunk_size=CHUNK)
        }

    def _mine(self):
        return Participation.objects.filter(study=self.study, pilot=False).exclude(code="")

    def _answers(self, *kinds: str) -> Iterator[tuple]:
        """(screen, question, subject, item, value, text) of answers to questions of these kinds."""
        rows = Rating.objects.filter(
            assignment__participation__in=self._mine(), question__kind__in=kinds
        ).values_list("assignment", "question", "subject", "item", "value", "text")
        for screen, *rest in rows.order_by("id").iterator(chunk_size=CHUNK):
            if screen in self._screens:
                yield self._screens[screen], *rest

    def _checks(self) -> dict[int, Finding]:
        found = {}
        for pk, results in checks_of(self.people).items():
            failed = n_failed(results)
            screens = tuple(sorted({result.n for result in results if not result.passed}))
            met = len({result.n for result in results})
            if met:
                sentence = f"Failed checks on {failed} of {met} screens that had one."
                numbers: dict[str, float | int | None] = {"failed": failed, "met": met}
                found[self._code[pk]] = Finding(float(failed), sentence, numbers, screens)
        return found

    def _fast(self) -> dict[int, Finding]:
        members = UnitItem.objects.filter(unit__study=self.study).order_by().values("unit")
        clips = dict(members.annotate(longest=Max("item__duration")).values_list("unit", "longest"))
        timed = [screen for screen in self._screens.values() if screen.active is not None]
        return very_fast(
            person=[screen.person for screen in timed],
            screen=[screen.n for screen in timed],
            active=[screen.active or 0.0 for screen in timed],
            clip=[clips.get(screen.unit) or 0.0 for screen in timed],
        )

    def _scales(self) -> dict[str, dict[int, Finding]]:
        span = _spans(self.study)
        panel = dict(self._mine().values_list("pk", "panel"))
        person, question, value, group, length = [], [], [], [], []
        groups: dict[tuple, int] = {}
        for screen, asked, subject, _item, given, _text in self._answers(*SCALES):
            if given is None:
                continue
            about = (panel[self.people[screen.person]], screen.unit, asked, subject)
            person.append(screen.person)
            question.append(asked)
            value.append(given)
            group.append(groups.setdefault(about, len(groups)))
            length.append(span[asked])
        points = _points_of(self.study)
        likert = [n for n, asked in enumerate(question) if asked in points]
        return {
            Kind.STRAIGHT: same_answer(
                person=[person[n] for n in likert],
                question=[question[n] for n in likert],
                value=[value[n] for n in likert],
            ),
            Kind.CONSENSUS: far_from_others(person=person, group=group, value=value, span=length),
        }

    def _positions(self) -> dict[int, Finding]:
        """The first place of each ranking, and each item that was marked, by where it stood."""
        as_brought: dict[int, list[int]] = defaultdict(list)
        members = UnitItem.objects.filter(unit__study=self.study).order_by("position", "pk")
        for unit, item in members.values_list("unit", "item"):
            as_brought[unit].append(item)
        person, position, places = [], [], []
        choices = (Question.Kind.RANKING, Question.Kind.MULTI)
        for screen, _asked, _subject, item, value, _text in self._answers(*choices):
            order = screen.order or as_brought[screen.unit]
            if value == 1 and item in order:
                person.append(screen.person)
                position.append(order.index(item))
                places.append(len(order))
        return same_position(person=person, position=position, places=places)

    def _repeats(self) -> dict[int, Finding]:
        """Repeated answers on the scale that most of them are on: kappa wants one scale."""
        points = _points_of(self.study)
        again = Rating.objects.filter(
            assignment__participation__in=self._mine(),
            assignment__repeat_of__isnull=False,
            assignment__submitted_at__isnull=False,
            question__in=list(points),
            value__isnull=False,
        ).values_list("assignment__repeat_of", "question", "subject", "value")
        later = {(screen, asked, subject): value for screen, asked, subject, value in again}
        first = Rating.objects.filter(
            assignment__in={screen for screen, _, _ in later}, value__isnull=False
        ).values_list("assignment", "question", "subject", "value")
        pairs = [
            (screen, asked, value, later[screen, asked, subject])
            for screen, asked, subject, value in first
            if (screen, asked, subject) in later and screen in self._screens
        ]
        if not pairs:
            return {}
        scale, _ = Counter(points[asked] for _, asked, _, _ in pairs).most_common(1)[0]
        wanted = [pair for pair in pairs if points[pair[1]] == scale]
        about: dict[tuple, int] = {}
        return unlike_themselves(
            person=[self._screens[screen].person for screen, *_ in wanted],
            about=[
                about.setdefault((self._screens[screen].unit, asked), len(about))
                for screen, asked, *_ in wanted
            ],
            earlier=[pair[2] for pair in wanted],
            later=[pair[3] for pair in wanted],
            points=scale,
        )

    def _texts(self) -> dict[str, dict[int, Finding]]:
        written = [
            Written(screen.person, screen.n, screen.unit, text)
            for screen, _asked, _subject, _item, _value, text in self._answers(Question.Kind.TEXT)
            if text.strip()
        ]
        return {
            Kind.SHORT_TEXT: short_texts(written),
            Kind.COPIED_TEXT: copied_texts(written),
            Kind.SHARED_TEXT: shared_texts(written),
        }


def _active(timing: dict) -> float | None:
    """Seconds of work as the screen measured them; None where it measured nothing."""
    seconds = timing.get("active") if isinstance(timing, dict) else None
    is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    return float(seconds) if is_number and seconds > 0 else None


def _points_of(study: Study) -> dict[int, tuple[int, ...]]:
    """Likert question -> the values of its points, in order."""
    questions = Question.objects.filter(study=study, kind=Question.Kind.LIKERT)
    return {
        question.pk: tuple(sorted(point.value for point in question.points.all()))
        for question in questions.prefetch_related("points")
    }


def _spans(study: Study) -> dict[int, int]:
    """Question -> the length of its scale, from the lowest to the highest value."""
    likert = {pk: max(points[-1] - points[0], 1) for pk, points in _points_of(study).items()}
    sliders = Question.objects.filter(study=study, kind=Question.Kind.SLIDER)
    return likert | dict.fromkeys(sliders.values_list("pk", flat=True), 100)
