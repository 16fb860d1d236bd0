"""Which fixed set of units a session serves: the least rated one, judged with who is at work on it.

What somebody began and left is the least rated of its like, so that others finish it. That every
unit gets exactly k ratings follows from its places, as everywhere.
"""

from __future__ import annotations

import random
from collections import defaultdict

from django.db.models import Count

from annotation.models import BlockSeat, Participation, Place
from annotation.places import wanted_ratings
from annotation.prepared import INTEGERS, Prepared
from studies.models import Panel


def take_block(*, person: Participation, panel: Panel, since) -> int:
    """Give the person the least rated block that is not spoken for; how many units they get of it.

    0: every block has as many people as it needs. Who was not seen ``since`` is no longer at work.
    Call with the panel locked, then the person.
    """
    wanted = _wanted(person, panel, since)
    open_units = _open_units(person, panel)
    free = {
        block: n_left
        for block, n_left in wanted.items()
        if n_left > 0 and open_units.get(block, 0) > 0
    }
    if not free:
        return 0
    shares = _rated_shares(panel, wanted, wanted_ratings(panel, pilot=person.pilot))
    least = min(shares[block] for block in free)
    block = random.Random(person.seed).choice(
        sorted(block for block in free if shares[block] == least)
    )
    BlockSeat.objects.create(participation=person, panel=panel, pilot=person.pilot, block=block)
    return min(free[block], open_units[block])


def block_of(person: Participation) -> str | None:
    row = _BLOCK.first(person.pk)
    return row[0] if row is not None else None


_BLOCK = Prepared(
    lambda person: BlockSeat.objects.filter(participation=person).order_by().values_list("block"),
    INTEGERS[0],
)


def _sizes(panel: Panel) -> dict[str, int]:
    rows = panel.units().order_by().values_list("block").annotate(n=Count("pk"))
    return dict(rows)


def _wanted(person: Participation, panel: Panel, since) -> dict[str, int]:
    """Block -> ratings that nobody has given or is at work on. Below 0: more people than needed."""
    k = wanted_ratings(panel, pilot=person.pilot)
    sizes = _sizes(panel)
    seats = BlockSeat.objects.filter(
        panel=panel,
        pilot=person.pilot,
        participation__state=Participation.State.RATING,
        participation__last_seen_at__gte=since,
        participation__set_aside_at=None,  # whoever returned gave the block back
    )
    at_work = dict(seats.values_list("participation_id", "block"))
    left = {block: k * size for block, size in sizes.items()}
    for block in at_work.values():
        if block in left:
            left[block] -= sizes[block]
    done = Place.objects.filter(panel=panel, pilot=person.pilot, state=Place.State.DONE)
    rows = done.order_by().values_list("unit__block", "holder").annotate(n=Count("pk"))
    for block, holder, n in rows:
        # Whoever is at work on this very block was counted with all of it.
        if block in left and at_work.get(holder) != block:
            left[block] -= n
    return left


def _open_units(person: Participation, panel: Panel) -> dict[str, int]:
    """Block -> how many of its units have an open place."""
    places = Place.objects.filter(panel=panel, pilot=person.pilot, state=Place.State.OPEN)
    found: dict[str, int] = defaultdict(int)
    rows = places.order_by().values_list("unit__block").annotate(n=Count("unit", distinct=True))
    found.update(rows)
    return found


def _rated_shares(panel: Panel, wanted: dict[str, int], k: int) -> dict[str, float]:
    """Block -> the share of its ratings that is given or under way: blocks differ in size."""
    return {
        block: 1 - wanted[block] / (k * size)
        for block, size in _sizes(panel).items()
        if size and block in wanted
    }
