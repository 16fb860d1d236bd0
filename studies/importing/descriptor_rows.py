"""Writing checked descriptors: what the study holds already is left alone."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from studies.importing.descriptors import DescriptorRecord
from studies.models import Descriptor, Study

_FIELDS = ("kind", "activity", "country", "item_id", "dimension", "token", "style", "source")
_BATCH = 500


def new_descriptors(study: Study, records: Sequence[DescriptorRecord]) -> list[Descriptor]:
    """Unsaved descriptors for those records that the study does not hold word for word."""
    keys = dict(study.items.values_list("external_id", "pk"))
    known = set(study.descriptors.values_list(*_FIELDS))
    found = []
    for record in records:
        values = {name: getattr(record, name) for name in _FIELDS}
        values["item_id"] = keys[record.item_id] if record.item_id else None
        if tuple(values[name] for name in _FIELDS) not in known:
            found.append(Descriptor(study=study, **values))
    return found


def descriptor_counts(study: Study, records: Sequence[DescriptorRecord]) -> dict[str, int]:
    """How many of the records are new, and how many the study holds already."""
    new = len(new_descriptors(study, records))
    return {"new": new, "same": len(records) - new}


@transaction.atomic
def write_descriptors(*, study: Study, records: Sequence[DescriptorRecord]) -> dict[str, int]:
    """Add the descriptors that are new. Returns how many are new and how many were there."""
    # The lock makes a second import of the same file wait, and then find everything there.
    study = Study.objects.select_for_update().get(pk=study.pk)
    added = new_descriptors(study, records)
    Descriptor.objects.bulk_create(added, batch_size=_BATCH)
    return {"new": len(added), "same": len(records) - len(added)}
