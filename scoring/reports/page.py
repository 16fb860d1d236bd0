"""A report as its page shows it: every number a string, rounded once, here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django.utils.safestring import SafeString, mark_safe

from scoring.analysis.report import (
    POOLED,
    GroupAnswers,
    MetricReport,
    OutputReport,
    Pairing,
    QuestionReport,
    Report,
)
from scoring.reports.cards import Card, agreement_card, correlation_card, named
from scoring.reports.moments import moment
from scoring.reports.palette import MOST_POINTS, point_tokens
from scoring.reports.sensitivity import LayersPart, layers_part
from scoring.reports.values import Value, mean_value, undefined, value_of
from scoring.reports.words import (
    counted,
    finding,
    p_value,
    share,
)
from scoring.stats.correlation import FEWEST_FOR_P
from scoring.stats.result import CorrelationResult

BETTER = {"higher", "lower"}
DIRECTIONS = {"higher": "higher is better", "lower": "lower is better", "none": ""}
Plots = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRow:
    name: str
    pooled: bool
    mean: Value
    alpha: Value
    same: Value
    items: str
    raters: str
    ratings: str
    card: Card


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """`legend`: (token, label) pairs; `head` and `rows` are the table behind the chart.

    Without a drawing (`wide` empty) the table stands alone.
    """

    id: str
    title: str
    caption: str
    wide: SafeString
    narrow: SafeString
    legend: tuple[tuple[str, str], ...]
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionPart:
    key: str
    label: str
    direction: str
    finding: str
    rows: tuple[GroupRow, ...]
    charts: tuple[Chart, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricRow:
    """One output against one question: pooled in `value`, by panel in `panels` (value, n)."""

    metric: str
    better: str
    question: str
    value: Value
    items: str
    left_out: str
    left_out_items: tuple[tuple[str, str], ...]
    p: str
    contrary: str
    card: Card
    panels: tuple[tuple[Value, str], ...]
    panels_card: Card | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    as_of: str
    facts: tuple[str, ...]
    simulated: bool
    groups: tuple[tuple[str, bool, tuple[str, ...]], ...]
    questions: tuple[QuestionPart, ...]
    metrics: tuple[MetricRow, ...]
    run_notes: tuple[tuple[str, bool], ...]
    panels: tuple[str, ...]
    layers: LayersPart | None
    replicates: str
    seed: int
    software: str


def page_of(report: Report, plots: Plots) -> Page:
    data = report.data
    panels = tuple(group.name for group in report.groups if group.key != POOLED)
    return Page(
        as_of=moment(report.method.as_of),
        facts=_facts(report),
        simulated=data.simulated > 0,
        groups=tuple(
            (
                group.name,
                group.key == POOLED,
                (f"{group.items:,}", f"{group.raters:,}", f"{group.ratings:,}"),
            )
            for group in report.groups
        ),
        questions=tuple(_question(report, question, plots) for question in report.questions),
        metrics=tuple(
            _metric_row(report, metric, output, question)
            for metric in report.metrics
            for output in metric.outputs
            for question in report.questions
        ),
        run_notes=tuple(note for metric in report.metrics for note in _run_notes(metric)),
        panels=panels,
        layers=layers_part(report),
        replicates=f"{report.method.replicates:,}",
        seed=report.method.seed,
        software=report.method.software,
    )


def _facts(report: Report) -> tuple[str, ...]:
    data = report.data
    facts = [
        counted(data.items, "item"),
        counted(data.raters, "annotator"),
        f"{counted(data.ratings, 'rating')} counted",
        f"{counted(data.surplus, 'surplus rating')} left out" if data.surplus else "",
        f"{data.simulated:,} of the ratings simulated" if data.simulated else "",
        f"as of {moment(report.method.as_of)}",
    ]
    return tuple(fact for fact in facts if fact)


def _question(report: Report, question: QuestionReport, plots: Plots) -> QuestionPart:
    charts = [_likert_chart(question, plots), _forest_chart(report, question, plots)]
    return QuestionPart(
        key=question.key,
        label=question.label,
        direction=DIRECTIONS.get(question.direction, ""),
        finding=finding(report, question),
        rows=tuple(_group_row(report, question, answers) for answers in question.groups),
        charts=tuple(chart for chart in charts if chart is not None),
    )


def _group_row(report: Report, question: QuestionReport, answers: GroupAnswers) -> GroupRow:
    summary = answers.summary
    same = answers.agreement
    return GroupRow(
        name=report.group(answers.group).name,
        pooled=answers.group == POOLED,
        mean=mean_value(summary),
        alpha=value_of(answers.alpha),
        same=Value(text=share(same.value)) if same.value is not None else undefined(same),
        items=f"{summary.n_items:,}",
        raters=f"{summary.n_raters:,}",
        ratings=f"{summary.n_ratings:,}",
        card=agreement_card(report, question, answers),
    )


def _likert_chart(question: QuestionReport, plots: Plots) -> Chart | None:
    """Shares by system. A scale with more points than there are colours has the table only."""
    key = f"likert-{question.key}"
    many = len(question.points) > MOST_POINTS
    if not question.systems or (key not in plots and not many):
        return None
    drawn = plots.get(key, {})
    tokens = point_tokens(len(question.points), question.direction) if drawn else ()
    labels = [f"{point.value} {point.label}".strip() for point in question.points]
    return Chart(
        id=key,
        title=f"{question.label} by model",
        caption=_likert_caption(question, is_drawn=bool(drawn)),
        wide=_drawing(drawn.get("wide", "")),
        narrow=_drawing(drawn.get("narrow", "")),
        legend=tuple(zip(tokens, labels, strict=True)) if drawn else (),
        head=("Model", *labels, "Mean (SD)", "Ratings"),
        rows=tuple(
            (
                answers.system,
                *(share(count / answers.summary.n_ratings) for count in answers.summary.counts),
                f"{mean_value(answers.summary).text} {mean_value(answers.summary).interval}",
                f"{answers.summary.n_ratings:,}",
            )
            for answers in question.systems
        ),
    )


def _likert_caption(question: QuestionReport, *, is_drawn: bool) -> str:
    bars = "; bars are centred on the middle of the scale" if is_drawn else ""
    order = "best" if question.direction in BETTER else "highest"
    real = ", real pictures on top" if any(s.real for s in question.systems) else ""
    return (
        f"Share of ratings at each point, in %{bars}. All countries pooled; mean over single "
        f"ratings; {order} mean first{real}."
    )


def _forest_chart(report: Report, question: QuestionReport, plots: Plots) -> Chart | None:
    key = f"forest-{question.key}"
    if key not in plots:
        return None
    return Chart(
        id=key,
        title=f"Agreement on {question.label} by country",
        caption=(
            "Krippendorff\u2019s alpha (ordinal); bars are 95\u00a0% two-way intervals (items and "
            "annotators drawn anew; items only where fewer than three annotators rated); the pale "
            "band is the pooled interval. In brackets: items with two or more ratings."
        ),
        wide=_drawing(plots[key]["wide"]),
        narrow=_drawing(plots[key]["narrow"]),
        legend=(),
        head=("Annotators in", "Alpha", "95\u00a0% interval", "Items"),
        rows=tuple(
            (
                report.group(answers.group).name,
                value_of(answers.alpha).text,
                value_of(answers.alpha).interval or value_of(answers.alpha).note,
                f"{answers.alpha.n_units_paired:,}",
            )
            for answers in question.groups
        ),
    )


def _drawing(svg: str) -> SafeString:
    # Ours from end to end: `plots.svg` serialises the tree, which escapes every name in it.
    return mark_safe(svg)


def _metric_row(
    report: Report, metric: MetricReport, output: OutputReport, question: QuestionReport
) -> MetricRow:
    pairings = tuple(p for p in output.pairings if p.question == question.key)
    pooled = next(pairing for pairing in pairings if pairing.group == POOLED)
    panels = tuple(pairing for pairing in pairings if pairing.group != POOLED)
    result = pooled.correlation
    return MetricRow(
        metric=output.name,
        better=output.better,
        question=question.label,
        value=value_of(result),
        items=f"{result.n_units:,}",
        left_out=f"{result.n_left_out:,}",
        left_out_items=tuple((f"{part.items:,}", part.sentence) for part in pooled.left_out),
        p=_p_words(result),
        contrary=_contrary(output, question, pooled),
        card=correlation_card(report, metric, output, (pooled,), label=question.label),
        panels=tuple((value_of(p.correlation), f"{p.correlation.n_units:,}") for p in panels),
        panels_card=correlation_card(report, metric, output, panels, label=question.label)
        if panels
        else None,
    )


def _p_words(result: CorrelationResult) -> str:
    if result.p_value is not None:
        return p_value(result.p_value)
    return "" if result.value is None else f"none below {FEWEST_FOR_P} items"


def _run_notes(metric: MetricReport) -> Iterator[tuple[str, bool]]:
    """(sentence, whether it is a warning) on which scores are used and whether they are current."""
    if metric.runs > 1:
        at = f" of {moment(metric.finished_at)}" if metric.finished_at else ""
        used = ", ".join([f"run {metric.run}{at}", *named(metric.parameters)])
        yield f"{metric.name}: of {metric.runs} finished runs the newest is used ({used}).", False
    if metric.outdated:
        yield (
            f"{metric.name}: descriptors have been added or removed since its scores were made. "
            "Start a new run to bring the scores up to date.",
            True,
        )


def _contrary(output: OutputReport, question: QuestionReport, pairing: Pairing) -> str:
    """A sentence where the whole interval lies on the side that the directions speak against."""
    bounds = pairing.correlation.interval
    if {output.better, question.direction} - BETTER or bounds is None or bounds.low is None:
        return ""
    expected = 1 if output.better == question.direction else -1
    if max(expected * bounds.low, expected * (bounds.high or 0.0)) >= 0:
        return ""
    moves = "falls" if expected == 1 else "rises"
    return f"{output.name} {moves} when {question.label} rises. Check its direction."
