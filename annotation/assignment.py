"""Who rates what: places are opened, leased, given back and filled here. Exactly k lives here.

A place is one wanted rating. Leases are judged at serving time, so nothing has to run in the
background for abandoned work to come back. Every verb is one short transaction.

Whatever one person does (take a screen, send, skip, draft, leave) happens in turn: each verb locks
the person's row first. Between people nothing waits: rows somebody else is just taking are passed
over, and only who would go home empty-handed looks a second time and waits.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection, models, transaction
from django.db.models import OuterRef, Subquery
from django.utils import timezone

from annotation.models import Assignment, Participation, Place, Pool
from annotation.next_place import take_next_place
from annotation.places import ensure_places, wanted_ratings
from annotation.prepared import INTEGERS, Prepared, for_sql, insert
from annotation.session import check_for, due_gold, due_repeat, item_order, wants_new
from studies.design import Design, frozen_design
from studies.models import Panel, Study

__all__ = [
    "claim_next_unit",
    "ensure_places",
    "fill_place",
    "lock_person",
    "lock_rater",
    "release_place",
    "renew_lease",
    "reopen_expired",
]


@transaction.atomic(savepoint=False)
def reopen_expired(*, panel: Panel, wait: bool = False) -> int:
    """Give abandoned places back to the pool. Returns how many.

    On PostgreSQL places that somebody else is just reopening are passed over, so that people who
    arrive together do not queue; with ``wait`` they are waited for, always in the same order.
    """
    now = timezone.now()
    if not wait and not _any_lapsed(panel, now):
        return 0
    expired = Place.objects.filter(panel=panel, state=Place.State.LEASED, leased_until__lt=now)
    if connection.vendor == "postgresql":
        expired = expired.order_by("pk").select_for_update(skip_locked=not wait)
    ids = list(expired.values_list("pk", flat=True))
    if not ids:
        return 0
    return Place.objects.filter(pk__in=ids).update(
        state=Place.State.OPEN, holder=None, leased_until=None
    )


def _any_lapsed(panel: Panel, now: datetime) -> bool:
    """A quick look: nearly always there is none."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT 1 FROM annotation_place "
            "WHERE panel_id = %s AND state = 'leased' AND leased_until < %s LIMIT 1",
            [panel.pk, for_sql(now)],
        )
        return cursor.fetchone() is not None


_NOT_FOR_VERBS = tuple(
    f"study__{field.name}"
    for field in Study._meta.concrete_fields
    if isinstance(field, (models.TextField, models.JSONField, models.CharField))
    and field.name not in {"state", "policy"}
)


def lock_person(pk: int) -> Participation:
    """The person as the database has them now, theirs alone until the transaction ends.

    ``pool_k`` is the number of ratings that the places of their panel were made for.
    """
    return _found(_PERSON, pk)


def lock_rater(pk: int) -> Participation:
    """``lock_person`` with what rating needs; the rest is asked for when it is looked at."""
    return _found(_RATER, pk)


def _found(people: Prepared, pk: int) -> Participation:
    person = people.first(pk)
    if person is None:
        raise Participation.DoesNotExist(f"There is no participation {pk}.")
    return person


def _person(pk: int) -> models.QuerySet[Participation]:
    pool = Pool.objects.filter(panel=OuterRef("panel"), pilot=OuterRef("pilot"))
    return (
        Participation.objects.select_for_update(of=("self",))
        .select_related("study", "panel")
        .annotate(pool_k=Subquery(pool.values("k")))
        .filter(pk=pk)
        .order_by()
    )


_PERSON = Prepared(lambda pk: _person(pk).defer(*_NOT_FOR_VERBS), INTEGERS[0])
_RATER = Prepared(
    lambda pk: _person(pk).only(
        *("study", "panel", "revision", "state", "set_aside_at", "taken_back", "pilot"),
        *("n_units", "n_repeats", "seed"),
        *("study__state", "study__lease_minutes", "study__pilot_people"),
        *("panel__study", "panel__country", "panel__ratings_per_unit"),
    ),
    INTEGERS[0],
)


def claim_next_unit(*, participation: Participation) -> Assignment | None:
    """The screen this person is at: the one they have not sent, or the next one.

    None when there is none: the study takes no answers, or the session is over, because all its
    screens are sent or because the pool has run dry; the participation is then complete. That of
    somebody who took their work back on Prolific has stopped instead.
    """
    # Places that somebody else is just taking are passed over. They may come free this very moment:
    # before somebody is sent home, one look that waits, in a transaction of its own.
    return _claim(participation.pk, last_look=False) or _claim(participation.pk, last_look=True)


@transaction.atomic
def _claim(pk: int, *, last_look: bool) -> Assignment | None:
    person = lock_rater(pk)
    if not is_rating(person):
        return None
    # Screens are made one at a time, each after the one before was sent or skipped.
    last = person.assignments.order_by("-n").first()
    if last is not None and last.is_open:
        last.participation = person
        renew_lease(assignment=last)
        return last
    if not pool_is_current(person):
        ensure_places(panel=person.panel, pilot=person.pilot)
    n, after = (last.n + 1, last.unit_id) if last is not None else (1, None)
    return serve_screen(person=person, n=n, after=after, last_look=last_look)


def pool_is_current(person: Participation) -> bool:
    """Whether the places were made for the number of ratings that is wanted now."""
    return person.pool_k == wanted_ratings(person.panel, pilot=person.pilot)


