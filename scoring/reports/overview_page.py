"""The report's first page: what was asked of whom, how much of it there is, and the plan."""

from __future__ import annotations

from scoring.analysis.parts.overview import Overview, PerItem, PlanFacts, QuestionFacts
from scoring.analysis.report import POOLED, Report
from scoring.reports.agreement_words import name_of
from scoring.reports.moments import moment
from scoring.reports.sections import Chart, Note, Plots, Section
from scoring.reports.tables import Column, Row, Table
from scoring.reports.words import counted, num
from studies.models import AnalysisPlan

KINDS = {
    "likert": "Likert scale",
    "yes_no": "yes or no",
    "choice": "single choice",
    "multi": "multi-select over the items",
    "ranking": "ranking of the items",
    "descriptors": "descriptor check",
    "slider": "slider, 0 to 100",
}
ABOUT = {"item": "each item", "unit": "the items of a unit together", "probe": "each probe"}
MEANS_IN_ANY_CASE = (
    "The plan takes the majority of an item's ratings as its score. Majorities stand in tables of "
    "their own; correlations of metrics with people are with the mean."
)
PLANS = {
    "none": "No analysis plan was written.",
    "open": "There is an analysis plan, but it was not fixed.",
    "in_time": "The analysis plan was fixed on {} , before the first rating.",
    "late": "The analysis plan was fixed on {} , after ratings had begun.",
}


def sections(report: Report, plots: Plots) -> tuple[Section, ...]:
    overview = report.overview
    return (
        _rests_on(report),
        _asked(overview),
        _collection(report),
        _left_out(report),
        _plan(overview.plan),
        _made(report),
    )


def _rests_on(report: Report) -> Section:
    pooled = report.overview.per_item[0]
    finding = "No ratings yet."
    if pooled.n_ratings and pooled.median is not None:
        finding = (
            f"{counted(report.data.items, 'item')}, {counted(pooled.n_raters, 'annotator')}, "
            f"{counted(pooled.n_ratings, 'rating')}. An item has {_three(pooled)} ratings "
            "(least, median, most)."
        )
    return Section(
        id="rests-on",
        title="What the numbers rest on",
        finding=finding,
        tables=(_by_country(report),),
    )


def _three(one: PerItem) -> str:
    return f"{one.least:,}, {num(one.median or 0.0, 1)} and {one.most:,}"


def _by_country(report: Report) -> Table:
    return Table(
        name="rests-on",
        title="Items, annotators and ratings by the annotators\u2019 country",
        columns=(
            Column(key="group", title="Annotators in"),
            Column(key="languages", title="Languages"),
            Column(key="items", title="Items to rate", kind="count"),
            Column(key="unrated", title="Without a rating", kind="count"),
            Column(key="wanted", title="Ratings wanted of a unit", kind="count"),
            Column(key="least", title="Least", kind="count"),
            Column(key="median", title="Median", kind="number", decimals=1),
            Column(key="most", title="Most", kind="count"),
            Column(key="raters", title="Annotators", kind="count"),
            Column(key="ratings", title="Ratings", kind="count"),
        ),
        rows=tuple(
            Row(
                cells=(
                    name_of(report, one.group),
                    ", ".join(one.languages),
                    one.n_items,
                    one.n_unrated,
                    one.wanted,
                    one.least,
                    one.median,
                    one.most,
                    one.n_raters,
                    one.n_ratings,
                ),
                strong=one.group == POOLED,
            )
            for one in report.overview.per_item
        ),
        unit="rating: one annotator\u2019s answers to one unit",
        aggregation="least, median and most ratings of an item, items without any among them",
    )


def _asked(overview: Overview) -> Section:
    return Section(
        id="asked",
        title="What was asked",
        tables=(
            Table(
                name="questions",
                title="The questions and how they were answered",
                columns=(
                    Column(key="question", title="Question"),
                    Column(key="kind", title="Kind"),
                    Column(key="about", title="Asked of"),
                    Column(key="level", title="Level"),
                    Column(key="points", title="Points"),
                    Column(key="answers", title="Answers", kind="count"),
                    Column(key="not_applicable", title="\u201cDoes not apply\u201d", kind="count"),
                    Column(key="removed", title="Gone with their items", kind="count"),
                    Column(key="irrelevant", title="About irrelevant probes", kind="count"),
                ),
                rows=tuple(_question(one) for one in overview.questions),
                unit="single answer",
                aggregation="counts",
                notes=(
                    "An item (or probe) that a majority of a panel calls not applicable is left "
                    "out for that question and panel, ties are kept.",
                ),
            ),
        ),
    )


