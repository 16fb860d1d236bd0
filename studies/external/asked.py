"""How to read a file, as somebody wrote it: the texts of a form or of a command."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from studies.external.layouts import Columns
from studies.external.reading import Source
from studies.external.records import ImportRefusedError
from studies.external.sources import conditions

NEEDED = {"long": ("item", "value"), "list": ("item", "value")}


def asked(given: Mapping[str, Any]) -> Source:
    """``given``: a text for each field of ``Source`` and ``Columns``; commas part several names.

    Raises ``ImportRefusedError`` where a table lacks what its shape needs. Exports of tools know
    their own columns.
    """
    if not given["tool"]:
        _complete(given)
    columns = Columns(
        item=names(given["item"]),
        shape=given["shape"],
        rater=given["rater"],
        rater_is=given["rater_is"],
        value=given["value"],
        question=given["question"],
        question_is=given["question_is"],
        columns=names(given["columns"]),
        cell=names(given["cell"]),
        facts=_facts(given["facts"]),
    )
    return Source(
        columns=columns,
        tool=given["tool"],
        records=given["records"],
        where=conditions(given["where"]),
        pattern=given["pattern"],
        history=given["history"],
        missing=names(given["missing"]),
    )


def names(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _complete(given: Mapping[str, Any]) -> None:
    shape = given["shape"]
    missing = [name for name in NEEDED.get(shape, ("item",)) if not given[name]]
    if shape == "long" and not (given["rater"] or given["rater_is"]):
        missing.append("rater")
    if missing:
        raise ImportRefusedError([f"The shape {shape} needs the column of {', '.join(missing)}."])


def _facts(text: str) -> dict[str, str]:
    facts = {}
    for pair in names(text):
        name, equals, column = pair.partition("=")
        if not equals:
            raise ImportRefusedError([f"Facts, {pair!r}: write system=COLUMN."])
        facts[name.strip()] = column.strip()
    return facts
