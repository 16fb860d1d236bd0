"""Label Studio's JSON export: a list of tasks, each with the annotations of several people."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from studies.external.layouts import JOINT, Columns
from studies.external.records import FACTS, ExternalRating, ImportRefusedError
from studies.external.sources import json_whole, text

READ = {"rating": "rating", "choices": "choices", "number": "number"}
"""The member of a result's value that holds the answer, by the result's type."""


def annotations(
    path: Path, *, mapping: Columns, left_out: Counter[str]
) -> Iterator[ExternalRating]:
    """Every rating, choice or number; ``left_out`` counts what was passed over, and why.

    ``mapping.item`` are the fields of a task's data that name the item, without them it is the
    task's id; ``mapping.facts`` are fields of its data too. The question is the result's
    ``from_name``, the rater the id in ``completed_by``: e-mail addresses and names are not read.
    """
    if unknown := [name for name in mapping.facts if name not in FACTS]:
        raise ImportRefusedError(
            [f"An item has no {', '.join(unknown)}. It has {', '.join(FACTS)}."]
        )
    tasks = json_whole(path)
    if not isinstance(tasks, list):
        raise ImportRefusedError([f"{path.name} is no list of tasks. Export as JSON."])
    for number, task in enumerate(tasks, start=1):
        where = f"{path.name}, task {_id(task, number)}"
        if not isinstance(task, dict) or not isinstance(task.get("annotations"), list):
            raise ImportRefusedError(
                [f"{where} has no list of annotations. Export as JSON, not as JSON-MIN or CSV."]
            )
        item, facts = _item(task, mapping, where)
        for place, one in enumerate(task["annotations"], start=1):
            at = f"{where}, annotation {_id(one, place)}"
            yield from _annotation(one, at, item, facts, left_out)


def _annotation(
    one: Any, where: str, item: str, facts: Mapping[str, str], left_out: Counter[str]
) -> Iterator[ExternalRating]:
    if not isinstance(one, dict) or not isinstance(one.get("result"), list):
        raise ImportRefusedError([f"{where} has no list called 'result'. Export as JSON."])
    if one.get("was_cancelled"):
        left_out["skipped tasks"] += 1
        return
    rater = _rater(one.get("completed_by"), where)
    for result in one["result"]:
        if not isinstance(result, dict):
            raise ImportRefusedError([f"{where}: a result is no object. Export as JSON."])
        kind = result.get("type")
        if kind not in READ:
            left_out[f"results of type {kind}"] += 1
            continue
        question = text(result.get("from_name"))
        said = _said(result, READ[kind], f"{where}, {question}")
        yield ExternalRating(item, rater, question, said, f"{where}, {question}", dict(facts))


def _said(result: Mapping[str, Any], member: str, where: str) -> str:
    value = result.get("value")
    if not isinstance(value, dict) or member not in value:
        raise ImportRefusedError([f"{where}: the value has no {member!r}. Export as JSON."])
    said = value[member]
    if isinstance(said, list):
        if len(said) != 1:
            raise ImportRefusedError(
                [f"{where}: {len(said)} choices. A rating is one; leave the others out."]
            )
        said = said[0]
    return text(said)


def _rater(by: Any, where: str) -> str:
    """The person's id; older exports have it alone, newer ones within an object."""
    found = by.get("id") if isinstance(by, dict) else by
    if not isinstance(found, int | str) or not text(found):
        raise ImportRefusedError([f"{where}, completed_by: nobody. Write the annotator's id."])
    return text(found)


def _item(task: Mapping[str, Any], mapping: Columns, where: str) -> tuple[str, dict[str, str]]:
    data = task.get("data")
    if not isinstance(data, dict):
        raise ImportRefusedError([f"{where} has no data. Export as JSON."])
    needed = [*mapping.item, *mapping.facts.values()]
    if missing := [name for name in needed if name not in data]:
        there = ", ".join(list(data)[:30])
        raise ImportRefusedError(
            [f"{where}: the data has no {', '.join(map(repr, missing))}. It has: {there}."]
        )
    item = JOINT.join(text(data[name]) for name in mapping.item) or text(task.get("id"))
    return item, {name: text(data[field]) for name, field in mapping.facts.items()}


def _id(one: Any, place: int) -> str:
    return text(one.get("id", place)) if isinstance(one, dict) else json.dumps(place)
