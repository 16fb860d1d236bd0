"""What answers a question has: declared, never guessed from the data.

A scale is written ``1-5``, or as its points from the lowest: ``0,0.5,1`` or ``no,partly,yes``;
with bars between them where a point has a comma in it: ``no|yes, a little|yes``, ``0|0,5|1``.
Whole numbers are stored as they are. Others are stored as the least whole numbers of the same
proportions (0, 0.3, 1 as 0, 3, 10), so that distances and ratios stay; words by their place from 0.
Both keep their text as the point's label.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from math import gcd, lcm

from studies.external.numbers import exact
from studies.external.records import ImportRefusedError

MOST_POINTS = 101
LARGEST = 32_767
"""Above and below, no point has room."""

_RANGE = re.compile(r"\s*(-?\d{1,4})\s*(?:-|\.\.|to)\s*(-?\d{1,4})\s*")


@dataclass(frozen=True, slots=True)
class Declared:
    """``points`` are stored values with their labels, in order; ``values`` by their text,
    ``numbers`` by the number that it is. ``comma``: decimals are written with one."""

    points: tuple[tuple[int, str], ...]
    values: dict[str, int]
    numbers: dict[Decimal, int] = field(default_factory=dict)
    comma: bool = False

    def value(self, said: str) -> int | None:
        """The stored value of an answer, None where the scale has none such. 4.0 and 4 are one
        point; 3.9999999 is none."""
        if said in self.values:
            return self.values[said]
        number = exact(said, comma=self.comma) if self.numbers else None
        return None if number is None else self.numbers.get(number)

    @property
    def words(self) -> str:
        said = [label or str(value) for value, label in self.points]
        return (" | " if any("," in one for one in said) else ", ").join(said)


def declared(text: str) -> Declared:
    """Raises ``ImportRefusedError`` for what is no scale."""
    if found := _RANGE.fullmatch(text):
        low, high = int(found[1]), int(found[2])
        if not low < high <= low + MOST_POINTS:
            raise ImportRefusedError([f"{text!r} is no scale: write the lowest point first."])
        return _of_numbers([str(n) for n in range(low, high + 1)], text)
    between = "|" if "|" in text else ","
    points = [point.strip() for point in text.split(between) if point.strip()]
    if len(points) < 2 or len(set(points)) < len(points) or len(points) > MOST_POINTS:
        raise ImportRefusedError(
            [f"{text!r} is no scale. Write 1-5, or the points from the lowest: 0,0.5,1."]
        )
    if all(exact(point, comma=between == "|") is not None for point in points):
        return _of_numbers(points, text)
    return Declared(tuple(enumerate(points)), {point: place for place, point in enumerate(points)})


def by_question(given: Iterable[str]) -> tuple[dict[str, Declared], Declared | None]:
    """Scales written ``1-5`` for all questions, or ``name=1-5`` for one: (by question, of all)."""
    scales: dict[str, Declared] = {}
    default = None
    for text in given:
        question, equals, points = text.rpartition("=")
        if equals:
            scales[question.strip()] = declared(points)
        else:
            default = declared(text)
    return scales, default


def _of_numbers(points: Sequence[str], text: str) -> Declared:
    comma = any("," in point for point in points)
    numbers = [number for point in points if (number := exact(point, comma=comma)) is not None]
    if numbers != sorted(set(numbers)):
        raise ImportRefusedError([f"{text!r}: write the points from the lowest."])
    stored = _as_they_are(numbers)
    labels = [""] * len(points)
    if stored is None:
        labels, stored = list(points), _in_proportion(numbers)
    if stored is None:
        raise ImportRefusedError(
            [f"{text!r}: the points' distances are too uneven to be stored. Round them."]
        )
    return Declared(
        tuple(zip(stored, labels, strict=True)),
        dict(zip(points, stored, strict=True)),
        dict(zip(numbers, stored, strict=True)),
        comma,
    )


def _as_they_are(numbers: Sequence[Decimal]) -> list[int] | None:
    small = all(abs(number) <= LARGEST and number == int(number) for number in numbers)
    return [int(number) for number in numbers] if small else None


def _in_proportion(numbers: Sequence[Decimal]) -> list[int] | None:
    """The least whole numbers of the same proportions; of 0.3333 that of a third, where it is
    written to that many digits. None where they are too large."""
    if any(abs(number.adjusted()) > 50 for number in numbers if number):
        return None
    for fractions in ([Fraction(number) for number in numbers], [*map(_simplest, numbers)]):
        common = lcm(*(one.denominator for one in fractions))
        whole = [int(one * common) for one in fractions]
        least = gcd(*whole)
        stored = [one // least for one in whole]
        if max(map(abs, stored)) <= LARGEST and stored == sorted(set(stored)):
            return stored
    return None


def _simplest(number: Decimal) -> Fraction:
    """A fraction of at most 1,000 that is written so, else the number itself."""
    exactly = Fraction(number)
    simple = exactly.limit_denominator(1000)
    last_digit = Fraction(10) ** int(number.as_tuple().exponent)
    return simple if abs(simple - exactly) <= last_digit else exactly
