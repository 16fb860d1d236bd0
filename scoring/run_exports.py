"""The scores of one run as a CSV or a JSON file, written while they are read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from scoring.exports.writers.delimited import csv_lines
from scoring.metrics.base import Cell
from scoring.models import MetricRun

COLUMNS = (
    "item",
    "activity",
    "country",
    "system",
    "output",
    "dimension",
    "value",
    "reason",
    "evidence",
)
LOT = 2000  # rows of a query


def scores_csv(run: MetricRun) -> Iterator[str]:
    """One line a score; undefined is an empty value with its reason, evidence is JSON."""
    return csv_lines(COLUMNS, ([*row[:-1], _json(row[-1])] for row in _rows(run)))


def scores_json(run: MetricRun) -> Iterator[str]:
    """One object: the run with its method, and its scores."""
    yield f'{{"run": {_json(run_facts(run))},\n"scores": ['
    for number, row in enumerate(_rows(run)):
        yield f"{',' if number else ''}\n{_json(dict(zip(COLUMNS, row, strict=True)))}"
    yield "\n]}\n"


def run_facts(run: MetricRun) -> dict[str, Any]:
    """What the scores rest on."""
    return {
        "id": run.pk,
        "study": run.study.slug,
        "metric": run.metric,
        "metric_version": run.metric_version,
        "parameters": run.parameters,
        "declared": run.declared,
        "selection": run.selection,
        "model_id": run.model_id,
        "model_revision": run.model_revision,
        "state": run.state,
        "items": run.n_items,
        "done": run.n_done,
        "failed": run.n_failed,
        "undefined": run.n_undefined,
        "finished_at": run.finished_at.isoformat() if run.finished_at else None,
    }


def _rows(run: MetricRun) -> Iterator[list[Any]]:
    """By lots in the order of keys: each query ends before its rows are handed on."""
    wanted = run.scores.select_related("item__system").order_by("pk")
    last = 0
    while lot := list(wanted.filter(pk__gt=last)[:LOT]):
        for score in lot:
            yield [
                *_place(score),
                score.output,
                score.dimension,
                score.value,
                score.reason,
                score.evidence,
            ]
        last = lot[-1].pk


def _place(score: Any) -> list[str]:
    if score.item is None:
        cell = Cell.of_key(score.cell)
        return ["", cell.activity or "", cell.country or "", cell.system or ""]
    system = score.item.system.name if score.item.system else ""
    return [score.item.external_id, score.item.category, score.item.country, system]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
