"""The card behind a mean or share of answers."""

from __future__ import annotations

from scoring.analysis.report import QuestionReport, Report, Summary
from scoring.reports.cards import Card, filled, interval_facts, software
from scoring.reports.score_words import figure_of, is_share
from scoring.reports.words import MINUS, counted, interval_words, not_defined, num


def summary_card(
    report: Report, question: QuestionReport, name: str, key: str, summary: Summary
) -> Card:
    """How one row's mean (or share) was made."""
    what = "Share" if is_share(question) else "Mean"
    facts = [
        (what, num(summary.mean, 4) if summary.mean is not None else not_defined(summary.reason)),
        *interval_facts(summary.interval, too_few=False),
        ("SE", num(summary.se, 4) if summary.se is not None else ""),
        ("SD", f"{num(summary.sd, 4)}, with n {MINUS} 1" if summary.sd is not None else ""),
        ("From 0 to 1", num(summary.rescaled, 4) if summary.rescaled is not None else ""),
        ("Unit", "single answer"),
        ("Answers", f"{summary.n_ratings:,}"),
        ("Items", f"{summary.n_items:,}"),
        ("Annotators", f"{summary.n_raters:,}"),
        ("Answers by point", _counts(question, summary)),
        *software(report),
    ]
    return Card(
        id=f"mean-{question.key}-{slug(key)}",
        title=f"{question.label}: {name}",
        sentences=(_sentence(question, name, summary),),
        facts=filled(facts),
    )


def slug(text: str) -> str:
    """Fit for an id."""
    return "".join(letter if letter.isalnum() else "-" for letter in text)


def _counts(question: QuestionReport, summary: Summary) -> str:
    pairs = zip(question.points, summary.counts, strict=True)
    return ", ".join(f"{point.label or point.value}: {count:,}" for point, count in pairs)


def _sentence(question: QuestionReport, name: str, summary: Summary) -> str:
    if summary.mean is None:
        return f"{question.label}, {name}: the mean is {not_defined(summary.reason)}."
    sd = f"SD {num(summary.sd)}" if summary.sd is not None and not is_share(question) else ""
    parts = [
        f"{question.label}, {name}: {'share' if is_share(question) else 'mean'} = "
        f"{figure_of(question, summary.mean)}",
        sd,
        interval_words(summary.interval),
        counted(summary.n_ratings, "answer"),
        counted(summary.n_items, "item"),
        counted(summary.n_raters, "annotator"),
    ]
    return ", ".join(filter(None, parts)) + "."
