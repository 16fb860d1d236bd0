"""What the order of a session goes by: of which system and which prompt the items of a unit are.

A screen is chosen among two dozen units, and weighed against sixty that were shown. Their traits
hardly ever change, so a process remembers them for some minutes; a change in between moves the
order of a few screens, and nothing else.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db import connection

REMEMBERED = 600  # seconds
MOST = 100_000  # units


@dataclass(frozen=True, slots=True)
class ItemTraits:
    """``scene`` is what items of one prompt share: country, and scenario or else wording. None: it
    has neither, and is of no item's prompt."""

    system: int | None
    scene: tuple[str, str, str] | None


Traits = tuple[ItemTraits, ...]


def traits_of(units: Iterable[int]) -> Mapping[int, Traits]:
    """Of these units and perhaps more, by their ids; one query for those that are not known."""
    known = _memory.known()
    missing = [unit for unit in units if unit not in known]
    if missing:
        known.update(_read(missing))
    return known


def forget_traits() -> None:
    _memory.since = -float("inf")


class _Memory:
    def __init__(self) -> None:
        self.traits: dict[int, Traits] = {}
        self.since = time.monotonic()

    def known(self) -> dict[int, Traits]:
        if len(self.traits) > MOST or time.monotonic() - self.since > REMEMBERED:
            # A new one: other threads read on in theirs.
            self.traits, self.since = {}, time.monotonic()
        return self.traits


_memory = _Memory()


def _read(units: list[int]) -> dict[int, Traits]:
    found: dict[int, list[ItemTraits]] = defaultdict(list)
    slots = ", ".join(["%s"] * len(units))
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT m.unit_id, i.system_id, i.country, i.scenario, i.prompt "
            "FROM studies_unititem m JOIN studies_item i ON i.id = m.item_id "
            f"WHERE m.unit_id IN ({slots})",
            units,
        )
        for unit, system, country, scenario, prompt in cursor.fetchall():
            scene = (country, scenario, "" if scenario else prompt)
            found[unit].append(ItemTraits(system, scene if scenario or prompt else None))
    return {unit: tuple(found[unit]) for unit in units}
