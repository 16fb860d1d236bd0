"""Who rates what: places are opened, leased, given back and filled here. Exactly k lives here.

A place is one wanted rating. Leases are judged at serving time, so nothing has to run in the
background for abandoned work to come back. Every verb is one short transaction.

Whatever one person does (take a screen, send, skip, draft, leave) happens in turn: each verb locks
the person's row first. Between people nothing waits: rows somebody else is just taking are passed
over, and only who would go home empty-handed looks a second time and waits.
"""

import random
from datetime import timedelta

from django.db import connection, transaction
from django.utils import timezone

from annotation.models import Assignment, Participation, Place
from annotation.unit_facts import shown_order
from studies.design import frozen_design
from studies.designs import check_positions
from studies.models import Panel, UnitItem

RANK_STEP = 1_000_000_000  # least-rated first: all first places of a panel come before any second


def ensure_places(*, panel: Panel, pilot: bool = False) -> None:
    """Make the places the panel wants and does not have yet: k for each of its units.

    Safe to run by many at once: a place is unique by (panel, unit, pilot, number).
    """
    Place.objects.bulk_create(
        missing_places(panel=panel, pilot=pilot), batch_size=2000, ignore_conflicts=True
    )


def missing_places(*, panel: Panel, pilot: bool = False) -> list[Place]:
    """The places, unsaved, that the panel wants and does not have yet.

    A pilot has its own, no more of a unit than it has people.
    """
    k = panel.ratings_per_unit
    if pilot:
        k = min(k, panel.study.pilot_people)
    places = Place.objects.filter(panel=panel, pilot=pilot)
    if places.count() >= panel.units().count() * k:
        return []
    have = set(places.values_list("unit_id", "number"))
    return [
        Place(
            panel=panel,
            unit_id=unit,
            pilot=pilot,
            number=number,
            rank=number * RANK_STEP + random.randrange(RANK_STEP),
        )
        for unit in panel.units().values_list("pk", flat=True)
        for number in range(1, k + 1)
        if (unit, number) not in have
    ]


@transaction.atomic(savepoint=False)
def reopen_expired(*, panel: Panel, wait: bool = False) -> int:
    """Give abandoned places back to the pool. Returns how many.

    On PostgreSQL places that somebody else is just reopening are passed over, so that people who
    arrive together do not queue; with ``wait`` they are waited for, always in the same order.
    """
    expired = Place.objects.filter(
        panel=panel, state=Place.State.LEASED, leased_until__lt=timezone.now()
    )
    if connection.vendor == "postgresql":
        expired = expired.order_by("pk").select_for_update(skip_locked=not wait)
    ids = list(expired.values_list("pk", flat=True))
    if not ids:
        return 0
    return Place.objects.filter(pk__in=ids).update(
        state=Place.State.OPEN, holder=None, leased_until=None
    )


def lock_person(pk: int) -> Participation:
    """The person as the database has them now, theirs alone until the transaction ends."""
    return (
        Participation.objects.select_for_update(of=("self",))
        .select_related("study", "panel")
        .get(pk=pk)
    )


@transaction.atomic
def claim_next_unit(*, participation: Participation) -> Assignment | None:
    """The screen this person is at: the one they have not sent, or the next one.

    None when there is none: the study takes no answers, or the session is over, because all its
    screens are sent or because the pool has run dry; the participation is then complete.
    """
    person = lock_person(participation.pk)
    if person.state != Participation.State.RATING or not person.study.takes_answers:
        return None
    # Screens are made one at a time, each after the one before was sent or skipped.
    last = person.assignments.order_by("-n").first()
    if last is not None and last.is_open:
        renew_lease(assignment=last)
        return last
    n = last.n + 1 if last is not None else 1
    if n > person.n_units:
        return _complete(person, dry=False)
    unit_id = _lease_a_place(person)
    if unit_id is None:
        return _complete(person, dry=True)
    return Assignment.objects.create(
        participation=person,
        n=n,
        unit_id=unit_id,
        attention_check_id=_check_for(person, n),
        item_order=_item_order(person, unit_id),
    )


def _item_order(person: Participation, unit_id: int) -> list[int]:
    """The unit's items in this person's own order, where the study shuffles them; else empty."""
    design = frozen_design(person.study_id, person.revision)
    if design.items_per_unit == 1 or not design.shuffle_items:
        return []
    items = list(UnitItem.objects.filter(unit=unit_id).values_list("item_id", flat=True))
    return shown_order(items=items, seed=person.seed, unit=unit_id)


