"""The page on metrics against people as a reader has chosen it: which question, which metrics, one
level, one coefficient, the items of one pair.

The numbers are those of `metrics_page.sections`, which holds everything.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from scoring.analysis.parts.against import QuestionAgainst
from scoring.analysis.report import Report
from scoring.analysis.selection import Choice
from scoring.reports import aggregation, metrics_page
from scoring.reports.against_behind import look_behind, pairs_offered
from scoring.reports.against_charts import countries_chart, forest_chart
from scoring.reports.against_countries import each_country_table, origins_table, parts_table
from scoring.reports.against_shown import (
    chart_key,
    metric_marks,
    names_in,
    only,
    question_choice,
    shown_asked,
    shown_notes,
    slugs_in,
)
from scoring.reports.against_tables import differences_table, lines_table, results_table
from scoring.reports.against_words import finding, planned_words
from scoring.reports.aggregation import (
    Aggregation,
    aggregation_asked,
    aggregation_choices,
    found_at,
    levels_in,
    planned_aggregation,
    results_at,
)
from scoring.reports.sections import Chart, Marks, Note, Section
from scoring.reports.series_words import METHODS, slug
from scoring.reports.tables import Table

ASKS: Mapping[str, Collection[str] | None] = {
    "question": None,
    **aggregation.ASKS,
    "metrics": None,
    "behind": None,
}
"""What an address may ask for beside the data; None: the report says which values there are."""

GROUPS = {"country": "two countries of annotators", "system": "two models"}


def choices(report: Report, asked: Mapping[str, str]) -> tuple[tuple[Choice, str], ...]:
    """The menus of question, level and coefficient; none where nothing is held against people."""
    if not _has_results(report):
        return ()
    against = report.against
    return (
        *question_choice(against, shown_asked(against, asked)),
        *aggregation_choices(against, asked),
    )


def marks(report: Report, asked: Mapping[str, str]) -> tuple[Marks, ...]:
    """The menu of metrics."""
    if not _has_results(report):
        return ()
    return tuple(metric_marks(report.against, shown_asked(report.against, asked)))


def kept(report: Report, asked: Mapping[str, str]) -> dict[str, str]:
    """What an address asks for as far as the report has it: all metrics are as good as none, and a
    pair stays while its question is shown."""
    if not _has_results(report):
        return dict(asked)
    shown = shown_asked(report.against, asked)
    slugs = slugs_in(report.against)
    pairs = {one.name for one in pairs_offered(report, shown)}
    found = {
        "question": shown.question,
        "metrics": ",".join(slugs[key] for key in slugs if shown.is_part and key in shown.series),
        "behind": asked.get("behind", "") if asked.get("behind") in pairs else "",
    }
    return {name: value for name in asked if (value := found.get(name, asked[name]))}


def sections(report: Report, asked: Mapping[str, str]) -> tuple[Section, ...]:
    """Each question at what is chosen, the rest folded, then what is common to all."""
    if not _has_results(report):
        return metrics_page.sections(report, {})
    page = _Chosen(report, asked)
    opening = metrics_page.opening(page.report, page.names)
    return (
        replace(opening, notes=(*shown_notes(page.shown), *page.notes(), *opening.notes)),
        *(part for one in page.report.against.questions for part in page.of_question(one)),
        *look_behind(report, page.names, page.shown, asked.get("behind", "")),
        *page.common(),
    )


def _has_results(report: Report) -> bool:
    return bool(report.metrics and report.against.questions)


class _Chosen:
    """What a reader has chosen. `whole` is the report, `report` what is shown of it."""

    def __init__(self, whole: Report, asked: Mapping[str, str]) -> None:
        self.whole = whole
        self.chosen = aggregation_asked(whole.against, asked)
        self.shown = shown_asked(whole.against, asked)
        self.report = only(whole, self.shown)
        self.names, self.slugs = names_in(whole.against), slugs_in(whole.against)

    def notes(self) -> Iterator[Note]:
        """That something else than the plan's is shown, and why it is empty where it is."""
        against, chosen = self.whole.against, self.chosen
        if chosen != planned_aggregation(against):
            planned = planned_words(against.planned)
            yield Note(text=f"Shown: {chosen.words}. The plan correlates by {planned}.")
        if not _has_any(self.report, chosen):
            yield Note(text=self._nothing(), warns=True)

    def _nothing(self) -> str:
        """Why nothing that is shown has the chosen aggregation."""
        if _has_any(self.whole, self.chosen):
            return "What is chosen has no coefficients at this level. Choose other metrics, or all."
        return _nothing(self.whole, self.chosen)

    def of_question(self, question: QuestionAgainst) -> Iterator[Section]:
        """The question's finding, chart and tables; its parts and its judges, folded."""
        report, names = self.report, self.names
        found = found_at(question, report.against.planned, self.chosen)
        table = results_table(report, question, names, self.slugs, self.chosen)
        more = (differences_table(report, question, names), lines_table(report, question, names))
        some = self._has_hidden(question)
        yield Section(
            id=f"question-{slug(question.key)}",
            title=question.label,
            aside=f"{question.better} is better" if question.better else "",
            finding=finding(question, names, found, some=some) if found.results else "",
            notes=tuple(self._question_notes(question.key, is_empty=table is None)),
            charts=(self._of_shown(forest_chart(question, report.against.planned, found), some),)
            if found.defined
            else (),
            tables=(
                *((table,) if table else ()),
                *(replace(one, folded=True) for one in more if one is not None),
            ),
        )
        yield from self._parts(question)
        for section in metrics_page.judged(question, names):
            yield replace(section, folded=True, listed=False)

    def _question_notes(self, key: str, *, is_empty: bool) -> Iterator[Note]:
        question = self.whole.against.question(key)
        if self.whole.against.planned.has_targets and not question.targets:
            yield Note(
                text=f"The plan holds no metric against {question.label}: what it has is "
                "exploration, items pooled."
            )
        if is_empty:
            yield Note(text=f"{question.label} has no coefficients at this level.")

    def common(self) -> Iterator[Section]:
        """What is about all questions."""
        for section in metrics_page.common(self.report, self.names):
            charts = tuple(self._of_shown(one, self.shown.is_part) for one in section.charts)
            yield replace(section, charts=charts)

    def _parts(self, question: QuestionAgainst) -> Iterator[Section]:
        report, names, method = self.report, self.names, self.chosen.method
        chart = countries_chart(report, question, names, method)
        tables: tuple[Table | None, ...] = (
            each_country_table(report, question, names, (method,)),
            parts_table(report, question, names, (method,)),
            origins_table(question, names, (method,)),
        )
        if chart is not None or any(tables):
            some = self._has_hidden(question)
            yield Section(
                id=f"parts-{slug(question.key)}",
                title=f"{question.label}: countries, groups of countries, models",
                charts=(self._of_shown(chart, some),) if chart is not None else (),
                tables=tuple(table for table in tables if table is not None),
                folded=True,
                listed=False,
            )

    def _has_hidden(self, question: QuestionAgainst) -> bool:
        return len(question.rows) < len(self.whole.against.question(question.key).rows)

    def _of_shown(self, chart: Chart, some: bool) -> Chart:
        """The chart of the shown metrics, where that is `some` of all."""
        if not some:
            return chart
        shown = self.shown
        return replace(
            chart,
            key=chart_key(self.whole.against, shown, chart.key),
            caption=f"{len(shown.series)} of {shown.n_series} metrics are shown. {chart.caption}",
            on_demand=True,
        )


def _has_any(report: Report, chosen: Aggregation) -> bool:
    return any(results_at(question.rows, chosen) for question in report.against.questions)


def _nothing(report: Report, chosen: Aggregation) -> str:
    """Why no question has the chosen aggregation."""
    there = levels_in(report.against)
    if not there:
        return "No metric has been held against a question of what is shown here."
    if (chosen.level, chosen.grouping) not in there:
        return f"This level needs {GROUPS[chosen.grouping]} or more among what is shown here."
    if not report.method.intervals_ready:
        return "These coefficients are being computed."
    return (
        f"{METHODS[chosen.method]} is computed at this level only where the analysis plan names "
        "it. Choose items pooled, or another coefficient."
    )
