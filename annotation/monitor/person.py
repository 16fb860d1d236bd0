"""One annotator: the units in their order, what was answered in words, how it was worked on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from annotation.answers import fields_of
from annotation.cards import wording
from annotation.checks import CheckResult, checks_of
from annotation.kinds import KINDS, Asked, Fields, Given
from annotation.models import (
    AnswerRevision,
    Assignment,
    CheckAnswer,
    Exclusion,
    Participation,
    Rating,
)
from annotation.monitor.people import answered_twice, is_number
from annotation.sheet import Sheet, sheets_of
from studies.design import Design, frozen_design
from studies.models import Item

EACH_PAGE = 50


@dataclass(frozen=True, slots=True)
class Line:
    """One answer: ``label`` names the question, ``question`` is its text as it was asked.

    ``is_text``: what somebody wrote, in whatever language. ``other``: the answer of the other time,
    where the unit came twice and this one differs.
    """

    label: str
    question: str
    answer: str
    is_text: bool = False
    is_check: bool = False
    other: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """What was shown: by its letter in a set, with the way to the file itself."""

    letter: str
    kind: str
    external_id: str
    url: str
    thumbnail: str
    seen_percent: int | None


@dataclass(frozen=True, slots=True)
class Earlier:
    """Answers that were changed: given then, replaced later."""

    given_at: datetime
    replaced_at: datetime
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """One unit as this person had it. ``state``: sent, skipped or open.

    ``excluded``: left out of results, alone by ``exclusion`` or with all that they answered.
    ``in_results``: repeats and gold are in none anyway.
    """

    n: int
    state: str
    unit: str
    pictures: tuple[Picture, ...]
    lines: tuple[Line, ...]
    earlier: tuple[Earlier, ...]
    checks: tuple[CheckResult, ...]
    active_seconds: float | None
    wall_seconds: float | None
    submitted_at: datetime | None
    skip_reason: str
    repeats: int | None
    repeated_as: int | None
    same: int
    twice: int
    surplus: bool
    set_aside: bool
    excluded: bool
    exclusion: Exclusion | None
    gold: bool
    in_results: bool


def screens_of(person: Participation, *, first: int = 1) -> list[Screen]:
    """``EACH_PAGE`` screens from the ``first`` on, in a number of queries that does not grow."""
    design = frozen_design(person.study_id, person.revision)
    rows = list(
        person.assignments.filter(n__gte=first, n__lt=first + EACH_PAGE)
        .select_related("unit", "repeat_of", "participation")
        .order_by("n")
    )
    pairs = _pairs(person)
    others = list(
        Assignment.objects.filter(pk__in={pairs[row.pk] for row in rows if row.pk in pairs})
        .exclude(pk__in=[row.pk for row in rows])
        .select_related("unit", "repeat_of", "participation")
    )
    drawing = _Drawing(person, design, [*rows, *others], pairs)
    return [drawing.screen(row) for row in rows]


def _pairs(person: Participation) -> dict[int, int]:
    """Screen -> the other screen of the same unit, both ways."""
    repeats = person.assignments.exclude(repeat_of=None).values_list("pk", "repeat_of")
    both = dict(repeats)
    return both | {first: again for again, first in both.items()}


class _Drawing:
    """All that the screens of one person need, read once."""

    def __init__(
        self,
        person: Participation,
        design: Design,
        rows: Sequence[Assignment],
        pairs: Mapping[int, int],
    ) -> None:
        ids = [row.pk for row in rows]
        self.rows = {row.pk: row for row in rows}
        self.design, self.pairs = design, pairs
        self.sheets = sheets_of(assignments=rows, design=design)
        self.given = _given(ids)
        checks = CheckAnswer.objects.filter(assignment__in=ids)
        self.check_values = dict(checks.values_list("assignment", "value"))
        self.history = _history(ids)
        one_by_one = Exclusion.objects.filter(assignment__in=ids, lifted_at=None)
        self.exclusions = {row.assignment_id: row for row in one_by_one.select_related("by")}
        self.twice = answered_twice(rows)
        self.checks: dict[int, list[CheckResult]] = defaultdict(list)
        for result in checks_of([person])[person.pk]:
            self.checks[result.n].append(result)

    def screen(self, row: Assignment) -> Screen:
        sheet, other = self.sheets[row.pk], self.rows.get(self.pairs.get(row.pk, 0))
        lines = self._lines(row)
        if other is not None and lines:
            lines = _beside(lines, self._lines(other))
        again = row if row.is_repeat else other
        same, twice = self.twice.get(again.pk, (0, 0)) if again is not None else (0, 0)
        return Screen(
            n=row.n,
            state=_state(row),
            unit=row.unit.key,
            pictures=tuple(_picture(sheet, item, row.timing) for item in sheet.facts.items),
            lines=lines,
            earlier=tuple(self._earlier(revision, sheet) for revision in self.history[row.pk]),
            checks=tuple(self.checks[row.n]),
            active_seconds=_seconds(row.timing, "active"),
            wall_seconds=_seconds(row.timing, "wall"),
            submitted_at=row.submitted_at,
            skip_reason=row.skip_reason.replace("_", " "),
            repeats=other.n if other is not None and row.is_repeat else None,
            repeated_as=other.n if other is not None and not row.is_repeat else None,
            same=same,
            twice=twice,
            surplus=row.counted is False and not row.set_aside,
            set_aside=row.set_aside,
            excluded=bool(row.excluded),
            exclusion=self.exclusions.get(row.pk),
            gold=row.gold,
            in_results=row.submitted_at is not None and not row.is_repeat and not row.gold,
        )

    def _lines(self, row: Assignment) -> tuple[Line, ...]:
        if row.submitted_at is None:
            return ()
        return in_words(self.sheets[row.pk], self.given[row.pk], self.check_values.get(row.pk))

    def _earlier(self, revision: AnswerRevision, sheet: Sheet) -> Earlier:
        given, check = _of_history(revision.answers)
        return Earlier(revision.given_at, revision.replaced_at, in_words(sheet, given, check))


def _given(screens: Sequence[int]) -> dict[int, list[Given]]:
    found: dict[int, list[Given]] = defaultdict(list)
    rows = Rating.objects.filter(assignment__in=screens).order_by("id")
    for screen, *answer in rows.values_list(
        *("assignment", "question", "item", "probe", "descriptor"),
        *("value", "not_applicable", "text"),
    ):
        found[screen].append(Given(*answer))
    return found


def _history(screens: Sequence[int]) -> dict[int, list[AnswerRevision]]:
    found: dict[int, list[AnswerRevision]] = defaultdict(list)
    for revision in AnswerRevision.objects.filter(assignment__in=screens).order_by("number"):
        found[revision.assignment_id].append(revision)
    return found


def _of_history(answers: Iterable[dict[str, Any]]) -> tuple[list[Given], int | None]:
    """Kept answers as they were given, and that to an attention check among them."""
    given, check = [], None
    for answer in answers:
        if "attention_check" in answer:
            check = answer["value"]
        else:
            given.append(Given(**answer))
    return given, check


def in_words(sheet: Sheet, given: Iterable[Given], check_value: int | None) -> tuple[Line, ...]:
    """The answers of one screen, in the order of its questions; those without one are left out."""
    fields = fields_of(sheet.rows, given, check_value)
    lines = []
    for row in sheet.rows:
        answer = _answer(row, fields)
        if answer:
            label = "Attention check" if row.is_check else row.question.label
            is_text = row.question.kind == "text" and not row.is_check
            lines.append(
                Line(label, wording(row.question.text, row), answer, is_text, row.is_check)
            )
    return tuple(lines)


def _answer(row: Asked, fields: Fields) -> str:
    kind = row.question.kind
    if kind == "text":
        return fields.one(row.name).strip()
    words = KINDS[kind].summary(row, fields)
    if kind == "likert" and (value := KINDS[kind].value(row, fields)) is not None:
        return f"{value} · {words}" if words != str(value) else words
    return " · ".join([words, *_of_list(row, fields)]) if kind == "descriptors" else words


def _of_list(row: Asked, fields: Fields) -> list[str]:
    """What stands beside the count of a descriptor check: what is not right, coverage, gaps."""
    view = KINDS["descriptors"].view(row, fields, {})
    wrong = [one.token for group in view.groups for one in group.rows if one.verdict == "0"]
    coverage = [point.label for point in view.coverage if point.checked]
    return [
        *([f"not right: {', '.join(wrong)}"] if wrong else []),
        *coverage,
        *([f"missing: {view.missing}"] if view.missing else []),
    ]


def _beside(lines: tuple[Line, ...], others: tuple[Line, ...]) -> tuple[Line, ...]:
    """Each line with the answer of the other time where that was another."""
    then = {(line.label, line.question): line.answer for line in others}
    return tuple(
        line
        if line.is_check or then.get((line.label, line.question), line.answer) == line.answer
        else Line(
            line.label,
            line.question,
            line.answer,
            line.is_text,
            other=then[line.label, line.question],
        )
        for line in lines
    )


def _state(row: Assignment) -> str:
    if row.skipped_at is not None:
        return "skipped"
    return "open" if row.submitted_at is None else "sent"


def _seconds(timing: Mapping[str, Any], name: str) -> float | None:
    value = timing.get(name)
    return float(value) if is_number(value) else None


def _picture(sheet: Sheet, item: Item, timing: Mapping[str, Any]) -> Picture:
    alone = sheet.facts.only_item is not None
    thumbnail = item.media_url if item.kind == Item.Kind.IMAGE else item.poster_url
    return Picture(
        letter="" if alone else sheet.facts.letters[item.pk],
        kind=item.get_kind_display(),
        external_id=item.external_id,
        url=item.media_url,
        thumbnail=thumbnail,
        seen_percent=_seen(timing, item),
    )


def _seen(timing: Mapping[str, Any], item: Item) -> int | None:
    """The share of a clip that was played at least once; None where it was not measured."""
    clips = timing.get("clips")
    clip = clips.get(item.public_id) if isinstance(clips, dict) else None
    seen = clip.get("seen") if isinstance(clip, dict) else None
    return round(100 * min(1.0, max(0.0, seen))) if is_number(seen) else None
