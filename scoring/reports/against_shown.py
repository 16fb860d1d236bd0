"""Which questions and metrics of the stored comparisons with people a reader looks at.

Nothing is computed anew: what is not shown is left away, and every number stays what it is in the
whole report, its adjusted p and their family too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from scoring.analysis.parts.against import Against, Heat, LabelTable, QuestionAgainst, Row
from scoring.analysis.report import Report
from scoring.analysis.selection import Choice
from scoring.analysis.series import SeriesFacts
from scoring.reports.sections import Marks, Note
from scoring.reports.series_words import names_of, slugs_of
from scoring.reports.words import counted

OF = "--of-"
"""Between a chart's name and the metrics that it shows of all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """`question` is a key, "" for all; `series` the keys of the metrics that are shown, of
    `n_series`; `absent` is what an address names and the report has not."""

    question: str
    series: frozenset[str]
    n_series: int
    absent: tuple[str, ...] = ()

    @property
    def is_part(self) -> bool:
        """Whether metrics are hidden."""
        return len(self.series) < self.n_series


def series_in(against: Against) -> dict[str, SeriesFacts]:
    """{series key: facts} of every series that is held against people."""
    return {row.series.key: row.series for one in against.questions for row in one.rows}


def names_in(against: Against) -> dict[str, str]:
    """{series key: name}, each its own."""
    return names_of(list(series_in(against).values()))


def slugs_in(against: Against) -> dict[str, str]:
    """{series key: the name that an address has for it}."""
    return slugs_of(list(series_in(against).values()))


def shown_asked(against: Against, asked: Mapping[str, str]) -> Shown:
    """What an address asks for: all where it names nothing, or nothing that is there."""
    questions, slugs = {one.key for one in against.questions}, slugs_in(against)
    question = asked.get("question", "")
    wanted = dict.fromkeys(filter(None, asked.get("metrics", "").split(",")))
    series = frozenset(key for key, slug in slugs.items() if slug in wanted)
    absent = [one for one in (question,) if one and one not in questions]
    absent += [one for one in wanted if one not in slugs.values()]
    return Shown(
        question=question if question in questions else "",
        series=series or frozenset(slugs),
        n_series=len(slugs),
        absent=tuple(absent),
    )


def only(report: Report, shown: Shown) -> Report:
    """The report with what is shown of the comparisons alone; people's own lines stay."""
    against = report.against
    names = names_in(against)
    questions = [one for one in against.questions if shown.question in ("", one.key)]
    return replace(
        report,
        against=replace(
            against,
            questions=tuple(_question(one, shown, names) for one in questions),
            heat=_heat(against.heat, shown, names),
            directions=tuple(
                check
                for check in against.directions
                if check.series in shown.series and shown.question in ("", check.question)
            ),
            labels=tuple(_labels(against, shown)),
        ),
    )


def question_choice(against: Against, shown: Shown) -> Iterator[tuple[Choice, str]]:
    """The menu of questions, where there are several."""
    options = tuple((one.key, one.label) for one in against.questions)
    if len(options) > 1:
        choice = Choice(
            name="question", label="Question", options=(("", "All questions"), *options)
        )
        yield choice, shown.question


def metric_marks(against: Against, shown: Shown) -> Iterator[Marks]:
    """The menu of metrics, where there are several."""
    names, slugs = names_in(against), slugs_in(against)
    if len(names) > 1:
        yield Marks(
            name="metrics",
            label="Metrics",
            summary=f"{len(shown.series)} of {len(names)}" if shown.is_part else "All",
            options=tuple(
                (slugs[key], name, shown.is_part and key in shown.series)
                for key, name in names.items()
            ),
        )


def shown_notes(shown: Shown) -> Iterator[Note]:
    """That metrics are hidden, and what that leaves as it is."""
    if shown.absent:
        named = ", ".join(f"\u201c{one[:60]}\u201d" for one in shown.absent)
        yield Note(
            text=f"The address names {named}, which is not among these numbers. What the menus "
            "say is shown.",
            warns=True,
        )
    if shown.is_part:
        yield Note(
            text=f"Shown: {len(shown.series)} of {counted(shown.n_series, 'metric')}. Adjusted p "
            "stay those of the whole families, hidden metrics among them."
        )


def chart_key(against: Against, shown: Shown, key: str) -> str:
    """The name of a chart that shows some of the metrics alone."""
    marks = sum(1 << n for n, one in enumerate(series_in(against)) if one in shown.series)
    return f"{key}{OF}{marks:x}"


def chart_asked(report: Report, key: str) -> tuple[Report, str]:
    """(the report with the metrics that a chart's name asks for, the chart's name without them)."""
    plain, of, marks = key.partition(OF)
    series = series_in(report.against)
    if not of or not set(marks) <= set("0123456789abcdef") or not marks:
        return report, key
    chosen = frozenset(one for n, one in enumerate(series) if int(marks, 16) >> n & 1)
    return only(report, Shown(question="", series=chosen, n_series=len(series))), plain


def _question(one: QuestionAgainst, shown: Shown, names: Mapping[str, str]) -> QuestionAgainst:
    return replace(
        one,
        rows=tuple(_named(row, names) for row in one.rows if row.series.key in shown.series),
        differences=tuple(
            pair for pair in one.differences if {pair.first, pair.second} <= shown.series
        ),
        judges=tuple(table for table in one.judges if table.series in shown.series),
    )


def _named(row: Row, names: Mapping[str, str]) -> Row:
    """The row under its name in the whole report: a namesake may be hidden."""
    return replace(row, series=replace(row.series, name=names[row.series.key]))


def _heat(heat: Heat, shown: Shown, names: Mapping[str, str]) -> Heat:
    kept = [
        place
        for place, one in enumerate(heat.series)
        if one.kind == "human" or one.key in shown.series
    ]
    now = {place: number for number, place in enumerate(kept)}
    return replace(
        heat,
        series=tuple(
            replace(one, name=names.get(one.key, one.name))
            for one in (heat.series[place] for place in kept)
        ),
        cells=tuple(
            replace(cell, row=now[cell.row], column=now[cell.column])
            for cell in heat.cells
            if cell.row in now and cell.column in now
        ),
    )


def _labels(against: Against, shown: Shown) -> Iterator[LabelTable]:
    """Those of shown metrics, and of outputs that no menu names."""
    series = series_in(against)
    hidden = {
        (one.metric, one.output) for key, one in series.items() if key not in shown.series
    } - {(one.metric, one.output) for key, one in series.items() if key in shown.series}
    for table in against.labels:
        if (table.metric, table.output) not in hidden:
            yield table
