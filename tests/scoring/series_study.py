"""Series made by hand: what the analysis of metrics rests on, without a database."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.analysis.against import against_people
from scoring.analysis.automatic import automatic_results
from scoring.analysis.parts.agreement import Disputes
from scoring.analysis.report import Method, MetricReport
from scoring.analysis.series import (
    HumanSeries,
    Plan,
    ScoreData,
    ScoreFacts,
    Series,
    SeriesFacts,
    Unit,
)

NAMES = {"NP": "Nepal", "IR": "Iran", "BR": "Brazil"}


def a_unit(
    key,
    *,
    country="NP",
    system="Lantern",
    category="",
    variant="",
    scenario="",
    origin="generated",
    cluster="",
    unique=None,
):
    return Unit(
        key=key,
        name=f"item {key}",
        system="" if origin == "real" else system,
        real=origin == "real",
        country=country,
        category=category,
        aspect="",
        variant=variant,
        scenario=scenario,
        origin=origin,
        cluster=cluster or f"prompt {key}",
        unique=unique,
    )


def facts_of(output, *, better="higher", dimension="", low=0.0, high=1.0, metric="m", unit="item"):
    return SeriesFacts(
        key="/".join((metric, output, dimension, unit)),
        kind="metric",
        name=f"{output} \u00b7 {dimension}" if dimension else output,
        metric=metric,
        metric_name=metric.upper(),
        run=1,
        output=output,
        dimension=dimension,
        better=better,
        low=low,
        high=high,
        unit=unit,
    )


def a_metric(output, values, **more):
    """A series of scores {item: value, or the reason why there is none}."""
    scored = {
        item: (None, value) if isinstance(value, str) else (value, "")
        for item, value in values.items()
    }
    return Series(facts=facts_of(output, **more), values=scored)


def a_human(question, answers, *, better="higher", points=(1, 2, 3, 4, 5), kind="likert"):
    """People's answers [(item, rater, country, value)]."""
    item, rater, country, value = zip(*answers, strict=True) if answers else ((), (), (), ())
    codes = {name: code for code, name in enumerate(dict.fromkeys(rater))}
    people = np.array([codes[name] for name in rater], dtype=np.int64)
    items = np.array(item, dtype=np.int64)
    declared = tuple(float(point) for point in points)
    return HumanSeries(
        facts=SeriesFacts(
            key=f"people/{question}",
            kind="human",
            name=question.capitalize(),
            metric="",
            metric_name="",
            run=None,
            output=question,
            dimension="",
            better=better,
            low=min(declared),
            high=max(declared),
            unit="item",
        ),
        question=question,
        kind=kind,
        label=question.capitalize(),
        points=declared,
        item=items,
        rater=people,
        country=np.array(country, dtype=np.str_),
        value=np.array(value, dtype=np.float64),
        repeats=len(set(zip(item, rater, strict=True))) < len(item),
    )


def score_data_of(
    units,
    *,
    metrics=(),
    humans=(),
    cells=(),
    groupings=None,
    gold=None,
    plan=None,
    shown_to=None,
    seed=5,
):
    items = {unit.key: unit for unit in units}
    asked = dict(shown_to or {})
    for human in humans:
        for item, country in zip(human.item.tolist(), human.country.tolist(), strict=True):
            asked[country] = frozenset({*asked.get(country, ()), item})
    return ScoreData(
        facts=ScoreFacts(
            items=items,
            cells={unit.key: unit for unit in cells},
            metrics=tuple(metrics),
            systems=tuple(dict.fromkeys(unit.system for unit in units if unit.system)),
            gold=gold or {},
            plan=plan or Plan(),
        ),
        humans=tuple(humans),
        countries=NAMES,
        groupings=groupings or {},
        shown_to=asked,
        rated=frozenset(item for human in humans for item in human.item.tolist()),
        seed=seed,
    )


@dataclass(frozen=True, kw_only=True)
class Parts:
    """Those parts of a report that rest on series, with what their pages need beside them."""

    automatic: Any
    against: Any
    disputes: Disputes
    metrics: tuple
    method: Method


def a_report(data, *, draws=0):
    """The report on series made by hand."""
    parts = {
        "automatic": automatic_results(data=data, replicates=draws, on_step=lambda: None),
        "disputes": Disputes(questions=()),
        "against": against_people(data=data, replicates=draws, on_step=lambda: None),
    }
    runs = {one.facts.metric: one.facts for one in data.metrics}
    return Parts(
        **parts,
        metrics=tuple(
            MetricReport(
                run=1,
                runs=1,
                outdated=False,
                key=key,
                name=facts.metric_name,
                version="1",
                parameters={"tau": 0.5},
                model_id="model",
                model_revision="",
                finished_at="2026-01-02T03:04:05+00:00",
                outputs=(),
            )
            for key, facts in runs.items()
        ),
        method=Method(
            software="Concord",
            as_of="2026-01-02T03:04:05+00:00",
            seed=data.seed,
            replicates=draws or 2000,
            intervals_ready=draws > 0,
        ),
    )
