"""Which place a person gets next: one conditional statement, the same cost in a pool of any size.

The next few open places by rank that the person can take are looked at, and the one that fits
the session's order best is leased:

1. no unit of the prompt of the screen before, where the study says so;
2. least rated first, where that is the policy, or within the block that the session serves (else
   places come from a point drawn anew for each
   screen, so that everybody has an order of their own);
3. a system this person has seen least of late, so that each stretch of a session shows all systems
   and, over people, each position shows each system as often;
4. the lowest rank, or for the other policies a draw.

All draws follow from the person's seed and the number of the screen.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from django.db import connection

from annotation.blocks import block_of
from annotation.models import Participation
from annotation.places import RANK_STEP, wanted_ratings
from studies.design import Design
from studies.models import Study

LOOKED_AT = 24  # candidates: seven systems are all among them in nine of ten draws
LATELY = 60  # screens over which systems are balanced
_PRIME = 2_147_483_647

_OPEN = """
    SELECT p.id FROM annotation_place p
    WHERE p.panel_id = %s AND p.pilot = %s AND p.state = 'open' AND p.rank {side} %s
    AND NOT EXISTS (
        SELECT 1 FROM annotation_assignment a
        WHERE a.participation_id = %s AND a.unit_id = p.unit_id
    ){block}
    ORDER BY p.rank LIMIT {limit}
"""
_OF_BLOCK = """ AND p.unit_id IN (
        SELECT u.id FROM studies_unit u WHERE u.study_id = %s AND u.block = %s
    )"""
_ORDERED = """
    WITH candidate AS ({open}),
    seen AS (
        SELECT i.system_id, COUNT(*) AS n FROM annotation_assignment a
        JOIN studies_unititem m ON m.unit_id = a.unit_id
        JOIN studies_item i ON i.id = m.item_id
        WHERE a.participation_id = %s AND a.n > %s
        GROUP BY i.system_id
    )
    SELECT p.id FROM annotation_place p
    JOIN candidate ON candidate.id = p.id
    JOIN studies_unititem m ON m.unit_id = p.unit_id
    JOIN studies_item i ON i.id = m.item_id
    LEFT JOIN seen ON seen.system_id = i.system_id
    WHERE p.state = 'open'
    ORDER BY
        CASE WHEN {same_prompt} THEN 1 ELSE 0 END,
        {round}
        COALESCE(seen.n, 0),
        (COALESCE(i.system_id, 0) * %s) %% %s,
        {tie}
    LIMIT 1
"""
_SAME_PROMPT = """EXISTS (
    SELECT 1 FROM studies_unititem bm JOIN studies_item b ON b.id = bm.item_id
    WHERE bm.unit_id = %s AND b.country = i.country AND (
        b.scenario <> '' AND b.scenario = i.scenario
        OR b.scenario = '' AND i.scenario = '' AND b.prompt <> '' AND b.prompt = i.prompt
    )
)"""


def take_next_place(
    *, person: Participation, design: Design, n: int, after: int | None, lease_end: str, wait: bool
) -> int | None:
    """Lease a place for the n-th screen; its unit's id, or None where there is none to take.

    ``after`` is the unit of the screen before. On PostgreSQL places that others are just taking are
    passed over; with ``wait`` they are waited for, and the first by rank is taken.
    """
    for choice, values in _choices(person, design, n, after, wait=wait):
        unit = _lease(person, choice, values, lease_end, wait)
        if unit is not None:
            return unit
    return None


def probable_unit(
    *, person: Participation, design: Design, n: int, after: int | None
) -> int | None:
    """The unit that the n-th screen would show, were it taken now; nothing is taken."""
    for choice, values in _choices(person, design, n, after, wait=False):
        with connection.cursor() as cursor:
            place = f"SELECT unit_id FROM annotation_place WHERE id = ({choice})"
            cursor.execute(place, values)
            row = cursor.fetchone()
        if row is not None:
            return row[0]
    return None


def _choices(
    person: Participation, design: Design, n: int, after: int | None, *, wait: bool
) -> Iterator[tuple[str, list]]:
    """Statements that name a place to take, to be tried in turn, with their values."""
    draw = random.Random(f"{person.seed}:{n}")
    sides = [(">=", 0)]
    pool = _Pool(person, block_of(person) if design.policy == Study.Policy.BLOCKS else None)
    if not _by_rank(design):
        rounds = wanted_ratings(person.panel, pilot=person.pilot)
        start = draw.randrange(RANK_STEP, (rounds + 1) * RANK_STEP)
        sides = [(">=", start), ("<", start)]
    for side, rank in sides:
        if wait:
            yield pool.open(side, limit=1), pool.values(rank)
        else:
            yield _ordered(pool, design, n, after, side, rank, draw)


def _by_rank(design: Design) -> bool:
    return design.policy in (Study.Policy.LEAST_RATED, Study.Policy.BLOCKS)


@dataclass(frozen=True, slots=True)
class _Pool:
    """The open places that a person can take; ``block`` None: of the whole panel."""

    person: Participation
    block: str | None

    def open(self, side: str, *, limit: int) -> str:
        block = "" if self.block is None else _OF_BLOCK
        return _OPEN.format(side=side, limit=limit, block=block)

    def values(self, rank: int) -> list:
        person = self.person
        of_block = [] if self.block is None else [person.study_id, self.block]
        return [person.panel_id, person.pilot, rank, person.pk, *of_block]


def _ordered(
    pool: _Pool,
    design: Design,
    n: int,
    after: int | None,
    side: str,
    rank: int,
    draw: random.Random,
) -> tuple[str, list]:
    """The statement that names the place to take, with its values."""
    apart = design.avoid_same_prompt and after is not None
    least_rated, person = _by_rank(design), pool.person
    statement = _ORDERED.format(
        open=pool.open(side, limit=LOOKED_AT),
        same_prompt=_SAME_PROMPT if apart else "FALSE",
        round="p.number," if least_rated else "",
        tie="p.rank" if least_rated else "(p.rank %% 1000000007 * %s) %% %s",
    )
    values = [*pool.values(rank), person.pk, n - LATELY]
    values += [after] if apart else []
    values += [draw.randrange(1, _PRIME), _PRIME]
    values += [] if least_rated else [draw.randrange(1, _PRIME), _PRIME]
    return statement, values


def _lease(person: Participation, choice: str, values: list, lease_end: str, wait: bool):
    """One conditional statement, so that two people never get one place."""
    lock = ""
    if connection.vendor == "postgresql":
        lock = "FOR UPDATE OF p" if wait else "FOR UPDATE OF p SKIP LOCKED"
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE annotation_place SET state = 'leased', holder_id = %s, leased_until = %s "
            f"WHERE id = ({choice} {lock}) RETURNING unit_id",
            [person.pk, lease_end, *values],
        )
        row = cursor.fetchone()
    return row[0] if row else None
