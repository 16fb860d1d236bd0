"""Numbers as files have them, read to the last digit or refused; never guessed."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation


class NoNumberError(ValueError):
    """The message says what is wrong with a text as a number, and how to write it."""


def exact(said: str, *, comma: bool = False) -> Decimal | None:
    """The number that a text is, None where it is none. ``comma``: decimals have a comma."""
    if "_" in said:  # Python's own way to part thousands
        return None
    try:
        number = Decimal(said.replace(",", ".", 1) if comma and "." not in said else said)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def real(said: str) -> float:
    """The nearest double of a text, nan and infinities too. Raises ``NoNumberError``.

    What is not 0 and nearer to 0 than any double is refused: a score would quietly be 0.
    """
    try:
        if "_" in said:
            raise ValueError
        number = float(said)
    except ValueError as error:
        written = exact(said, comma=True)
        hint = " Write decimals with a point." if written is not None else ""
        raise NoNumberError(f"{said!r} is no number.{hint}") from error
    if number == 0 and exact(said) != 0:
        raise NoNumberError(
            f"{said!r} is nearer to 0 than numbers are stored. Rescale it, or take its logarithm."
        )
    return number
