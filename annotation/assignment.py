"""Who rates what: places are opened, leased, given back and filled here. Exactly k lives here.

A place is one wanted rating. Leases are judged at serving time, so nothing has to run in the
background for abandoned work to come back. Every verb is one short transaction.
"""

import random
from datetime import timedelta

from django.db import connection, transaction
from django.utils import timezone

from annotation.models import Assignment, Participation, Place
from studies.designs import check_positions
from studies.models import AttentionCheck, Panel

RANK_STEP = 1_000_000_000  # least-rated first: all first places of a panel come before any second


def ensure_places(*, panel: Panel) -> None:
    """Make the places the panel wants and does not have yet: k for each of its units.

    Safe to run by many at once: a place is unique by (panel, unit, number).
    """
    wanted = panel.units().count() * panel.ratings_per_unit
    if Place.objects.filter(panel=panel).count() >= wanted:
        return
    have = set(Place.objects.filter(panel=panel).values_list("unit_id", "number"))
    Place.objects.bulk_create(
        (
            Place(
                panel=panel,
                unit_id=unit,
                number=number,
                rank=number * RANK_STEP + random.randrange(RANK_STEP),
            )
            for unit in panel.units().values_list("pk", flat=True)
            for number in range(1, panel.ratings_per_unit + 1)
            if (unit, number) not in have
        ),
        batch_size=2000,
        ignore_conflicts=True,
    )


def reopen_expired(*, panel: Panel) -> int:
    """Give abandoned places back to the pool. Returns how many.

    On PostgreSQL rows that somebody else is just reopening are passed over, so that two people
    who arrive together never wait for each other in a circle.
    """
    expired = Place.objects.filter(
        panel=panel, state=Place.State.LEASED, leased_until__lt=timezone.now()
    )
    if connection.vendor == "postgresql":
        expired = expired.select_for_update(skip_locked=True)
    ids = list(expired.values_list("pk", flat=True))
    if not ids:
        return 0
    return Place.objects.filter(pk__in=ids, state=Place.State.LEASED).update(
        state=Place.State.OPEN, holder=None, leased_until=None
    )


@transaction.atomic
def claim_next_unit(*, participation: Participation) -> Assignment | None:
    """The screen this person is at: the one they have not sent, or the next one.

    None when the session is over, because all its screens are sent or because the pool has run dry;
    the participation is then complete. The person's row is locked, so two tabs get one screen.
    """
    person = (
        Participation.objects.select_for_update(of=("self",))
        .select_related("study", "panel")
        .get(pk=participation.pk)
    )
    if person.state != Participation.State.RATING:
        return None
    lease_end = timezone.now() + timedelta(minutes=person.study.lease_minutes)
    open_screen = person.assignments.filter(submitted_at=None, skipped_at=None).first()
    if open_screen is not None:
        _renew(person, open_screen, lease_end)
        return open_screen
    n = person.assignments.count() + 1
    if n > person.n_units:
        return _complete(person, dry=False)
    reopen_expired(panel=person.panel)
    unit_id = _lease_a_place(person, lease_end)
    if unit_id is None:
        return _complete(person, dry=True)
    return Assignment.objects.create(
        participation=person, n=n, unit_id=unit_id, attention_check=_check_for(person, n)
    )


def _lease_a_place(person: Participation, lease_end) -> int | None:
    """Lease the open place of lowest rank whose unit this person has not seen; its unit's id.

    One conditional statement, so that two people never get one place. On PostgreSQL a row that
    somebody else is just taking is passed over instead of waited for.
    """
    lock = "FOR UPDATE OF p SKIP LOCKED" if connection.vendor == "postgresql" else ""
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            UPDATE annotation_place SET state = 'leased', holder_id = %s, leased_until = %s
            WHERE id = (
                SELECT p.id FROM annotation_place p
                WHERE p.panel_id = %s AND p.state = 'open' AND NOT EXISTS (
                    SELECT 1 FROM annotation_assignment a
                    WHERE a.participation_id = %s AND a.unit_id = p.unit_id
                )
                ORDER BY p.rank LIMIT 1 {lock}
            )
            RETURNING unit_id
            """,  # noqa: S608 (no value is interpolated)
            [person.pk, _for_sql(lease_end), person.panel_id, person.pk],
        )
        row = cursor.fetchone()
    return row[0] if row else None


def _for_sql(moment):
    return connection.ops.adapt_datetimefield_value(moment)


def _check_for(person: Participation, n: int) -> AttentionCheck | None:
    """The attention check on the n-th screen of this person, if there is one."""
    checks = list(person.study.attention_checks.all())
    random.Random(person.seed).shuffle(checks)
    positions = check_positions(n_units=person.n_units, n_checks=len(checks), seed=person.seed)
    return dict(zip(positions, checks, strict=False)).get(n)


def _complete(person: Participation, *, dry: bool) -> None:
    person.state = Participation.State.COMPLETE
    person.pool_ran_dry = dry
    person.finished_at = timezone.now()
    person.save(update_fields=["state", "pool_ran_dry", "finished_at"])


def renew_lease(*, assignment: Assignment) -> None:
    """The person is at work: their lease starts anew."""
    person = assignment.participation
    _renew(person, assignment, timezone.now() + timedelta(minutes=person.study.lease_minutes))


def _renew(person: Participation, assignment: Assignment, lease_end) -> None:
    """Prolong the lease; where it has lapsed meanwhile, take a place of the unit that is open."""
    held = Place.objects.filter(
        unit_id=assignment.unit_id, holder=person, state=Place.State.LEASED
    ).update(leased_until=lease_end)
    if not held:
        _take_open_place(person, assignment.unit_id, Place.State.LEASED, lease_end)


def _take_open_place(person, unit_id: int, state: str, lease_end=None) -> bool:
    """Give this person an open place of one certain unit, if there is one."""
    places = Place.objects.filter(panel_id=person.panel_id, unit_id=unit_id, state=Place.State.OPEN)
    if connection.vendor == "postgresql":
        places = places.select_for_update(skip_locked=True)
    free = places.order_by("rank").values_list("pk", flat=True)[:1]
    return bool(
        Place.objects.filter(pk__in=list(free), state=Place.State.OPEN).update(
            state=state, holder=person, leased_until=lease_end
        )
    )


def fill_place(*, assignment: Assignment) -> bool:
    """Count this answer: turn the person's place into a done one. False: it is surplus.

    A lease that lapsed while nobody else took the place still counts; one that others filled does
    not, and the answer is kept as surplus. Call inside the transaction that saves the answer.
    """
    person = assignment.participation
    held = Place.objects.filter(
        unit_id=assignment.unit_id, holder=person, state=Place.State.LEASED
    ).update(state=Place.State.DONE, leased_until=None)
    return bool(held) or _take_open_place(person, assignment.unit_id, Place.State.DONE)


def release_place(*, assignment: Assignment) -> None:
    """Give the unit back to the pool: skipped, or the person has left."""
    Place.objects.filter(
        unit_id=assignment.unit_id,
        holder=assignment.participation,
        state=Place.State.LEASED,
    ).update(state=Place.State.OPEN, holder=None, leased_until=None)
