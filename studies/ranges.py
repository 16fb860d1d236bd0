"""Ranges of numbers as people write them: "4-5", "faithfulness: 4-5; realism: 1". Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

Range = tuple[int, int]
Combination = tuple[int, int, int, int]
_RANGE = re.compile(r"(\d{1,4})(?:\s*(?:-|–|to)\s*(\d{1,4}))?")


class RangeError(ValueError):
    """A text that is no range. The sentence says how to write one."""


def read_range(text: str) -> Range:
    """ "4-5" or "4": the lowest and the highest number. Raises RangeError."""
    found = _RANGE.fullmatch(text.strip())
    if found is None:
        raise RangeError(f"“{text.strip()[:40]}” is not a range. Write e.g. 4-5, or 4.")
    low, high = int(found[1]), int(found[2] or found[1])
    if low > high:
        raise RangeError(f"The range {low}-{high} is upside down.")
    return low, high


def read_expected(text: str) -> dict[str, list[int]]:
    """ "faithfulness: 4-5; realism: 1" as {"faithfulness": [4, 5], "realism": [1, 1]}.

    Raises RangeError with the sentence for the person who wrote it.
    """
    found: dict[str, list[int]] = {}
    for part in _parts(text):
        key, colon, span = part.partition(":")
        if not colon or not key.strip():
            raise RangeError("Write each as question: from-to, e.g. faithfulness: 4-5.")
        if key.strip() in found:
            raise RangeError(f"“{key.strip()[:40]}” stands twice.")
        found[key.strip()] = list(read_range(span))
    return found


def expected_text(expected: Mapping[str, list[int]]) -> str:
    """The way back from ``read_expected``."""
    return "; ".join(f"{key}: {_span(*span)}" for key, span in expected.items())


def read_combinations(text: str) -> tuple[Combination, ...]:
    """ "1-2: 4-5; 4-5: 1-2" as ((1, 2, 4, 5), (4, 5, 1, 2)). Raises RangeError."""
    found = []
    for part in _parts(text):
        first, colon, second = part.partition(":")
        if not colon:
            raise RangeError("Write e.g. 1-2: 4-5, which says: where 1 to 2, then 4 to 5.")
        found.append((*read_range(first), *read_range(second)))
    if not found:
        raise RangeError("Say what may stand together, e.g. 1-2: 4-5.")
    return tuple(found)


def may_stand(combinations: tuple[Combination, ...], first: int, second: int) -> bool:
    """Whether both answers can stand: one combination holds, or none names the first answer."""
    named = [row for row in combinations if row[0] <= first <= row[1]]
    return not named or any(low <= second <= high for _, _, low, high in named)


def _parts(text: str) -> list[str]:
    return [part.strip() for part in re.split(r"[;\n]", text) if part.strip()]


def _span(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}-{high}"


def left_out_middle(values: Sequence[int], low: int, high: int) -> int | None:
    """The middle of a scale where it lies outside what is accepted; None where it does not.

    Whoever is cautious chooses the middle, and would fail. A scale of an even number of points has
    none.
    """
    if len(values) < 3 or len(values) % 2 == 0:
        return None
    middle = sorted(values)[len(values) // 2]
    return None if low <= middle <= high else middle


def takes_a_whole_side(values: Sequence[int], low: int, high: int) -> bool:
    """Whether a scale's whole lower or upper half is accepted, its middle too where it has one.

    Then only an answer on the other side fails.
    """
    ordered, half = sorted(values), (len(values) + 1) // 2
    sides = (ordered[:half], ordered[-half:])
    return bool(ordered) and any(all(low <= v <= high for v in side) for side in sides)
