"""Everything a report needs, read from the database once."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from annotation.ratings import (
    DeclaredRule,
    ExclusionInForce,
    Layer,
    RatedItem,
    RatingTable,
    declared_rules,
    exclusions_in_force,
    rated_items,
    rating_table,
    surplus_ratings,
)
from scoring.coverage import inputs_have_changed
from scoring.models import MetricRun, Score, WorkState
from studies.models import Study, UnitItem
from studies.names import country_name

RUN_FIELDS = ("metric", "metric_version", "parameters", "model_id", "model_revision")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredRun:
    """A finished run. `scores`: {output: {item id: (value or None, reason)}}, whole metric only.

    `runs` counts the finished runs of its metric; `outdated`: its descriptors have changed since.
    """

    id: int
    metric: str
    metric_version: str
    parameters: dict[str, object]
    model_id: str
    model_revision: str
    finished_at: datetime | None
    runs: int
    outdated: bool
    scores: dict[str, dict[int, tuple[float | None, str]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyData:
    """A study's counted ratings and scores at one moment.

    `items` holds all items by id, `shown_to` the items that each panel's country is to rate
    (a country is listed as soon as it has a panel), `names` the countries' names. `layers` are the
    ratings under fewer exclusions; empty where there are none.
    """

    study: Study
    table: RatingTable
    surplus: int
    items: dict[int, RatedItem]
    shown_to: dict[str, frozenset[int]]
    names: dict[str, str]
    runs: tuple[ScoredRun, ...]
    rules: tuple[DeclaredRule, ...]
    exclusions: tuple[ExclusionInForce, ...]
    layers: dict[Layer, RatingTable]
    read_at: datetime


def gather(study: Study) -> StudyData:
    table = rating_table(study)
    panels = [panel.country for panel in study.panels.all()]
    countries = [*panels, *(code for code in table.countries if code not in panels)]
    exclusions = tuple(exclusions_in_force(study))
    layers = [Layer.ALL, Layer.AFTER_RULES] if exclusions else []
    return StudyData(
        study=study,
        table=table,
        surplus=surplus_ratings(study),
        items=rated_items(study),
        shown_to=_shown_to(study, countries),
        names={code: country_name(code) if code else "No panel" for code in countries},
        runs=tuple(_scored_run(run) for run in latest_done_runs(study)),
        rules=tuple(declared_rules(study)),
        exclusions=exclusions,
        layers={layer: rating_table(study, layer) for layer in layers},
        read_at=timezone.now(),
    )


def latest_done_runs(study: Study) -> list[MetricRun]:
    """The newest finished run of each metric, by the metric's key."""
    newest: dict[str, MetricRun] = {}
    done = study.metric_runs.filter(state=WorkState.DONE)
    for run in done.order_by("finished_at", "id"):
        newest[run.metric] = run
    return [newest[metric] for metric in sorted(newest)]


def _scored_run(run: MetricRun) -> ScoredRun:
    scores: dict[str, dict[int, tuple[float | None, str]]] = defaultdict(dict)
    rows = Score.objects.filter(run=run, dimension="").order_by("id")
    for output, item, value, reason in rows.values_list("output", "item_id", "value", "reason"):
        scores[output][item] = (value, reason)
    return ScoredRun(
        id=run.pk,
        **{name: getattr(run, name) for name in RUN_FIELDS},
        finished_at=run.finished_at,
        runs=run.study.metric_runs.filter(metric=run.metric, state=WorkState.DONE).count(),
        outdated=inputs_have_changed(run),
        scores=dict(scores),
    )


def _shown_to(study: Study, countries: list[str]) -> dict[str, frozenset[int]]:
    shown = defaultdict(set)
    members = UnitItem.objects.filter(unit__study=study).values_list("unit__country", "item_id")
    for country, item in members:
        shown[country].add(item)
    return {code: frozenset(shown[code] | shown[""]) for code in countries}
