"""The store of scores: what was computed from the same content is found again.

Keys are those of ``scoring.pieces``. Nothing is stored that a mended file or another try could
change: no score without its value for such a reason, and none that was made without pictures which
could not be read (``left_out`` of its evidence, names with reasons). Deleting runs leaves the store
as it is, and deleting from the store costs time only.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db import connection

from scoring.models import CachedScore, Score
from scoring.run_errors import ITEM_FAILED

PASSING_REASONS = {"missing_media", "undecodable", ITEM_FAILED}

Stored = list[list[Any]]
"""Score rows as output, dimension, value, reason, evidence."""


def find_scores(keys: Sequence[str]) -> dict[str, Stored]:
    """At most some hundred keys."""
    rows = CachedScore.objects.filter(key__in=keys)
    return dict(rows.values_list("key", "rows"))


def keep_scores(found: Mapping[str, Sequence[Score]], *, metric: str, model: str) -> None:
    """Store the rows of pieces by their keys, but for those with a reason that may pass. The names
    of ``metric`` and ``model`` are for people who look at the store."""
    CachedScore.objects.bulk_create(
        [
            CachedScore(
                key=key, metric=metric, model=model, rows=[_stored(score) for score in scores]
            )
            for key, scores in found.items()
            if not any(_may_pass(score) for score in scores)
        ],
        batch_size=500,
        ignore_conflicts=True,
    )


def copy_scores(found: Mapping[int | str, Stored], *, run_id: int) -> None:
    """Insert stored rows as scores of a run, by the item or the cell that they are now about.

    Rows go to the database as they are: as objects of the ORM they would take twice as long.
    """
    columns = ("run_id", "item_id", "cell", "output", "dimension", "value", "reason", "evidence")
    quoted = [connection.ops.quote_name(name) for name in (Score._meta.db_table, *columns)]
    places = ", ".join(["%s"] * len(columns))
    sql = f"INSERT INTO {quoted[0]} ({', '.join(quoted[1:])}) VALUES ({places})"
    rows = [
        (run_id, *_where(place), output, dimension, value, reason, json.dumps(evidence))
        for place, stored in found.items()
        for output, dimension, value, reason, evidence in stored
    ]
    with connection.cursor() as cursor:
        cursor.executemany(sql, rows)


def n_undefined(found: Iterable[Stored]) -> int:
    """How many pieces lack an overall value."""
    return sum(any(row[1] == "" and row[2] is None for row in stored) for stored in found)


def _may_pass(score: Score) -> bool:
    left_out = score.evidence.get("left_out") or {}
    return bool(PASSING_REASONS & {score.reason, *left_out.values()})


def _where(place: int | str) -> tuple[int | None, str]:
    """Item and cell."""
    return (None, place) if isinstance(place, str) else (place, "")


def _stored(score: Score) -> list[Any]:
    return [score.output, score.dimension, score.value, score.reason, score.evidence]
