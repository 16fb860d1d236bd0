"""Places for the units that a study under way has gained."""

from __future__ import annotations

import random

from annotation.assignment import RANK_STEP
from annotation.models import Place
from studies.models import Panel

BATCH = 2000


def open_places(*, study_id: int) -> int:
    """Make the places that the panels of a study lack, in short transactions; returns how many.

    A place is unique by (panel, unit, number), so that running twice, or beside an arrival, is
    harmless. A panel that nobody entered yet makes all of its places with the first arrival.
    """
    made = 0
    for panel in Panel.objects.filter(study_id=study_id):
        places = Place.objects.filter(panel=panel)
        if not places.exists():
            continue
        have = set(places.values_list("unit_id", "number"))
        missing = [
            Place(
                panel=panel,
                unit_id=unit,
                number=number,
                rank=number * RANK_STEP + random.randrange(RANK_STEP),
            )
            for unit in panel.units().values_list("pk", flat=True)
            for number in range(1, panel.ratings_per_unit + 1)
            if (unit, number) not in have
        ]
        for start in range(0, len(missing), BATCH):
            Place.objects.bulk_create(missing[start : start + BATCH], ignore_conflicts=True)
        made += len(missing)
    return made
