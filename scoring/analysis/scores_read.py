"""Scores read from the database: of items and of cells, with the plan and the gold labels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product

from scoring.analysis.series import (
    Plan,
    Scored,
    ScoreFacts,
    Series,
    SeriesFacts,
    Unit,
    UnitKey,
    UnitKind,
)
from scoring.coverage import plain
from scoring.declared import IMPORTED, run_declaration
from scoring.metrics import get_metric
from scoring.metrics.base import OPEN, Cell, Declaration, Output, UnknownMetricError
from scoring.models import MetricRun, Score
from studies.models import AnalysisPlan, GoldLabel, Item, Study

CHUNK = 2000


def read_scores(
    study: Study, *, items: Iterable[int], runs: Sequence[tuple[int, str]], dimension: str = ""
) -> ScoreFacts:
    """What the runs (id, metric) say of `items`; of one dimension where it is named."""
    units = _units(study, items)
    series, cells = _metric_series(units, runs, dimension)
    return ScoreFacts(
        items=units,
        cells=cells,
        metrics=tuple(series),
        systems=tuple(study.systems.values_list("name", flat=True)),
        gold=_gold(study, units),
        plan=_plan(study),
    )


def _units(study: Study, wanted: Iterable[int]) -> dict[int, Unit]:
    known = set(wanted)
    unique = _unique(study)
    rows = Item.objects.filter(study=study).select_related("system").order_by("external_id")
    return {
        item.pk: Unit(
            key=item.pk,
            name=item.external_id,
            system=item.system.name if item.system else "",
            real=item.origin == Item.Origin.REAL,
            country=item.country,
            category=item.category,
            aspect=item.aspect,
            variant=item.variant,
            scenario=item.scenario or item.prompt,
            origin=item.origin,
            cluster=item.prompt_cluster,
            link=item.media_url,
            unique=unique.get((item.scenario, item.country)),
        )
        for item in rows.iterator(chunk_size=CHUNK)
        if item.pk in known
    }


def _unique(study: Study) -> dict[tuple[str, str], bool]:
    """Whether scenarios are unique without their country's name, those that were judged."""
    judged = study.scenarios.exclude(unique_without_country=None)
    rows = judged.values_list("key", "country", "unique_without_country")
    return {(key, country): unique for key, country, unique in rows}


def _metric_series(
    items: Mapping[int, Unit], runs: Sequence[tuple[int, str]], wanted: str
) -> tuple[list[Series], dict[str, Unit]]:
    """(the series of every run, the cells of the chosen items that they have scores of)."""
    series: list[Series] = []
    cells: dict[str, Unit] = {}
    places = _places(items.values())
    for run, metric in runs:
        declaration = _declaration(run, metric)
        of_items: dict[tuple[str, str], dict[UnitKey, tuple[float | None, str]]] = {}
        of_cells: dict[tuple[str, str], dict[UnitKey, tuple[float | None, str]]] = {}
        for item, cell, output, dimension, value, reason in _rows(run):
            if item is not None:
                if item in items:
                    of_items.setdefault((output, dimension), {})[item] = (value, reason)
            elif _place(Cell.of_key(cell)) in places:
                cells[cell] = _cell_unit(cell)
                of_cells.setdefault((output, dimension), {})[cell] = (value, reason)
        for kind, found in (("item", of_items), ("cell", of_cells)):
            for output, dimension in _in_order(found, declaration):
                if wanted not in ("", dimension):
                    continue
                facts = _facts(metric, run, declaration, output, dimension, kind)
                series.append(Series(facts=facts, values=found[output, dimension]))
    return series, cells


def _rows(run: int) -> Iterator[tuple]:
    rows = Score.objects.filter(run_id=run).order_by("id")
    columns = ("item_id", "cell", "output", "dimension", "value", "reason")
    return rows.values_list(*columns).iterator(chunk_size=CHUNK)


Place = tuple[str | None, str | None, str | None]
"""An activity, a country, a system, as cells name them; None: whatever there is."""


