"""The items behind the correlations with people: scatters, and those furthest from the trend."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from scoring.analysis.parts.against import Point, QuestionAgainst, Row
from scoring.analysis.report import REAL, Report
from scoring.reports.against_shown import slugs_in
from scoring.reports.palette import SYSTEMS, TOKENS
from scoring.reports.sections import Chart, Note, Section, UnitCard
from scoring.reports.series_words import slug
from scoring.reports.tables import Column, Table
from scoring.reports.tables import Row as TableRow
from scoring.reports.values import Leading
from scoring.reports.words import counted, num

MOST_SCATTERS = 4
"""Scatter charts of one question: the targets whose coefficients lie furthest from 0."""

MOST_CARDS = 8
"""Items with their media beside a scatter."""


def scatter_rows(question: QuestionAgainst, method: str) -> list[Row]:
    """The targets whose items are drawn."""
    rows = [row for row in question.targets if row.scatter is not None]
    rows.sort(key=lambda row: -abs(_pooled(row, method) or 0.0))
    return rows[:MOST_SCATTERS]


def scatter_key(question: QuestionAgainst, row: Row, slugs: Mapping[str, str]) -> str:
    """The name of a pair's chart; `slugs` are those of the whole report's series."""
    return f"scatter-{pair_name(question, row, slugs)}"


def pair_name(question: QuestionAgainst, row: Row, slugs: Mapping[str, str]) -> str:
    """A metric and a question as an address names them together."""
    return f"{slug(question.key)}-{slugs[row.series.key]}"


def items_behind(
    report: Report, question: QuestionAgainst, names: Mapping[str, str]
) -> Iterator[Section]:
    """The items behind the numbers: scatters, and the items furthest from the trend."""
    rows = scatter_rows(question, report.against.planned.methods[0])
    if not rows:
        return
    left = len([row for row in question.targets if row.scatter is not None]) - len(rows)
    yield Section(
        id=f"items-{slug(question.key)}",
        title=f"{question.label}: the items behind the numbers",
        notes=(
            Note(text=f"Of {left + len(rows)} metrics, the {len(rows)} furthest from 0 are drawn."),
        )
        if left
        else (),
        charts=tuple(scatter_chart(report, question, row, names) for row in rows),
        units=tuple(furthest_units(rows[0], names[rows[0].series.key])),
        folded=True,
    )


def scatter_chart(
    report: Report, question: QuestionAgainst, row: Row, names: Mapping[str, str]
) -> Chart:
    """A pair's items, with the table of those furthest from the trend."""
    name, slugs = names[row.series.key], slugs_in(report.against)
    scatter = row.scatter
    n = scatter.n_points if scatter else 0
    points = scatter.furthest_points if scatter else ()
    return Chart(
        key=scatter_key(question, row, slugs),
        title=f"{name} and {question.label}",
        caption=(
            f"{counted(n, 'item')} with a score and a rating; each point is an item and leads to "
            "its file. Along the sides: how many lie where. Colour and marker: model. The table "
            f"has the {len(points)} items whose ranks on the two sides lie furthest apart."
        ),
        legend=_legend(report, {point.system for point in scatter.points} if scatter else set()),
        table=_furthest_table(question, row, name, slugs),
        on_demand=row not in scatter_rows(question, report.against.planned.methods[0]),
    )


def _legend(report: Report, drawn: Collection[str]) -> tuple[tuple[str, str], ...]:
    """(token, system) of the systems `drawn`, each in its colour of all charts; empty where there
    are more systems than colours."""
    factor = next((one for one in report.automatic.factors if one.key == "system"), None)
    made = [level.key for level in factor.levels if level.key != REAL] if factor else []
    if len(made) > len(SYSTEMS):
        return ()
    coloured = zip(SYSTEMS, made, strict=False)
    return tuple((TOKENS[colour], name) for colour, name in coloured if name in drawn)


def _furthest_table(
    question: QuestionAgainst, row: Row, name: str, slugs: Mapping[str, str]
) -> Table:
    points = row.scatter.furthest_points if row.scatter else ()
    return Table(
        name=f"against-{scatter_key(question, row, slugs)}",
        title=f"{name} and {question.label}: items furthest from the trend",
        columns=(
            Column(key="item", title="Item"),
            Column(key="model", title="Model"),
            Column(key="people", title="People\u2019s mean", kind="number"),
            Column(key="score", title="Score", kind="number", decimals=3),
        ),
        rows=tuple(
            TableRow(
                cells=(
                    Leading(value=point.name, item=point.item),
                    point.system,
                    point.human,
                    point.score,
                )
            )
            for point in points
        ),
        unit="item",
        aggregation="mean rating of each item; furthest by the difference of the two mid-ranks",
    )


def furthest_units(
    row: Row, name: str, said: Mapping[int, tuple[str, ...]] | None = None
) -> Iterator[UnitCard]:
    """The first of them to look at; `said` is what people answered of each item, by its id."""
    points: tuple[Point, ...] = row.scatter.furthest_points if row.scatter else ()
    for point in points[:MOST_CARDS]:
        yield UnitCard(
            name=point.name,
            items=(point.item,),
            figure=f"people {num(point.human)}, {name} {num(point.score, 3)}",
            answers=(said or {}).get(point.item, ()),
            words=(),
        )


def _pooled(row: Row, method: str) -> float | None:
    found = row.level("pooled", method)
    return None if found is None else found.correlation.value
