"""Charts of the page on human scores: distributions, means by model, mean ranks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from matplotlib.figure import Figure

from scoring.analysis.parts.scores import RankingScores, RankRow
from scoring.analysis.report import POOLED, REAL, QuestionReport, Report, SystemAnswers
from scoring.reports.palette import INK_3, MARKERS, SYSTEMS
from scoring.reports.plots.canvas import axis_number
from scoring.reports.plots.choices import choices_alt, choices_fit, draw_choices
from scoring.reports.plots.dots import Dot, draw_dots
from scoring.reports.plots.drawing import Drawing
from scoring.reports.plots.likert import draw_likert, likert_alt, likert_fits
from scoring.reports.ranking_tables import by_mean, rank_finding
from scoring.reports.score_words import figure_of, is_share
from scoring.reports.words import NBSP, counted, interval_text, num


def drawings(report: Report) -> Iterator[Drawing]:
    """Shares of each point by model where the scale has colours, of each option of a choice, else
    means; then mean ranks."""
    for question in report.questions:
        if question.kind == "likert" and likert_fits(question):
            yield Drawing(
                key=f"likert-{question.key}",
                alt=likert_alt(question),
                draw=partial(draw_likert, question),
            )
        elif choices_fit(question):
            yield Drawing(
                key=f"choices-{question.key}",
                alt=choices_alt(question),
                draw=partial(draw_choices, question, partial(_colour, report)),
            )
        elif question.kind != "ranking" and _has_means(question):
            yield Drawing(
                key=f"means-{question.key}",
                alt=_means_alt(question),
                draw=partial(_draw_means, report, question),
            )
    for ranking in report.scores.rankings:
        if ranking.group == POOLED and any(row.mean is not None for row in ranking.rows):
            yield Drawing(
                key=f"ranks-{ranking.question}",
                alt=_ranks_alt(ranking),
                draw=partial(_draw_ranks, report, ranking),
            )


def system_style(report: Report, name: str) -> tuple[str, str, bool]:
    """(colour, marker, hollow) of a model: by its place in the study; grey where there are more
    than seven, and for what is no model."""
    systems = report.study.systems
    if name not in systems or len(systems) > len(SYSTEMS):
        return INK_3, "o", name == REAL
    place = systems.index(name)
    return SYSTEMS[place], MARKERS[place], False


def _colour(report: Report, name: str) -> tuple[str, bool]:
    colour, _, hollow = system_style(report, name)
    return colour, hollow


def _has_means(question: QuestionReport) -> bool:
    return any(one.summary.mean is not None for one in question.systems)


def _draw_means(report: Report, question: QuestionReport, width: str) -> Figure:
    rows = [_dot(report, question, one) for one in question.systems]
    if is_share(question):
        return draw_dots(
            rows,
            span=(0.0, 1.0),
            axis=f"\u201c{question.points[-1].label}\u201d, share of answers",
            tick=lambda x, _: f"{num(100 * x, 0)}{NBSP}%",
            line_at=None,
            width=width,
        )
    low, high = _span(question)
    return draw_dots(
        rows,
        span=(low, high),
        axis=f"Mean {question.label}",
        tick=axis_number,
        line_at=None,
        width=width,
    )


def _span(question: QuestionReport) -> tuple[float, float]:
    if question.kind == "slider":
        return 0.0, 100.0
    return float(question.points[0].value), float(question.points[-1].value)


def _dot(report: Report, question: QuestionReport, one: SystemAnswers) -> Dot:
    colour, marker, hollow = system_style(report, one.system)
    summary = one.summary
    bounds = summary.interval
    figures = ""
    if summary.mean is not None:
        figures = figure_of(question, summary.mean)
        if bounds.low is not None and bounds.high is not None:
            ends = interval_text(*(figure_of(question, b) for b in (bounds.low, bounds.high)))
            figures = f"{figures} {ends}"
    return Dot(
        name=one.system,
        value=summary.mean,
        low=bounds.low,
        high=bounds.high,
        figures=figures,
        instead="no answers",
        colour=colour,
        marker=marker,
        hollow=hollow,
    )


def _means_alt(question: QuestionReport) -> str:
    known = sorted(
        (one.summary.mean, one.system) for one in question.systems if one.summary.mean is not None
    )
    (low, lowest), (high, highest) = known[0], known[-1]
    what = "Share" if is_share(question) else "Mean"
    opening = f"{what} of {question.label} for {counted(len(known), 'model')}, 95 % intervals."
    ends = f"{highest}: {figure_of(question, high)}."
    if len(known) > 1:
        ends = (
            f"Highest: {highest}, {figure_of(question, high)}; "
            f"lowest: {lowest}, {figure_of(question, low)}."
        )
    return f"{opening} {ends} Table follows."


def _draw_ranks(report: Report, ranking: RankingScores, width: str) -> Figure:
    n = len(ranking.rows)
    return draw_dots(
        [_rank_dot(report, row) for row in by_mean(ranking)],
        span=(1.0, float(max(n, 2))),
        axis="Mean rank (1 is best)",
        tick=axis_number,
        line_at=(1 + n) / 2,
        width=width,
    )


def _rank_dot(report: Report, row: RankRow) -> Dot:
    colour, marker, hollow = system_style(report, row.name)
    figures = ""
    if row.mean is not None:
        se = f" \u00b1 {num(row.se_clustered)}" if row.se_clustered is not None else ""
        figures = f"{num(row.mean)}{se}, n{NBSP}{row.n:,}"
    return Dot(
        name=row.name,
        value=row.mean,
        low=row.interval.low,
        high=row.interval.high,
        thick=row.se_clustered,
        figures=figures,
        instead="no rankings",
        colour=colour,
        marker=marker,
        hollow=hollow,
    )


def _ranks_alt(ranking: RankingScores) -> str:
    errors = [row.se_clustered for row in ranking.rows if row.se_clustered is not None]
    between = f" Standard errors {num(min(errors))} to {num(max(errors))}." if errors else ""
    return f"{rank_finding(ranking)}{between} Table follows."
