"""The card behind each number: "How this number was made", with a sentence for the paper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scoring.analysis.report import (
    AlphaCheck,
    GroupAnswers,
    MetricReport,
    OutputReport,
    Pairing,
    QuestionReport,
    Report,
)
from scoring.reports.moments import moment
from scoring.reports.words import (
    MINUS,
    TOO_FEW,
    alpha_sentence,
    correlation_sentence,
    counted,
    num,
    p_value,
    share,
    why,
)
from scoring.stats.result import AgreementResult, CorrelationResult, Interval

Facts = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """`id` is unique on the page; `sentences` are ready for a paper; `facts` are term and text."""

    id: str
    title: str
    sentences: tuple[str, ...]
    facts: Facts


def agreement_card(report: Report, question: QuestionReport, answers: GroupAnswers) -> Card:
    alpha, same = answers.alpha, answers.agreement
    surplus = report.data.surplus
    facts = [
        ("Coefficient", "Krippendorff\u2019s alpha, ordinal, from the coincidence matrix"),
        ("Value", _precise(alpha)),
        *_interval_facts(alpha.interval, alpha.too_few_for_interval),
        ("Items", _items(alpha)),
        ("Annotators", f"{alpha.n_raters:,}"),
        ("Ratings", f"{alpha.n_ratings:,}"),
        ("Points declared", ", ".join(alpha.categories_declared)),
        ("Points used", ", ".join(alpha.categories_used) or "none"),
        ("Same point", _same_point(same)),
        ("Mean (SD)", _mean_words(answers)),
        ("Left out", f"{counted(surplus, 'surplus rating')} in the whole study" if surplus else ""),
        ("Checked", _check_words(_check_of(report, question.key, answers.group))),
        *_software(report),
    ]
    return Card(
        id=f"how-{question.key}-{answers.group}",
        title=f"{question.label}: {report.group(answers.group).name}",
        sentences=(alpha_sentence(report, question, answers),),
        facts=_filled(facts),
    )


def correlation_card(
    report: Report,
    metric: MetricReport,
    output: OutputReport,
    pairings: tuple[Pairing, ...],
    *,
    label: str,
) -> Card:
    """A card for one pairing, or for those of several panels in one row."""
    first = pairings[0]
    result = first.correlation
    alone = len(pairings) == 1
    facts = [
        ("Coefficient", result.variant),
        ("Level", result.aggregation),
        ("Direction", f"{output.name}: {output.better} is better" if output.better else ""),
        *(_own_facts(result) if alone else ()),
        ("Left out", _left_out_words(first) if alone else ""),
        ("Metric", f"{metric.name}, version {metric.version}, run {metric.run}"),
        ("Parameters", ", ".join(named(metric.parameters))),
        ("Model", " ".join(filter(None, [metric.model_id, metric.model_revision]))),
        *_software(report),
    ]
    return Card(
        id=f"how-{metric.key}-{output.key}-{first.question}-{'all' if alone else 'panels'}",
        title=f"{output.name} against {label}",
        sentences=tuple(
            correlation_sentence(
                report,
                output=output.name,
                question=label,
                group=pairing.group,
                result=pairing.correlation,
            )
            for pairing in pairings
        ),
        facts=_filled(facts),
    )


def named(parameters: Mapping[str, float | str | None]) -> list[str]:
    """ "tau 0.52" for each."""
    return [f"{name} {value}" for name, value in parameters.items()]


def _own_facts(result: CorrelationResult) -> Facts:
    p = ""
    if result.p_value is not None:
        p = f"{p_value(result.p_value)} ({result.p_kind}; takes items as independent)"
    return (
        ("Value", _precise(result)),
        *_interval_facts(result.interval, result.too_few_for_interval),
        ("p", p),
        ("Items", f"{result.n_units:,}"),
    )


def _precise(result: AgreementResult | CorrelationResult) -> str:
    if result.value is not None:
        return num(result.value, 4)
    return f"not defined: {why(result.reason, metric=isinstance(result, CorrelationResult))}"


def _interval_facts(bounds: Interval | None, too_few: bool) -> Facts:
    if bounds is None:
        return (("Interval", "being computed"),)
    made = (
        f"{share(bounds.level)} {bounds.kind} bootstrap, {bounds.resampled} drawn anew, "
        f"{bounds.replicates:,} draws, seed {bounds.seed}"
    )
    if bounds.low is None or bounds.high is None:
        return (("Interval", f"none: {why(bounds.reason)}"),)
    undefined = f"{share(bounds.undefined_share)} of the draws" if bounds.undefined_share else ""
    return (
        ("Interval", f"{num(bounds.low, 4)} to {num(bounds.high, 4)}"),
        ("How", made),
        ("Undefined", undefined),
        ("Note", TOO_FEW if too_few else ""),
    )


def _items(alpha: AgreementResult) -> str:
    return (
        f"{alpha.n_units:,}: {alpha.n_units_paired:,} with two or more ratings, "
        f"{alpha.n_units_single:,} with one"
    )


def _same_point(same: AgreementResult) -> str:
    if same.value is None:
        return f"not defined: {why(same.reason)}"
    bounds = same.interval
    within = ""
    if bounds is not None and bounds.low is not None and bounds.high is not None:
        within = f", {share(bounds.low)} to {share(bounds.high)}"
    return f"{share(same.value)} of pairs of ratings agree exactly{within} (mean over items)"


def _mean_words(answers: GroupAnswers) -> str:
    summary = answers.summary
    if summary.mean is None:
        return f"not defined: {why(summary.reason)}"
    spread = num(summary.sd) if summary.sd is not None else why(summary.sd_reason)
    return f"{num(summary.mean, 4)} ({spread}), over single ratings; SD with n {MINUS} 1"


def _left_out_words(pairing: Pairing) -> str:
    return "; ".join(
        f"{counted(part.items, 'item')}: {part.sentence.rstrip('.')}" for part in pairing.left_out
    )


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


def _software(report: Report) -> Facts:
    return (("Made by", f"{report.method.software}, as of {moment(report.method.as_of)}"),)


def _filled(facts: list[tuple[str, str]]) -> Facts:
    return tuple(fact for fact in facts if fact[1])
