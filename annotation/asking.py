"""Which questions stand on a screen, in which order, and which of them are open.

A question is left out where it never fits the unit (its category, its aspect, no sound, no probe).
One that waits for an earlier answer is on the screen, closed until that answer is in its range.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from annotation.kinds import KINDS, Asked, Fields
from annotation.unit_facts import UnitFacts
from studies.design import CheckSpec, Design, Point, QuestionSpec
from studies.scenes import is_shown_for


@dataclass(frozen=True)
class Rule:
    """Holds once one of the named questions is answered from ``low`` to ``high``."""

    on: tuple[Asked, ...]
    low: int
    high: int

    def holds(self, values: Mapping[str, int]) -> bool:
        return any(
            asked.name in values and self.low <= values[asked.name] <= self.high
            for asked in self.on
        )

    def __str__(self) -> str:
        """As scripts read it: "q_7:3-5", several with blanks between."""
        return " ".join(f"{asked.name}:{self.low}-{self.high}" for asked in self.on)


def asked(
    *, design: Design, facts: UnitFacts, check: CheckSpec | None = None, check_after: int = 1
) -> tuple[Asked, ...]:
    """The questions of a unit's screen by tier and position, one a probe where they are of probes.

    The attention check, if any, stands after the ``check_after``-th question of its kind.
    """
    rows: list[Asked] = []
    for question in sorted(design.questions, key=lambda question: question.tier):
        if not _fits(question, design, facts):
            continue
        if question.asked_of == "probe":
            rows += [
                Asked(question, f"q_{question.id}_p{probe.pk}", facts, probe)
                for probe in facts.probes
            ]
        else:
            rows.append(Asked(question, f"q_{question.id}", facts))
    rows = _without_orphans(rows)
    if check is not None:
        _insert_check(rows, check, check_after, facts)
    return tuple(replace(row, number=number) for number, row in enumerate(rows, 1))


def _fits(question: QuestionSpec, design: Design, facts: UnitFacts) -> bool:
    if not any(is_shown_for(question, item) for item in facts.items):
        return False
    if question.needs_sound and not hears_sound(design, facts):
        return False
    return KINDS[question.kind].applies(facts)


def hears_sound(design: Design, facts: UnitFacts) -> bool:
    """Whether an item has sound and the study lets it be heard."""
    return design.sound != "off" and any(item.has_audio for item in facts.items)


def _without_orphans(rows: list[Asked]) -> list[Asked]:
    """Without those that wait for a question that this screen does not have."""
    here = {row.question.id for row in rows}
    kept = [row for row in rows if row.question.shown_if is None or row.question.shown_if in here]
    return kept if len(kept) == len(rows) else _without_orphans(kept)


def _insert_check(rows: list[Asked], check: CheckSpec, after: int, facts: UnitFacts) -> None:
    """Put the attention check among its like, as a question like any other, in their tier."""
    kind, points = _scale_of(check)
    alike = [place for place, row in enumerate(rows, 1) if row.question.kind == kind]
    place = alike[min(after, len(alike)) - 1] if alike else len(rows)
    question = QuestionSpec(
        id=check.id,
        key="",
        kind=kind,
        text=check.text,
        help="",
        required=True,
        direction="none",
        label="",
        min_length=0,
        required_when=None,
        required_from=None,
        required_to=None,
        points=points,
        tier=rows[place - 1].tier if place else 1,
    )
    rows.insert(place, Asked(question, f"c_{check.id}", facts, is_check=True))


def _scale_of(check: CheckSpec) -> tuple[str, tuple[Point, ...]]:
    """The kind and the points of a check; a yes or no without points is worded by its kind."""
    if check.kind:
        return check.kind, check.points
    # Frozen by an older release, which wrote yes and no as points, in English.
    if {point.value for point in check.points} == {0, 1}:
        return "yes_no", ()
    return "likert", check.points


def shown_rule(row: Asked, rows: Sequence[Asked]) -> Rule | None:
    question = row.question
    if question.shown_if is None:
        return None
    return _rule(row, rows, question.shown_if, question.shown_from, question.shown_to)


def required_rule(row: Asked, rows: Sequence[Asked]) -> Rule | None:
    question = row.question
    if question.required_when is None:
        return None
    return _rule(row, rows, question.required_when, question.required_from, question.required_to)


def _rule(row: Asked, rows: Sequence[Asked], on: int, low: int | None, high: int | None) -> Rule:
    """On the same probe's question where both are of probes, else on any of that question."""
    of_question = [other for other in rows if other.question.id == on and not other.is_check]
    same = [other for other in of_question if row.probe and other.probe == row.probe]
    # No bound means none: the range is open to that side.
    return Rule(
        tuple(same or of_question),
        -(2**15) if low is None else low,
        2**15 if high is None else high,
    )


def chosen_values(rows: Sequence[Asked], fields: Fields) -> dict[str, int]:
    """Field name -> chosen number, of the questions that are open."""
    given = {row.name: KINDS[row.question.kind].value(row, fields) for row in rows}
    values = {name: value for name, value in given.items() if value is not None}
    rules = {row.name: shown_rule(row, rows) for row in rows}
    # A question that closes may close others in turn; each round closes one more or is the last.
    while True:
        closed = [
            name for name in values if (rule := rules[name]) is not None and not rule.holds(values)
        ]
        if not closed:
            return values
        for name in closed:
            del values[name]


def is_open(row: Asked, rows: Sequence[Asked], values: Mapping[str, int]) -> bool:
    """Whether the question is to be answered, given the numbers chosen so far."""
    rule = shown_rule(row, rows)
    return rule is None or rule.holds(values)


def is_required(row: Asked, rows: Sequence[Asked], values: Mapping[str, int]) -> bool:
    """Whether an open question must be answered, given the numbers chosen so far."""
    rule = required_rule(row, rows)
    return row.question.required if rule is None else rule.holds(values)


def tiers(rows: Sequence[Asked]) -> list[int]:
    """The tiers of a screen, in order."""
    return sorted({row.tier for row in rows})


def opened_unseen(rows: Sequence[Asked], fields: Fields, *, up_to: int | None = None) -> bool:
    """Whether the answers have opened a question that the form says was closed on the page."""
    values = chosen_values(rows, fields)
    closed = set(fields.many("closed"))
    return any(
        row.name in closed and (up_to is None or row.tier <= up_to) and is_open(row, rows, values)
        for row in rows
    )


def next_tier(rows: Sequence[Asked], fields: Fields, *, after: int) -> int | None:
    """The next tier in which something is to be answered; None where the screen is complete."""
    values = chosen_values(rows, fields)
    later = {row.tier for row in rows if row.tier > after and is_open(row, rows, values)}
    return min(later, default=None)
