"""How a coefficient of a metric was made, with a sentence for a paper."""

from __future__ import annotations

from scoring.analysis.parts.against import (
    Difference,
    LevelResult,
    QuestionAgainst,
    Row,
    SliceResult,
)
from scoring.analysis.report import Report
from scoring.reports.automatic_cards import how_drawn, run_facts
from scoring.reports.cards import Card, filled, interval_facts, software
from scoring.reports.series_words import (
    LEVELS,
    METHODS,
    better_words,
    left_out_words,
    slug,
)
from scoring.reports.words import counted, interval, not_defined, num, p_value, share
from scoring.stats.result import Interval


def level_card(
    report: Report,
    question: QuestionAgainst,
    row: Row,
    name: str,
    result: LevelResult,
    *,
    table: str,
) -> Card:
    """One coefficient at one level, with everything that it rests on; `table`: where it stands."""
    found = result.correlation
    level = LEVELS[found.level, result.grouping]
    facts = [
        ("Coefficient", found.variant),
        ("Level", f"{level}: {found.aggregation}"),
        ("Value", _precise(found.value, found.reason)),
        *interval_facts(found.interval, found.too_few_for_interval),
        ("p", _p_words(found.p_value, found.p_kind)),
        ("Adjusted", _adjusted_words(result)),
        ("Fisher mean", num(found.fisher_mean, 4) if found.fisher_mean is not None else ""),
        ("Unit of analysis", found.unit_of_analysis),
        ("Items", f"{found.n_items:,}"),
        ("Groups", _groups(result)),
        ("Annotators", f"{found.n_raters:,}" if found.n_raters is not None else ""),
        ("Ratings", f"{found.n_ratings:,}"),
        ("Left out", left_out_words(row.left_out)),
        ("Direction", f"{name}: {better_words(row.series.better)}"),
        *run_facts(report, row.series.run),
        *software(report),
    ]
    return Card(
        id=f"how-{slug(f'{question.key}-{row.series.key}-{found.level}-{result.grouping}')}"
        f"-{found.method}-{table}",
        title=f"{name} against {question.label}",
        sentences=(level_sentence(question, name, result),),
        facts=filled(facts),
    )


def level_sentence(question: QuestionAgainst, name: str, result: LevelResult) -> str:
    """The number as it stands in a paper."""
    found = result.correlation
    level = LEVELS[found.level, result.grouping]
    subject = (
        f"{name} against the mean rating of {question.label}, {level}, {METHODS[found.method]}"
    )
    if found.value is None:
        return f"{subject} is {not_defined(found.reason, metric=True)}."
    parts = [
        f"{subject} = {num(found.value)}",
        bounds_words(found.interval),
        _p_short(found.p_value),
        counted(found.n_items, "item"),
        counted(found.n_groups - found.n_groups_undefined, "group")
        if found.n_groups is not None
        else "",
    ]
    return ", ".join(filter(None, parts)) + "."


def country_card(
    report: Report, question: QuestionAgainst, row: Row, name: str, method: str
) -> Card:
    """Every country's coefficient in one row."""
    parts = [one for one in row.slices if (one.kind, one.method) == ("country", method)]
    bounds = next((one.interval for one in parts if one.interval is not None), None)
    facts = [
        ("Coefficient", METHODS[method]),
        ("Level", "mean rating of each item by the country\u2019s annotators, pooled over items"),
        *how_drawn(bounds),
        ("Family of the adjusted p", parts[0].adjusted.family if parts else ""),
        ("Direction", f"{name}: {better_words(row.series.better)}"),
        *run_facts(report, row.series.run),
        *software(report),
    ]
    return Card(
        id=f"how-{slug(f'{question.key}-{row.series.key}-countries')}-{method}",
        title=f"{name} against {question.label}, by country",
        sentences=tuple(_part_sentence(question, name, one) for one in parts),
        facts=filled(facts),
    )


