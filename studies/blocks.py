"""Fixed sets of units, of which each session serves one: as given, else made by a seeded rule."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from math import ceil

from studies.models import Study, Unit, UnitItem
from studies.models.item import Purpose

MAX_NAME = 40
COLUMN = "block"
"""A column of the items' table by this name puts their units into blocks."""


def make_blocks(study: Study) -> int:
    """Put every unit that is to be rated and has no block into one; how many were put.

    A unit whose items share a ``block`` in their table goes there. The rest, country by country, is
    shuffled by the study's seed and cut into sets of near equal size, none larger than a session.
    Units that are in a block stay. Call in a transaction that holds the study's row.
    """
    rated = study.units.filter(purpose=Purpose.RATED)
    loose = list(rated.filter(block="").order_by("key"))
    if not loose:
        return 0
    given = _given(study)
    taken = set(rated.exclude(block="").values_list("block", flat=True))
    by_country: dict[str, list[Unit]] = defaultdict(list)
    for unit in loose:
        unit.block = given.get(unit.pk, "")
        if not unit.block:
            by_country[unit.country].append(unit)
    for country, units in sorted(by_country.items()):
        _cut(study, country, units, taken)
    Unit.objects.bulk_update(loose, ["block"], batch_size=500)
    return len(loose)


def _given(study: Study) -> dict[int, str]:
    """Unit id -> the block that the table of items names, where its items agree."""
    named: dict[int, set[str]] = defaultdict(set)
    rows = UnitItem.objects.filter(unit__study=study, unit__block="")
    for unit, metadata in rows.values_list("unit_id", "item__metadata"):
        named[unit].add(str(metadata.get(COLUMN, "")).strip()[:MAX_NAME])
    return {unit: names.pop() for unit, names in named.items() if len(names) == 1}


def _cut(study: Study, country: str, units: list[Unit], taken: set[str]) -> None:
    random.Random(f"{study.seed}:{country}").shuffle(units)
    n_blocks = ceil(len(units) / study.units_per_session)
    edges = [round(i * len(units) / n_blocks) for i in range(n_blocks + 1)]
    number = 0
    for start, end in zip(edges, edges[1:], strict=False):
        number += 1
        while (name := f"{country or 'all'}-{number}") in taken:
            number += 1
        taken.add(name)
        for unit in units[start:end]:
            unit.block = name


def block_faults(study: Study) -> list[str]:
    """What would keep a session from serving a whole block, a sentence each."""
    if study.policy != Study.Policy.BLOCKS:
        return []
    rated = study.units.filter(purpose=Purpose.RATED)
    named = rated.exclude(block="").values_list("block", "country")
    sizes = Counter(block for block, _ in named)
    large = [
        f"block {name} has {size} units; a session has {study.units_per_session}"
        for name, size in sorted(sizes.items())
        if size > study.units_per_session
    ]
    countries: dict[str, set[str]] = defaultdict(set)
    for block, country in named:
        countries[block].add(country)
    mixed = [
        f"block {name} has units of several countries: no panel would see all of it"
        for name, found in sorted(countries.items())
        if len(found) > 1
    ]
    return large + mixed
