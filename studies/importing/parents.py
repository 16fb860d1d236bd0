"""Parents of edited items: they exist, and nobody is their own ancestor. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from studies.importing.nearest import NearestName
from studies.importing.problems import Problem
from studies.importing.tables import visible


def parent_problems(
    rows: Iterable[tuple[int, str, str, str]], known: Mapping[str, str]
) -> list[Problem]:
    """What is wrong with the parents that rows ``(line, heading, item id, parent id)`` name.

    ``known`` are the items that exist already, each with its parent's id or ''; a row of the same
    id takes their place.
    """
    rows = list(rows)
    parent_of = dict(known) | {item_id: parent for _, _, item_id, parent in rows if item_id}
    names = NearestName(parent_of)
    problems = []
    for line, heading, item_id, parent in rows:
        if not parent:
            continue
        if parent not in parent_of:
            near = names.nearest(parent)
            fix = f"Did you mean {near}?" if near else "Name an item of this file or this study."
            wrong = "No item has this id"
            problems.append(Problem(line, heading, visible(parent), wrong, fix))
        elif circle := _circle(item_id, parent_of):
            wrong = f"The item would be its own ancestor: {' → '.join(circle)}"
            fix = "An original has no parent: empty its cell."
            problems.append(Problem(line, heading, visible(parent), wrong, fix))
    return problems


def _circle(start: str, parent_of: Mapping[str, str]) -> list[str]:
    """The way from ``start`` up to itself; empty where the ancestors end or circle without it."""
    way = [start]
    passed = {start}
    while parent := parent_of.get(way[-1], ""):
        way.append(parent)
        if parent == start:
            return way if len(way) <= 6 else [*way[:3], "…", *way[-2:]]
        if parent in passed:
            return []
        passed.add(parent)
    return []
