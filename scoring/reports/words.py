"""Numbers and findings in words. No verdicts: the cut-offs for "good" agreement are folklore."""

from __future__ import annotations

from collections.abc import Iterable

from scoring.analysis.report import POOLED, GroupAnswers, QuestionReport, Report
from scoring.stats.result import AgreementResult, CorrelationResult, Interval, describe

MINUS = "\u2212"
NBSP = "\u00a0"

IN_SHORT = {
    "no_ratings": "no ratings yet",
    "one_rating": "only one rating",
    "no_pairs": "no item has two ratings",
    "no_shared_items": "no item has both a score and a rating",
    "no_variation": "all ratings are the same",
    "constant_metric": "the metric gives every item the same value",
    "one_item": "only one item",
    "one_cluster": "all items come from one prompt",
    "too_few_items": "too few items",
    "undefined_replicates": "too many undefined draws",
}
IN_SHORT_FOR_METRICS = {"no_variation": "the mean ratings do not vary"}

TOO_FEW = "Too few items for a dependable interval."


def num(value: float, decimals: int = 2) -> str:
    """Fixed decimals, a true minus sign, no negative zero, thousands by comma."""
    text = f"{value:,.{decimals}f}"
    if float(text.replace(",", "")) == 0:
        text = text.lstrip("-")
    return text.replace("-", MINUS)


def share(value: float) -> str:
    return f"{num(100 * value, 0)}{NBSP}%"


def p_value(p: float) -> str:
    """Two significant digits; "< 0.001" below that."""
    if p < 0.001:
        return "<" + NBSP + "0.001"
    if p >= 0.995:
        return "1.0"
    return f"{p:#.2g}"


def interval(bounds: Interval) -> str:
    """ "[0.33, 0.48]"; empty where there are no bounds."""
    if bounds.low is None or bounds.high is None:
        return ""
    return interval_text(num(bounds.low), num(bounds.high))


def interval_text(low: str, high: str) -> str:
    """ "[0.33, 0.48]" of two bounds as they are written."""
    return f"[{low}, {high}]"


def counted(n: int, one: str, many: str = "") -> str:
    """ "1 item", "1,188 items"."""
    return f"{n:,}{NBSP}{one if n == 1 else many or one + 's'}"


def why(reason: str | None, *, metric: bool = False) -> str:
    """A reason in a few words."""
    if reason is None:
        return ""
    short = IN_SHORT_FOR_METRICS.get(reason) if metric else None
    return short or IN_SHORT.get(reason) or describe(reason)


def not_defined(reason: str | None, *, metric: bool = False) -> str:
    return f"not defined: {why(reason, metric=metric)}"


def with_interval(result: AgreementResult | CorrelationResult) -> str:
    """ "0.41 [0.33, 0.48]", without bounds "0.41"; undefined as words."""
    if result.value is None:
        return not_defined(result.reason, metric=isinstance(result, CorrelationResult))
    bounds = interval(result.interval) if result.interval else ""
    return f"{num(result.value)} {bounds}".strip()


def includes_zero(bounds: Interval | None) -> bool:
    if bounds is None or bounds.low is None or bounds.high is None:
        return False
    return bounds.low <= 0 <= bounds.high


def finding(report: Report, question: QuestionReport) -> str:
    """The question's agreement in one to three sentences: value, n, extremes, what is missing."""
    pooled, *panels = question.groups
    alpha = pooled.alpha
    if alpha.value is None:
        first = f"{question.label}: alpha is {not_defined(alpha.reason)}."
    else:
        over = counted(alpha.n_units_paired, "item")
        first = (
            f"{question.label}: alpha {with_interval(alpha)} over {over} with two or more ratings."
        )
    few = TOO_FEW if alpha.value is not None and alpha.too_few_for_interval else ""
    rest = [few, extremes(report, panels), undefined(report, panels, said=alpha.reason)]
    return " ".join(filter(None, [first, *rest]))


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


def listed(names: list[str]) -> str:
    """ "Brazil, Iran and Nepal"."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def alpha_sentence(report: Report, question: QuestionReport, answers: GroupAnswers) -> str:
    """The number as it stands in a paper."""
    alpha = answers.alpha
    value = num(alpha.value) if alpha.value is not None else not_defined(alpha.reason)
    where = "" if answers.group == POOLED else f", annotators in {report.group(answers.group).name}"
    parts = [
        f"{question.label}{where}: Krippendorff\u2019s alpha (ordinal) "
        + (f"= {value}" if alpha.value is not None else f"is {value}"),
        interval_words(alpha.interval),
        counted(alpha.n_units, "item"),
        counted(alpha.n_raters, "annotator"),
        counted(alpha.n_ratings, "rating"),
    ]
    return ", ".join(filter(None, parts)) + "."


def correlation_sentence(
    report: Report, *, output: str, question: str, group: str, result: CorrelationResult
) -> str:
    where = "" if group == POOLED else f" in {report.group(group).name}"
    subject = f"{output} against the mean rating of {question}{where}, Spearman\u2019s rho"
    if result.value is None:
        return f"{subject} is {not_defined(result.reason, metric=True)}."
    p = "" if result.p_value is None else f"p {_relation(p_value(result.p_value))}"
    parts = [
        f"{subject} = {num(result.value)}",
        interval_words(result.interval),
        p,
        counted(result.n_units, "item"),
    ]
    return ", ".join(filter(None, parts)) + "."


def interval_words(bounds: Interval | None) -> str:
    """ "95 % two-way bootstrap interval [0.33, 0.48]"; empty without bounds."""
    if bounds is None or bounds.low is None:
        return ""
    kind = "two-way " if "raters" in bounds.resampled else ""
    return f"{share(bounds.level)} {kind}bootstrap interval {interval(bounds)}"


def _relation(p: str) -> str:
    return p if p.startswith("<") else f"= {p}"


def _extreme(report: Report, answers: GroupAnswers) -> str:
    zero = "; its interval includes 0" if includes_zero(answers.alpha.interval) else ""
    return f"{report.group(answers.group).name} ({num(answers.alpha.value or 0.0)}{zero})"
