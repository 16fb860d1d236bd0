"""What declared directions say a metric does when people's ratings rise, and what it does.

A metric whose higher values are better should rise with a scale whose higher points are better and
fall with a scale of faults, and the other way round.
"""

from __future__ import annotations

from collections.abc import Sequence

from scoring.analysis.parts.against import DirectionCheck, QuestionAgainst, Row
from scoring.stats.result import Interval

BETTERS = {"higher", "lower"}


def expected_sign(better: str, other: str) -> int | None:
    """1 where two sides rise together, -1 where one falls; None where a direction is unknown."""
    if {better, other} - BETTERS:
        return None
    return 1 if better == other else -1


def direction_checks(
    questions: Sequence[QuestionAgainst], method: str
) -> tuple[DirectionCheck, ...]:
    """Every whole metric with every question, where both have a direction, items pooled."""
    return tuple(
        check
        for question in questions
        for row in question.rows
        if not row.series.dimension and (check := _check(question, row, method)) is not None
    )


def _check(question: QuestionAgainst, row: Row, method: str) -> DirectionCheck | None:
    expected = expected_sign(row.series.better, question.better)
    pooled = row.level("pooled", method)
    if expected is None or pooled is None:
        return None
    found = pooled.correlation
    return DirectionCheck(
        series=row.series.key,
        question=question.key,
        expected=expected,
        method=method,
        value=found.value,
        reason=found.reason,
        interval=found.interval,
        n_units=found.n_units,
        outcome=outcome_of(expected, found.value, found.interval),
    )


def outcome_of(expected: int, value: float | None, bounds: Interval | None) -> str:
    """How the interval lies; without one there is no outcome but what is not known."""
    if value is None:
        return "not defined"
    if bounds is None or bounds.low is None or bounds.high is None:
        return "no interval"
    if bounds.low <= 0 <= bounds.high:
        return "includes 0"
    return "as declared" if expected * bounds.low > 0 else "contrary"
