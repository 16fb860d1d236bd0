"""Changing a study's own settings, before and after it was opened."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from studies import units
from studies.models import DesignRevision, Study
from studies.refusals import EditRefused, refuse_archived
from studies.revisions import FREE_AFTER_LAUNCH, revise


@transaction.atomic
def change_settings(
    *, study: Study, by, values: Mapping[str, Any], note: str = ""
) -> DesignRevision | None:
    """Set fields of a study; of an opened one they are the next revision, which is returned.

    Screens of a draft follow the settings they rest on. Raises WrongState for what is in the
    archive, EditRefused for settings that stay once people have answered (nothing is changed then),
    TooManySets for screens that nobody could rate.
    """
    locked = Study.objects.select_for_update().get(pk=study.pk)
    refuse_archived(locked)
    changed = [name for name, value in values.items() if getattr(locked, name) != value]
    if not locked.is_draft:
        _refuse_fixed(locked, changed)
    for name in changed:
        setattr(locked, name, values[name])
    locked.save(update_fields=changed)
    revision = None
    if not locked.is_draft:
        revision = revise(study=locked, by=by, note=note)
    elif units.RULES & set(changed):
        units.rebuild(locked)
    study.refresh_from_db()
    return revision


def _refuse_fixed(study: Study, changed: list[str]) -> None:
    fixed = [name for name in changed if name not in FREE_AFTER_LAUNCH]
    if fixed:
        raise EditRefused(
            [
                f"“{study._meta.get_field(name).verbose_name}” ({name}) cannot change once the "
                "study was opened. Duplicate the study."
                for name in fixed
            ]
        )
