"""Places for the units that a study under way has gained."""

from __future__ import annotations

from annotation.models import Pool
from annotation.places import ensure_places
from studies.models import Panel


def open_places(*, study_id: int) -> int:
    """Make the places that the panels of a study lack, in short transactions; returns how many.

    In a pilot they are the pilot's. A place is unique, so that running twice, or beside an arrival,
    is harmless. A panel that nobody entered yet makes all of its places with the first arrival.
    """
    made = 0
    for panel in Panel.objects.filter(study_id=study_id).select_related("study"):
        pilot = panel.study.in_pilot
        if Pool.objects.filter(panel=panel, pilot=pilot).exists():
            made += ensure_places(panel=panel, pilot=pilot)
    return made
