"""Colour and marker of a system: the same on every chart and page of a study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scoring.analysis.report import REAL
from scoring.reports.palette import INK_3, MARKERS, SYSTEMS


@dataclass(frozen=True, slots=True)
class Look:
    """`open`: an outline alone, of real photographs."""

    colour: str
    marker: str
    open: bool = False


def looks(systems: Sequence[str]) -> dict[str, Look]:
    """In the study's order; above seven systems all are grey and told apart by their labels."""
    made = [name for name in systems if name != REAL]
    found = {REAL: Look(INK_3, "o", open=True)}
    for number, name in enumerate(made):
        if len(made) > len(SYSTEMS):
            found[name] = Look(INK_3, MARKERS[number % len(MARKERS)])
        else:
            found[name] = Look(SYSTEMS[number], MARKERS[number])
    return found
