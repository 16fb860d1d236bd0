"""Units brought as a list: which items stand on one screen, whose it is, which probes it asks.

They take the place of the rule (``studies.units``): the first such list of a draft switches it off,
and ``units.rebuild(instead_of_given=True)`` back on.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from dataclasses import replace as replace_fields
from typing import Any

from django.db import transaction

from studies import unit_probes, units
from studies.blocks import MAX_NAME
from studies.importing.bulk import insert_many
from studies.importing.countries import nearest_country, resolve_country
from studies.importing.growing import open_to_annotators
from studies.importing.nearest import NearestName
from studies.importing.problems import Problem
from studies.importing.tables import control_character, visible
from studies.importing.writing import CLOSED, takes_items
from studies.models import Study, Unit, UnitItem, UnitProbe
from studies.models.item import Purpose
from studies.refusals import SCREENS_STAY, DesignFrozen

FIELDS = frozenset(("key", "country", "items", "probes", "block"))
_BATCH = 500
_KEPT = "People may have answered this unit: it stays as it is."


class RowsRefused(Exception):
    """Rows are wrong, so nothing was written. ``problems`` name them, line 1 being the first."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        n = len(self.problems)
        super().__init__(f"{n} problem{'s'[: n != 1]}; nothing was written.")


@dataclass(frozen=True, slots=True)
class GivenUnit:
    """A row that was read. ``probes`` empty: they are drawn. ``purpose`` is that of its items."""

    line: int
    key: str
    country: str
    items: tuple[int, ...]
    probes: tuple[int, ...]
    block: str = ""
    purpose: str = Purpose.RATED

    @property
    def content(self) -> tuple:
        return self.country, self.block, self.purpose, self.items, self.probes


def write_units(
    *, study: Study, rows: Sequence[Mapping[str, Any]], replace: bool = False
) -> dict[str, int]:
    """Make or change the units that the rows name; counts of new, changed, same and removed.

    With ``replace`` units that no row names are removed from a draft. Raises RowsRefused with every
    problem and nothing written, DesignFrozen for a closed study and for removing from an opened
    one. An opened study takes new units, which get places of their own.
    """
    if not takes_items(study):
        raise DesignFrozen(CLOSED)
    if replace and not study.is_draft:
        raise DesignFrozen(SCREENS_STAY)
    given = _Reading(study).read(rows)
    counts = _write(study, given, replace)
    open_to_annotators(study)
    return counts


# ---- reading


