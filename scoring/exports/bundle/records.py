"""Rows of a study as lines of JSON, and back into the tables of a database."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import islice
from typing import Any

from django.db import connection
from django.db.models import DateTimeField, Field, Model, Q

from annotation.ratings.records import ANSWER_RECORDS
from scoring.work_state import WorkState
from studies.models import Study
from studies.records import DESIGN_RECORDS, Records

LOT = 5000  # rows
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NOBODY = 1
"""Key of the account that owns a bundle's study in a scratch database."""


def without_traceback(evidence: Any) -> Any:
    """Evidence of a failed item holds a traceback, with the server's paths."""
    if not isinstance(evidence, dict):
        return evidence
    return {name: value for name, value in evidence.items() if name != "traceback"}


CALIBRATION_FACTS = (
    "extractor",
    "references",
    "embedder",
    "embedder_revision",
    "values_of",
    "n_images",
    "n_values",
    "q1",
    "median",
    "q3",
    "n_unmatched",
    "share_above_q3",
    "align",
    "created_at",
)

SCORE_RECORDS = (
    Records(
        label="scoring.MetricRun",
        only=Q(state=WorkState.DONE),
        kept=(
            "study_id",
            "metric",
            "metric_version",
            "parameters",
            "declared",
            "selection",
            "chosen",
            "model_id",
            "model_revision",
            "inputs",
            "state",
            "n_items",
            "n_done",
            "n_failed",
            "n_undefined",
            "n_cached",
            "requested_at",
            "started_at",
            "finished_at",
        ),
    ),
    Records(
        label="scoring.Score",
        study="run__study",
        only=Q(run__state=WorkState.DONE),
        cleaned={"evidence": without_traceback},
    ),
    Records(
        label="scoring.Calibration",
        kept=("study_id", *CALIBRATION_FACTS),
    ),
    Records(label="scoring.RealChoice", study="item__study"),
)
RECORDS = (*DESIGN_RECORDS, *ANSWER_RECORDS, *SCORE_RECORDS)


def file_of(records: Records) -> str:
    return f"records/{records.label}.jsonl"


def record_lines(records: Records, study: Study) -> Iterator[str]:
    """One line of JSON for each row, by its key; read in lots, each a query that ends."""
    names = [field.attname for field in records.fields()]
    wanted, last = records.of_study(study), 0
    while lot := list(wanted.filter(pk__gt=last).values_list(*names)[:LOT]):
        for values in lot:
            row = dict(zip(names, values, strict=True))
            row |= {name: clean(row[name]) for name, clean in records.cleaned.items()}
            yield f"{json.dumps(row, ensure_ascii=False, allow_nan=False, default=_text_of)}\n"
        if len(lot) < LOT:
            return
        last = lot[-1][0]


def record_of(records: Records, row: Model) -> dict[str, Any]:
    """One row as it leaves, for a document."""
    text = json.dumps({f.attname: f.value_from_object(row) for f in records.fields()}, default=str)
    return json.loads(text)


def _text_of(value: object) -> str:
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no place in a record")


def insert_records(records: Records, lines: Iterable[str]) -> int:
    """Write rows as they left, keys and moments included; how many there were.

    What did not leave has its default, or nothing; moments are then 1970. Raises ValueError or
    KeyError for a line that is no such row.
    """
    fields = list(records.model._meta.concrete_fields)
    kept = {field.attname for field in records.fields()}
    quote = connection.ops.quote_name
    columns = ", ".join(quote(field.column) for field in fields)
    marks = ", ".join(["%s"] * len(fields))
    sql = f"INSERT INTO {quote(records.model._meta.db_table)} ({columns}) VALUES ({marks})"
    read = [_reader(field) if field.attname in kept else _filler(field) for field in fields]
    done, rows = 0, map(json.loads, lines)
    with connection.cursor() as cursor:
        while lot := list(islice(rows, LOT)):
            cursor.executemany(sql, [[value(row) for value in read] for row in lot])
            done += len(lot)
    return done


def _reader(field: Field) -> Callable[[Mapping[str, Any]], object]:
    name = field.attname
    return lambda row: field.get_db_prep_save(field.to_python(row[name]), connection)


def _filler(field: Field) -> Callable[[Mapping[str, Any]], object]:
    """A value for a field that did not leave."""

    def value() -> object:
        if field.is_relation and not field.null:
            return NOBODY
        if isinstance(field, DateTimeField) and not field.null:
            return EPOCH
        return None if field.null else field.get_default()

    return lambda row: field.get_db_prep_save(value(), connection)
