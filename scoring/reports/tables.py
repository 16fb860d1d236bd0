"""Tables of a report: raw numbers with what they rest on, one source for pages and files.

A page rounds them (`shown`), files take them apart (`flat`). `tables` lists every table of a
report, in the order of its pages.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from scoring.analysis.report import Report
from scoring.reports.cards import Card
from scoring.reports.values import Leading, Value
from scoring.reports.words import MINUS, interval_text, num, p_value, share

Kind = Literal["text", "count", "number", "share", "p"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A number with its 95 % interval, unrounded. `why` says in words why there is no value,
    `without` why there is no interval; `pending`: it is being computed. `n` is how many units the
    number rests on, where rows differ in that; `note` is a remark that stands below it.
    """

    value: float | None
    why: str = ""
    low: float | None = None
    high: float | None = None
    without: str = ""
    pending: bool = False
    se: float | None = None
    n: int | None = None
    note: str = ""


Cell = str | int | float | None | Estimate | Leading


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """`key` names it in files; `kind` says how a page writes its numbers (`decimals` of "number").

    A share is from 0 to 1 and is written in %.
    """

    key: str
    title: str
    kind: Kind = "text"
    decimals: int = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """`strong`: a row that sums the others up. `card`: how its numbers were made."""

    cells: tuple[Cell, ...]
    strong: bool = False
    card: Card | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """`name` is unique in the report, fit for a file. The first column names the row.

    `unit` is the unit of analysis, `aggregation` how single answers became the numbers, `interval`
    what the intervals are; `notes` are sentences that belong under the table. `n_in_cells`: the
    page writes each estimate's own n below it. `folded`: the page shows the title until it is
    opened.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    unit: str
    aggregation: str
    interval: str = ""
    notes: tuple[str, ...] = ()
    n_in_cells: bool = False
    folded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownRow:
    cells: tuple[tuple[Value, bool], ...]
    strong: bool
    card: Card | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownTable:
    """A table as a page writes it; `heads` and cells say whether they are numbers."""

    name: str
    title: str
    heads: tuple[tuple[str, bool], ...]
    rows: tuple[ShownRow, ...]
    has_cards: bool
    basis: str
    notes: tuple[str, ...]
    folded: bool


def tables(report: Report) -> tuple[Table, ...]:
    """Every table of the report, those behind its charts too."""
    return tuple(_every(report))


def flat(table: Table) -> tuple[tuple[str, ...], list[tuple[str | int | float | None, ...]]]:
    """(column keys, rows) of plain values: an estimate becomes key, key_low, key_high, key_se,
    key_n and key_reason, as far as any row has them.
    """
    keys: list[str] = []
    columns: list[list[str | int | float | None]] = []
    for place, column in enumerate(table.columns):
        cells = [_plain(row.cells[place]) for row in table.rows]
        for ending, values in _parts(cells):
            keys.append(column.key + ending)
            columns.append(values)
    return tuple(keys), list(zip(*columns, strict=True))


def shown(table: Table) -> ShownTable:
    """The table as strings, every number rounded once."""
    basis = [f"Unit: {table.unit}", table.aggregation, table.interval]
    return ShownTable(
        name=table.name,
        title=table.title,
        heads=tuple((column.title, column.kind != "text") for column in table.columns),
        rows=tuple(
            ShownRow(
                cells=tuple(
                    (_value(cell, column, table.n_in_cells), column.kind != "text")
                    for cell, column in zip(row.cells, table.columns, strict=True)
                ),
                strong=row.strong,
                card=row.card,
            )
            for row in table.rows
        ),
        has_cards=any(row.card is not None for row in table.rows),
        basis="; ".join(part for part in basis if part) + ".",
        notes=table.notes,
        folded=table.folded,
    )


def _every(report: Report) -> Iterator[Table]:
    from scoring.reports.parts import parts_with  # its pages import this module

    for part in parts_with([metric.key for metric in report.metrics]):
        for section in part.sections(report, {}):
            yield from section.tables
            for chart in section.charts:
                if chart.table is not None:
                    yield chart.table


def _plain(cell: Cell) -> Cell:
    return cell.value if isinstance(cell, Leading) else cell


def _parts(cells: list[Cell]) -> Iterator[tuple[str, list[str | int | float | None]]]:
    if not any(isinstance(cell, Estimate) for cell in cells):
        yield "", [None if isinstance(cell, Estimate) else cell for cell in cells]
        return
    whole = [cell if isinstance(cell, Estimate) else _estimate(cell) for cell in cells]
    yield "", [one.value for one in whole]
    for name in ("low", "high", "se", "n"):
        values = [getattr(one, name) for one in whole]
        if any(value is not None for value in values):
            yield f"_{name}", values
    reasons = ["; ".join(filter(None, (one.why, one.without, one.note))) for one in whole]
    if any(reasons):
        yield "_reason", reasons


def _estimate(cell: str | int | float | None) -> Estimate:
    return Estimate(value=float(cell) if isinstance(cell, int | float) else None)


def _value(cell: Cell, column: Column, with_n: bool) -> Value:
    if isinstance(cell, Leading):
        return Value(text=_written(cell.value, column), leads=cell)
    if not isinstance(cell, Estimate):
        return Value(text=_written(cell, column))
    if cell.value is None:
        return Value(text=cell.why or "not defined", undefined=True)
    bounds = ""
    if cell.low is not None and cell.high is not None:
        bounds = interval_text(*(_written(bound, column) for bound in (cell.low, cell.high)))
    return Value(
        text=_written(cell.value, column),
        interval=bounds,
        pending=cell.pending,
        note="; ".join(filter(None, (cell.without, cell.note, _n(cell) if with_n else ""))),
    )


def _n(cell: Estimate) -> str:
    return "" if cell.n is None else f"n\u00a0{cell.n:,}"


def _written(cell: str | int | float | None, column: Column) -> str:
    if cell is None:
        return ""
    if isinstance(cell, str):
        return cell
    if column.kind == "count":
        return f"{cell:,}".replace("-", MINUS)
    if column.kind == "share":
        return share(cell)
    if column.kind == "p":
        return p_value(cell)
    return num(cell, column.decimals)
