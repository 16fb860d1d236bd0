"""Units made from items by rule: one item each, or sets of one item a system of the same prompt.

Deterministic: the same items and settings give the same units.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb

from django.db import transaction

from studies.importing.bulk import batches, give_way, insert_many
from studies.importing.wording import listed
from studies.models import Item, Study, System, Unit, UnitItem, UnitProbe
from studies.models.item import Purpose
from studies.refusals import SCREENS_STAY, DesignFrozen
from studies.unit_probes import asks_probes, sample_probes

RULES = frozenset(("items_per_unit", "every_panel_rates_all"))
"""Settings of a study that its units follow: where they change, `rebuild`."""
MAX_KEY = 200
MAX_SETS = 100_000
AT_ONCE = 2_000
"""Units that are changed in one transaction; more of them in batches."""

_SETS = {2: "pairs", 3: "triplets"}
_WHAT = {"image": "picture", "video": "video", "audio": "sound"}


@dataclass(frozen=True, slots=True)
class PlannedUnit:
    """A unit that the rule asks for; ``items`` are ids in the order of their systems."""

    key: str
    country: str
    items: tuple[int, ...]
    purpose: str = Purpose.RATED


@dataclass(frozen=True, slots=True)
class UnitPlan:
    """What the rule makes of a study's items.

    ``problems`` name what is missing or in no unit; the last one says how many sets are complete.
    """

    units: tuple[PlannedUnit, ...]
    problems: tuple[str, ...] = ()


class TooManySets(Exception):
    """The combinations of systems are more than anybody could rate."""


# ---- the rule


def plan_units(study: Study) -> UnitPlan:
    """The units that the study's items and settings ask for; nothing is written."""
    items = list(
        study.items.order_by("external_id").only(
            *("external_id", "country", "scenario", "prompt", "variant", "replicate", "system"),
            *("kind", "purpose"),
        )
    )
    everywhere = study.every_panel_rates_all
    if study.items_per_unit == 1:
        units = (
            PlannedUnit(
                item.external_id, "" if everywhere else item.country, (item.pk,), item.purpose
            )
            for item in items
        )
        return UnitPlan(tuple(units))
    rated = _Sets(study, [item for item in items if item.purpose == Purpose.RATED]).plan()
    beside = [
        replace(unit, key=_key(f"{purpose}/{unit.key}"), purpose=purpose)
        for purpose in (Purpose.PRACTICE, Purpose.GOLD)
        for unit in _Sets(study, [item for item in items if item.purpose == purpose]).plan().units
    ]
    return replace(rated, units=(*rated.units, *beside))


class _Sets:
    """Items of one country, scenario, variant and replicate, one a system."""

    def __init__(self, study: Study, items: list[Item]) -> None:
        self.study = study
        self.size = study.items_per_unit
        in_use = {item.system_id for item in items}
        self.systems = [row for row in System.objects.filter(study=study) if row.pk in in_use]
        self.groups: dict[tuple[str, ...], dict[int, list[Item]]] = {}
        self.without_system = []
        for item in items:
            if item.system_id is None:
                self.without_system.append(item)
                continue
            prompt = item.scenario or item.prompt or item.external_id
            name = (item.country, prompt, item.variant, item.replicate)
            self.groups.setdefault(name, defaultdict(list))[item.system_id].append(item)

    def plan(self) -> UnitPlan:
        n_sets = comb(len(self.systems), self.size)
        if n_sets * len(self.groups) > MAX_SETS:
            raise TooManySets(
                f"{len(self.systems)} models in sets of {self.size} give {n_sets:,} screens a "
                "prompt. Leave models out or show more items on one screen."
            )
        units = [unit for name in sorted(self.groups) for unit in self._units(name)]
        wanted = n_sets * len(self.groups)
        problems = [problem for name in sorted(self.groups) for problem in self._missing(name)]
        problems = [*self._too_few_systems(), *problems, *self._loose()]
        if problems or len(units) < wanted:
            words = _SETS.get(self.size, f"sets of {self.size}")
            problems.append(f"{len(units)} of {wanted} {words} are complete.")
        return UnitPlan(tuple(units), tuple(problems))

    def _units(self, name: tuple[str, ...]) -> Iterator[PlannedUnit]:
        country = "" if self.study.every_panel_rates_all else name[0]
        present = [system for system in self.systems if system.pk in self.groups[name]]
        for chosen in combinations(present, self.size):
            parts = [part for part in name if part]
            if len(self.systems) > self.size:
                parts.append("+".join(system.name for system in chosen))
            items = tuple(self.groups[name][system.pk][0].pk for system in chosen)
            yield PlannedUnit(_key("/".join(parts)), country, items)

    def _missing(self, name: tuple[str, ...]) -> Iterator[str]:
        group = self.groups[name]
        prompt = " ".join(part for part in name[1:] if part)
        kind = _WHAT[next(iter(group.values()))[0].kind]
        if absent := [system.name for system in self.systems if system.pk not in group]:
            yield f"Prompt {prompt}: no {kind} of model {listed(absent)}."
        for system in self.systems:
            if len(twice := group.get(system.pk, [])) > 1:
                ids = listed([item.external_id for item in twice])
                yield (
                    f"Prompt {prompt}: {len(twice)} {kind}s of model {system.name} ({ids}); "
                    f"{twice[0].external_id} is shown. Give them replicates."
                )

    def _too_few_systems(self) -> list[str]:
        if not self.groups or len(self.systems) >= self.size:
            return []
        have = len(self.systems)
        return [f"The items are of {have} model{'s'[: have != 1]}; a screen shows {self.size}."]

    def _loose(self) -> list[str]:
        if not self.without_system:
            return []
        ids = listed([item.external_id for item in self.without_system])
        return [f"Items without a model are on no screen: {ids}."]


