"""Agreement in words: names of coefficients, findings, sentences for a paper. No verdicts."""

from __future__ import annotations

from collections.abc import Iterable

from scoring.analysis.report import POOLED, GroupAnswers, QuestionReport, Report
from scoring.reports.words import (
    TOO_FEW,
    counted,
    includes_zero,
    interval_words,
    listed,
    not_defined,
    num,
    share,
    with_interval,
)
from scoring.stats.result import AgreementResult

ICC_NAMES = {"ICC2": "ICC(A,1)", "ICC2k": "ICC(A,k)"}
SHORT = {
    "krippendorff_alpha": "alpha",
    "average_pairwise_jaccard": "mean Jaccard",
    "kendall_w": "Kendall\u2019s W",
}
LOPSIDED = 0.8
APART = 0.2


def column_title(result: AgreementResult) -> str:
    """A coefficient as the head of a column: "Alpha (ordinal)", "AC2 (quadratic)"."""
    if result.coefficient == "krippendorff_alpha":
        return f"Alpha ({result.weights or result.level})"
    if result.coefficient == "icc":
        return ICC_NAMES.get(result.form or "", result.form or "ICC")
    titles = {
        "gwet_ac1": "AC1",
        "gwet_ac2": f"AC2 ({result.weights})",
        "percent_agreement": "Same answer",
        "average_pairwise_jaccard": "Mean Jaccard",
        "kendall_w": "Kendall\u2019s W",
    }
    return titles[result.coefficient]


def paper_name(result: AgreementResult) -> str:
    """A coefficient as a paper names it."""
    if result.coefficient == "krippendorff_alpha":
        return f"Krippendorff\u2019s alpha ({result.weights or result.level})"
    names = {
        "gwet_ac1": "Gwet\u2019s AC1",
        "gwet_ac2": f"Gwet\u2019s AC2 ({result.weights} weights)",
        "percent_agreement": "raw agreement",
        "average_pairwise_jaccard": "the mean pairwise Jaccard similarity",
        "kendall_w": "Kendall\u2019s W (mean over ranked sets)",
    }
    return names.get(result.coefficient) or column_title(result)


def short_name(result: AgreementResult) -> str:
    """The primary coefficient within a sentence."""
    return SHORT.get(result.coefficient, column_title(result))


def unit_word(result: AgreementResult) -> str:
    """What the coefficient counts: items, or ranked sets."""
    return "ranked set" if result.coefficient == "kendall_w" else "item"


def finding(report: Report, question: QuestionReport) -> str:
    """The question's agreement in a few sentences: value, n, extremes, what is missing."""
    pooled, *panels = question.groups
    primary = pooled.alpha
    name = f"{question.label}: {short_name(primary)}"
    if primary.value is None:
        first = f"{name} is {not_defined(primary.reason)}."
    else:
        over = counted(primary.n_units_paired, unit_word(primary))
        first = f"{name} {with_interval(primary)} over {over} with two or more ratings."
    few = TOO_FEW if primary.value is not None and primary.too_few_for_interval else ""
    rest = [
        few,
        extremes(report, panels),
        undefined(report, panels, said=primary.reason),
        lopsided(question, pooled),
    ]
    return " ".join(filter(None, [first, *rest]))


def lopsided(question: QuestionReport, answers: GroupAnswers) -> str:
    """Why alpha and AC1 differ, where nearly all answers are the same."""
    by_name = {one.coefficient: one for one in answers.coefficients}
    alpha, ac1, same = (
        by_name.get(name) for name in ("krippendorff_alpha", "gwet_ac1", "percent_agreement")
    )
    if not (alpha and ac1 and same) or None in (alpha.value, ac1.value, same.value):
        return ""
    total = sum(answers.summary.counts)
    most = max(answers.summary.counts, default=0)
    if not total or most / total < LOPSIDED or abs(ac1.value - alpha.value) < APART:
        return ""
    label = question.points[answers.summary.counts.index(most)].label.lower()
    return (
        f"{share(same.value)} of pairs agree; because {share(most / total)} of the answers are "
        f"\u201c{label}\u201d, alpha is {num(alpha.value)} and AC1 {num(ac1.value)}. Report both."
    )


def extremes(report: Report, panels: Iterable[GroupAnswers]) -> str:
    """ "Highest in Brazil (0.52), lowest in Nigeria (0.15; its interval includes 0)." """
    defined = [(a.alpha.value, a) for a in panels if a.alpha.value is not None]
    if len(defined) < 2:
        return ""
    ordered = [answers for _, answers in sorted(defined, key=lambda pair: pair[0])]
    lowest, highest = ordered[0], ordered[-1]
    return f"Highest in {_extreme(report, highest)}, lowest in {_extreme(report, lowest)}."


def undefined(report: Report, panels: Iterable[GroupAnswers], *, said: str | None = None) -> str:
    """ "Iran and Oman are not defined: all ratings are the same.", a sentence for each reason.

    A reason that was `said` already (of the pooled value) is not repeated.
    """
    by_reason: dict[str, list[str]] = {}
    for answers in panels:
        reason = answers.alpha.reason
        if reason is not None and reason != said:
            by_reason.setdefault(reason, []).append(report.group(answers.group).name)
    return " ".join(
        f"{listed(names)} {'is' if len(names) == 1 else 'are'} {not_defined(reason)}."
        for reason, names in by_reason.items()
    )


def agreement_sentence(where: str, question: QuestionReport, result: AgreementResult) -> str:
    """One coefficient as it stands in a paper; `where` names the annotators, "" for all."""
    value = num(result.value) if result.value is not None else not_defined(result.reason)
    relation = "=" if result.value is not None else "is"
    among = f", {where}" if where else ""
    parts = [
        f"{question.label}{among}: {paper_name(result)} {relation} {value}",
        interval_words(result.interval),
        counted(result.n_units, unit_word(result)),
        counted(result.n_raters, "annotator"),
        counted(result.n_ratings, "rating"),
    ]
    return ", ".join(filter(None, parts)) + "."


def place_of(report: Report, group: str) -> str:
    """ "annotators in Iran"; "" for everybody; a dimension as "identity only"."""
    if group == POOLED:
        return ""
    for one in report.groups:
        if one.key == group:
            return f"annotators in {one.name}"
    return f"{group} only"


def name_of(report: Report, group: str) -> str:
    """A group's name, or the dimension itself."""
    for one in report.groups:
        if one.key == group:
            return one.name
    return group.capitalize()


def _extreme(report: Report, answers: GroupAnswers) -> str:
    zero = "; its interval includes 0" if includes_zero(answers.alpha.interval) else ""
    return f"{name_of(report, answers.group)} ({num(answers.alpha.value or 0.0)}{zero})"
