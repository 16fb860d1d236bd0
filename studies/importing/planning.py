"""What an import of items would do to a study: which rows are new, changed or the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from studies.importing.items import ItemRecord, ParsedItems, parse_items
from studies.importing.pictures import Picture, PictureCheck
from studies.importing.problems import Problem
from studies.models import Item, Study

# Fields of a record that an item has under the same name.
COPIED = (
    "kind",
    "prompt",
    "country",
    "category",
    "aspect",
    "scenario",
    "variant",
    "replicate",
    "origin",
    "cultural_element",
    "element_picture",
    "has_audio",
    "duration",
)


@dataclass(frozen=True, slots=True)
class PlannedItem:
    """One row to write. ``picture`` is None where the item keeps the one it has."""

    record: ItemRecord
    picture: Picture | None
    item: Item | None
    is_changed: bool

    @property
    def is_new(self) -> bool:
        return self.item is None


@dataclass(frozen=True, slots=True)
class ItemPlan:
    """The whole import: it can be written when ``problems`` is empty."""

    rows: tuple[PlannedItem, ...]
    problems: tuple[Problem, ...]
    warnings: tuple[str, ...]
    parsed: ParsedItems

    @property
    def counts(self) -> dict[str, int]:
        """Rows that are new, changed, the same, and refused."""
        refused = len({problem.line for problem in self.problems if problem.line > 1})
        return {
            "new": sum(row.is_new for row in self.rows),
            "changed": sum(row.is_changed for row in self.rows),
            "same": sum(not row.is_new and not row.is_changed for row in self.rows),
            "refused": refused,
        }


def existing_items(study: Study) -> dict[str, Item]:
    """The items of a study by their id, with parent and system."""
    items = study.items.select_related("parent", "system")
    return {item.external_id: item for item in items}


def parse_for_study(table: bytes, existing: Mapping[str, Item]) -> ParsedItems:
    """The table, read against the items that the study has."""
    parents = {
        external_id: item.parent.external_id if item.parent else ""
        for external_id, item in existing.items()
    }
    return parse_items(table, parents=parents)


def plan_items(
    *, parsed: ParsedItems, pictures: PictureCheck, existing: Mapping[str, Item]
) -> ItemPlan:
    """Hold checked rows and pictures against what the study has."""
    problems = sorted(
        [*parsed.problems, *pictures.problems], key=lambda problem: (problem.line, problem.field)
    )
    refused = {problem.line for problem in problems}
    rows = []
    for record in parsed.records:
        if record.line in refused:
            continue
        picture = pictures.pictures.get(record.file)
        item = existing.get(record.item_id)
        is_changed = item is not None and _differs(item, record, picture)
        rows.append(PlannedItem(record, picture, item, is_changed))
    warnings = (
        *parsed.warnings,
        *_picture_warnings(rows, existing),
        *_unused_warning(pictures.unused),
    )
    return ItemPlan(tuple(rows), tuple(problems), warnings, parsed)


def _differs(item: Item, record: ItemRecord, picture: Picture | None) -> bool:
    return (
        any(getattr(item, name) != getattr(record, name) for name in COPIED)
        or (item.system.name if item.system else "") != record.system
        or (item.parent.external_id if item.parent else "") != record.parent
        or item.sub_activities != list(record.sub_activities)
        or item.metadata != dict(record.metadata)
        or item.source_name != record.file
        or (picture is not None and picture.sha256 != item.sha256)
    )


def _picture_warnings(rows: Sequence[PlannedItem], existing: Mapping[str, Item]) -> tuple[str, ...]:
    """The same picture under two ids, and pictures that move."""
    holders: dict[str, list[str]] = {}
    planned = {row.record.item_id for row in rows}
    for item in existing.values():
        if item.external_id not in planned:
            holders.setdefault(item.sha256, []).append(item.external_id)
    for row in rows:
        sha256 = row.picture.sha256 if row.picture else row.item.sha256
        holders.setdefault(sha256, []).append(row.record.item_id)
    warnings = [
        f"{_listed(ids)} are the same picture."
        for ids in holders.values()
        if len(ids) > 1 and not planned.isdisjoint(ids)
    ]
    moving = [row.record.item_id for row in rows if row.picture and row.picture.animated]
    if moving:
        verb = "is an animation" if len(moving) == 1 else "are animations"
        warnings.append(f"{_listed(moving)} {verb}: people see moving pictures.")
    return tuple(warnings)


def _unused_warning(unused: Sequence[str]) -> tuple[str, ...]:
    if not unused:
        return ()
    noun = "1 file is" if len(unused) == 1 else f"{len(unused)} files are"
    return (f"{noun} named by no row and will not be imported: {_listed(unused)}.",)


def _listed(names: Sequence[str]) -> str:
    if len(names) > 8:
        return f"{', '.join(names[:8])} and {len(names) - 8} more"
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