def difference_card(
    report: Report, question: QuestionAgainst, names: tuple[str, str], one: Difference
) -> Card:
    """Two metrics on the same items, with the analytic tests as checks."""
    found = one.comparison
    checks = "; ".join(
        f"{test.test}: p {p_value(test.p_value)}"
        for test in found.tests
        if test.p_value is not None
    )
    zou = found.zou
    facts = [
        ("First", _precise(found.first, found.reason)),
        ("Second", _precise(found.second, found.reason)),
        ("Difference", _precise(found.difference, found.reason)),
        *interval_facts(found.interval, found.too_few_for_interval),
        ("p", _p_words(found.p_value, found.p_kind)),
        ("Family of the adjusted p", f"{one.adjusted.family} ({one.adjusted.n_tests})"),
        ("The two metrics with each other", _optional(found.between)),
        ("Analytic checks", checks),
        (
            "Zou\u2019s interval",
            f"{num(zou.low, 4)} to {num(zou.high, 4)}"
            if zou is not None and zou.low is not None and zou.high is not None
            else "",
        ),
        ("Reversed", "lower scores are better; turned round" if one.reversed else ""),
        ("Level", found.aggregation),
        *software(report),
    ]
    return Card(
        id=f"how-{slug(f'{question.key}-{one.first}-{one.second}-difference')}",
        title=f"{names[0]} less {names[1]}, {question.label}",
        sentences=(_difference_sentence(question, names, one),),
        facts=filled(facts),
    )


def bounds_words(bounds: Interval | None) -> str:
    """ "95 % bootstrap interval [0.33, 0.48]"; empty without bounds."""
    if bounds is None or bounds.low is None:
        return ""
    return f"{share(bounds.level)} bootstrap interval {interval(bounds)}"


def _difference_sentence(question: QuestionAgainst, names: tuple[str, str], one: Difference) -> str:
    found = one.comparison
    subject = f"{names[0]} less {names[1]} on {question.label}, {METHODS[found.method]}"
    if found.difference is None:
        return f"{subject}: {not_defined(found.reason, metric=True)}."
    parts = [
        f"{subject}: {num(found.difference)}",
        bounds_words(found.interval),
        f"paired permutation {_p_short(found.p_value)}" if found.p_value is not None else "",
        counted(found.n_units, "item"),
    ]
    return ", ".join(filter(None, parts)) + "."


def _part_sentence(question: QuestionAgainst, name: str, part: SliceResult) -> str:
    subject = f"{name} against the mean rating of {question.label}, {part.name}, "
    subject += METHODS[part.method]
    if part.value is None:
        return f"{subject} is {not_defined(part.reason, metric=True)}."
    parts = [
        f"{subject} = {num(part.value)}",
        bounds_words(part.interval),
        _p_short(part.p_value),
        counted(part.n_units, "item"),
    ]
    return ", ".join(filter(None, parts)) + "."


def _groups(result: LevelResult) -> str:
    found = result.correlation
    if found.n_groups is None:
        return ""
    undefined = found.n_groups_undefined
    return f"{found.n_groups:,}" + (f", {undefined:,} of them not defined" if undefined else "")


def _precise(value: float | None, reason: str | None) -> str:
    return num(value, 4) if value is not None else not_defined(reason, metric=True)


def _optional(value: float | None) -> str:
    return "" if value is None else num(value, 4)


def _p_short(p: float | None) -> str:
    if p is None:
        return ""
    text = p_value(p)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def _p_words(p: float | None, kind: str | None) -> str:
    return "" if p is None else f"{p_value(p)} ({kind}; takes items as independent)"


def _adjusted_words(result: LevelResult) -> str:
    adjusted = result.adjusted
    if adjusted.holm is None or adjusted.bh is None:
        return ""
    return (
        f"Holm {p_value(adjusted.holm)}, Benjamini-Hochberg {p_value(adjusted.bh)}; family of "
        f"{counted(adjusted.n_tests, 'test')}: {adjusted.family}"
    )
