"""The card behind a row of agreement coefficients: how they were made, with sentences to copy."""

from __future__ import annotations

from scoring.analysis.report import AlphaCheck, GroupAnswers, QuestionReport, Report
from scoring.reports.agreement_words import (
    agreement_sentence,
    column_title,
    name_of,
    paper_name,
    place_of,
    unit_word,
)
from scoring.reports.cards import Card, filled, interval_facts, precise, software
from scoring.reports.words import MINUS, counted, not_defined, num


def agreement_card(report: Report, question: QuestionReport, answers: GroupAnswers) -> Card:
    """One card for all coefficients of a group (or dimension)."""
    primary, *others = answers.coefficients
    surplus = report.data.surplus
    facts = [
        ("Coefficient", paper_name(primary)),
        ("Value", precise(primary)),
        *interval_facts(primary.interval, primary.too_few_for_interval),
        ("Aggregation", primary.aggregation),
        (unit_word(primary).capitalize() + "s", _units(primary)),
        ("Annotators", f"{primary.n_raters:,}"),
        ("Ratings", f"{primary.n_ratings:,}"),
        ("Points declared", ", ".join(primary.categories_declared[:40])),
        ("Points used", ", ".join(primary.categories_used[:40]) or "none"),
        *((column_title(one), _in_short(one)) for one in others),
        ("Mean (SD)", _mean_words(answers)),
        ("Left out", f"{counted(surplus, 'surplus rating')} in the whole study" if surplus else ""),
        ("Checked", _check_words(_check_of(report, question.key, answers.group))),
        *software(report),
    ]
    where = place_of(report, answers.group)
    return Card(
        id=f"how-{question.key}-{_slug(answers.group)}",
        title=f"{question.label}: {name_of(report, answers.group)}",
        sentences=tuple(
            agreement_sentence(where, question, one)
            for one in answers.coefficients
            if one.coefficient != "percent_agreement"
        ),
        facts=filled(facts),
    )


def _in_short(result) -> str:
    bounds = result.interval
    within = ""
    if bounds is not None and bounds.low is not None and bounds.high is not None:
        within = f", {num(bounds.low, 4)} to {num(bounds.high, 4)} ({bounds.kind})"
    return f"{precise(result)}{within}; {result.aggregation}"


def _units(result) -> str:
    return (
        f"{result.n_units:,}: {result.n_units_paired:,} with two or more ratings, "
        f"{result.n_units_single:,} with one"
    )


def _mean_words(answers: GroupAnswers) -> str:
    summary = answers.summary
    if summary.mean is None:
        return not_defined(summary.reason)
    spread = num(summary.sd) if summary.sd is not None else not_defined(summary.sd_reason)
    return f"{num(summary.mean, 4)} ({spread}), over single ratings; SD with n {MINUS} 1"


def _check_of(report: Report, question: str, group: str) -> AlphaCheck | None:
    for check in report.self_check:
        if (check.question, check.group) == (question, group):
            return check
    return None


def _check_words(check: AlphaCheck | None) -> str:
    if check is None:
        return ""
    if check.package is None or check.difference is None:
        return check.note
    by = f"the package krippendorff {check.package_version}"
    if check.difference < 1e-9:
        return f"{by} gives the same value"
    return f"{by} gives {num(check.package, 4)}, a difference of {check.difference:.1e}"


def _slug(group: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in group)
