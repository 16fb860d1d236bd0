"""Potato's JSON lines: an instance, a person, and the labels they gave by schema."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from studies.external.records import ExternalRating, ImportRefusedError
from studies.external.sources import json_lines, legible, text

TICKED = {"true", "on"}  # a label that was ticked and has no value of its own

Key = tuple[str, str, str]
"""(person, instance, schema)."""


def labels(path: Path, *, history: Path | None, left_out: Counter[str]) -> Iterator[ExternalRating]:
    """Every answer; ``left_out`` counts questions without one.

    Older versions keep every value somebody clicked. Which was the last is told by ``history``
    (annotation_history.jsonl); without it such a line is refused.
    """
    last = _last_clicks(history) if history else {}
    for where, row in json_lines(path):
        person, instance, given = _fields(where, row)
        for schema, values in given.items():
            at = f"{where}, {schema}"
            if not isinstance(values, dict):
                raise ImportRefusedError([f"{at}: {values!r} is no object of label and value."])
            clicked = [answer for one in values.items() if (answer := _answer(*one))]
            if not clicked:
                left_out["questions without an answer"] += 1
                continue
            said = clicked[0]
            if len(set(clicked)) > 1:
                said = _last(at, (person, instance, schema), clicked, last, history)
            yield ExternalRating(instance, person, schema, said, at)


def _fields(where: str, row: Mapping[str, Any]) -> tuple[str, str, dict[str, Any]]:
    if missing := [name for name in ("instance_id", "user_id", "labels") if name not in row]:
        raise ImportRefusedError(
            [f"{where}: no {', '.join(map(repr, missing))}. Export Potato's annotations as JSONL."]
        )
    given = row["labels"]
    if not isinstance(given, dict):
        raise ImportRefusedError([f"{where}, labels: {given!r} is no object of schemas."])
    return text(row["user_id"]), text(row["instance_id"]), given


def _answer(label: str, value: Any) -> str:
    said = text(value)
    return label if value is True or said.casefold() in TICKED else said


def _last(
    where: str, key: Key, clicked: list[str], last: Mapping[Key, str], history: Path | None
) -> str:
    said = ", ".join(clicked)
    if history is None:
        raise ImportRefusedError(
            [f"{where}: several values were clicked ({said}). Give the history, or keep one."]
        )
    found = last.get(key)
    if found not in clicked:
        raise ImportRefusedError(
            [
                f"{where}: several values were clicked ({said}), and {history.name} does not "
                "say which was the last. Keep one."
            ]
        )
    return found


def _last_clicks(path: Path) -> dict[Key, str]:
    """The value of the latest click by its time; of two at the same time, the later line."""
    latest: dict[Key, tuple[str, str]] = {}
    for where, row in legible(path, json_lines(path)):
        key, at, said = _click(where, row)
        if said and at >= latest.get(key, ("", ""))[0]:
            latest[key] = (at, said)
    return {key: said for key, (_, said) in latest.items()}


def _click(where: str, row: Mapping[str, Any]) -> tuple[Key, str, str]:
    needed = ("user_id", "instance_id", "schema_name", "timestamp", "label_name", "new_value")
    if missing := [name for name in needed if name not in row]:
        raise ImportRefusedError(
            [f"{where}: no {', '.join(map(repr, missing))}. Give annotation_history.jsonl."]
        )
    key = (text(row["user_id"]), text(row["instance_id"]), text(row["schema_name"]))
    return key, text(row["timestamp"]), _answer(text(row["label_name"]), row["new_value"])
