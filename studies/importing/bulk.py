"""Inserting many new rows: one statement prepared once, values made ready here.

Django's ``bulk_create`` builds a statement anew for every few hundred rows and asks every field of
every row; at a hundred thousand rows that is most of an import.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from django.db import connection, models

_PLAIN = (
    models.CharField,
    models.TextField,
    models.IntegerField,
    models.FloatField,
    models.BooleanField,
    models.ForeignKey,
    models.FileField,
)


# SQLite wakes those who wait for its one write lock at most this many seconds apart, and gives it
# to whoever asks at that moment: a writer that never pauses would keep them out.
BREATH = 0.1

BATCH = 500


def give_way() -> None:
    """Between two batches: let those who wait write first. PostgreSQL needs no pause, and within a
    larger transaction a pause would only keep them waiting."""
    if connection.vendor == "sqlite" and not connection.in_atomic_block:
        time.sleep(BREATH)


def batches(rows: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Parts small enough for one statement and one short transaction."""
    for start in range(0, len(rows), BATCH):
        yield rows[start : start + BATCH]


def insert_many(
    model: type[models.Model],
    names: Sequence[str],
    rows: Iterable[Sequence[Any]],
    *,
    ignore_conflicts: bool = False,
) -> None:
    """Insert rows of values in the order of ``names`` (of fields; keys of other rows as numbers).

    Fields that are not named must have a default in the database or be the key. Call it in a
    transaction. ``ignore_conflicts``: rows that are there already stay as they are.
    """
    fields: list[Any] = [model._meta.get_field(name) for name in names]
    makers = [_maker(field) for field in fields]
    quote = connection.ops.quote_name
    columns = ", ".join(quote(field.column) for field in fields)
    marks = ", ".join("%s" for _ in fields)
    ending = " ON CONFLICT DO NOTHING" if ignore_conflicts else ""
    # Names come from the model, values go in as parameters.
    sql = f"INSERT INTO {quote(model._meta.db_table)} ({columns}) VALUES ({marks}){ending}"  # noqa: S608
    made = [
        tuple(
            value if make is None else make(value) for make, value in zip(makers, row, strict=True)
        )
        for row in rows
    ]
    if made:
        with connection.cursor() as cursor:
            cursor.executemany(sql, made)


def _maker(field: Any) -> Callable[[Any], Any] | None:
    """How a value becomes what the database takes; None where it is so already."""
    if isinstance(field, _PLAIN):
        return None
    return lambda value: field.get_db_prep_save(value, connection)
