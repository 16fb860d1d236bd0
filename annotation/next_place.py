"""Which place a person gets next: the same cost in a pool of any size.

The next few open places by rank that the person can take are looked at, and the one that fits
the session's order best is leased, by one conditional statement:

1. no unit of the prompt of the screen before, where the study says so;
2. least rated first, where that is the policy, or within the block that the session serves (else
   places come from a point drawn anew for each screen, so that everybody has their own order);
3. a system this person has seen least of late, so that each stretch of a session shows all systems
   and, over people, each position shows each system as often;
4. the lowest rank, or for the other policies a draw.

All draws follow from the person's seed and the number of the screen.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db import connection

from annotation.blocks import block_of
from annotation.models import Participation
from annotation.places import RANK_STEP, wanted_ratings
from annotation.unit_traits import ItemTraits, traits_of
from studies.design import Design
from studies.models import Study

LOOKED_AT = 24  # candidates: seven systems are all among them in nine of ten draws
LATELY = 60  # screens over which systems are balanced
_PRIME = 2_147_483_647

# What a person has seen is looked up in the index of "one screen a unit", which has no repeats.
_OPEN = """
    SELECT {columns} FROM annotation_place p
    WHERE p.panel_id = %s AND p.pilot = %s AND p.state = 'open' AND p.rank {side} %s
    AND NOT EXISTS (
        SELECT 1 FROM annotation_assignment a
        WHERE a.participation_id = %s AND a.unit_id = p.unit_id AND a.repeat_of_id IS NULL
    ){block}
    ORDER BY p.rank LIMIT {limit}
"""
_OF_BLOCK = """ AND p.unit_id IN (
        SELECT u.id FROM studies_unit u WHERE u.study_id = %s AND u.block = %s
    )"""
_LEASE = (
    "UPDATE annotation_place SET state = 'leased', holder_id = %s, leased_until = %s "
    "WHERE id = ({choice}) AND state = 'open' RETURNING unit_id"
)
# PostgreSQL: the first of several that nobody else is just taking.
_FIRST_FREE = (
    "SELECT id FROM annotation_place WHERE id = ANY(%s) AND state = 'open' "
    "ORDER BY array_position(%s, id) LIMIT 1 FOR UPDATE SKIP LOCKED"
)


def take_next_place(
    *, person: Participation, design: Design, n: int, after: int | None, lease_end: str, wait: bool
) -> int | None:
    """Lease a place for the n-th screen; its unit's id, or None where there is none to take.

    ``after`` is the unit of the screen before. On PostgreSQL places that others are just taking are
    passed over; with ``wait`` they are waited for, and the first by rank is taken.
    """
    order = _Order(person, design, n, after)
    for stretch in order.stretches():
        if wait:
            choice, values = stretch.statement("p.id", limit=1)
            lock = " FOR UPDATE OF p" if connection.vendor == "postgresql" else ""
            unit = _lease(person, choice + lock, values, lease_end)
        else:
            unit = _lease_best(person, order.best_first(stretch.candidates()), lease_end)
        if unit is not None:
            return unit
    return None


def probable_unit(
    *, person: Participation, design: Design, n: int, after: int | None
) -> int | None:
    """The unit that the n-th screen would show, were it taken now; nothing is taken."""
    order = _Order(person, design, n, after)
    for stretch in order.stretches():
        for candidate in order.best_first(stretch.candidates()):
            return candidate.unit
    return None


@dataclass(frozen=True, slots=True)
class _Candidate:
    place: int
    unit: int
    number: int
    rank: int


@dataclass(frozen=True, slots=True)
class _Stretch:
    """The open places that a person can take, by rank, on one ``side`` of a ``rank``; ``block``
    None: of the whole panel."""

    person: Participation
    side: str
    rank: int
    block: str | None

    def statement(self, columns: str, *, limit: int) -> tuple[str, list]:
        person, of_block = self.person, self.block is not None
        block = _OF_BLOCK if of_block else ""
        values = [person.panel_id, person.pilot, self.rank, person.pk]
        values += [person.study_id, self.block] if of_block else []
        return _OPEN.format(columns=columns, side=self.side, limit=limit, block=block), values

    def candidates(self) -> list[_Candidate]:
        with connection.cursor() as cursor:
            cursor.execute(*self.statement("p.id, p.unit_id, p.number, p.rank", limit=LOOKED_AT))
            return [_Candidate(*row) for row in cursor.fetchall()]


class _Order:
    """The order of one session as it stands before its n-th screen."""

    def __init__(self, person: Participation, design: Design, n: int, after: int | None):
        self.person, self.n = person, n
        self.by_rank = design.policy in (Study.Policy.LEAST_RATED, Study.Policy.BLOCKS)
        self.in_blocks = design.policy == Study.Policy.BLOCKS
        self.apart_from = after if design.avoid_same_prompt else None
        self.draw = random.Random(f"{person.seed}:{n}")

    def stretches(self) -> Iterator[_Stretch]:
        """Where to look for places, one after the other."""
        block = block_of(self.person) if self.in_blocks else None
        if self.by_rank:
            yield _Stretch(self.person, ">=", 0, block)
            return
        rounds = wanted_ratings(self.person.panel, pilot=self.person.pilot)
        start = self.draw.randrange(RANK_STEP, (rounds + 1) * RANK_STEP)
        yield _Stretch(self.person, ">=", start, block)
        yield _Stretch(self.person, "<", start, block)

    def best_first(self, candidates: Sequence[_Candidate]) -> list[_Candidate]:
        if not candidates:
            return []
        lately = self._shown_lately()
        units = [candidate.unit for candidate in candidates]
        before = [] if self.apart_from is None else [self.apart_from]
        traits = traits_of([*units, *lately, *before])
        seen = Counter(item.system for unit in lately for item in traits[unit])
        seen[None] = 0  # of no system: never too often
        scenes = {item.scene for unit in before for item in traits[unit]} - {None}
        of_systems, of_ties = self._draw(), 1 if self.by_rank else self._draw()

        def fit(candidate: _Candidate, item: ItemTraits) -> tuple:
            return (
                item.scene in scenes,
                candidate.number if self.by_rank else 0,
                seen[item.system],
                (item.system or 0) * of_systems % _PRIME,
                candidate.rank
                if self.by_rank
                else candidate.rank % 1_000_000_007 * of_ties % _PRIME,
            )

        # A unit of several items fits as well as the best of them.
        with_items = [candidate for candidate in candidates if traits[candidate.unit]]
        return sorted(with_items, key=lambda one: min(fit(one, item) for item in traits[one.unit]))

    def _draw(self) -> int:
        return self.draw.randrange(1, _PRIME)

    def _shown_lately(self) -> list[int]:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT unit_id FROM annotation_assignment WHERE participation_id = %s AND n > %s",
                [self.person.pk, self.n - LATELY],
            )
            return [unit for (unit,) in cursor.fetchall()]


def _lease_best(person: Participation, order: Sequence[_Candidate], lease_end: str) -> int | None:
    """The first that is free still; on SQLite nobody else writes meanwhile."""
    if not order:
        return None
    if connection.vendor != "postgresql":
        return _lease(person, "%s", [order[0].place], lease_end)
    places = [candidate.place for candidate in order]
    return _lease(person, _FIRST_FREE, [places, places], lease_end)


def _lease(person: Participation, choice: str, values: list, lease_end: str) -> int | None:
    """One conditional statement, so that two people never get one place."""
    with connection.cursor() as cursor:
        cursor.execute(_LEASE.format(choice=choice), [person.pk, lease_end, *values])
        row = cursor.fetchone()
    return row[0] if row else None
