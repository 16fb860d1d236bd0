"""The probes each unit is given: one verified probe a dimension of its scenario's bank.

The same seed gives a unit the same probes, whatever other units there are.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from django.db import transaction

from studies.importing.bulk import batches, give_way
from studies.importing.wording import listed
from studies.models import Probe, Question, Study, UnitItem, UnitProbe
from studies.refusals import SCREENS_STAY, DesignFrozen


def asks_probes(study: Study) -> bool:
    return study.questions.filter(retired=False, asked_of=Question.AskedOf.PROBE).exists()


def probe_dimensions(study: Study) -> list[str]:
    """The dimensions of the study's bank in the order written: a unit gets one probe of each."""
    rows = study.probes.order_by("pk").values_list("dimension", flat=True)
    return list(dict.fromkeys(rows))


def missing_probes(study: Study) -> list[str]:
    """Units and the dimensions of which their scenario's bank has no verified probe."""
    dimensions, bank = probe_dimensions(study), _bank(study)
    found = []
    for _pk, key, scenario, country in _scenes(study):
        have = bank[scenario, country].keys() | bank[scenario, ""].keys()
        if absent := [name for name in dimensions if name not in have]:
            found.append(f"{key}: no verified probe of {listed(absent)}")
    return found


def sample_probes(study: Study) -> int:
    """Give units one verified probe a dimension of their scenario's bank; returns how many.

    In a draft every unit is given its probes anew, but for those that were named with it; once the
    study was opened only units that have none get any, for what was asked stays. Which one follows
    from the study's seed, the unit's key and the dimension alone. Written in batches; raises
    DesignFrozen where a draft is opened meanwhile.
    """
    current = Study.objects.get(pk=study.pk)
    have: dict[int, list[tuple[int, int]]] = defaultdict(list)
    kept: set[int] = set()
    given = UnitProbe.objects.filter(unit__study=current).order_by("position", "pk")
    for unit, probe, position, by_hand in given.values_list(
        "unit_id", "probe_id", "position", "by_hand"
    ):
        if by_hand or not current.is_draft:
            kept.add(unit)
        if not by_hand:
            have[unit].append((probe, position))
    wanted = _drawn(current, kept) if asks_probes(current) else {}
    units = [unit for unit in {**have, **wanted} if have[unit] != wanted.get(unit, [])]
    if not current.is_draft:
        units = [unit for unit in units if unit in wanted]
    for part in batches(units):
        with transaction.atomic():
            _give_probes(current, part, wanted)
        give_way()
    return sum(map(len, wanted.values()))


def _drawn(study: Study, kept: set[int]) -> dict[int, list[tuple[int, int]]]:
    """Unit -> its probes and their positions, of all units but those that are ``kept``."""
    dimensions, bank = probe_dimensions(study), _bank(study)
    drawn: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for unit, key, scenario, country in _scenes(study):
        if unit in kept:
            continue
        own, any_country = bank[scenario, country], bank[scenario, ""]
        for position, dimension in enumerate(dimensions):
            probes = own.get(dimension, []) or any_country.get(dimension, [])
            if probes:
                rng = random.Random(f"{study.seed}:{key}:{dimension}")
                drawn[unit].append((rng.choice(probes), position))
    return drawn


def _give_probes(
    study: Study, units: Sequence[int], wanted: Mapping[int, list[tuple[int, int]]]
) -> None:
    locked = Study.objects.select_for_update().get(pk=study.pk)
    if study.is_draft and not locked.is_draft:
        raise DesignFrozen(SCREENS_STAY)
    rows = UnitProbe.objects.filter(unit__in=units)
    if locked.is_draft:
        rows.filter(by_hand=False).delete()
    served = set(rows.values_list("unit_id", flat=True))
    UnitProbe.objects.bulk_create(
        UnitProbe(unit_id=unit, probe_id=probe, position=position)
        for unit in units
        if unit not in served
        for probe, position in wanted.get(unit, [])
    )


def _bank(study: Study) -> dict[tuple[str, str], dict[str, list[int]]]:
    """(scenario, country) -> dimension -> ids of verified probes, in the order of their names."""
    bank: dict = defaultdict(lambda: defaultdict(list))
    rows = Probe.objects.filter(study=study, verified=True).order_by("external_id", "pk")
    for pk, scenario, country, dimension in rows.values_list(
        "pk", "scenario", "country", "dimension"
    ):
        bank[scenario, country][dimension].append(pk)
    return bank


def _scenes(study: Study) -> Iterable[tuple[int, str, str, str]]:
    """(unit id, key, scenario, country) of every unit; its items share them."""
    rows = UnitItem.objects.filter(unit__study=study).order_by("unit__key", "position", "pk")
    seen: set[int] = set()
    for unit, key, scenario, country in rows.values_list(
        "unit_id", "unit__key", "item__scenario", "item__country"
    ):
        if unit not in seen:
            seen.add(unit)
            yield unit, key, scenario, country
