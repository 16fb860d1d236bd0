"""Changing a study's own settings, before and after it was opened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction

from studies import units
from studies.models import DesignRevision, Panel, Study
from studies.refusals import DesignFrozen, EditRefused, refuse_archived
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


PANEL_FIELDS = (
    "language",
    "more_languages",
    "ratings_per_unit",
    "seats",
    "screen_nationality",
    "screen_residence",
    "screen_language",
)


@transaction.atomic
def replace_panels(*, study: Study, rows: Sequence[Mapping[str, Any]]) -> None:
    """Make the panels of a draft those that the rows name by their country.

    What a row leaves out is as the panel has it; of a new panel, as the study's first panel had it.
    Raises DesignFrozen once the study was opened: its places follow from its panels.
    """
    locked = Study.objects.select_for_update().get(pk=study.pk)
    refuse_archived(locked)
    if not locked.is_draft:
        raise DesignFrozen("The study was opened: its panels stay. Duplicate the study.")
    have = {panel.country: panel for panel in locked.panels.all()}
    pattern = next(iter(have.values()), Panel())
    locked.panels.exclude(country__in=[row["country"] for row in rows]).delete()
    for row in rows:
        like = have.get(row["country"], pattern)
        Panel.objects.update_or_create(
            study=locked,
            country=row["country"],
            defaults={name: row.get(name, getattr(like, name)) for name in PANEL_FIELDS},
        )