def _key(text: str) -> str:
    """A key of at most 200 characters; a longer one keeps its head and a digest of the whole."""
    if len(text) <= MAX_KEY:
        return text
    return f"{text[: MAX_KEY - 13]}~{hashlib.sha256(text.encode()).hexdigest()[:12]}"


# ---- writing


def rebuild(study: Study, *, instead_of_given: bool = False) -> UnitPlan:
    """Make the study's units what the rule asks for; returns the plan with its problems.

    Units that are as they should be stay the same rows. Units that were brought as a list stay too,
    and the plan is empty, unless the rule shall be followed ``instead_of_given``. Many changes are
    written in batches, so that nobody who rates meanwhile has to wait: one that breaks off is
    finished by calling it again. Raises DesignFrozen once the study was opened (units with answers
    are never touched), TooManySets for more than anybody could rate.
    """
    current = Study.objects.get(pk=study.pk)
    if not current.is_draft:
        raise DesignFrozen(SCREENS_STAY)
    if current.units_by_hand and not instead_of_given:
        return UnitPlan(())
    plan = plan_units(current)
    work = _Work(current, plan)
    with transaction.atomic() if work.size <= AT_ONCE else nullcontext():
        if current.units_by_hand:
            _forget_given(current)
        work.do()
        if asks_probes(current):
            sample_probes(current)  # early, so that they can be translated and previewed
    return plan


@transaction.atomic
def _forget_given(study: Study) -> None:
    _locked_draft(study)
    UnitProbe.objects.filter(unit__study=study, by_hand=True).delete()
    Study.objects.filter(pk=study.pk).update(units_by_hand=False)


def _locked_draft(study: Study) -> None:
    if not Study.objects.select_for_update().get(pk=study.pk).is_draft:
        raise DesignFrozen(SCREENS_STAY)


class _Work:
    """What separates the study's units from a plan."""

    def __init__(self, study: Study, plan: UnitPlan) -> None:
        self.study = study
        self.wanted = {unit.key: unit for unit in plan.units}
        rows = study.units.values_list("key", "country", "purpose")
        standing = {key: (country, purpose) for key, country, purpose in rows}
        members: dict[str, list[int]] = defaultdict(list)
        rows = UnitItem.objects.filter(unit__study=study).order_by("position", "pk")
        for key, item in rows.values_list("unit__key", "item_id"):
            members[key].append(item)
        self.stale = [
            key
            for key in standing
            if key not in self.wanted or members[key] != list(self.wanted[key].items)
        ]
        self.changed = [
            unit
            for unit in self.wanted.values()
            if standing.get(unit.key) != (unit.country, unit.purpose)
            or members[unit.key] != list(unit.items)
        ]

    @property
    def size(self) -> int:
        return len(self.stale) + len(self.changed)

    def do(self) -> None:
        for keys in batches(self.stale):
            with transaction.atomic():
                _locked_draft(self.study)
                _clear(self.study, keys, self.wanted)
            give_way()
        for part in batches(self.changed):
            with transaction.atomic():
                _locked_draft(self.study)
                self._write(part)
            give_way()

    def _write(self, part: Sequence[PlannedUnit]) -> None:
        keys = [unit.key for unit in part]
        rows = self.study.units.filter(key__in=keys)
        known = dict(rows.values_list("key", "pk"))
        Unit.objects.bulk_update(
            [
                Unit(pk=known[unit.key], country=unit.country, purpose=unit.purpose)
                for unit in part
                if unit.key in known
            ],
            ["country", "purpose"],
        )
        new = [(self.study.pk, u.key, u.country, u.purpose) for u in part if u.key not in known]
        insert_many(Unit, ("study", "key", "country", "purpose"), new)
        ids = dict(rows.values_list("key", "pk"))
        filled = set(
            UnitItem.objects.filter(unit__in=list(ids.values())).values_list("unit_id", flat=True)
        )
        insert_many(
            UnitItem,
            ("unit", "item", "position"),
            [
                (ids[unit.key], item, position)
                for unit in part
                if ids[unit.key] not in filled
                for position, item in enumerate(unit.items)
            ],
        )


def _clear(study: Study, stale: Sequence[str], wanted: dict[str, PlannedUnit]) -> None:
    """Take the members from units that change, and delete units that are wanted no more."""
    part = study.units.filter(key__in=stale)
    UnitItem.objects.filter(unit__in=part).delete()
    UnitProbe.objects.filter(unit__in=part).delete()
    gone = [key for key in stale if key not in wanted]
    study.units.filter(key__in=gone).delete()


# ---- for the check list


def unit_sizes(study: Study) -> Counter[int]:
    """Number of items -> how many units show so many."""
    members = Counter(UnitItem.objects.filter(unit__study=study).values_list("unit_id", flat=True))
    return Counter(members[pk] for pk in study.units.values_list("pk", flat=True))
