"""Human scores in words."""

from __future__ import annotations

from scoring.analysis.report import QuestionReport, Summary
from scoring.reports.words import counted, interval_text, listed, not_defined, num, share

SHARES = {"yes_no", "multi", "descriptors"}

MOST_OPTIONS = 8
"""A choice among more options has its table alone."""


def is_share(question: QuestionReport) -> bool:
    """Whether the mean of the answers is a share."""
    return question.kind in SHARES


def is_choice(question: QuestionReport) -> bool:
    """Whether its answers are one of several options without an order."""
    return question.kind == "choice" and question.level == "nominal"


def span_words(question: QuestionReport) -> str:
    """ "1 to 5" of a scale."""
    if question.kind == "slider":
        return "0 to 100"
    if question.kind != "likert" or not question.points:
        return ""
    return f"{question.points[0].value} to {question.points[-1].value}"


def figure_of(question: QuestionReport, value: float) -> str:
    """A mean as its question writes it."""
    return share(value) if is_share(question) else num(value)


def scores_finding(question: QuestionReport) -> str:
    """Mean or share with what it rests on, the highest and lowest model."""
    summary = question.groups[0].summary
    if not summary.n_ratings:
        return f"{question.label}: no ratings yet."
    if summary.mean is None:
        return _choices(question, summary)
    what = f"\u201c{question.points[-1].label}\u201d" if is_share(question) else "mean"
    within = _within(question, summary)
    spread = ""
    if not is_share(question) and summary.sd is not None:
        spread = f", SD {num(summary.sd)}"
    first = (
        f"{question.label}: {what} {figure_of(question, summary.mean)}{within}{spread}, "
        f"{counted(summary.n_ratings, 'answer')} on {counted(summary.n_items, 'item')} by "
        f"{counted(summary.n_raters, 'annotator')}."
    )
    return " ".join(filter(None, (first, _extremes(question))))


def _within(question: QuestionReport, summary: Summary) -> str:
    bounds = summary.interval
    if bounds.low is None or bounds.high is None:
        return ""
    return " " + interval_text(*(figure_of(question, b) for b in (bounds.low, bounds.high)))


def _extremes(question: QuestionReport) -> str:
    means = [(one.summary.mean, one.system) for one in question.systems]
    known = sorted((mean, name) for mean, name in means if mean is not None)
    if len(known) < 2 or known[0][0] == known[-1][0]:
        return ""
    (low, lowest), (high, highest) = known[0], known[-1]
    return (
        f"Highest: {highest}, {figure_of(question, high)}; "
        f"lowest: {lowest}, {figure_of(question, low)}."
    )


def most_chosen(question: QuestionReport, summary: Summary) -> str:
    """The option that most answers took, or those that share the place; empty without answers."""
    total, most = sum(summary.counts), max(summary.counts, default=0)
    if not most:
        return ""
    first = [
        f"\u201c{point.label}\u201d"
        for point, count in zip(question.points, summary.counts, strict=True)
        if count == most
    ]
    were, each = ("was", "") if len(first) == 1 else ("were", " each")
    answers = counted(total, "answer")
    return f"{listed(first)} {were} chosen most, {share(most / total)}{each} of {answers}."


def chosen_by_model(question: QuestionReport) -> str:
    """For which models the option chosen most was taken most and least often.

    Empty where options share the place, or models do not differ.
    """
    counts = question.groups[0].summary.counts
    if counts.count(max(counts, default=0)) != 1:
        return ""
    place = counts.index(max(counts))
    shares = {
        one.system: one.summary.counts[place] / sum(one.summary.counts)
        for one in question.systems
        if sum(one.summary.counts)
    }
    low, high = min(shares.values(), default=0.0), max(shares.values(), default=0.0)
    if low == high:
        return ""
    most, least = (
        listed([name for name, part in shares.items() if part == end]) for end in (high, low)
    )
    return f"Most often for {most}, {share(high)}; least often for {least}, {share(low)}."


def _choices(question: QuestionReport, summary: Summary) -> str:
    if summary.reason != "no_order":
        return f"{question.label}: {not_defined(summary.reason)}."
    found = (most_chosen(question, summary), chosen_by_model(question))
    return f"{question.label}: " + " ".join(filter(None, found))
