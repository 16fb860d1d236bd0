"""Places for the units that a study under way has gained."""

from __future__ import annotations

from annotation.models import Pool
from annotation.places import ensure_places
from studies.models import Panel


def open_places(*, study_id: int, every_panel: bool = False) -> int:
    """Make the places that the panels of a study lack, in short transactions; returns how many.

    In a pilot they are the pilot's. A place is unique, so that running twice, or beside an arrival,
    is harmless. A panel that has none yet makes all of them with the first arrival, unless
    ``every_panel`` is to have them at once, as after a launch.
    """
    made = 0
    for panel in Panel.objects.filter(study_id=study_id).select_related("study"):
        pilot = panel.study.in_pilot
        if every_panel or Pool.objects.filter(panel=panel, pilot=pilot).exists():
            made += ensure_places(panel=panel, pilot=pilot)
    return made
