"""Writing checked items in short transactions, so that nobody who rates meanwhile has to wait.

A batch is one transaction: its items, their units, nothing else. Each batch leaves the study whole,
and what is written is "the same" for whoever begins again: an import that was killed is finished by
starting it once more.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from django.core.files.base import File
from django.core.files.storage import FileSystemStorage
from django.db import transaction
from django.utils import timezone

from studies.importing.bulk import give_way, insert_many
from studies.importing.growing import grow_units
from studies.importing.known import COPIED, FILES, OF_MEDIA
from studies.importing.planning import ItemPlan, PlannedItem
from studies.importing.problems import Problem
from studies.models import Item, Study, System, Unit, UnitItem
from studies.models.item import delete_media, media_path, poster_path, silent_path
from studies.refusals import DesignFrozen

CLOSED = "The study is closed: no items can be added or changed."
BATCH = 500
_UPDATED = (
    *COPIED,
    *OF_MEDIA,
    "media",
    "silent_media",
    "poster",
    "preparation",
    "source_name",
    "source_url",
    "system",
    "sub_activities",
    "metadata",
)
_INSERTED = ("study", "external_id", "public_id", *_UPDATED, "created_at")
Progress = Callable[[int, int], None]


class ItemsChanged(Exception):
    """Somebody else wrote to the study between the check and the writing."""


class ImportRefused(Exception):
    """Rows are wrong, so nothing was written. ``problems`` names them."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(f"{len(self.problems)} problems; nothing was written.")


def takes_items(study: Study) -> bool:
    """Drafts, and studies under way: new items get units and places of their own."""
    return study.state != Study.State.CLOSED and study.archived_at is None


def write_items(
    *,
    study: Study,
    plan: ItemPlan,
    staging: Path,
    on_progress: Progress = lambda done, total: None,
) -> dict[str, int]:
    """Write a plan whose media lie in ``staging``. Returns its counts.

    Raises ImportRefused for a plan with problems, DesignFrozen once the study is closed, and
    ItemsChanged where the plan rests on items that are no longer so; batches before that stay.
    """
    if plan.problems:
        raise ImportRefused(plan.problems)
    if not takes_items(study):
        raise DesignFrozen(CLOSED)
    _clear_after_kill(staging)
    rows = [row for row in plan.rows if row.is_new or row.is_changed]
    for start in range(0, len(rows), BATCH):
        on_progress(start, len(rows))
        _write_batch(study, rows[start : start + BATCH], staging)
        give_way()
    _write_parents(study, rows)
    grow_units(study)
    on_progress(len(rows), len(rows))
    return plan.counts


def _write_batch(study: Study, rows: Sequence[PlannedItem], staging: Path) -> None:
    written: list[str] = []
    items = [_filled(study, row) for row in rows]
    journal = staging / "unfinished.json"
    fresh = [item for row, item in zip(rows, items, strict=True) if not row.keeps_media]
    journal.write_text(json.dumps([item.public_id for item in fresh]), "utf-8")
    try:
        for row, item in zip(rows, items, strict=True):
            if row.medium is not None and not row.keeps_media:
                written += _save_files(item, row, staging)
        with transaction.atomic():
            locked = Study.objects.select_for_update().get(pk=study.pk)
            if not takes_items(locked):
                raise DesignFrozen(CLOSED)
            _judge_unchanged(locked, rows)
            systems = _systems(locked, rows)
            for row, item in zip(rows, items, strict=True):
                item.system = systems.get(row.record.system)
            _write_rows(rows, items)
            if locked.items_per_unit == 1 and not locked.units_by_hand:
                _write_units(locked, rows)
            replaced = [name for row in rows if not row.keeps_media for name in _old_files(row)]
            transaction.on_commit(partial(delete_media, replaced), robust=True)
    except BaseException:
        # Whatever stopped it, the files of a half-done batch belong to nobody.
        delete_media(written)
        raise
    journal.unlink()


def _write_rows(rows: Sequence[PlannedItem], items: Sequence[Item]) -> None:
    now = timezone.now()
    new, changed = [], []
    for row, item in zip(rows, items, strict=True):
        if row.is_new:
            item.created_at = now
            new.append([_plain(item, name) for name in _INSERTED])
        else:
            changed.append(item)
    insert_many(Item, _INSERTED, new)
    Item.objects.bulk_create(
        changed,
        update_conflicts=True,
        unique_fields=["study", "external_id"],
        update_fields=_UPDATED,
    )


def _plain(item: Item, name: str) -> Any:
    if name in FILES:
        return str(getattr(item, name))
    return getattr(item, f"{name}_id" if name in ("study", "system") else name)


def _clear_after_kill(staging: Path) -> None:
    """Delete the files of a batch whose writer was killed before its items were written."""
    journal = staging / "unfinished.json"
    if not journal.exists():
        return
    ids = set(json.loads(journal.read_text("utf-8")))
    items = Item.objects.filter(public_id__in=ids)
    held = {
        name for names in items.values_list("media", "silent_media", "poster") for name in names
    }
    storage = Item._meta.get_field("media").storage
    for public_id in ids:
        folder = media_path(Item(public_id=public_id), "x.x").rpartition("/")[0]
        _, files = storage.listdir(folder) if storage.exists(folder) else ([], [])
        mine = [f"{folder}/{name}" for name in files if name.startswith(public_id)]
        delete_media([name for name in mine if name not in held])
    journal.unlink()


