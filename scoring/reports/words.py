"""Numbers and findings in words. No verdicts: the cut-offs for "good" agreement are folklore."""

from __future__ import annotations

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
    "no_repeats": "nothing was shown again",
    "no_order": "the answers have no order",
    "no_f_interval": "the F distribution gives no bounds",
    "no_complete_items": "no item was rated by everybody",
    "no_item_variance": "items differ less than ratings of one item",
    "not_connected": "some models never lost against the others, or were never compared with them",
    "unsettled_fit": "some models nearly always win",
    "no_defined_rater": "nobody shares four items with others and varies on them",
    "too_few_raters": "fewer than three annotators",
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


def listed(names: list[str]) -> str:
    """ "Brazil, Iran and Nepal"."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def interval_words(bounds: Interval | None) -> str:
    """ "95 % two-way bootstrap interval [0.33, 0.48]"; empty without bounds."""
    if bounds is None or bounds.low is None:
        return ""
    if not bounds.replicates:
        return f"{share(bounds.level)} interval {interval(bounds)} ({bounds.kind})"
    kind = "two-way " if "raters" in bounds.resampled else ""
    return f"{share(bounds.level)} {kind}bootstrap interval {interval(bounds)}"
