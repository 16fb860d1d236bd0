"""A report as plain JSON with full precision, and back."""

from __future__ import annotations

import dataclasses
import functools
import json
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any

from scoring.analysis.report import Report
from scoring.stats.levels import LevelCorrelation
from scoring.stats.result import AgreementResult, describe

SCHEMA = "concord.report/1"


class UnreadableReport(ValueError):
    """A stored report was written in another shape than this software reads."""


def to_json(report: Report) -> dict[str, Any]:
    """The report as dicts, lists, numbers and text. Raises ValueError for nan or infinity."""
    document = {"schema": SCHEMA, **_plain(report)}
    json.dumps(document, allow_nan=False)
    return document


def from_json(document: Mapping[str, Any]) -> Report:
    """The report that `to_json` wrote; raises UnreadableReport."""
    if document.get("schema") != SCHEMA:
        raise UnreadableReport(
            f"The report is written as {document.get('schema')!r}; this version reads {SCHEMA!r}. "
            "Compute the report again."
        )
    try:
        return _read(Report, document)
    except (KeyError, TypeError) as error:
        raise UnreadableReport(
            f"The report lacks something this version needs ({error}). Compute the report again."
        ) from error


@functools.cache
def shape(kind: Any = Report) -> Any:
    """The names of all fields a stored report has, nested: reports of another shape are unreadable.

    For the fingerprint of reports, so that software with other fields computes them again.
    """
    if dataclasses.is_dataclass(kind):
        kinds = typing.get_type_hints(kind)
        return [[field.name, shape(kinds[field.name])] for field in _fields(kind)]
    inner = [shape(one) for one in typing.get_args(kind)]
    return [part for part in inner if part]


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        fields = {field.name: _plain(getattr(value, field.name)) for field in _fields(value)}
        if isinstance(value, AgreementResult | LevelCorrelation):
            fields["reason_in_words"] = describe(value.reason)
            fields["too_few_for_interval"] = value.too_few_for_interval
        return fields
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    return value


def _read(kind: Any, value: Any) -> Any:
    """`value` as an instance of the annotated type `kind`."""
    reader = _reader(kind)
    return value if reader is None else reader(value)


@functools.cache
def _reader(kind: Any) -> Callable[[Any], Any] | None:
    """How values of a type are read; None where they are what JSON holds already.

    Made once for each type: a report has tens of thousands of values.
    """
    if dataclasses.is_dataclass(kind):
        return _reader_of_class(kind)
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (types.UnionType, typing.Union):
        structured = [option for option in arguments if dataclasses.is_dataclass(option)]
        inner = _reader(structured[0]) if structured else None
        return None if inner is None else lambda value: None if value is None else inner(value)
    if origin is tuple:
        inner = _reader(arguments[0])
        return tuple if inner is None else lambda value: tuple(map(inner, value))
    return None


def _reader_of_class(kind: Any) -> Callable[[Any], Any]:
    kinds = typing.get_type_hints(kind)
    readers = [(field.name, _reader(kinds[field.name])) for field in _fields(kind)]

    def read(value: Any) -> Any:
        return kind(
            **{
                name: value[name] if reader is None else reader(value[name])
                for name, reader in readers
            }
        )

    return read


def _fields(kind: Any) -> tuple[dataclasses.Field[Any], ...]:
    return dataclasses.fields(kind)
