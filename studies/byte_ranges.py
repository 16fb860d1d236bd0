"""One byte range of a file, as RFC 9110 (section 14) writes it."""

from __future__ import annotations

import re
from dataclasses import dataclass

# First and last byte; either may be left out, not both. Several ranges are not answered in parts.
_ONE_RANGE = re.compile(r"bytes=\s*(?:(?P<first>\d+)-(?P<last>\d*)|-(?P<suffix>\d+))\s*", re.ASCII)
_MAX_DIGITS = 18


class UnsatisfiableRange(Exception):
    """The file has none of the bytes that were asked for: it ends before them."""


@dataclass(frozen=True)
class ByteRange:
    """Bytes ``first`` to ``last`` of a file, both included, counted from 0."""

    first: int
    last: int

    @property
    def length(self) -> int:
        return self.last - self.first + 1

    def capped(self, most: int) -> ByteRange:
        """The same start, at most ``most`` bytes. A player asks for the rest by itself."""
        return ByteRange(self.first, min(self.last, self.first + most - 1))


def read_range(header: str, size: int) -> ByteRange | None:
    """The range that a ``Range`` header asks of a file of ``size`` bytes.

    None: there is no header, or it is to be ignored (another unit, several ranges, not well
    formed); the whole file is then the answer. Raises UnsatisfiableRange where it asks only for
    bytes beyond the end.
    """
    found = _ONE_RANGE.fullmatch(header.strip())
    if found is None:
        return None
    first, last, suffix = found["first"], found["last"], found["suffix"]
    if any(part and len(part) > _MAX_DIGITS for part in (first, last, suffix)):
        return None
    if suffix is not None:
        if int(suffix) == 0 or size == 0:
            raise UnsatisfiableRange(f"The file has {size} bytes; none of the last {suffix}.")
        return ByteRange(max(0, size - int(suffix)), size - 1)
    if last and int(last) < int(first):
        return None
    if int(first) >= size:
        raise UnsatisfiableRange(f"The file has {size} bytes; byte {first} is beyond its end.")
    return ByteRange(int(first), min(int(last), size - 1) if last else size - 1)
