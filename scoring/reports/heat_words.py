"""The heat table of questions and metrics, in words and as a table."""

from __future__ import annotations

from scoring.analysis.parts.against import Heat, HeatCell
from scoring.analysis.report import Report
from scoring.reports.against_cells import coefficient
from scoring.reports.series_words import METHODS, names_of, slugs_of
from scoring.reports.tables import Column, Estimate, Row, Table
from scoring.reports.words import num


def heat_words(heat: Heat) -> str:
    """The metric furthest from 0 and the nearest to it, on the first question that has two."""
    names = names_of(heat.series)
    for column, question in enumerate(heat.series):
        if question.kind != "human":
            break
        cells = [
            cell
            for cell in heat.cells
            if cell.column == column
            and cell.value is not None
            and heat.series[cell.row].kind == "metric"
        ]
        if len(cells) > 1:
            cells.sort(key=_size)
            near, far = (names[heat.series[cells[place].row].key] for place in (0, -1))
            return (
                f"With {names[question.key]}, furthest from 0: {far}, "
                f"{num(cells[-1].value or 0.0)}; nearest: {near}, {num(cells[0].value or 0.0)}."
            )
    return ""


def heat_table(report: Report) -> Table:
    """The lower triangle: a series a row, those before it in columns."""
    heat = report.against.heat
    names, slugs = names_of(heat.series), slugs_of(heat.series)
    cells = {(cell.row, cell.column): cell for cell in heat.cells}
    columns = heat.series[:-1]
    return Table(
        name="against-heat",
        title="Correlations among questions and metrics",
        columns=(
            Column(key="series", title="Series"),
            *(Column(key=slugs[one.key], title=names[one.key], kind="number") for one in columns),
        ),
        rows=tuple(
            Row(
                cells=(
                    names[heat.series[row].key],
                    *(_cell(cells.get((row, column))) for column in range(len(columns))),
                )
            )
            for row in range(1, len(heat.series))
        ),
        unit="item",
        aggregation=f"{METHODS[heat.method]} over the items that have both sides; mean rating of "
        "each item",
        interval=f"95\u00a0% bootstrap, {heat.resampled}; metrics with questions: each item\u2019s "
        "ratings drawn anew too",
        n_in_cells=True,
    )


def _cell(cell: HeatCell | None) -> object:
    if cell is None:
        return None
    if cell.reason == "no_variation":
        return Estimate(value=None, why="not defined: one side does not vary", n=cell.n_units)
    return coefficient(cell.value, cell.interval, reason=cell.reason, n=cell.n_units)


def _size(cell: HeatCell) -> float:
    return abs(cell.value or 0.0)
