"""Whether answers are among those that are accepted, or contradict each other. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from annotation.kinds import Given
from studies.design import Design
from studies.ranges import may_stand
from studies.special_units import ContradictionSpec, Expected


def values_of(given: Iterable[Given]) -> dict[int, list[int | None]]:
    """Question id -> the numbers it was answered with; None for "does not apply"."""
    found: dict[int, list[int | None]] = {}
    for answer in given:
        if answer.value is not None or answer.not_applicable:
            found.setdefault(answer.question, []).append(answer.value)
    return found


def outside(expected: Expected, values: Mapping[int, list[int | None]]) -> list[int]:
    """Ids of the questions answered outside what is accepted.

    A question that was not asked, or was left empty, is not among them.
    """
    return [
        question
        for question, low, high in expected
        if any(value is None or not low <= value <= high for value in values.get(question, []))
    ]


def contradicts(spec: ContradictionSpec, first: int | None, second: int | None) -> bool | None:
    """None where one of the two was not answered with a number: nothing can be said."""
    if first is None or second is None:
        return None
    return not may_stand(spec.allowed, first, second)


def one_value(values: Mapping[int, list[int | None]], question: int) -> int | None:
    """The number a question was answered with, where it was asked once on the screen."""
    found = values.get(question, [])
    return found[0] if len(found) == 1 else None


def keys_of(design: Design, questions: Iterable[int]) -> list[str]:
    """The questions' names, in the order of the design."""
    wanted = set(questions)
    return [question.key for question in design.questions if question.id in wanted]
