"""Whether a WebM or Matroska file is as long as it says (EBML, RFC 8794)."""

from __future__ import annotations

from pathlib import Path

_HEADER, _SEGMENT = 0x1A45DFA3, 0x18538067


def is_cut_short(path: Path) -> bool:
    """Whether bytes are missing at the end. A live recording does not say its length: False."""
    actual = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(256)
    position = 0
    for wanted in (_HEADER, _SEGMENT):
        identifier, position = _number(head, position, keep_marker=True)
        size, position = _number(head, position)
        if identifier != wanted or size is None:
            return False
        position += size
    return position > actual


def _number(data: bytes, position: int, *, keep_marker: bool = False) -> tuple[int | None, int]:
    """A variable-length number and where it ends; None for one that says "unknown"."""
    if position >= len(data) or data[position] == 0:
        return None, position
    length = 9 - data[position].bit_length()
    raw = int.from_bytes(data[position : position + length], "big")
    if keep_marker:
        return raw, position + length
    value = raw & ((1 << 7 * length) - 1)
    return (None if value == (1 << 7 * length) - 1 else value), position + length
