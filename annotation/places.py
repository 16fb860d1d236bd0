"""The places of a panel: made, added and taken away, so that each unit has as many as are wanted.

They are made when somebody comes who may need them, and again when the panel has other units or
wants another number of ratings than they were last made for. Made by the database, in short
transactions: 100,000 take about a second, and people who rate meanwhile do not wait for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from django.db import connection, transaction
from django.db.models import Count, Max, Min

from annotation.models import Assignment, Participation, Place, Pool
from studies.models import Panel

RANK_STEP = 1_000_000_000  # least-rated first: all first places of a panel come before any second
CHUNK = 10_000  # units a transaction
_RANDOM = {"sqlite": "(random() & 536870911)", "postgresql": "(random() * 536870911)::bigint"}


def wanted_ratings(panel: Panel, *, pilot: bool) -> int:
    """k: how many ratings each unit is to get. A pilot wants no more than it has people."""
    k = panel.ratings_per_unit
    return min(k, panel.study.pilot_people) if pilot else k


def ensure_places(*, panel: Panel, pilot: bool = False) -> int:
    """Make the places the panel wants and does not have yet, remove open ones it wants no more.

    Where more ratings are wanted of each unit than before, surplus answers fill the new places
    first: what is there is used before somebody is asked anew. Returns how many were made. Costs
    two small queries where nothing has changed. Safe to run by many at once, and beside people who
    rate.
    """
    k, n_units = wanted_ratings(panel, pilot=pilot), panel.units().count()
    pool, _ = Pool.objects.get_or_create(panel=panel, pilot=pilot)
    if (pool.k, pool.n_units) == (k, n_units):
        return 0
    if k < pool.k:
        _remove_unwanted(pool, k)
    made = _make_missing(pool, k)
    Pool.objects.filter(pk=pool.pk).update(k=k, n_units=n_units)
    if k > pool.k and not pilot:
        promote_surplus(panel=panel)
    return made


def _in_turn(pool: Pool) -> None:
    """One at a time decides how many places the units of a pool lack."""
    Pool.objects.select_for_update().get(pk=pool.pk)


def _make_missing(pool: Pool, k: int) -> int:
    made = 0
    for number in range(1, k + 1):
        for first, last in _chunks(pool.panel):
            with transaction.atomic():
                _in_turn(pool)
                made += _insert(pool, k, number, first, last)
    return made


def _chunks(panel: Panel) -> Iterator[tuple[int, int]]:
    """The ids of the panel's units in stretches, first and last."""
    ends = panel.units().aggregate(first=Min("pk"), last=Max("pk"))
    if ends["first"] is not None:
        for first in range(ends["first"], ends["last"] + 1, CHUNK):
            yield first, min(first + CHUNK - 1, ends["last"])


def _insert(pool: Pool, k: int, number: int, first: int, last: int) -> int:
    """Add the ``number``-th place to units that do not have it and have fewer than k."""
    panel = pool.panel
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            INSERT INTO annotation_place (panel_id, unit_id, pilot, number, rank, state)
            SELECT %s, u.id, %s, %s, %s + {_RANDOM[connection.vendor]}, 'open'
            FROM studies_unit u
            WHERE u.study_id = %s AND u.purpose = 'rated'
            AND u.country IN (%s, '') AND u.id BETWEEN %s AND %s AND (
                SELECT COUNT(*) FROM annotation_place p
                WHERE p.panel_id = %s AND p.unit_id = u.id AND p.pilot = %s
            ) < %s
            ON CONFLICT DO NOTHING
            """,  # noqa: S608 (no value is interpolated)
            [
                *[panel.pk, pool.pilot, number, number * RANK_STEP],
                *[panel.study_id, panel.country, first, last],
                *[panel.pk, pool.pilot, k],
            ],
        )
        return cursor.rowcount


@transaction.atomic
def _remove_unwanted(pool: Pool, k: int) -> int:
    """Take away places beyond k a unit: open ones, then those being rated, never done ones.

    Whoever is just rating such a unit goes on; their answer is kept as surplus.
    """
    _in_turn(pool)
    places = Place.objects.filter(panel=pool.panel, pilot=pool.pilot)
    crowded = places.order_by().values("unit").annotate(n=Count("pk")).filter(n__gt=k)
    too_many = dict(crowded.values_list("unit", "n"))
    units, doomed = list(too_many), []
    for start in range(0, len(units), 500):
        free = places.filter(unit__in=units[start : start + 500]).exclude(state=Place.State.DONE)
        # "open" comes after "leased", and goes first.
        rows = free.order_by("-state", "-number").select_for_update()
        for pk, unit in rows.values_list("pk", "unit"):
            if too_many[unit] > k:
                too_many[unit] -= 1
                doomed.append(pk)
    for start in range(0, len(doomed), 500):
        Place.objects.filter(pk__in=doomed[start : start + 500]).delete()
    return len(doomed)


@transaction.atomic
def promote_surplus(*, panel: Panel, units: Iterable[int] | None = None) -> int:
    """Let surplus answers fill open places of their units, the earliest first; how many did.

    With ``units`` only of these, where it is known that no other has gained an open place.
    """
    surplus = Assignment.objects.filter(
        participation__panel=panel,
        participation__pilot=False,
        counted=False,
        repeat_of=None,
        excluded="",
    )
    if units is not None:
        surplus = surplus.filter(unit__in=units)
    promoted = 0
    for answer in surplus.order_by("submitted_at", "pk").only("unit_id", "participation_id"):
        places = Place.objects.filter(panel=panel, pilot=False, unit=answer.unit_id)
        if places.filter(holder=answer.participation_id).exists():
            continue
        free = places.filter(state=Place.State.OPEN).order_by("rank").select_for_update().first()
        if free is not None:
            Place.objects.filter(pk=free.pk).update(
                state=Place.State.DONE, holder=answer.participation_id
            )
            Assignment.objects.filter(pk=answer.pk).update(counted=True)
            promoted += 1
    return promoted


def free_places(*, person: Participation, unit: int | None = None) -> None:
    """Open every place of the person, or that of one ``unit``, except those beyond what is wanted
    of a unit by now.

    Surplus answers of others fill them first. What the person answered is the caller's to see to.
    Call with the person locked, in a transaction.
    """
    if person.panel is None:
        return
    held = Place.objects.filter(holder=person)
    if unit is not None:
        held = held.filter(unit=unit)
    units = list(held.values_list("unit", flat=True))
    held.update(state=Place.State.OPEN, holder=None, leased_until=None)
    places = Place.objects.filter(panel=person.panel, pilot=person.pilot, unit__in=units)
    k = wanted_ratings(person.panel, pilot=person.pilot)
    crowded = places.order_by().values("unit").annotate(n=Count("pk")).filter(n__gt=k)
    for unit, n in crowded.values_list("unit", "n"):
        spare = places.filter(unit=unit, state=Place.State.OPEN).order_by("-number")
        places.filter(pk__in=list(spare.values_list("pk", flat=True)[: n - k])).delete()
    if not person.pilot:
        promote_surplus(panel=person.panel, units=units)
