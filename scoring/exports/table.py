"""A table as it leaves in any format: named columns of known kinds, rows made while read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What a column holds. Every kind may be missing (None); text is then empty."""

    TEXT = "text"
    WHOLE = "whole number"
    NUMBER = "number"
    FLAG = "yes or no"
    MOMENT = "moment, UTC"


@dataclass(frozen=True, slots=True)
class Column:
    """``about``: what it holds, in a sentence for whoever reads the file."""

    name: str
    kind: Kind
    about: str


Row = Sequence[object]


@dataclass(frozen=True, slots=True)
class ExportTable:
    """``rows`` begins anew whenever it is called; ``count`` asks the database how many there are
    without reading them."""

    name: str
    columns: tuple[Column, ...]
    rows: Callable[[], Iterator[Row]]
    count: Callable[[], int]

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]
