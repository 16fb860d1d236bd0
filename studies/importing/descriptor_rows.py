"""Writing checked descriptors: what the study holds already is left alone."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from studies.importing.descriptors import DescriptorRecord
from studies.importing.problems import Problem
from studies.models import Description, Descriptor, Item, Question, Study
from studies.scenes import Scene, plain, scenes_of

_FIELDS = ("kind", "activity", "country", "item_id", "dimension", "token", "style", "source")
_BATCH = 500
DESCRIBED = "described"


def new_descriptors(study: Study, records: Sequence[DescriptorRecord]) -> list[Descriptor]:
    """Unsaved descriptors for those records that the study does not hold word for word."""
    keys = dict(study.items.values_list("external_id", "pk"))
    known = set(study.descriptors.values_list(*_FIELDS))
    found = []
    for record in records:
        if record.kind == DESCRIBED:
            continue
        values = {name: getattr(record, name) for name in _FIELDS}
        values["item_id"] = keys[record.item_id] if record.item_id else None
        if tuple(values[name] for name in _FIELDS) not in known:
            found.append(Descriptor(study=study, **values))
    return found


def new_looks(study: Study, records: Sequence[DescriptorRecord]) -> list[Description]:
    """Unsaved looks at items, for those records that the study does not hold."""
    keys = dict(study.items.values_list("external_id", "pk"))
    held = Description.objects.filter(item__study=study)
    known = set(held.values_list("item_id", "source", "dimension"))
    wanted = {
        (keys[record.item_id], record.source, record.dimension)
        for record in records
        if record.kind == DESCRIBED
    }
    return [
        Description(item_id=item, source=source, dimension=dimension)
        for item, source, dimension in sorted(wanted - known)
    ]


def descriptor_counts(study: Study, records: Sequence[DescriptorRecord]) -> dict[str, int]:
    """How many of the records are new, and how many the study holds already."""
    new = len(new_descriptors(study, records)) + len(new_looks(study, records))
    return {"new": new, "same": len(records) - new}


def list_problems(study: Study, records: Sequence[DescriptorRecord]) -> list[Problem]:
    """References that would make a list longer which people were shown.

    Everybody who judges a scene's list has to judge the same one. A pilot's answers are kept apart:
    after a pilot a list can still grow.
    """
    shown = shown_scenes(study)
    if not shown:
        return []
    new = {
        (row.activity, row.country, row.dimension, row.token)
        for row in new_descriptors(study, records)
        if row.kind == Descriptor.Kind.REFERENCE and (plain(row.activity), row.country) in shown
    }
    return [
        Problem(
            record.line,
            "token",
            record.token,
            f"People have judged the list of {record.activity}, {record.country} without it",
            "Leave it out, or duplicate the study.",
        )
        for record in records
        if record.kind == Descriptor.Kind.REFERENCE
        and (record.activity, record.country, record.dimension, record.token) in new
    ]


def shown_scenes(study: Study) -> set[Scene]:
    """The scenes of items whose list was on somebody's screen, the pilot's left out."""
    asks = study.questions.filter(kind=Question.Kind.DESCRIPTORS)
    if study.launched_at is None or not asks.exists():
        return set()
    items = Item.objects.filter(
        study=study, memberships__unit__assignments__participation__pilot=False
    )
    rows = items.order_by().only("scenario", "category", "aspect", "country").distinct()
    return {scene for item in rows for scene in scenes_of(item)}


@transaction.atomic
def write_descriptors(*, study: Study, records: Sequence[DescriptorRecord]) -> dict[str, int]:
    """Add the descriptors that are new. Returns how many are new and how many were there."""
    # The lock makes a second import of the same file wait, and then find everything there.
    study = Study.objects.select_for_update().get(pk=study.pk)
    added, looks = new_descriptors(study, records), new_looks(study, records)
    Descriptor.objects.bulk_create(added, batch_size=_BATCH)
    Description.objects.bulk_create(looks, batch_size=_BATCH)
    new = len(added) + len(looks)
    return {"new": new, "same": len(records) - new}
