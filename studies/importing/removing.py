"""Taking items out of a draft, with all that hangs on them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from django.db import transaction
from django.db.models import ProtectedError

from studies import units
from studies.importing.wording import listed
from studies.models import Item, Study, Unit, UnitItem
from studies.models.item import delete_media
from studies.refusals import DesignFrozen

_FILES = ("media", "silent_media", "poster")
_BATCH = 500


class ItemsInUse(Exception):
    """Something else rests on these items. The text is for people."""


@transaction.atomic
def remove_items(*, study: Study, ids: Sequence[int]) -> int:
    """Remove items (primary keys) from a draft with units, labels and files; returns how many.

    Raises DesignFrozen once the study was opened, and ItemsInUse where an item that stays is an
    edit of one that would go, or where one was scored.
    """
    locked = Study.objects.select_for_update().get(pk=study.pk)
    if not locked.is_draft:
        raise DesignFrozen("The study was opened: its items stay.")
    chosen = {item.pk: item for item in locked.items.filter(pk__in=ids)}
    _judge_edits(locked, chosen)
    names = [str(getattr(item, name)) for item in chosen.values() for name in _FILES]
    keys = list(chosen)
    try:
        for start in range(0, len(keys), _BATCH):
            part = keys[start : start + _BATCH]
            touched = UnitItem.objects.filter(item__in=part).values_list("unit", flat=True)
            touched = set(touched)
            UnitItem.objects.filter(unit__in=touched).delete()
            Unit.objects.filter(pk__in=touched).delete()
            Item.objects.filter(pk__in=part).update(parent=None)
        for start in range(0, len(keys), _BATCH):
            Item.objects.filter(pk__in=keys[start : start + _BATCH]).delete()
    except ProtectedError as held:
        raise ItemsInUse(
            "A metric has scored some of these items: its scores rest on them. "
            "Make a new study, or leave them in."
        ) from held
    locked.systems.filter(items=None).delete()
    if locked.items_per_unit > 1:
        units.rebuild(locked)
    transaction.on_commit(partial(delete_media, [name for name in names if name]), robust=True)
    return len(chosen)


def _judge_edits(study: Study, chosen: dict[int, Item]) -> None:
    edits = study.items.filter(parent__in=chosen).exclude(pk__in=chosen)
    held = list(edits.values_list("external_id", "parent__external_id")[:9])
    if held:
        named = listed([f"{edit} of {original}" for edit, original in held])
        raise ItemsInUse(f"Edits that stay rest on these items: {named}. Remove both.")
