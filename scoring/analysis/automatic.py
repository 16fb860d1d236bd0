"""The automatic results: every series by every factor, ranks, dispersion, extremes, contrasts.

Means are over items (or over cells, for scores of whole cells); all intervals of a part come from
the same draws of prompts within countries.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from scoring.analysis.category_extremes import extremes_of
from scoring.analysis.factors import FactorOf, factors_of
from scoring.analysis.gather import StudyData
from scoring.analysis.mean_requests import Draws, Requests
from scoring.analysis.parts.automatic import (
    Automatic,
    Breakdown,
    Cell,
    Factor,
    Level,
    RankPanel,
    SeriesResult,
)
from scoring.analysis.parts.left_out import LeftOut
from scoring.analysis.reason_words import sentence_of
from scoring.analysis.score_data import score_data
from scoring.analysis.series import NOT_SCORED, ScoreData, Series, UnitKey, UnitKind
from scoring.analysis.standing import best_and_worst, dispersion, mean_ranks
from scoring.analysis.targets import bears_name_of, targets_of
from scoring.analysis.variants import AskedContrast, ask_contrasts

WHOLE = Level(key="", name="All")


def automatic_part(
    *,
    data: StudyData,
    groups: tuple[str, ...],
    replicates: int,
    on_step: Callable[[], None],
) -> Automatic:
    """Everything that scores say by themselves, with people's means beside them.

    `groups` are not needed: results are by the country an item shows, not by who answered.
    """
    return automatic_results(data=score_data(data), replicates=replicates, on_step=on_step)


def automatic_results(
    *, data: ScoreData, replicates: int, on_step: Callable[[], None]
) -> Automatic:
    """The same from series that were read already."""
    everything = [*data.metrics, *(human.series(data.items) for human in data.humans)]
    kinds: tuple[UnitKind, ...] = ("item", "cell")
    parts = {kind: _Part(data, kind, replicates) for kind in kinds}
    asked = [parts[series.facts.unit].ask(series) for series in everything]
    for part in parts.values():
        part.requests.answer(on_step)
    results = tuple(parts[one.series.facts.unit].result(one) for one in asked)
    items = parts["item"]
    return Automatic(
        factors=_factors(parts.values()),
        series=results,
        extremes=tuple(
            extremes
            for series, result in zip(everything, results, strict=True)
            if (extremes := extremes_of(series, result.facts, data.units(series.facts.unit)))
        ),
        rank_panels=rank_panels(data, results),
        n_items=len(data.items),
        n_rated=len(data.rated),
        n_prompts=len({unit.cluster for unit in data.items.values()}),
        resampled=items.draws.resampled,
    )


@dataclass(frozen=True, slots=True)
class _AskedCell:
    level: str
    place: int
    undefined: tuple[LeftOut, ...]


@dataclass(frozen=True, slots=True)
class _Asked:
    """A series whose means were asked for."""

    series: Series
    overall: _AskedCell
    rated: _AskedCell | None
    breakdowns: tuple[tuple[str, str, tuple[_AskedCell, ...]], ...]
    contrasts: tuple[AskedContrast, ...]


class _Part:
    """The series of items, or those of cells."""

    def __init__(self, data: ScoreData, kind: UnitKind, replicates: int) -> None:
        self.units = data.units(kind)
        self.kind = kind
        self.rated = data.rated
        self.factors = factors_of(data, self.units.values())
        self.draws = Draws(self.units)
        self.requests = Requests(self.draws, replicates=replicates, seed=data.seed)

    def ask(self, series: Series) -> _Asked:
        wanted = self._units_of(series)
        rated = [key for key in wanted if key in self.rated] if self.kind == "item" else []
        is_metric = series.facts.kind == "metric"
        subsets = [("all", wanted)]
        if rated and is_metric and len(rated) < len(wanted):
            subsets.append(("rated", rated))
        return _Asked(
            series=series,
            overall=self._cell(series, WHOLE.key, wanted),
            rated=self._cell(series, WHOLE.key, rated) if rated and is_metric else None,
            breakdowns=tuple(
                (one.factor.key, subset, self._cells(series, one, keys))
                for subset, keys in subsets
                for one in self.factors
            ),
            contrasts=ask_contrasts(series, self.units, self.requests, self.factors),
        )

    def result(self, asked: _Asked) -> SeriesResult:
        better = asked.series.facts.better
        return SeriesResult(
            facts=asked.series.facts,
            overall=self._answered(asked.overall),
            rated=self._answered(asked.rated) if asked.rated else None,
            breakdowns=tuple(
                _breakdown(factor, subset, [self._answered(cell) for cell in cells], better)
                for factor, subset, cells in asked.breakdowns
            ),
            contrasts=tuple(one.answered(self.requests) for one in asked.contrasts),
        )

    def _units_of(self, series: Series) -> list[UnitKey]:
        """All items, scored or not; of cells, those that the metric knows."""
        if self.kind == "item":
            return list(self.units)
        return [key for key in self.units if key in series.values]

    def _cells(self, series: Series, one: FactorOf, keys: list[UnitKey]) -> tuple[_AskedCell, ...]:
        members: dict[str, list[UnitKey]] = {level.key: [] for level in one.factor.levels}
        for key in keys:
            level = one.level_of(self.units[key])
            if level:
                members[level].append(key)
        return tuple(self._cell(series, level, found) for level, found in members.items())

    def _cell(self, series: Series, level: str, keys: Sequence[UnitKey]) -> _AskedCell:
        values = [(key, *series.values.get(key, (None, NOT_SCORED))) for key in keys]
        defined = [(key, value) for key, value, _ in values if value is not None]
        reasons = Counter(reason for _, value, reason in values if value is None)
        place = self.requests.ask(
            [key for key, _ in defined],
            [value for _, value in defined],
            aggregation=f"mean over {self.kind}s",
            unit=self.kind,
        )
        undefined = tuple(
            LeftOut(reason=reason, sentence=sentence_of(reason), items=n)
            for reason, n in sorted(reasons.items())
        )
        return _AskedCell(level, place, undefined)

    def _answered(self, cell: _AskedCell) -> Cell:
        return Cell(level=cell.level, mean=self.requests[cell.place], undefined=cell.undefined)


def _breakdown(factor: str, subset: str, cells: list[Cell], better: str) -> Breakdown:
    means = {cell.level: cell.mean.value for cell in cells}
    ranks = mean_ranks(means, better)
    best, worst = best_and_worst(means, better)
    spread = dispersion(means)
    return Breakdown(
        factor=factor,
        subset=subset,
        cells=tuple(
            Cell(
                level=cell.level,
                mean=cell.mean,
                undefined=cell.undefined,
                rank=ranks.get(cell.level),
            )
            for cell in cells
        ),
        best=best,
        worst=worst,
        sd=spread.sd,
        spread=spread.spread,
        dispersion_reason=spread.reason,
        n_defined=spread.n,
    )


def rank_panels(data: ScoreData, results: Sequence[SeriesResult]) -> tuple[RankPanel, ...]:
    """For each question: people and the metrics held against it. Without ratings: by dimension."""
    ranked = [one for one in results if one.facts.better and one.facts.unit == "item"]
    ranked = [one for one in ranked if (by := one.by("system")) and by.n_defined > 1]
    humans = [one for one in ranked if one.facts.kind == "human"]
    metrics = [one for one in ranked if one.facts.kind == "metric"]
    if not humans:
        return _panels_of_metrics(metrics)
    questions = [human.facts.output for human in humans]
    subset = "rated" if any(one.by("system", "rated") for one in metrics) else "all"
    return tuple(
        RankPanel(
            key=human.facts.output,
            name=human.facts.name,
            subset=subset,
            series=(
                human.facts.key,
                *(
                    one.facts.key
                    for one in metrics
                    if human.facts.output
                    in targets_of(data.facts.plan.targets, one.facts, questions)
                    and _is_main(one, human.facts.output)
                ),
            ),
        )
        for human in humans
    )


def _is_main(one: SeriesResult, question: str) -> bool:
    """Whole metrics, and dimensions that bear the question's name."""
    return not one.facts.dimension or bears_name_of(one.facts, question)


def _panels_of_metrics(metrics: Sequence[SeriesResult]) -> tuple[RankPanel, ...]:
    dimensions = dict.fromkeys(one.facts.dimension for one in metrics)
    panels = []
    for dimension in dimensions:
        series = tuple(one.facts.key for one in metrics if one.facts.dimension == dimension)
        panels.append(
            RankPanel(
                key=dimension or "whole",
                name=dimension or "Whole metrics",
                subset="all",
                series=series,
            )
        )
    return tuple(panels)


def _factors(parts: Iterable[_Part]) -> tuple[Factor, ...]:
    """Each factor once, with the levels of items and of cells."""
    found: dict[str, Factor] = {}
    for part in parts:
        for one in part.factors:
            known = found.get(one.factor.key)
            levels = dict.fromkeys((*(known.levels if known else ()), *one.factor.levels))
            found[one.factor.key] = Factor(
                key=one.factor.key, name=one.factor.name, levels=tuple(levels)
            )
    return tuple(found.values())