def _question(one: QuestionFacts) -> Row:
    return Row(
        cells=(
            one.label,
            KINDS[one.kind],
            ABOUT[one.about],
            one.level,
            ", ".join(one.points),
            one.n_answers,
            one.n_not_applicable,
            one.n_removed_answers,
            one.n_irrelevant,
        )
    )


def _collection(report: Report) -> Section:
    overview = report.overview
    finding = ""
    if overview.first_at:
        finding = f"First rating {moment(overview.first_at)}, last {moment(overview.last_at)}."
    charts: tuple[Chart, ...] = ()
    if overview.timeline.lines:
        charts = (
            Chart(
                key="timeline",
                title="Ratings over time",
                caption=f"Counted ratings so far, by {overview.timeline.step}, panel by panel. "
                "Dashed: the ratings wanted of a panel.",
                table=_timeline(report),
            ),
        )
    return Section(id="collection", title="Collection", finding=finding, charts=charts)


def _timeline(report: Report) -> Table:
    timeline = report.overview.timeline
    return Table(
        name="timeline",
        title="Ratings over time",
        columns=(
            Column(key="until", title="Until"),
            *(
                Column(
                    key=line.group.lower() or "none",
                    title=name_of(report, line.group) if line.group else "No panel",
                    kind="count",
                )
                for line in timeline.lines
            ),
        ),
        rows=tuple(
            Row(cells=(moment(at), *(line.counts[place] for line in timeline.lines)))
            for place, at in enumerate(timeline.moments)
        ),
        unit="rating",
        aggregation="ratings so far",
    )


def _left_out(report: Report) -> Section:
    left = report.overview.left_out
    points = [
        f"By declared rules: {counted(left.ratings_by_rule, 'rating')} of "
        f"{counted(left.raters_by_rule, 'annotator')}.",
        f"By hand: {counted(left.ratings_by_hand, 'rating')} of "
        f"{counted(left.raters_by_hand, 'annotator')}.",
        f"Surplus, sent when others had filled the unit: {counted(left.surplus, 'rating')}.",
        f"Of the pilot, kept apart: {counted(left.pilot, 'rating')}.",
        f"Shown again to measure self-consistency, not counted: {counted(left.repeats, 'rating')}.",
    ]
    return Section(id="left-out", title="What is left out", points=tuple(points))


def _plan(plan: PlanFacts) -> Section:
    when = moment(plan.fixed_at) if plan.fixed_at else ""
    notes = []
    if plan.changed_after_opening:
        notes.append(Note(text="A fixed plan was changed once people could answer.", warns=True))
    if plan.aggregation == AnalysisPlan.Aggregation.MAJORITY.label:
        notes.append(Note(text=MEANS_IN_ANY_CASE, warns=True))
    points = [
        ("Agreement", ", ".join(plan.coefficients)),
        ("Aggregation", plan.aggregation),
        ("Means from 0 to 1", "yes, over the declared range" if plan.rescaled else ""),
        ("Correlations", ", ".join(plan.correlations)),
        ("Their level", plan.correlation_level),
        ("Metrics", ", ".join(plan.metrics)),
        ("Exclusions", plan.exclusions.strip().replace("\n", "; ")),
        ("Notes", plan.notes.strip()),
        ("Changes on record", str(plan.changes) if plan.changes else ""),
    ]
    return Section(
        id="plan",
        title="Analysis plan",
        finding=PLANS[plan.standing].format(when).replace(" ,", ","),
        notes=tuple(notes),
        points=tuple(f"{name}: {text}" for name, text in points if text)
        if plan.standing != "none"
        else (),
    )


def _made(report: Report) -> Section:
    method = report.method
    return Section(
        id="made",
        title="How the numbers are made",
        points=(
            "A rating is one annotator\u2019s answers to one unit. Drafts, the pilot, repeats and "
            "surplus ratings are not counted.",
            f"Bootstrap intervals: 95\u00a0%, {method.replicates:,} draws, seed {method.seed}. "
            "Items and annotators are drawn anew; where there are 20 prompts or more, items of one "
            "prompt are drawn together.",
            f"Computed by {method.software}. The JSON has every number with full precision.",
        ),
    )
