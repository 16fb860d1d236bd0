"""Look behind a number: the items of one metric and one question, whichever pair a reader picks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from scoring.analysis.parts.against import QuestionAgainst, Row
from scoring.analysis.report import Report
from scoring.reports.against_items import furthest_units, pair_name, scatter_chart, scatter_rows
from scoring.reports.against_shown import Shown, slugs_in
from scoring.reports.sections import GroupedMenu, Note, Section
from scoring.reports.tables import Table
from scoring.reports.words import counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A metric that the plan holds against a question, whose items are kept; `name` is what an
    address says."""

    name: str
    question: QuestionAgainst
    row: Row


def pairs_in(report: Report) -> list[Pair]:
    """Every pair whose items are kept, question by question."""
    slugs = slugs_in(report.against)
    return [
        Pair(name=pair_name(question, row, slugs), question=question, row=row)
        for question in report.against.questions
        for row in question.targets
        if row.scatter is not None
    ]


def pairs_offered(report: Report, shown: Shown) -> list[Pair]:
    """Those of the question that is shown."""
    return [one for one in pairs_in(report) if shown.question in ("", one.question.key)]


def look_behind(
    report: Report, names: Mapping[str, str], shown: Shown, asked: str
) -> Iterator[Section]:
    """The pair that is asked for, else the one furthest from 0 of what is shown.

    The menu has the pairs of the question that is shown, of all metrics.
    """
    offered = pairs_offered(report, shown)
    if not offered:
        return
    chosen = next((one for one in offered if one.name == asked), None)
    pair = chosen or _first(report, offered, shown)
    unknown = asked and asked not in {one.name for one in pairs_in(report)}
    name = names[pair.row.series.key]
    chart = scatter_chart(report, pair.question, pair.row, names)
    table = chart.table
    yield Section(
        id="behind",
        title="Look behind a number",
        notes=(Note(text=_unknown(asked, name, pair), warns=True),) if unknown else (),
        charts=(replace(chart, table=None),),
        tables=(replace(table, title=_table_title(table), folded=True),) if table else (),
        units=tuple(furthest_units(pair.row, name, _said(report, pair.question))),
        units_title="Furthest from the line",
        menu=_menu(offered, pair, names),
    )


def _first(report: Report, offered: Sequence[Pair], shown: Shown) -> Pair:
    """Of the first question that has a shown metric: the metric furthest from 0."""
    method = report.against.planned.methods[0]
    of_shown = [one for one in offered if one.row.series.key in shown.series] or list(offered)
    question = of_shown[0].question
    rows = scatter_rows(question, method)
    return next(
        (one for row in rows for one in of_shown if one.question is question and one.row is row),
        of_shown[0],
    )


def _said(report: Report, question: QuestionAgainst) -> dict[int, tuple[str, ...]]:
    """{item: what people answered of it}, as far as the report lists it (two answers or more)."""
    said: dict[int, tuple[str, ...]] = {}
    for one in report.disputes.questions:
        if one.question == question.key:
            rows = zip(one.order.items, one.order.about, one.order.said, strict=True)
            for items, about, answers in rows:
                if len(items) == 1 and not about:  # several units: of panels that share the item
                    said[items[0]] = (*said.get(items[0], ()), *answers)
    return said


def _menu(offered: Sequence[Pair], pair: Pair, names: Mapping[str, str]) -> GroupedMenu:
    questions = {one.question.key: one.question for one in offered}
    return GroupedMenu(
        name="behind",
        label="Metric against question",
        groups=tuple(
            (
                f"against {question.label}",
                tuple(
                    (one.name, f"{names[one.row.series.key]} against {question.label}")
                    for one in offered
                    if one.question.key == key
                ),
            )
            for key, question in questions.items()
        ),
        chosen=pair.name,
    )


def _table_title(table: Table) -> str:
    return f"Furthest from the line: table of {counted(len(table.rows), 'item')}"


def _unknown(asked: str, name: str, pair: Pair) -> str:
    return (
        f"No items are kept of a pair \u201c{asked[:80]}\u201d: the plan holds no such metric "
        f"against such a question. Shown: {name} against {pair.question.label}."
    )