def is_rating(person: Participation) -> bool:
    return person.state == Participation.State.RATING and person.study.takes_answers


def serve_screen(
    *, person: Participation, n: int, after: int | None, last_look: bool = False
) -> Assignment | None:
    """Make the n-th screen, ``after`` being the unit of the one before: a repeat, a gold unit or
    a new one.

    None: nothing was found. The ``last_look`` waits for places that others are just taking, and
    where it finds nothing ends the session. Call with the person locked and, for the last
    look, with nothing else locked: people who wait for each other's places would wait for good.
    """
    design = frozen_design(person.study_id, person.revision)
    shown = _Shown()
    # Whose work was set aside finishes the screen in hand; another would take a place for nothing.
    if n <= person.n_units and person.set_aside_at is None:
        shown = _next_shown(person, design, n, after, last_look)
    if shown.unit is None:
        return _end(person, dry=shown.dry) if last_look else None
    is_repeat = shown.repeat_of is not None
    assignment = Assignment(
        participation=person,
        n=n,
        unit_id=shown.unit,
        repeat_of_id=shown.repeat_of,
        gold=shown.gold,
        attention_check_id=check_for(person, design, n, is_new=not (is_repeat or shown.gold)),
        item_order=item_order(person, design, shown.unit, n, is_repeat=is_repeat),
    )
    insert(assignment)
    return assignment


@dataclass(frozen=True, slots=True)
class _Shown:
    """What a screen shows: a new unit, an earlier one again, or a gold unit. ``dry``: no more new
    units, though one was due."""

    unit: int | None = None
    repeat_of: int | None = None
    gold: bool = False
    dry: bool = False


def _next_shown(
    person: Participation, design: Design, n: int, after: int | None, last_look: bool
) -> _Shown:
    gold = due_gold(person, design, n)
    if gold is not None:
        return _Shown(gold, gold=True)
    repeat = due_repeat(person, design, n)
    unit, dry = None, False
    if repeat is None and wants_new(person, design, n):
        unit = _lease_a_place(person, design, n, after, wait=last_look)
        dry = unit is None
    if last_look and repeat is None and unit is None:
        repeat = due_repeat(person, design, n, no_more_new=True)
    if repeat is not None:
        return _Shown(repeat.unit, repeat.of)
    return _Shown(unit, dry=dry)


def _lease_a_place(
    person: Participation, design: Design, n: int, after: int | None, *, wait: bool
) -> int | None:
    """Lease the next open place; its unit's id, or None where there is none."""
    if wait:  # the panel may have gained units
        ensure_places(panel=person.panel, pilot=person.pilot)
    reopen_expired(panel=person.panel, wait=wait)
    return take_next_place(
        person=person,
        design=design,
        n=n,
        after=after,
        lease_end=for_sql(_lease_end(person)),
        wait=wait,
    )


def _lease_end(person: Participation):
    return timezone.now() + timedelta(minutes=person.study.lease_minutes)


def _end(person: Participation, *, dry: bool) -> None:
    """The session is complete; that of somebody who took their work back has only stopped, and is
    worth no code."""
    person.state = Participation.State.COMPLETE
    if person.taken_back:
        person.state = Participation.State.OUT
        person.outcome = Participation.Outcome.TAKEN_BACK
    person.pool_ran_dry = dry
    person.finished_at = timezone.now()
    person.save(update_fields=["state", "outcome", "pool_ran_dry", "finished_at"])


def renew_lease(*, assignment: Assignment) -> None:
    """Prolong the lease; where it has lapsed meanwhile, take a place of the unit that is open.

    Call with the person locked, for their open screen only. A repeat and a gold unit have no
    place, and whoever's work was set aside keeps none from others.
    """
    person = assignment.participation
    if assignment.is_repeat or assignment.gold or person.set_aside_at is not None:
        return
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


def may_count(assignment: Assignment) -> bool:
    """Whether an answer counts as far as it has a place: not of the pilot, a repeat, gold, or of
    somebody whose work was set aside."""
    person = assignment.participation
    beside = assignment.is_repeat or assignment.gold
    return not (beside or person.pilot or person.set_aside_at is not None)


def fill_place(*, assignment: Assignment) -> bool | None:
    """Count this answer: turn the person's place into a done one. False: it is surplus.

    None: it never counts (``may_count``).

    A lease that lapsed while nobody else took the place still counts; one that others filled does
    not, and the answer is kept as surplus. So is one beyond what is wanted of a unit by now. Call
    with the person locked, in the transaction that saves the answer.
    """
    if assignment.is_repeat or assignment.gold:
        return None
    person = assignment.participation
    if person.set_aside_at is not None:
        release_place(assignment=assignment)
        return None
    if not pool_is_current(person):
        ensure_places(panel=person.panel, pilot=person.pilot)
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE annotation_place SET state = 'done', leased_until = NULL "
            "WHERE unit_id = %s AND holder_id = %s AND state = 'leased'",
            [assignment.unit_id, person.pk],
        )
        held = cursor.rowcount
    filled = bool(held) or _take_place_of(assignment, Place.State.DONE)
    return None if person.pilot else filled


def release_place(*, assignment: Assignment) -> None:
    """Give the unit back to the pool: skipped, or the person has left."""
    Place.objects.filter(
        unit_id=assignment.unit_id,
        holder=assignment.participation,
        state=Place.State.LEASED,
    ).update(state=Place.State.OPEN, holder=None, leased_until=None)
