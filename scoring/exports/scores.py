"""Automatic scores as a table: one item, one metric's output, one dimension a row."""

from __future__ import annotations

import json
from collections.abc import Iterator

from django.db.models import QuerySet

from scoring.analysis.gather import latest_done_runs
from scoring.exports.table import Column, ExportTable, Kind, Row
from scoring.models import Score, WorkState
from studies.models import Study
from studies.models.item import prompt_cluster

LOT = 5000  # rows

COLUMNS = (
    Column("study", Kind.TEXT, "Short address of the study."),
    Column("metric", Kind.TEXT, "Key of the metric."),
    Column("metric_version", Kind.TEXT, "Version of the metric; it changes when its numbers do."),
    Column("run", Kind.WHOLE, "Number of the run."),
    Column("reported", Kind.FLAG, "Whether the report reads this run."),
    Column("output", Kind.TEXT, "Which number of the metric."),
    Column("dimension", Kind.TEXT, "Part of the metric; empty: the whole."),
    Column("item", Kind.TEXT, "The item, by its id; empty where the score is of a cell."),
    Column("cell", Kind.TEXT, "Activity, country and system as JSON, where many items have one."),
    Column("system", Kind.TEXT, "What made the item."),
    Column("country", Kind.TEXT, "Country of the item, two letters (ISO 3166). NA is Namibia."),
    Column("category", Kind.TEXT, "Category of the item."),
    Column("prompt_id", Kind.TEXT, "Shared by items of one prompt."),
    Column("value", Kind.NUMBER, "The score; empty where it is undefined."),
    Column("reason", Kind.TEXT, "Why it is undefined."),
    Column("parameters", Kind.TEXT, "Parameters of the run, as JSON."),
    Column("model_id", Kind.TEXT, "Model that the metric used."),
    Column("model_revision", Kind.TEXT, "Its revision."),
    Column("finished_at", Kind.MOMENT, "When the run was finished."),
)
_FIELDS = (
    "pk",
    "run_id",
    "output",
    "dimension",
    "cell",
    "item__external_id",
    "item__system__name",
    "item__country",
    "item__category",
    "item__scenario",
    "item__prompt",
    "value",
    "reason",
)


def scores_table(study: Study, *, all_runs: bool = False) -> ExportTable:
    """Scores of the runs that the report reads; with ``all_runs`` of every finished run."""
    reported = {run.pk: run for run in latest_done_runs(study)}
    done = study.metric_runs.filter(state=WorkState.DONE).order_by("pk")
    runs = {run.pk: run for run in done} if all_runs else reported
    wanted = Score.objects.filter(run__in=runs).order_by("pk")

    def rows() -> Iterator[Row]:
        for row in _by_lots(wanted):
            run = runs[row["run_id"]]
            names = (row["item__country"], row["item__scenario"], row["item__prompt"])
            item = row["item__external_id"]
            yield (
                study.slug,
                run.metric,
                run.metric_version,
                run.pk,
                run.pk in reported,
                row["output"],
                row["dimension"],
                item or "",
                row["cell"],
                row["item__system__name"] or "",
                row["item__country"] or "",
                row["item__category"] or "",
                prompt_cluster(*names, item) if item else "",
                row["value"],
                row["reason"],
                json.dumps(run.parameters, ensure_ascii=False, sort_keys=True),
                run.model_id,
                run.model_revision,
                run.finished_at,
            )

    return ExportTable("Scores", COLUMNS, rows, wanted.count)


def _by_lots(wanted: QuerySet[Score]) -> Iterator[dict]:
    """Rows in the order of their keys; every lot is a query that ends before it is handed on."""
    last = 0
    while lot := list(wanted.filter(pk__gt=last).values(*_FIELDS)[:LOT]):
        yield from lot
        if len(lot) < LOT:
            return
        last = lot[-1]["pk"]
