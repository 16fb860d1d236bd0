"""Seats: how many people a panel takes. One is taken by who has agreed and fits, not on arrival.

Thirty people may come within a minute, and many only look. A seat is theirs once they have agreed
and are found to fit; it is kept for one lease while they read on, and then as long as they are at
work. Whoever left without a word holds none.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.utils import timezone

from annotation.assignment import reopen_expired
from annotation.models import Participation, Place, Pool
from annotation.places import wanted_ratings
from studies.models import Panel, Study


def lapse(study: Study) -> datetime:
    """Who was not seen since then has left, and a seat taken before then is kept no longer."""
    return timezone.now() - timedelta(minutes=study.lease_minutes)


def holds_a_seat(person: Participation) -> bool:
    """Whether the seat this person took before the instructions is still kept for them."""
    return person.seated_at is not None and person.seated_at >= lapse(person.study)


def lock_panel(pk: int) -> Panel:
    """The panel, for who counts its seats: one at a time. Lock it before any person.

    Not its key: people who are screened meanwhile may still point to this panel.
    """
    return Panel.objects.select_for_update(no_key=True).get(pk=pk)


def take_seat(*, person: Participation, panel: Panel) -> bool:
    """Take a seat, or keep the one that is theirs. False: nothing is free.

    Call with the panel locked, then the person; the person's phase decides whose seats are counted.
    """
    if not _is_free(panel, person):
        return False
    if not holds_a_seat(person):
        person.seated_at = timezone.now()
        person.save(update_fields=["seated_at"])
    return True


def _is_free(panel: Panel, person: Participation) -> bool:
    """Whether there is a seat, and a place that nobody is at work on or waits for."""
    others = panel.participations.filter(pilot=person.pilot).exclude(pk=person.pk)
    kept = holds_a_seat(person)
    if not kept and not _seats_left(panel, others, pilot=person.pilot):
        return False
    reopen_expired(panel=panel, wait=True)
    ahead = 0 if kept else others.about_to_begin(since=lapse(person.study)).count()
    open_places = Place.objects.filter(panel=panel, pilot=person.pilot, state=Place.State.OPEN)
    # One more than those who wait: not all of them need be counted.
    return open_places.order_by()[ahead : ahead + 1].values("pk").exists()


def _seats_left(panel: Panel, people, *, pilot: bool) -> bool:
    seats = panel.study.pilot_people if pilot else panel.seats
    if seats is None:
        return True
    return people.holding_a_seat(since=lapse(panel.study)).count() < seats


def panel_is_full(panel: Panel, *, pilot: bool) -> bool:
    """A look that takes nothing and locks nothing, for who is to be told at once."""
    people = panel.participations.filter(pilot=pilot)
    if not _seats_left(panel, people, pilot=pilot):
        return True
    wanted = (wanted_ratings(panel, pilot=pilot), panel.units().count())
    made = Pool.objects.filter(panel=panel, pilot=pilot).values_list("k", "n_units").first()
    if made != wanted:
        return wanted[1] == 0
    places = Place.objects.filter(panel=panel, pilot=pilot)
    if places.filter(state=Place.State.OPEN).exists():
        return False
    return not places.filter(state=Place.State.LEASED, leased_until__lt=timezone.now()).exists()


def study_is_full(study: Study) -> bool:
    """No panel takes anybody now. A study without panels is not full: nobody fits it."""
    panels = list(study.panels.all())
    for panel in panels:
        panel.study = study
    return bool(panels) and all(panel_is_full(panel, pilot=study.in_pilot) for panel in panels)
