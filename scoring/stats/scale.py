"""The scale ratings are given on: its level of measurement and its categories, in order."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

Level = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS: tuple[Level, ...] = get_args(Level)

RatingValue = str | int | float | None

MISSING = -1
"""The category code of a missing rating."""

DECIMALS = 9
"""Numbers are compared after rounding to this many decimals: 0.1 + 0.2 is 0.3."""


class UnknownCategoryError(ValueError):
    """A rating that is not one of the declared categories."""


class NotNumericError(ValueError):
    """A rating that has to be a number and is not."""


LARGEST = 1e100
"""Numbers further from 0 are refused: their squares and products would overflow."""


class NotFiniteError(ValueError):
    """A rating that is infinite, not a number, or too large to compute with."""


class NegativeRatioError(ValueError):
    """A ratio scale needs a true zero; a value below zero came."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Declared categories in order; build it with `declare_scale`.

    `values` holds the number each category stands for, None where labels are not numbers.
    `members` holds the options each category consists of where answers are sets, else None.
    """

    level: Level
    labels: tuple[str, ...]
    values: tuple[float, ...] | None
    _codes: dict[object, int] = field(repr=False, compare=False)
    members: tuple[frozenset[str], ...] | None = None

    def code_of_set(self, chosen: frozenset[str]) -> int:
        """The 0-based category of a set of options, on a scale of sets.

        Raises UnknownCategoryError.
        """
        try:
            return self._codes[chosen]
        except KeyError:
            raise UnknownCategoryError(
                f"{'|'.join(sorted(chosen)) or 'the empty set'} is not one of the sets "
                f"{', '.join(self.labels)}."
            ) from None

    def code(self, value: RatingValue) -> int:
        """The 0-based category of a rating; -1 for a missing one (None or '').

        Raises UnknownCategoryError, NotNumericError, NotFiniteError.
        """
        if value is None or value == "":
            return MISSING
        key = _key(value, numeric=self.values is not None)
        try:
            return self._codes[key]
        except KeyError:
            raise UnknownCategoryError(
                f"{value!r} is not one of the categories {', '.join(self.labels)}."
            ) from None


def declare_scale(*, level: Level, categories: Sequence[str | int | float]) -> Scale:
    """A scale with its categories in their order.

    Ordinal categories may be words, since their order is declared; interval and ratio need
    numbers. Labels that are all numbers are compared as numbers ("3.0" is 3) except on a nominal
    scale of strings, where a label is only itself.

    Raises NotNumericError, NotFiniteError, NegativeRatioError, and ValueError when a category
    comes twice or the level is unknown.
    """
    if level not in LEVELS:
        raise ValueError(f"Level {level!r} is unknown; choose one of {', '.join(LEVELS)}.")
    values = _numbers(level, categories)
    codes: dict[object, int] = {}
    for position, category in enumerate(categories):
        key = _key(category, numeric=values is not None)
        if key in codes:
            raise ValueError(f"The category {category!r} is declared twice.")
        codes[key] = position
    return Scale(
        level=level,
        labels=tuple(str(category) for category in categories),
        values=values,
        _codes=codes,
    )


def scale_of_sets(*, labels: Sequence[str], members: Sequence[frozenset[str]]) -> Scale:
    """A nominal scale of distinct sets of options, each with its label; see `sets.set_scale`."""
    codes: dict[object, int] = {chosen: position for position, chosen in enumerate(members)}
    codes.update({label: position for position, label in enumerate(labels)})
    return Scale(
        level="nominal",
        labels=tuple(labels),
        values=None,
        _codes=codes,
        members=tuple(members),
    )


def scale_from_ratings(*, level: Level, found: Iterable[RatingValue]) -> Scale:
    """The scale that ratings show when none was declared: the values that occur.

    Nominal labels are sorted as text, all other levels as numbers. Raises NotNumericError for an
    ordinal, interval or ratio rating that is not a number, and what `declare_scale` raises.
    """
    present = sorted({value for value in found if value is not None and value != ""}, key=str)
    if level == "nominal" and any(isinstance(value, str) for value in present):
        return declare_scale(level=level, categories=sorted({str(value) for value in present}))
    # Of several spellings of one number ("1", "1.0") the shortest names the category.
    by_number = {parse_number(value): value for value in sorted(present, key=_longest_first)}
    return declare_scale(level=level, categories=[by_number[key] for key in sorted(by_number)])


def parse_finite(value: str | int | float) -> float:
    """A number as it is.

    Raises NotNumericError when it is not a number, NotFiniteError for infinity, nan and numbers
    beyond LARGEST.
    """
    # Python reads "1_000" as a number; nobody who wrote a table meant that.
    if isinstance(value, str) and "_" in value:
        raise NotNumericError(f"{value!r} is not a number.")
    try:
        number = float(value)
    except ValueError:
        raise NotNumericError(f"{value!r} is not a number.") from None
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise NotFiniteError(f"{value!r} is not a finite number.")
    if abs(number) > LARGEST:
        raise NotFiniteError(f"{value!r} is too large to compute with (up to {LARGEST:g}).")
    return number


def parse_number(value: str | int | float) -> float:
    """A rating as a number rounded to 9 decimals; raises what `parse_finite` raises."""
    # Adding 0.0 turns -0.0 into 0.0, so that both are one category.
    return round(parse_finite(value), DECIMALS) + 0.0


def _longest_first(value: str | int | float) -> tuple[int, str]:
    return -len(str(value)), str(value)


def _numbers(level: Level, categories: Sequence[str | int | float]) -> tuple[float, ...] | None:
    words = any(isinstance(category, str) for category in categories)
    if level == "nominal" and words:
        return None
    try:
        values = tuple(parse_number(category) for category in categories)
    except NotNumericError:
        if level == "ordinal":
            return None
        raise
    except NotFiniteError:
        # "inf" and "nan" are words like any other where the order is declared.
        if level == "ordinal" and words:
            return None
        raise
    if level == "ratio" and any(value < 0 for value in values):
        raise NegativeRatioError(
            f"A ratio scale needs a true zero and no negative values; {min(values):g} came."
        )
    return values


def _key(value: str | int | float, *, numeric: bool) -> object:
    return parse_number(value) if numeric else str(value)
