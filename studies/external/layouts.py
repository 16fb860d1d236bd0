"""How ratings stand in a table: long, wide by rater, wide by system, or as lists within records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from studies.external.records import FACTS, ExternalRating, ImportRefusedError
from studies.external.sources import Row, json_value, text

Shape = Literal["long", "raters", "systems", "list"]
SHAPES: tuple[Shape, ...] = ("long", "raters", "systems", "list")
JOINT = "/"


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns say what.

    ``item`` are the columns whose texts, joined by a slash, name an item. ``shape``:

    - long: a row a rating; ``rater``, ``value`` and, where there are several, ``question``;
    - raters: a row an item and question, a column a rater: ``columns``, or all not named elsewhere;
    - systems: a row an item of every system, a column a system; the rater is ``rater_is``;
    - list: a row an item; ``value`` holds a list with one rating a rater, in the same order.

    ``cell`` names the questions of a cell that is a list, such as [SC, PQ]. ``question_is`` is the
    question where no column names it. ``facts``: column of each fact of an item.
    """

    item: tuple[str, ...]
    shape: Shape = "long"
    rater: str = ""
    value: str = ""
    question: str = ""
    question_is: str = "rating"
    rater_is: str = ""
    columns: tuple[str, ...] = ()
    cell: tuple[str, ...] = ()
    facts: dict[str, str] = field(default_factory=dict, hash=False)

    def to_store(self) -> dict[str, Any]:
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name in self.__slots__
            if (value := getattr(self, name))
        }


def ratings(rows: Iterable[Row], mapping: Columns) -> Iterator[ExternalRating]:
    """Every rating of the rows; an empty cell is none. Raises ``ImportRefusedError``."""
    read = {"long": _long, "raters": _raters, "systems": _systems, "list": _lists}[mapping.shape]
    known = None  # in JSON each row may have other columns
    for where, row in rows:
        if row.keys() != known:
            _check(row, mapping, where)
            known = row.keys()
        yield from read(where, row, mapping)
    if known is None:
        raise ImportRefusedError(["The file has no rows."])


def _check(row: Mapping[str, Any], mapping: Columns, where: str) -> None:
    needed = [*mapping.item, *mapping.facts.values(), *mapping.columns]
    needed += [mapping.rater, mapping.value, mapping.question]
    missing = [name for name in dict.fromkeys(needed) if name and name not in row]
    if missing:
        there = ", ".join(list(row)[:30])
        raise ImportRefusedError(
            [f"{where}: no column {', '.join(map(repr, missing))}. There are: {there}."]
        )
    unknown = [name for name in mapping.facts if name not in FACTS]
    if unknown:
        raise ImportRefusedError(
            [f"An item has no {', '.join(unknown)}. It has {', '.join(FACTS)}."]
        )


def _long(where: str, row: Mapping[str, Any], mapping: Columns) -> Iterator[ExternalRating]:
    rater = mapping.rater_is or text(row[mapping.rater])
    question = text(row[mapping.question]) if mapping.question else mapping.question_is
    yield from _cell(where, row, mapping, _item(row, mapping), rater, question, row[mapping.value])


def _raters(where: str, row: Mapping[str, Any], mapping: Columns) -> Iterator[ExternalRating]:
    question = text(row[mapping.question]) if mapping.question else mapping.question_is
    for column in _columns(row, mapping):
        yield from _cell(where, row, mapping, _item(row, mapping), column, question, row[column])


def _systems(where: str, row: Mapping[str, Any], mapping: Columns) -> Iterator[ExternalRating]:
    for column in _columns(row, mapping):
        item = JOINT.join((_item(row, mapping), column))
        for one in _cell(
            where, row, mapping, item, mapping.rater_is, mapping.question_is, row[column]
        ):
            one.facts["system"] = column
            one.facts.setdefault("prompt", _item(row, mapping))
            yield one


def _lists(where: str, row: Mapping[str, Any], mapping: Columns) -> Iterator[ExternalRating]:
    values = row[mapping.value]
    if isinstance(values, str):
        values = _listed(values, where, mapping.value)
    if not isinstance(values, list):
        raise ImportRefusedError([f"{where}: {mapping.value!r} is no list of ratings."])
    for number, value in enumerate(values, start=1):
        item, rater = _item(row, mapping), str(number)
        yield from _cell(where, row, mapping, item, rater, mapping.question_is, value)


def _columns(row: Mapping[str, Any], mapping: Columns) -> list[str]:
    named = {*mapping.item, *mapping.facts.values(), mapping.question}
    return list(mapping.columns) or [name for name in row if name and name not in named]


def _cell(
    where: str,
    row: Mapping[str, Any],
    mapping: Columns,
    item: str,
    rater: str,
    question: str,
    value: Any,
) -> Iterator[ExternalRating]:
    facts = {name: text(row[column]) for name, column in mapping.facts.items()}
    if not mapping.cell:
        if said := text(value):
            yield ExternalRating(item, rater, question, said, where, facts)
        return
    if not text(value):
        return
    values = value if isinstance(value, list) else _listed(text(value), where, question)
    if len(values) != len(mapping.cell):
        raise ImportRefusedError(
            [f"{where}: {text(value)!r} has {len(values)} values, not {len(mapping.cell)}."]
        )
    for name, one in zip(mapping.cell, values, strict=True):
        if said := text(one):
            yield ExternalRating(item, rater, name, said, where, dict(facts))


def _listed(said: str, where: str, name: str) -> list[Any]:
    found = json_value(said, f"{where}, {name}: {said!r}")
    return found if isinstance(found, list) else [found]


def _item(row: Mapping[str, Any], mapping: Columns) -> str:
    return JOINT.join(text(row[name]) for name in mapping.item)
