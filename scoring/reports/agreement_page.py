"""The page on agreement: coefficients of each question, by country and pooled; who disagrees."""

from __future__ import annotations

from dataclasses import replace
from statistics import fmean

from scoring.analysis.parts.agreement import QuestionDisputes
from scoring.analysis.report import POOLED, GroupAnswers, QuestionReport, Report
from scoring.reports.agreement_cards import agreement_card
from scoring.reports.agreement_words import column_title, finding, name_of
from scoring.reports.disputes_tables import (
    applicability_table,
    consistency_table,
    pairs_table,
    raters_table,
    unit_cards,
)
from scoring.reports.estimates import estimate_of, plain
from scoring.reports.sections import Chart, Note, Plots, Section
from scoring.reports.tables import Column, Estimate, Row, Table
from scoring.reports.words import counted, share

TWO_WAY = (
    "95\u00a0% two-way bootstrap (items and annotators drawn anew; items only where fewer than "
    "three annotators rated; items of one prompt together where there are 20 prompts or more); of "
    "ICC by the F distribution; of Kendall\u2019s W ranked sets drawn anew"
)
HOW_TO_READ = (
    "Alpha, AC1 and AC2 are 1 for full agreement and 0 for what chance would give; they take "
    "chance to be different things, so they are shown side by side.",
    "ICC(A,1) says how far single ratings can be trusted, ICC(A,k) how far the mean of all "
    "annotators can; both need items that everybody rated.",
    "Published for comparison: over eleven countries, ordinal alpha of faithfulness to a culture "
    "ran from 0.15 to 0.62; AC1 of the relevance of probes was about 0.50; the mean Jaccard of "
    "marked videos ran from 0.47 to 0.78 over countries.",
    "An interval that draws items only takes the annotators to be the only people there are.",
)


def sections(report: Report, plots: Plots) -> tuple[Section, ...]:
    found = [
        _section(report, question, disputes)
        for question, disputes in zip(report.questions, report.disputes.questions, strict=True)
    ]
    reading = Section(id="reading", title="How to read this page", points=HOW_TO_READ, folded=True)
    return (*found, reading)


def _section(report: Report, question: QuestionReport, disputes: QuestionDisputes) -> Section:
    tables = [coefficients_table(report, question)]
    if question.dimensions:
        tables.append(_by_dimension(report, question))
    if disputes.applicability:
        tables.append(applicability_table(report, question, disputes))
    tables += [raters_table(report, question, disputes), pairs_table(question, disputes)]
    if disputes.consistency:
        tables.append(consistency_table(question, disputes))
    return Section(
        id=f"q-{question.key}",
        title=question.label,
        finding=finding(report, question),
        notes=_notes(question, disputes),
        tables=tuple(table for table in tables if table.rows),
        charts=(_forest(report, question),),
        units=unit_cards(disputes),
        units_title="Where people disagree most",
        units_of=question.key,
        n_units=disputes.order.n_units,
    )


def _notes(question: QuestionReport, disputes: QuestionDisputes) -> tuple[Note, ...]:
    everybody = disputes.consistency[0] if disputes.consistency else None
    if everybody is None or everybody.exact is None:
        return ()
    bounds = everybody.interval
    within = ""
    if bounds is not None and bounds.low is not None and bounds.high is not None:
        within = f" [{share(bounds.low)}, {share(bounds.high)}]"
    return (
        Note(
            text=f"Same answer to repeated units: {share(everybody.exact)}{within}, "
            f"{counted(everybody.n_repeats, 'repeat')}."
        ),
    )


def coefficients_table(report: Report, question: QuestionReport) -> Table:
    """The coefficients that go with the question side by side, pooled and by country."""
    pooled = question.groups[0]
    rows = [_row(report, question, answers) for answers in question.groups]
    if len(question.groups) > 2:
        rows.insert(1, _mean_row(question))
    return Table(
        name=f"agreement-{question.key}",
        title=f"Agreement on {question.label} by the annotators\u2019 country",
        columns=(Column(key="group", title="Annotators in"), *_columns(question, pooled)),
        rows=tuple(rows),
        unit=pooled.alpha.unit_of_analysis,
        aggregation="pooled over items unless a column says otherwise; \u201cmean of\u201d is the "
        "plain mean over countries where a coefficient is defined",
        interval=TWO_WAY,
    )