class _Reading:
    """Rows held against what the study has, read once."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.problems: list[Problem] = []
        found = study.items.values_list("external_id", "pk", "country", "purpose")
        self.items = {name: row for name, *row in found}
        probes = study.probes.values_list("external_id", "pk", "verified")
        self.probes = {name: (pk, verified) for name, pk, verified in probes}
        self.near_item, self.near_probe = NearestName(self.items), NearestName(self.probes)

    def read(self, rows: Sequence[Mapping[str, Any]]) -> list[GivenUnit]:
        units = [self._unit(line, row) for line, row in enumerate(rows, start=1)]
        self._doubles(units)
        if self.problems:
            raise RowsRefused(sorted(self.problems, key=lambda problem: problem.line))
        return units

    def _wrong(self, line: int, field: str, value: Any, wrong: str, fix: str) -> None:
        self.problems.append(Problem(line, field, visible(_shown(value)), wrong, fix))

    def _unit(self, line: int, row: Mapping[str, Any]) -> GivenUnit:
        for name in row.keys() - FIELDS:
            fix = "A unit has key, country, items, probes and block."
            self._wrong(line, str(name)[:80], row[name], "There is no such field", fix)
        names = self._names(line, row, "items", self.items, self.near_item)
        probes = self._names(line, row, "probes", self.probes, self.near_probe)
        for name in probes:
            if not self.probes[name][1]:
                self._wrong(line, "probes", name, "This probe is not verified", "Leave it out.")
        self._count(line, names, row)
        return GivenUnit(
            line=line,
            key=self._key(line, row),
            country=self._country(line, row, names),
            items=tuple(self.items[name][0] for name in names),
            probes=tuple(self.probes[name][0] for name in probes),
            block=self._block(line, row),
            purpose=self._purpose(line, names),
        )

    def _block(self, line: int, row: Mapping[str, Any]) -> str:
        """The fixed set it belongs to, for studies that serve their units in blocks."""
        block = row.get("block", "")
        if not isinstance(block, str):
            self._wrong(line, "block", block, "No text", "Give the block's name, e.g. A.")
            return ""
        block = block.strip()
        if len(block) > MAX_NAME:
            wrong = f"{len(block):,} characters long; {MAX_NAME} are allowed"
            self._wrong(line, "block", block, wrong, "Shorten it.")
        elif char := control_character(block, lines=False):
            self._wrong(line, "block", block, f"Contains the character {char}", "Delete it.")
        return block

    def _purpose(self, line: int, names: list[str]) -> str:
        found = {self.items[name][2] for name in names}
        if len(found) > 1:
            fix = "Keep items of one purpose together: rated, practice or gold."
            self._wrong(line, "items", ", ".join(names), "Items of several purposes", fix)
        return found.pop() if found else Purpose.RATED

    def _key(self, line: int, row: Mapping[str, Any]) -> str:
        key = row.get("key")
        if not isinstance(key, str) or not key.strip():
            self._wrong(line, "key", key, "No text", "Give every unit a key of its own.")
            return ""
        key = key.strip()
        if len(key) > units.MAX_KEY:
            wrong = f"{len(key):,} characters long; {units.MAX_KEY} are allowed"
            self._wrong(line, "key", key, wrong, "Shorten it.")
        elif char := control_character(key, lines=False):
            self._wrong(line, "key", key, f"Contains the character {char}", "Delete it.")
        return key

    def _country(self, line: int, row: Mapping[str, Any], names: list[str]) -> str:
        """Where none is given, the one that the items share."""
        value = row.get("country")
        if value is None:
            shared = {self.items[name][1] for name in names}
            alone = len(shared) == 1 and not self.study.every_panel_rates_all
            return shared.pop() if alone else ""
        if not isinstance(value, str):
            self._wrong(line, "country", value, "No text", "Write a two-letter code, such as NP.")
            return ""
        code = resolve_country(value) if value.strip() else ""
        if code is None:
            near = nearest_country(value[:100])
            fix = f"Did you mean {near}?" if near else "Give a two-letter code or an English name."
            self._wrong(line, "country", value, "Not a country", fix)
        return code or ""

    def _names(
        self,
        line: int,
        row: Mapping[str, Any],
        field: str,
        known: Mapping[str, Any],
        near: NearestName,
    ) -> list[str]:
        """The ids of a list that the study has; what else stands there is named."""
        value = row.get(field)
        if value is None:
            value = []
        if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
            self._wrong(line, field, value, "Not a list of ids", 'Write e.g. ["np-1", "np-2"].')
            return []
        if len(value) > 100:
            self._wrong(line, field, "", f"{len(value):,} ids", "A screen shows few.")
            return []
        names = list(dict.fromkeys(value))
        if len(names) < len(value):
            self._wrong(line, field, value, "An id stands twice", "Name each once.")
        for name in names:
            if name not in known:
                what = field.removesuffix("s")
                close = near.nearest(name[:200])
                fix = f"Did you mean {close}?" if close else f"Bring the {what}s first."
                self._wrong(line, field, name, f"The study has no {what} of this id", fix)
        return [name for name in names if name in known]

    def _count(self, line: int, names: list[str], row: Mapping[str, Any]) -> None:
        size, value = self.study.items_per_unit, row.get("items")
        n = len(value) if isinstance(value, list) else 0
        if not n:
            self._wrong(line, "items", None, "A unit needs items", "Name their ids.")
        elif n != size:
            wrong = f"{n} items; a screen of this study shows {size}"
            fix = "Name as many, or change items_per_unit of the study."
            self._wrong(line, "items", ", ".join(names), wrong, fix)

    def _doubles(self, given: list[GivenUnit]) -> None:
        first: dict[str, int] = {}
        for unit in given:
            if unit.key and unit.key in first:
                wrong = f"Also on line {first[unit.key]}"
                self._wrong(unit.line, "key", unit.key, wrong, "Give each unit its own key.")
            first.setdefault(unit.key, unit.line)


def _shown(value: Any) -> str:
    """A value of any JSON type, short; inner ones are not spelt out."""
    if isinstance(value, list | dict):
        names = [part for part in value if isinstance(part, str)]
        return ", ".join(names[:20])[:500] or "[…]"
    return "" if value is None else str(value)[:500]


# ---- writing


def _state_of(study: Study) -> dict[str, tuple]:
    """Key -> country, block, purpose, items and probes named by hand of every unit there is."""
    items: dict[int, list[int]] = defaultdict(list)
    members = UnitItem.objects.filter(unit__study=study).order_by("position", "pk")
    for unit, item in members.values_list("unit_id", "item_id"):
        items[unit].append(item)
    probes: dict[int, list[int]] = defaultdict(list)
    named = UnitProbe.objects.filter(unit__study=study, by_hand=True).order_by("position", "pk")
    for unit, probe in named.values_list("unit_id", "probe_id"):
        probes[unit].append(probe)
    return {
        key: (country, block, purpose, tuple(items[pk]), tuple(probes[pk]))
        for pk, key, country, block, purpose in study.units.values_list(
            "pk", "key", "country", "block", "purpose"
        )
    }


@transaction.atomic
def _write(study: Study, given: list[GivenUnit], replace: bool) -> dict[str, int]:
    locked = Study.objects.select_for_update().get(pk=study.pk)
    if not takes_items(locked) or (replace and not locked.is_draft):
        raise DesignFrozen(SCREENS_STAY)
    have = _state_of(locked)
    # A row without a block says nothing about it: the launch may have made one.
    given = [
        replace_fields(unit, block=have[unit.key][1])
        if unit.key in have and not unit.block
        else unit
        for unit in given
    ]
    new = [unit for unit in given if unit.key not in have]
    changed = [unit for unit in given if unit.key in have and unit.content != have[unit.key]]
    if not locked.is_draft:
        _refuse_changes(changed)
    keys = {unit.key for unit in given}
    gone = [key for key in have if key not in keys] if replace else []
    _clear(locked, [*gone, *(unit.key for unit in changed)])
    for start in range(0, len(gone), _BATCH):
        locked.units.filter(key__in=gone[start : start + _BATCH]).delete()
    _fill(locked, new, changed)
    if not locked.units_by_hand:
        locked.units_by_hand = True
        locked.save(update_fields=["units_by_hand"])
    if unit_probes.asks_probes(locked):
        unit_probes.sample_probes(locked)
    counts = Counter(new=len(new), changed=len(changed), removed=len(gone))
    return dict(counts) | {"same": len(given) - len(new) - len(changed)}


def _refuse_changes(changed: list[GivenUnit]) -> None:
    if changed:
        fix = "Leave it, or bring another unit under a key of its own."
        raise RowsRefused(
            [Problem(unit.line, "key", visible(unit.key), _KEPT, fix) for unit in changed]
        )


def _clear(study: Study, keys: Sequence[str]) -> None:
    for start in range(0, len(keys), _BATCH):
        part = study.units.filter(key__in=keys[start : start + _BATCH])
        UnitItem.objects.filter(unit__in=part).delete()
        UnitProbe.objects.filter(unit__in=part).delete()


def _fill(study: Study, new: list[GivenUnit], changed: list[GivenUnit]) -> None:
    insert_many(
        Unit,
        ("study", "key", "country", "block", "purpose"),
        [(study.pk, unit.key, unit.country, unit.block, unit.purpose) for unit in new],
    )
    ids = dict(study.units.values_list("key", "pk"))
    Unit.objects.bulk_update(
        [
            Unit(pk=ids[unit.key], country=unit.country, block=unit.block, purpose=unit.purpose)
            for unit in changed
        ],
        ["country", "block", "purpose"],
        batch_size=_BATCH,
    )
    written = [*new, *changed]
    insert_many(
        UnitItem,
        ("unit", "item", "position"),
        [(ids[unit.key], pk, n) for unit in written for n, pk in enumerate(unit.items)],
    )
    insert_many(
        UnitProbe,
        ("unit", "probe", "position", "by_hand"),
        [(ids[unit.key], pk, n, True) for unit in written for n, pk in enumerate(unit.probes)],
    )
