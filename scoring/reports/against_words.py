"""What is found of metrics against people, in sentences without verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from scoring.analysis.parts.against import (
    DirectionCheck,
    LevelResult,
    PlannedCorrelation,
    QuestionAgainst,
    Row,
)
from scoring.reports.series_words import LEVELS, METHODS
from scoring.reports.words import TOO_FEW, interval, listed, not_defined, num

if TYPE_CHECKING:
    from scoring.reports.aggregation import Found


def planned_results(question: QuestionAgainst) -> list[tuple[Row, LevelResult]]:
    """Each target with the coefficient the plan names, the one furthest from 0 first."""
    found = [(row, row.levels[0]) for row in question.targets if row.levels]
    return sorted(found, key=lambda pair: -abs(pair[1].correlation.value or 0.0))


def planned_words(planned: PlannedCorrelation) -> str:
    level = LEVELS[planned.level, planned.grouping]
    return f"{METHODS[planned.methods[0]]}, {level}"


def person_line(question: QuestionAgainst) -> float | None:
    """How one person predicts people: slot against slot, or against the mean of the others."""
    return question.slots.correlation if question.slots is not None else question.one_person


def finding(
    question: QuestionAgainst, names: Mapping[str, str], found: Found, *, some: bool = False
) -> str:
    """Which metric lies furthest from 0, people's own lines, what includes 0, what is undefined.

    `some`: what is found is of some of the metrics.
    """
    highest = _highest(
        found.defined, names, "Of the metrics shown, furthest" if some else "Furthest"
    )
    parts = [highest, _people(question, found), _zero(found.defined, names)]
    parts += [
        f"{names[row.series.key]} is {not_defined(one.correlation.reason, metric=True)}."
        for row, one in found.results
        if one.correlation.value is None
    ]
    if found.defined and found.defined[0][1].correlation.too_few_for_interval:
        parts.append(TOO_FEW)
    return " ".join(filter(None, parts))


def _highest(
    defined: Sequence[tuple[Row, LevelResult]], names: Mapping[str, str], furthest: str
) -> str:
    if not defined:
        return ""
    row, one = defined[0]
    bounds = interval(one.correlation.interval) if one.correlation.interval else ""
    value = f"{num(one.correlation.value or 0.0)} {bounds}".strip()
    if len(defined) == 1:
        return f"{names[row.series.key]}: {value}."
    return f"{furthest} from 0 is {names[row.series.key]}: {value}."


def _people(question: QuestionAgainst, found: Found) -> str:
    said = []
    if found.person is not None:
        what = "one person against another" if question.slots else "one person against the rest"
        said.append(f"{what}: {num(found.person)}")
    if found.ceiling is not None and found.ceiling.value is not None:
        said.append(f"the human ceiling: {num(found.ceiling.value)}")
    text = "; ".join(said)
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def _zero(defined: Sequence[tuple[Row, LevelResult]], names: Mapping[str, str]) -> str:
    crossing = [
        names[row.series.key]
        for row, one in defined
        if (bounds := one.correlation.interval) is not None
        and bounds.low is not None
        and bounds.high is not None
        and bounds.low <= 0 <= bounds.high
    ]
    if not crossing:
        return ""
    return f"Intervals that include 0: {listed(crossing)}."


def direction_words(check: DirectionCheck, metric: str, question: str) -> str:
    """What the declared directions say, in one sentence."""
    moves = "rises" if check.expected > 0 else "falls"
    return f"{metric} {moves} when {question} rises"


def outcome_words(check: DirectionCheck) -> str:
    """What the data show: a direction where the interval leaves 0 out."""
    if check.outcome == "not defined":
        return not_defined(check.reason, metric=True)
    if check.outcome == "no interval":
        return "interval not computed"
    if check.outcome == "includes 0":
        return "the interval includes 0"
    rises = (check.value or 0.0) > 0
    return "rises" if rises else "falls"


def contrary_note(check: DirectionCheck, metric: str, question: str) -> str:
    moves = "falls" if check.expected > 0 else "rises"
    return f"{metric} {moves} when {question} rises. Check its direction."
