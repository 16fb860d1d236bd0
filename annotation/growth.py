"""Places for the units that a study under way has gained."""

from __future__ import annotations

from annotation.assignment import missing_places
from annotation.models import Place
from studies.models import Panel

BATCH = 2000


def open_places(*, study_id: int) -> int:
    """Make the places that the panels of a study lack, in short transactions; returns how many.

    In a pilot they are the pilot's. A place is unique, so that running twice, or beside an arrival,
    is harmless. A panel that nobody entered yet makes all of its places with the first arrival.
    """
    made = 0
    for panel in Panel.objects.filter(study_id=study_id).select_related("study"):
        pilot = panel.study.in_pilot
        if not Place.objects.filter(panel=panel, pilot=pilot).exists():
            continue
        missing = missing_places(panel=panel, pilot=pilot)
        for start in range(0, len(missing), BATCH):
            Place.objects.bulk_create(missing[start : start + BATCH], ignore_conflicts=True)
        made += len(missing)
    return made
