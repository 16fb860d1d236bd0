"""Queries of the rating screen whose SQL is made once and bound anew each time.

Django works out the SQL of a query each time it runs, which costs several times what the database
needs for finding one row. Here a query is written as usual, compiled once a database, and its rows
are made into the same objects, with ``select_related`` and annotations, by the query's own parts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from django.db import connection, models
from django.db.models.query import get_related_populators

INTEGERS = tuple(7_077_000_000_000_000_001 + i for i in range(4))
SMALL = 32_749  # for columns of 16 bits: what is beyond them would be compiled to "no row"
TEXT = "\x01value\x01"


class Prepared:
    """A query over ``build(*slots)``, where each slot stands for a value given later.

    ``slots`` are taken from ``INTEGERS`` (keys), ``SMALL`` and ``TEXT``, so that the fields they
    are compared with accept them.
    """

    def __init__(self, build: Callable[..., models.QuerySet], *slots: int | str):
        self.build, self.slots = build, slots
        self._made: dict[str, _Statement] = {}

    def rows(self, *values: Any) -> list[Any]:
        """The objects (or tuples, after ``values_list``) with ``values`` in the slots."""
        statement = self._made.get(connection.vendor)
        if statement is None:
            statement = self._made[connection.vendor] = _Statement(self.build(*self.slots))
        given = dict(zip(self.slots, values, strict=True))
        bound = [given.get(param, param) for param in statement.params]
        with connection.cursor() as cursor:
            cursor.execute(statement.sql, bound)
            rows = cursor.fetchall()
        return statement.objects(rows)

    def first(self, *values: Any) -> Any | None:
        rows = self.rows(*values)
        return rows[0] if rows else None


class _Statement:
    """A compiled query, and how to read its rows."""

    def __init__(self, queryset: models.QuerySet):
        self.compiler = queryset.query.get_compiler(using=connection.alias)
        # SELECT ... FOR UPDATE is compiled inside a transaction only.
        self.sql, self.params = self.compiler.as_sql()
        select = self.compiler.select
        self.converters = self.compiler.get_converters([column for column, *_ in select])
        info = None if queryset._fields is not None else self.compiler.klass_info
        self.model = info["model"] if info else None
        if info:
            fields = info["select_fields"]
            self.start, self.end = fields[0], fields[-1] + 1
            columns = select[self.start : self.end]
            self.names = [column.target.attname for column, *_ in columns]
            self.related = get_related_populators(info, select, connection.alias)
            self.extra = list(self.compiler.annotation_col_map.items())

    def objects(self, rows: list) -> list[Any]:
        if self.converters:
            rows = list(self.compiler.apply_converters(rows, self.converters))
        if self.model is None:
            return [tuple(row) for row in rows]
        return [self._object(row) for row in rows]

    def _object(self, row) -> models.Model:
        made = self.model.from_db(connection.alias, self.names, row[self.start : self.end])
        for part in self.related:
            part.populate(row, made)
        for name, position in self.extra:
            setattr(made, name, row[position])
        return made


# ---- writing, by statements that are put together once


def insert(*rows: models.Model) -> None:
    """Insert new rows of one model by one statement. A single one is given its key."""
    if not rows:
        return
    model = type(rows[0])
    table, columns = _columns(model, connection.vendor)
    one = f"({', '.join(['%s'] * len(columns))})"
    names = ", ".join(column.name for column in columns)
    values = [column.value(row) for row in rows for column in columns]
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {table} ({names}) VALUES {', '.join([one] * len(rows))} RETURNING id",
            values,
        )
        keys = cursor.fetchall()
    if len(rows) == 1:
        rows[0].pk = keys[0][0]
        rows[0]._state.adding, rows[0]._state.db = False, connection.alias


def insert_values(
    model: type[models.Model], names: tuple[str, ...], rows: Sequence[tuple[Any, ...]]
) -> None:
    """Insert rows of values as they are stored (``for_sql``), in the order of the fields' names."""
    if not rows:
        return
    with connection.cursor() as cursor:
        cursor.execute(
            _insertion(model, names, len(rows)), [value for row in rows for value in row]
        )


@cache
def _insertion(model: type[models.Model], names: tuple[str, ...], n: int) -> str:
    columns = ", ".join(model._meta.get_field(name).column for name in names)
    one = f"({', '.join(['%s'] * len(names))})"
    return f"INSERT INTO {model._meta.db_table} ({columns}) VALUES {', '.join([one] * n)}"


def for_sql(moment: datetime | None) -> Any:
    """A moment as the database stores it."""
    return connection.ops.adapt_datetimefield_value(moment)


class _Column:
    """A field of new rows. Most values go in as they are; asking their fields costs a multiple."""

    AS_IS = (models.BooleanField, models.CharField, models.FloatField, models.IntegerField)

    def __init__(self, field: models.Field):
        self.field, self.attname = field, field.attname
        self.name = connection.ops.quote_name(field.column)
        self.as_is = isinstance(field, (*self.AS_IS, models.TextField, models.ForeignKey))

    def value(self, row: models.Model) -> Any:
        if self.as_is:
            return getattr(row, self.attname)
        return self.field.get_db_prep_save(self.field.pre_save(row, True), connection)


@cache
def _columns(model: type[models.Model], vendor: str) -> tuple[str, list[_Column]]:
    fields = [field for field in model._meta.concrete_fields if not field.primary_key]
    return model._meta.db_table, [_Column(field) for field in fields]


def save_fields(row: models.Model, *names: str) -> None:
    """Store these fields of a row that is there."""
    fields = [row._meta.get_field(name) for name in names]
    columns = ", ".join(f"{connection.ops.quote_name(field.column)} = %s" for field in fields)
    values = [field.get_db_prep_save(getattr(row, field.attname), connection) for field in fields]
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE {row._meta.db_table} SET {columns} WHERE id = %s", [*values, row.pk]
        )