def _place(cell: Cell) -> Place:
    activity = None if cell.activity is None else plain(cell.activity)
    return activity, cell.country, cell.system


def _places(items: Iterable[Unit]) -> set[Place]:
    """The places of cells that one of the items belongs to, whatever cells are told apart by.

    An item's activity is its scenario or its category (see `coverage.ItemFields`).
    """
    own = {
        (activity, unit.country, unit.system)
        for unit in items
        for activity in {plain(unit.category), plain(unit.scenario or unit.category)}
    }
    return {
        (
            activity if by_activity else None,
            country if by_country else None,
            system if by_system else None,
        )
        for activity, country, system in own
        for by_activity, by_country, by_system in product((True, False), repeat=3)
    }


def _cell_unit(key: str) -> Unit:
    cell = Cell.of_key(key)
    activity, country, system = cell.activity or "", cell.country or "", cell.system or ""
    return Unit(
        key=key,
        name=", ".join(filter(None, [activity, country, system])) or "everything",
        system=system,
        real=False,
        country=country,
        category=activity,
        aspect="",
        variant="",
        scenario="",
        origin="generated",
        cluster=f"{country} {activity}",
    )


def _declaration(run: int, metric: str) -> Declaration | None:
    """That of imported scores as it was given with them; None for a metric that is gone."""
    if metric.startswith(IMPORTED):
        return run_declaration(MetricRun.objects.get(pk=run))
    try:
        return get_metric(metric).declaration
    except UnknownMetricError:
        return None


def _in_order(
    found: Mapping[tuple[str, str], Scored], declaration: Declaration | None
) -> list[tuple[str, str]]:
    """Outputs as they are declared, the whole metric before its dimensions."""
    outputs = [output.key for output in declaration.outputs] if declaration else []
    dimensions = ["", *(declaration.dimensions if declaration else ())]

    def place(key: tuple[str, str]) -> tuple[int, str, int, str]:
        output, dimension = key
        first = outputs.index(output) if output in outputs else len(outputs)
        second = dimensions.index(dimension) if dimension in dimensions else len(dimensions)
        return first, output if first == len(outputs) else "", second, dimension

    return sorted(found, key=place)


def _facts(
    metric: str,
    run: int,
    declaration: Declaration | None,
    output: str,
    dimension: str,
    kind: UnitKind,
) -> SeriesFacts:
    declared = _output(declaration, output)
    name = declared.name if declared else output
    return SeriesFacts(
        key="/".join((metric, output, dimension, kind)),
        kind="metric",
        name=f"{name} \u00b7 {dimension}" if dimension else name,
        metric=metric,
        metric_name=declaration.name if declaration else metric,
        run=run,
        output=output,
        dimension=dimension,
        better=declared.better if declared else "",
        low=_end(declared.low) if declared else None,
        high=_end(declared.high) if declared else None,
        unit=kind,
    )


def _end(bound: float) -> float | None:
    """An end of a range, None where it is open."""
    return bound if abs(bound) < OPEN else None


def _output(declaration: Declaration | None, key: str) -> Output | None:
    outputs = declaration.outputs if declaration else ()
    return next((output for output in outputs if output.key == key), None)


def _plan(study: Study) -> Plan:
    plan = AnalysisPlan.objects.filter(study=study).first()
    if plan is None:
        return Plan()
    return Plan(
        methods=tuple(plan.correlations),
        level=plan.correlation_level,
        targets={metric: tuple(keys) for metric, keys in plan.targets.items()},
        fixed=plan.is_fixed,
    )


def _gold(study: Study, items: Mapping[int, Unit]) -> dict[str, dict[int, dict[str, float]]]:
    gold: dict[str, dict[int, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    rows = GoldLabel.objects.filter(study=study).order_by("label_set", "item_id", "label")
    for label_set, item, label, value in rows.values_list("label_set", "item_id", "label", "value"):
        if item in items:
            gold[label_set][item][label] = value
    return {label_set: dict(labels) for label_set, labels in gold.items()}
