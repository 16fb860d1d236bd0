"""What answers a question has: declared, never guessed from the data.

A scale is written ``1-5``, or as its points from the lowest: ``0,0.5,1`` or ``no,partly,yes``;
with bars between them where a point has a comma in it: ``not at all|yes, a little|yes``.
Whole numbers are stored as they are; others by their place from 0, with the text as their label.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from studies.external.records import ImportRefusedError

MOST_POINTS = 101
_RANGE = re.compile(r"\s*(-?\d{1,4})\s*(?:-|\.\.|to)\s*(-?\d{1,4})\s*")


@dataclass(frozen=True, slots=True)
class Declared:
    """``values`` by their text, and the ``labels`` of the points in order."""

    points: tuple[tuple[int, str], ...]
    values: dict[str, int]

    def value(self, said: str) -> int | None:
        """The stored value of an answer, None where the scale has none such."""
        if said in self.values:
            return self.values[said]
        try:
            number = float(said)
        except ValueError:
            return None
        written = f"{number:g}"  # 4.0 and 4 are one point; 3.9999999 is none
        return self.values.get(written) if float(written) == number and "_" not in said else None

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
        numbers = range(low, high + 1)
        return Declared(tuple((n, "") for n in numbers), {str(n): n for n in numbers})
    between = "|" if "|" in text else ","
    points = [point.strip() for point in text.split(between) if point.strip()]
    if len(points) < 2 or len(set(points)) < len(points) or len(points) > MOST_POINTS:
        raise ImportRefusedError(
            [f"{text!r} is no scale. Write 1-5, or the points from the lowest: 0,0.5,1."]
        )
    if all(re.fullmatch(r"-?\d{1,4}", point) for point in points):
        whole = [int(point) for point in points]
        if whole != sorted(set(whole)):
            raise ImportRefusedError([f"{text!r}: write the points from the lowest."])
        return Declared(tuple((n, "") for n in whole), {str(n): n for n in whole})
    return Declared(
        tuple(enumerate(points)), {point: number for number, point in enumerate(points)}
    )


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
