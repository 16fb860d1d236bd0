"""How a mean of the automatic results was made: the cards behind its tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scoring.analysis.parts.automatic import Cell, Factor, Level, SeriesResult
from scoring.analysis.report import MetricReport, Report
from scoring.reports.cards import Card, filled, interval_facts, named, software
from scoring.reports.series_words import better_words, left_out_words, slug
from scoring.reports.words import counted, interval, not_defined, num, share
from scoring.stats.means import MeanResult
from scoring.stats.result import Interval


def series_card(report: Report, one: SeriesResult, name: str) -> Card:
    """One series over everything."""
    found = one.overall.mean
    facts = [
        ("Value", num(found.value, 4) if found.value is not None else not_defined(found.reason)),
        *interval_facts(found.interval, found.too_few_for_interval),
        ("Unit of analysis", found.unit_of_analysis),
        ("Aggregation", found.aggregation),
        ("Not defined", left_out_words(one.overall.undefined, one.facts.unit)),
        ("Direction", better_words(one.facts.better)),
        *run_facts(report, one.facts.run),
        *software(report),
    ]
    return Card(
        id=f"how-mean-{slug(one.facts.key)}",
        title=name,
        sentences=(mean_sentence(name, one.overall, one.facts.unit),),
        facts=filled(facts),
    )


def level_card(
    report: Report,
    factor: Factor,
    level: Level,
    subset: str,
    series: Sequence[SeriesResult],
    names: Mapping[str, str],
) -> Card:
    """Every series of one level."""
    sentences = []
    bounds: Interval | None = None
    for one in series:
        breakdown = one.by(factor.key, subset)
        for cell in breakdown.cells if breakdown else ():
            if cell.level == level.key:
                subject = f"{names[one.facts.key]}, {level.name}"
                sentences.append(mean_sentence(subject, cell, one.facts.unit))
                bounds = bounds or cell.mean.interval
    facts = [
        ("Items", "those that people rated" if subset == "rated" else "all"),
        *how_drawn(bounds),
        *software(report),
    ]
    whole = "-".join(one.facts.key for one in series[:2])
    return Card(
        id=f"how-{slug(f'{factor.key}-{level.key}-{subset}-{len(series)}-{whole}')}",
        title=f"{factor.name}: {level.name}",
        sentences=tuple(sentences),
        facts=filled(facts),
    )


def mean_sentence(subject: str, cell: Cell, unit: str) -> str:
    """The number as it stands in a paper."""
    found: MeanResult = cell.mean
    missing = cell.n_undefined
    lacking = f", {missing:,} more not defined" if missing else ""
    if found.value is None:
        return f"{subject}: the mean is {not_defined(found.reason)}{lacking}."
    spread = f" (SD {num(found.sd)})" if found.sd is not None else ""
    bounds = found.interval
    within = ""
    if bounds is not None and bounds.low is not None:
        within = f", {share(bounds.level)} bootstrap interval {interval(bounds)}"
    return (
        f"{subject}: mean {num(found.value)}{spread}{within}, "
        f"{counted(found.n_units, unit)}{lacking}."
    )


def how_drawn(bounds: Interval | None) -> list[tuple[str, str]]:
    """How the intervals of several numbers were made, without any bounds."""
    if bounds is None:
        return [("Intervals", "being computed")]
    return [fact for fact in interval_facts(bounds, False) if fact[0] == "How"]


def run_facts(report: Report, run: int | None) -> list[tuple[str, str]]:
    """The run that scores come from."""
    metric: MetricReport | None = next((one for one in report.metrics if one.run == run), None)
    if metric is None:
        return []
    return [
        ("Metric", f"{metric.name}, version {metric.version}, run {metric.run}"),
        ("Parameters", ", ".join(named(metric.parameters))),
        ("Model", " ".join(filter(None, [metric.model_id, metric.model_revision]))),
    ]