def _judge_unchanged(study: Study, rows: Sequence[PlannedItem]) -> None:
    ids = [row.record.item_id for row in rows]
    found = study.items.filter(external_id__in=ids)
    media = dict(found.values_list("external_id", "media"))
    for row in rows:
        if media.get(row.record.item_id) != (row.known["media"] if row.known else None):
            raise ItemsChanged(
                f"Item {row.record.item_id} was changed by somebody else since the check. "
                "Check the file again."
            )


def _filled(study: Study, row: PlannedItem) -> Item:
    """An unsaved item that says what the row says; files, system and parent aside."""
    record, known, medium = row.record, row.known, row.medium
    item = Item(study=study, external_id=record.item_id)
    item.source_name, item.source_url = record.file, record.url
    if known is not None:
        item.public_id = known.public_id
        for name in (*OF_MEDIA, "media", "silent_media", "poster"):
            setattr(item, name, known[name])
        item.preparation = known.preparation
    if medium is not None:
        for name in OF_MEDIA:
            setattr(item, name, getattr(medium, name))
        item.preparation = list(medium.preparation)
    for name in COPIED:
        setattr(item, name, getattr(record, name))
    item.sub_activities = list(record.sub_activities)
    item.metadata, item.expected = dict(record.metadata), dict(record.expected)
    return item


def _save_files(item: Item, row: PlannedItem, staging: Path) -> list[str]:
    """Put the staged files under the item's opaque name; returns the names."""
    medium = row.medium
    if medium is None:
        return []
    saved = []
    for field, stored, path_of in (
        ("media", medium.stored, media_path),
        ("silent_media", medium.silent, silent_path),
        ("poster", medium.poster, poster_path),
    ):
        name = ""
        if stored:
            name = _store(path_of(item, stored), staging / stored)
            saved.append(name)
        setattr(item, field, name)
    return saved


def _store(name: str, source: Path) -> str:
    """Store a staged file; on this machine's disk by a second link to it, which copies nothing."""
    storage = Item._meta.get_field("media").storage
    if isinstance(storage, FileSystemStorage):
        target = Path(storage.path(name))
        target.parent.mkdir(parents=True, exist_ok=True)
        if _linked(source, target):
            target.chmod(0o644)
            return name
    with source.open("rb") as file:
        return storage.save(name, File(file))


def _linked(source: Path, target: Path) -> bool:
    """No on another disk, with too many links, or where the name is taken: a copy is made then."""
    try:
        os.link(source, target)
    except OSError:
        return False
    return True


def _old_files(row: PlannedItem) -> list[str]:
    if row.known is None:
        return []
    return [name for field in ("media", "silent_media", "poster") if (name := row.known[field])]


def _systems(study: Study, rows: Sequence[PlannedItem]) -> dict[str, System]:
    """The study's systems by name; new ones are added behind, in the order of the table."""
    known = {system.name: system for system in study.systems.all()}
    last = max((system.position for system in known.values()), default=-1)
    wanted = dict.fromkeys(row.record.system for row in rows if row.record.system)
    new = [
        System(study=study, name=name, position=last + 1 + n)
        for n, name in enumerate(name for name in wanted if name not in known)
    ]
    System.objects.bulk_create(new)
    return known | {system.name: system for system in new}


def _write_parents(study: Study, rows: Sequence[PlannedItem]) -> None:
    """Last: a parent may stand far below its edit in the table."""
    named = [row for row in rows if row.record.parent or (row.known and row.known.parent)]
    for start in range(0, len(named), BATCH):
        part = named[start : start + BATCH]
        ids = {name for row in part for name in (row.record.item_id, row.record.parent) if name}
        keys = dict(study.items.filter(external_id__in=ids).values_list("external_id", "pk"))
        Item.objects.bulk_update(
            [
                Item(pk=keys[row.record.item_id], parent_id=keys.get(row.record.parent))
                for row in part
            ],
            ["parent"],
        )


def _write_units(study: Study, rows: Sequence[PlannedItem]) -> None:
    """One unit an item, under the item's id, rated by the panel of the item's country."""
    ids = [row.record.item_id for row in rows]
    countries = {
        row.record.item_id: "" if study.every_panel_rates_all else row.record.country
        for row in rows
    }
    purposes = {row.record.item_id: row.record.purpose for row in rows}
    units = dict(study.units.filter(key__in=ids).values_list("key", "pk"))
    Unit.objects.bulk_update(
        [Unit(pk=pk, country=countries[k], purpose=purposes[k]) for k, pk in units.items()],
        ["country", "purpose"],
    )
    new = [key for key in ids if key not in units]
    values = [(study.pk, key, countries[key], purposes[key]) for key in new]
    insert_many(Unit, ("study", "key", "country", "purpose"), values)
    units = dict(study.units.filter(key__in=ids).values_list("key", "pk"))
    items = dict(study.items.filter(external_id__in=ids).values_list("external_id", "pk"))
    insert_many(
        UnitItem,
        ("unit", "item", "position"),
        [(units[item_id], items[item_id], 0) for item_id in ids],
        ignore_conflicts=True,
    )
