"""Writing checked items: media first, then one transaction, all or nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from django.core.files.base import File
from django.db import transaction
from django.db.models import Max

from studies.importing.items import ItemRecord
from studies.importing.planning import COPIED, ItemPlan, PlannedItem
from studies.importing.problems import Problem
from studies.lifecycle import DesignFrozen
from studies.models import Item, Study, System, Unit, UnitItem
from studies.models.item import delete_media, media_path

FROZEN = (
    "The design is frozen since launch: no items can be added or changed. "
    "Make a new study for other items."
)
_BATCH = 500
_UPDATED = (
    *COPIED,
    "media",
    "content_type",
    "sha256",
    "source_name",
    "width",
    "height",
    "system",
    "sub_activities",
    "metadata",
)


class ItemsChanged(Exception):
    """Somebody else wrote to the study between the check and the writing."""


class ImportRefused(Exception):
    """Rows are wrong, so nothing was written. ``problems`` names them."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(f"{len(self.problems)} problems; nothing was written.")


def write_items(*, study: Study, plan: ItemPlan, staging: Path) -> dict[str, int]:
    """Write a plan whose pictures lie in ``staging``. Returns its counts.

    Raises ImportRefused for a plan with problems, DesignFrozen once the study is launched, and
    ItemsChanged where the plan rests on items that are no longer so. On any failure the study and
    the media storage are as before.
    """
    if plan.problems:
        raise ImportRefused(plan.problems)
    rows = [row for row in plan.rows if row.is_new or row.is_changed]
    storage = Item._meta.get_field("media").storage
    written: list[str] = []
    items: dict[str, Item] = {}
    try:
        for row in rows:
            item = _filled(study, row)
            if row.picture is not None and not _keeps_media(row):
                with (staging / row.picture.stored).open("rb") as file:
                    name = media_path(item, row.picture.stored)
                    item.media = storage.save(name, File(file))
                written.append(item.media.name)
            items[item.external_id] = item
        with transaction.atomic():
            locked = Study.objects.select_for_update().get(pk=study.pk)
            if not locked.is_draft:
                raise DesignFrozen(FROZEN)
            _judge_unchanged(locked, rows)
            _write_rows(study, rows, items)
            replaced = [row.item.media.name for row in rows if row.item and not _keeps_media(row)]
            transaction.on_commit(partial(delete_media, replaced), robust=True)
    except BaseException:
        # Whatever stopped it, the files of a half-done import belong to nobody.
        delete_media(written)
        raise
    return plan.counts


def _judge_unchanged(study: Study, rows: Sequence[PlannedItem]) -> None:
    media = dict(study.items.values_list("external_id", "media"))
    for row in rows:
        if media.get(row.record.item_id) != (row.item.media.name if row.item else None):
            raise ItemsChanged(
                f"Item {row.record.item_id} was changed by somebody else since the check. "
                "Nothing was written. Check the file again."
            )


def _keeps_media(row: PlannedItem) -> bool:
    return row.item is not None and (row.picture is None or row.picture.sha256 == row.item.sha256)


def _filled(study: Study, row: PlannedItem) -> Item:
    """An unsaved item that says what the row says, media and parent aside."""
    record = row.record
    item = Item(study=study, external_id=record.item_id, source_name=record.file)
    if row.item is not None:
        item.public_id = row.item.public_id
        for name in ("media", "content_type", "sha256", "width", "height"):
            setattr(item, name, getattr(row.item, name))
    if row.picture is not None:
        for name in ("content_type", "sha256", "width", "height"):
            setattr(item, name, getattr(row.picture, name))
    for name in COPIED:
        setattr(item, name, getattr(record, name))
    item.sub_activities = list(record.sub_activities)
    item.metadata = dict(record.metadata)
    return item


def _write_rows(study: Study, rows: Sequence[PlannedItem], items: Mapping[str, Item]) -> None:
    systems = _systems(study, rows)
    for row in rows:
        items[row.record.item_id].system = systems.get(row.record.system)
    Item.objects.bulk_create(
        items.values(),
        batch_size=_BATCH,
        update_conflicts=True,
        unique_fields=["study", "external_id"],
        update_fields=_UPDATED,
    )
    records = [row.record for row in rows]
    keys = dict(study.items.values_list("external_id", "pk"))
    _write_parents(records, keys)
    _write_units(study, records, keys)


def _systems(study: Study, rows: Sequence[PlannedItem]) -> dict[str, System]:
    """The study's systems by name; new ones are added behind, in the order of the table."""
    known = {system.name: system for system in study.systems.all()}
    last = study.systems.aggregate(last=Max("position"))["last"]
    position = -1 if last is None else last
    added = []
    for row in rows:
        name = row.record.system
        if name and name not in known:
            position += 1
            known[name] = System(study=study, name=name, position=position)
            added.append(known[name])
    System.objects.bulk_create(added)
    return known


def _write_parents(records: Sequence[ItemRecord], keys: Mapping[str, int]) -> None:
    """Second step: a parent may stand below its edit in the table."""
    links = [Item(pk=keys[record.item_id], parent_id=keys.get(record.parent)) for record in records]
    Item.objects.bulk_update(links, ["parent"], batch_size=_BATCH)


def _write_units(study: Study, records: Sequence[ItemRecord], keys: Mapping[str, int]) -> None:
    """One unit an item, under the item's id, rated by the panel of the item's country."""
    units = [Unit(study=study, key=record.item_id, country=record.country) for record in records]
    Unit.objects.bulk_create(
        units,
        batch_size=_BATCH,
        update_conflicts=True,
        unique_fields=["study", "key"],
        update_fields=["country"],
    )
    unit_keys = dict(study.units.values_list("key", "pk"))
    UnitItem.objects.bulk_create(
        [
            UnitItem(unit_id=unit_keys[record.item_id], item_id=keys[record.item_id])
            for record in records
        ],
        batch_size=_BATCH,
        ignore_conflicts=True,
    )