def _lease_a_place(person: Participation) -> int | None:
    """Lease the next open place; its unit's id, or None where the pool has run dry."""
    for wait in (False, True):
        # What is passed over may come free this very moment: before somebody is sent home, one
        # look that waits.
        reopen_expired(panel=person.panel, wait=wait)
        unit_id = _take_next_place(person, wait)
        if unit_id is not None:
            return unit_id
    return None


def _take_next_place(person: Participation, wait: bool) -> int | None:
    """Lease the open place of lowest rank whose unit this person has not seen; its unit's id.

    One conditional statement, so that two people never get one place.
    """
    lock = ""
    if connection.vendor == "postgresql":
        lock = "FOR UPDATE OF p" if wait else "FOR UPDATE OF p SKIP LOCKED"
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            UPDATE annotation_place SET state = 'leased', holder_id = %s, leased_until = %s
            WHERE id = (
                SELECT p.id FROM annotation_place p
                WHERE p.panel_id = %s AND p.pilot = %s AND p.state = 'open' AND NOT EXISTS (
                    SELECT 1 FROM annotation_assignment a
                    WHERE a.participation_id = %s AND a.unit_id = p.unit_id
                )
                ORDER BY p.rank LIMIT 1 {lock}
            )
            RETURNING unit_id
            """,  # noqa: S608 (no value is interpolated)
            [
                person.pk,
                _for_sql(_lease_end(person)),
                person.panel_id,
                person.pilot,
                person.pk,
            ],
        )
        row = cursor.fetchone()
    return row[0] if row else None


def _for_sql(moment):
    return connection.ops.adapt_datetimefield_value(moment)


def _lease_end(person: Participation):
    return timezone.now() + timedelta(minutes=person.study.lease_minutes)


def _check_for(person: Participation, n: int) -> int | None:
    """The id of the attention check on the n-th screen of this person, if there is one.

    A check whose screen was skipped comes on the next one, but never on the last.
    """
    checks = [check.id for check in frozen_design(person.study_id, person.revision).checks]
    random.Random(person.seed).shuffle(checks)
    positions = check_positions(n_units=person.n_units, n_checks=len(checks), seed=person.seed)
    placed = zip(positions, checks, strict=False)
    due = [check for position, check in placed if position <= n < person.n_units]
    if not due:
        return None
    met = set(
        person.assignments.filter(skipped_at=None, attention_check__in=due).values_list(
            "attention_check", flat=True
        )
    )
    return next((check for check in due if check not in met), None)


def _complete(person: Participation, *, dry: bool) -> None:
    person.state = Participation.State.COMPLETE
    person.pool_ran_dry = dry
    person.finished_at = timezone.now()
    person.save(update_fields=["state", "pool_ran_dry", "finished_at"])


def renew_lease(*, assignment: Assignment) -> None:
    """Prolong the lease; where it has lapsed meanwhile, take a place of the unit that is open.

    Call with the person locked, for their open screen only.
    """
    person = assignment.participation
    held = Place.objects.filter(
        unit_id=assignment.unit_id, holder=person, state=Place.State.LEASED
    ).update(leased_until=_lease_end(person))
    if not held:
        _take_place_of(assignment, Place.State.LEASED, _lease_end(person))


def _take_place_of(assignment: Assignment, state: str, lease_end=None) -> bool:
    """Give this person an open place of one certain unit, if there is one."""
    person = assignment.participation
    places = Place.objects.filter(
        panel_id=person.panel_id,
        pilot=person.pilot,
        unit_id=assignment.unit_id,
        state=Place.State.OPEN,
    )
    if connection.vendor == "postgresql":
        places = places.select_for_update(skip_locked=True)
    free = places.order_by("rank").values_list("pk", flat=True)[:1]
    return bool(
        Place.objects.filter(pk__in=list(free)).update(
            state=state, holder=person, leased_until=lease_end
        )
    )


def fill_place(*, assignment: Assignment) -> bool | None:
    """Count this answer: turn the person's place into a done one. False: it is surplus.

    None: it is of the pilot, which never counts.

    A lease that lapsed while nobody else took the place still counts; one that others filled does
    not, and the answer is kept as surplus. Call with the person locked, in the transaction that
    saves the answer.
    """
    person = assignment.participation
    held = Place.objects.filter(
        unit_id=assignment.unit_id, holder=person, state=Place.State.LEASED
    ).update(state=Place.State.DONE, leased_until=None)
    filled = bool(held) or _take_place_of(assignment, Place.State.DONE)
    return None if person.pilot else filled


def release_place(*, assignment: Assignment) -> None:
    """Give the unit back to the pool: skipped, or the person has left."""
    Place.objects.filter(
        unit_id=assignment.unit_id,
        holder=assignment.participation,
        state=Place.State.LEASED,
    ).update(state=Place.State.OPEN, holder=None, leased_until=None)
