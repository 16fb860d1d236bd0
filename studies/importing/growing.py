"""Units of several items after an import, and places for what a study under way has gained."""

from __future__ import annotations

from django.conf import settings
from django.db import transaction
from django.utils.module_loading import import_string

from studies import unit_probes, units
from studies.blocks import make_blocks
from studies.models import Study, Unit, UnitItem

BATCH = 400


def grow_units(study: Study) -> None:
    """Make the sets that new items complete; a draft's sets are made by the rule anew.

    In a study under way existing units stay as they are, people may have answered them. New ones
    are given their probes.
    """
    study.refresh_from_db()
    if study.items_per_unit > 1 and not study.units_by_hand:
        _grow_sets(study)
    if unit_probes.asks_probes(study):
        unit_probes.sample_probes(study)
    if study.policy == Study.Policy.BLOCKS and not study.is_draft:
        with transaction.atomic():
            make_blocks(Study.objects.select_for_update().get(pk=study.pk))


def _grow_sets(study: Study) -> None:
    if study.is_draft:
        units.rebuild(study)
        return
    have = set(study.units.values_list("key", flat=True))
    new = [unit for unit in units.plan_units(study).units if unit.key not in have]
    for start in range(0, len(new), BATCH):
        _add(study, new[start : start + BATCH])


@transaction.atomic
def _add(study: Study, planned: list[units.PlannedUnit]) -> None:
    rows = [
        Unit(study=study, key=unit.key, country=unit.country, purpose=unit.purpose)
        for unit in planned
    ]
    Unit.objects.bulk_create(rows, ignore_conflicts=True)
    keys = [unit.key for unit in planned]
    pks = dict(study.units.filter(key__in=keys).values_list("key", "pk"))
    UnitItem.objects.bulk_create(
        [
            UnitItem(unit_id=pks[unit.key], item_id=item, position=position)
            for unit in planned
            for position, item in enumerate(unit.items)
        ],
        ignore_conflicts=True,
    )


def open_to_annotators(study: Study) -> None:
    """Tell whoever keeps places that a study under way has more units.

    The name stands in the settings, because this app knows nothing of annotation.
    """
    if not study.is_draft:
        import_string(settings.STUDY_HAS_GROWN)(study_id=study.pk)


def open_every_panel(*, study_id: int) -> None:
    """The same after a launch, for panels that nobody has entered yet."""
    import_string(settings.STUDY_HAS_GROWN)(study_id=study_id, every_panel=True)
