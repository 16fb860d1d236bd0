"""Which failed checks a rejection on Prolific may rest on, and which are no ground for it.

Prolific's help pages for researchers know two kinds of attention check: a line that says which
answer to choose, and plain nonsense, on a scale without a neutral middle, that takes no knowledge
to see through and of which only an answer on the wrong side is a failure. Consistency is none, and
a comprehension question never is.
"""

from __future__ import annotations

from dataclasses import dataclass

from annotation.checks import INSTRUCTED, CheckResult, checks_of
from annotation.models import CheckOutcome, Participation
from studies.design import Design, QuestionSpec, frozen_design
from studies.models import Question
from studies.ranges import takes_a_whole_side

GOLD, CONTRADICTION = CheckOutcome.Kind.GOLD, CheckOutcome.Kind.CONTRADICTION
_WITH_SIDES = (Question.Kind.LIKERT, Question.Kind.YES_NO)


@dataclass(frozen=True, slots=True)
class Grounds:
    """How many screens failed a check, by kind: those that count towards a rejection, and those
    that do not. A screen that failed two checks is counted once, by the one that counts."""

    instructed: int = 0
    gold: int = 0
    gold_no_ground: int = 0
    contradictions: int = 0

    @property
    def n(self) -> int:
        return self.instructed + self.gold

    @property
    def sentence(self) -> str:
        """What was counted and what was not; '' where nothing failed."""
        counted = [
            _counted(
                self.instructed, "line that named its answer", "lines that named their answer"
            ),
            _counted(
                self.gold,
                "gold unit that is plain to everybody",
                "gold units that are plain to everybody",
            ),
        ]
        beside = [
            _counted(self.gold_no_ground, "gold unit", "gold units"),
            _counted(self.contradictions, "contradiction", "contradictions"),
        ]
        parts = [("Counted", counted), ("No ground, so not counted", beside)]
        said = [(head, [one for one in found if one]) for head, found in parts]
        return " ".join(f"{head}: {', '.join(found)}." for head, found in said if found)


def grounds_of(person: Participation | None) -> Grounds:
    """What failed by the final answers. Nobody has failed anything who was never here."""
    if person is None:
        return Grounds()
    failed = [result for result in checks_of([person])[person.pk] if not result.passed]
    design = frozen_design(person.study_id, person.revision) if failed else None
    kinds: dict[int, str] = {}
    for result in sorted(failed, key=lambda one: _rank(one, design)):
        kinds.setdefault(result.n, _name(result, design))
    found = list(kinds.values())
    return Grounds(**{name: found.count(name) for name in set(found)})


def _name(result: CheckResult, design: Design | None) -> str:
    if result.kind == INSTRUCTED:
        return "instructed"
    if result.kind == CONTRADICTION:
        return "contradictions"
    return "gold" if _is_plain(result, design) else "gold_no_ground"


def _rank(result: CheckResult, design: Design | None) -> int:
    names = ("instructed", "gold", "gold_no_ground", "contradictions")
    return names.index(_name(result, design))


def _is_plain(result: CheckResult, design: Design | None) -> bool:
    """Whether a failed gold unit is a fair check by Prolific's rules, as it was declared."""
    if design is None or not design.plain_gold:
        return False
    accepted = {}
    for spec in design.gold:
        accepted[spec.unit] = {question: (low, high) for question, low, high in spec.expected}
    ranges = accepted.get(result.unit or 0, {})
    asked = {question.key: question for question in design.questions}
    missed = [asked[key] for key in result.questions if key in asked]
    return any(_is_fair(one, *ranges[one.id]) for one in missed if one.id in ranges)


def _is_fair(question: QuestionSpec, low: int, high: int) -> bool:
    """A scale with two sides and no way around it; only the wrong side fails."""
    is_yes_no = question.kind == Question.Kind.YES_NO
    values = [0, 1] if is_yes_no else sorted(question.values)
    has_sides = question.kind in _WITH_SIDES and not question.allow_na
    return has_sides and takes_a_whole_side(values, low, high)


def _counted(n: int, one: str, many: str) -> str:
    return f"{n} {one if n == 1 else many}" if n else ""
