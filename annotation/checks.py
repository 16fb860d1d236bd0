"""Checks of attention: the verdicts on them, and what each person met of them.

An instructed response is judged by its own answer (``CheckAnswer``); a gold screen and two answers
that may contradict each other by ``CheckOutcome``. Each counts once a screen; the final answer
decides, and what was sent first is kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from annotation.models import CheckAnswer, CheckOutcome, Participation

INSTRUCTED = "instructed"
_OF_SCREEN = (
    "assignment__participation_id",
    "assignment__n",
    "passed",
    "first_passed",
)


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One check that a person met. ``kind``: instructed, gold or contradiction.

    ``n`` is the number of the screen; ``passed`` follows the final answer, ``first_passed`` what
    was sent first; ``questions`` are keys of the questions whose answers failed it (not for an
    instructed response), ``unit`` the unit's id.
    """

    kind: str
    n: int
    passed: bool
    first_passed: bool
    when: datetime
    questions: tuple[str, ...] = ()
    unit: int | None = None


def checks_of(
    participations: Iterable[Participation | int],
) -> dict[int, list[CheckResult]]:
    """Participation id -> the checks they met, in the order of their screens.

    Two queries for any number of people; everybody asked for has a list, maybe an empty one. Misses
    on the instructions page and practice are not among them: neither says that somebody did not
    attend, and neither is ever a ground for rejection.
    """
    ids = [one if isinstance(one, int) else one.pk for one in participations]
    found: dict[int, list[CheckResult]] = {pk: [] for pk in ids}
    answers = CheckAnswer.objects.filter(assignment__participation__in=ids)
    for person, n, passed, first, when in answers.values_list(*_OF_SCREEN, "created_at"):
        sent_first = passed if first is None else first
        found[person].append(CheckResult(INSTRUCTED, n, passed, sent_first, when))
    outcomes = CheckOutcome.objects.filter(assignment__participation__in=ids)
    rows = outcomes.values_list(*_OF_SCREEN, "judged_at", "kind", "details", "assignment__unit")
    for person, n, passed, first, when, kind, details, unit in rows:
        found[person].append(CheckResult(kind, n, passed, first, when, tuple(details), unit))
    for results in found.values():
        results.sort(key=lambda result: (result.n, result.kind, result.when))
    return found


def n_failed(results: Iterable[CheckResult]) -> int:
    """On how many screens something failed by the final answers: each screen counts once."""
    return len({result.n for result in results if not result.passed})