def _by_dimension(report: Report, question: QuestionReport) -> Table:
    pooled = question.groups[0]
    return Table(
        name=f"agreement-{question.key}-by-dimension",
        title=f"Agreement on {question.label} by dimension",
        columns=(Column(key="dimension", title="Dimension"), *_columns(question, pooled)),
        rows=tuple(_row(report, question, answers) for answers in question.dimensions),
        unit=pooled.alpha.unit_of_analysis,
        aggregation="all countries pooled",
        interval=TWO_WAY,
    )


def _columns(question: QuestionReport, pooled: GroupAnswers) -> tuple[Column, ...]:
    """Coefficients, prevalence where answers are of two kinds, and what they rest on."""
    coefficients = [
        Column(
            key=_key(number, question),
            title=column_title(one),
            kind="share" if one.coefficient == "percent_agreement" else "number",
        )
        for number, one in enumerate(pooled.coefficients)
    ]
    prevalence = []
    if has_prevalence(question):
        prevalence = [
            Column(key="prevalence", title=f"\u201c{question.points[-1].label}\u201d", kind="share")
        ]
    return (
        *coefficients,
        *prevalence,
        Column(key="units", title="Units", kind="count"),
        Column(key="paired", title="With two or more", kind="count"),
        Column(key="raters", title="Annotators", kind="count"),
        Column(key="ratings", title="Ratings", kind="count"),
    )


def has_prevalence(question: QuestionReport) -> bool:
    """Whether one share says how the answers are spread."""
    return question.kind in ("yes_no", "descriptors", "multi")


def _key(number: int, question: QuestionReport) -> str:
    one = question.groups[0].coefficients[number]
    return "_".join(filter(None, (one.coefficient, (one.form or "").lower())))


def _row(report: Report, question: QuestionReport, answers: GroupAnswers) -> Row:
    primary = answers.alpha
    total = sum(answers.summary.counts)
    prevalence = answers.summary.counts[-1] / total if total and answers.summary.counts else None
    return Row(
        cells=(
            name_of(report, answers.group),
            estimate_of(primary, n=primary.n_units_used),
            *(
                # That items are few is said once, of the primary coefficient.
                replace(estimate_of(one, n=one.n_units_used), note="")
                for one in answers.coefficients[1:]
            ),
            *([plain(prevalence, "no_ratings")] if has_prevalence(question) else []),
            primary.n_units,
            primary.n_units_paired,
            primary.n_raters,
            primary.n_ratings,
        ),
        strong=answers.group == POOLED,
        card=agreement_card(report, question, answers),
    )


def _mean_row(question: QuestionReport) -> Row:
    """The plain mean over countries, and over how many of them."""
    countries = question.groups[1:]
    means = []
    for number in range(len(question.groups[0].coefficients)):
        values = [one.coefficients[number].value for one in countries]
        defined = [value for value in values if value is not None]
        missing = len(values) - len(defined)
        means.append(
            Estimate(
                value=fmean(defined) if defined else None,
                why="not defined in any country",
                n=len(defined),
                note=f"{missing} of {len(values)} undefined" if missing and defined else "",
            )
        )
    blank = 5 if has_prevalence(question) else 4
    return Row(cells=(f"Mean of {len(countries)} countries", *means, *[None] * blank))


def _forest(report: Report, question: QuestionReport) -> Chart:
    primary = question.groups[0].coefficients[0]
    names = {one.coefficient for one in question.groups[0].coefficients}
    has_ac = bool(names & {"gwet_ac1", "gwet_ac2"})
    second = " Circles: " + column_title(primary) + "; squares: AC1 or AC2." if has_ac else ""
    return Chart(
        key=f"forest-{question.key}",
        title=f"Agreement on {question.label} by country",
        caption=(
            f"{column_title(primary)}; bars are 95\u00a0% intervals ({_drawn(question)}); the pale "
            f"band is the pooled interval. In brackets: units with two or more ratings.{second}"
        ),
    )


def _drawn(question: QuestionReport) -> str:
    if question.kind == "ranking":
        return "ranked sets drawn anew"
    return "items and annotators drawn anew; items only where fewer than three annotators rated"
