"""The files of a bundle that people read. All are made from the rows, so that they can be made
again from a bundle's rows and held against what the bundle says."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from io import StringIO
from typing import Any

from annotation.ratings import Layer
from scoring.exports import items, ratings, scores
from scoring.exports.bundle.calibrations import calibrations
from scoring.exports.bundle.records import record_of
from scoring.exports.table import ExportTable
from scoring.exports.writers.delimited import csv_lines
from scoring.work_state import WorkState
from studies.models import Study
from studies.records import DESIGN_RECORDS, Records

Lines = Callable[[], Iterator[str]]
"""What a file holds, a line or a record at a time; they begin anew whenever it is called."""

_RUN = (
    "id",
    "metric",
    "metric_version",
    "parameters",
    "declared",
    "selection",
    "chosen",
    "model_id",
    "model_revision",
    "n_items",
    "n_failed",
    "n_undefined",
    "started_at",
    "finished_at",
)
_BY_LABEL: Mapping[str, Records] = {records.label: records for records in DESIGN_RECORDS}


def derived_files(study: Study) -> dict[str, Lines]:
    """Name -> the lines of the file, for every file that is made from the rows alone."""
    revisions = {
        f"design/revision-{number}.json": _one("studies.DesignRevision", study, number=number)
        for number in study.revisions.order_by("number").values_list("number", flat=True)
    }
    return {
        "design/study.json": _one("studies.Study", study, pk=study.pk),
        **revisions,
        "design/plan.json": _one("studies.AnalysisPlan", study),
        "design/translations.json": lambda: document(_translations(study)),
        "ratings.csv": _csv(ratings.ratings_table(study, Layer.ALL, everything=True)),
        "items.csv": _csv(items.items_table(study)),
        "scores.csv": _csv(scores.scores_table(study, all_runs=True)),
        "runs.json": lambda: document(_runs(study)),
        "calibrations.json": lambda: document(calibrations(study)),
        "codebook.csv": _codebook,
    }


def _csv(table: ExportTable) -> Lines:
    return lambda: csv_lines(table.names, table.rows())


def document(value: Any) -> Iterator[str]:
    """JSON line by line. Lines end in LF alone: U+2028 and its kin may stand in a text."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1, default=str)
    return iter(StringIO(f"{text}\n", newline="\n"))


def _one(label: str, study: Study, **which: object) -> Lines:
    """The one row of a table that is meant, as a document; null where there is none."""

    def lines() -> Iterator[str]:
        row = _BY_LABEL[label].of_study(study).filter(**which).first()
        return document(None if row is None else record_of(_BY_LABEL[label], row))

    return lines


def _translations(study: Study) -> dict[str, dict[str, dict[str, str]]]:
    """Language -> key -> text, and the source it was made from."""
    found: dict[str, dict[str, dict[str, str]]] = {}
    for row in study.translations.order_by("language", "key"):
        found.setdefault(row.language, {})[row.key] = {"text": row.text, "source": row.source}
    return found


def _runs(study: Study) -> list[dict[str, Any]]:
    done = study.metric_runs.filter(state=WorkState.DONE).order_by("pk")
    return list(done.values(*_RUN))


def _codebook() -> Iterator[str]:
    """What every column of the tables means."""
    tables = {"ratings.csv": ratings, "items.csv": items, "scores.csv": scores}
    rows = (
        (file, column.name, column.kind.value, column.about)
        for file, module in tables.items()
        for column in module.COLUMNS
    )
    return csv_lines(("file", "column", "kind", "about"), rows)
