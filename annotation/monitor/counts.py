"""What is counted at every look: places by state, people by where they are. Seven queries."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db.models import (
    Count,
    Func,
    IntegerField,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
)
from django.utils import timezone

from annotation.models import Assignment, Attempt, Exclusion, Flag, Participation, Place
from annotation.places import wanted_ratings
from studies.models import Item, Panel, QualityRule, Study, Unit

WORKING = timedelta(minutes=3)
STUCK = timedelta(minutes=10)
LATELY = timedelta(hours=1)

State = Participation.State


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelCounts:
    """One panel. ``k`` ratings are wanted of each of its ``units``; ``lately``: in the last hour.

    ``working``: people with an action in the last 3 minutes; ``stuck``: still rating, and without
    one for more than 10, but not so long that their unit was given to others.
    """

    id: int
    name: str
    k: int
    units: int
    done: int = 0
    leased: int = 0
    working: int = 0
    stuck: int = 0
    complete: int = 0
    people_lately: int = 0
    done_lately: int = 0
    last_seen: datetime | None = None

    @property
    def wanted(self) -> int:
        return self.units * self.k

    @property
    def left(self) -> int:
        """Ratings still to come."""
        return max(0, self.wanted - self.done)

    @property
    def open(self) -> int:
        """Of these, places that nobody is at work on."""
        return max(0, self.left - self.leased)

    @property
    def percent(self) -> int:
        """Of the ratings wanted; 100 only once all are there."""
        return 100 * self.done // self.wanted if self.wanted else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """A study's collection, of its pilot while that runs.

    ``arrived`` ... ``complete`` count people who came so far at least, but for ``rating``: who is
    there now. ``gone``: of these, not seen for longer than a unit is kept for them. ``left`` holds
    those who are out by outcome, ``prolific`` submissions there that were returned or timed out.
    ``exclusions``: how many are in force, and the number of the last of them; ``decided``: flags
    for failed checks that somebody has decided on.
    """

    panels: tuple[PanelCounts, ...]
    pilot: bool
    at: datetime
    arrived: int = 0
    fits: int = 0
    consented: int = 0
    rating: int = 0
    gone: int = 0
    complete: int = 0
    simulated: int = 0
    surplus: int = 0
    left: dict[str, int] = field(default_factory=dict)
    prolific: dict[str, int] = field(default_factory=dict)
    exclusions: tuple[int, int] = (0, 0)
    decided: int = 0
    last_seen: datetime | None = None

    @property
    def wanted(self) -> int:
        return sum(panel.wanted for panel in self.panels)

    @property
    def done(self) -> int:
        return sum(panel.done for panel in self.panels)

    @property
    def open(self) -> int:
        return sum(panel.open for panel in self.panels)

    @property
    def done_lately(self) -> int:
        return sum(panel.done_lately for panel in self.panels)

    @property
    def stuck(self) -> int:
        return sum(panel.stuck for panel in self.panels)


def collection(study: Study) -> Collection:
    """How the study's collection stands now."""
    now, pilot = timezone.now(), study.in_pilot
    people = _people(study, pilot, now)
    total: Counter[str] = Counter()
    for row in people.values():
        total.update({name: n for name, n in row.items() if isinstance(n, int)})
    seen = [row["last_seen"] for row in people.values() if row["last_seen"] is not None]
    return Collection(
        panels=_panels(study, pilot, now, people),
        pilot=pilot,
        at=now,
        **{name: total[name] for name in ("arrived", "fits", "consented", "rating", "gone")},
        complete=total["complete"],
        simulated=total["simulated"],
        surplus=surplus(study),
        left={o: total[f"out_{n}"] for n, o in enumerate(_OUTCOMES) if total[f"out_{n}"]},
        prolific=_prolific(study, pilot),
        exclusions=_exclusions(study),
        decided=_decided(study),
        last_seen=max(seen, default=None),
    )


def surplus(study: Study) -> int:
    """Sent screens that are kept but not counted, because others had filled their units."""
    return Assignment.objects.filter(
        participation__study=study, participation__pilot=False, counted=False, set_aside=False
    ).count()


def _prolific(study: Study, pilot: bool) -> dict[str, int]:
    """Status -> submissions on Prolific that ended without a result.

    Those of people who never came here are of no phase, and stand in each.
    """
    ended = [Attempt.Status.RETURNED, Attempt.Status.TIMED_OUT]
    of_phase = Q(identity__participation=None) | Q(identity__participation__pilot=pilot)
    rows = Attempt.objects.filter(of_phase, study=study, status__in=ended).order_by()
    return dict(rows.values_list("status").annotate(n=Count("pk")))


def _panels(study: Study, pilot: bool, now: datetime, people: dict) -> tuple[PanelCounts, ...]:
    lately = _done_lately(study, pilot, now)
    of_panel = {name: number_of(rows) for name, rows in _rows_of_panel(study, pilot).items()}
    return tuple(
        _panel(panel, study, pilot, lately, people.get(panel.pk, {}))
        for panel in study.panels.annotate(**of_panel)
    )


def _exclusions(study: Study) -> tuple[int, int]:
    """How many there are in force, and the last of them: another pair means others."""
    there = Exclusion.objects.filter(participation__study=study, lifted_at=None)
    found = there.order_by().aggregate(n=Count("pk"), last=Max("pk"))
    return found["n"], found["last"] or 0


def _decided(study: Study) -> int:
    flags = Flag.objects.filter(participation__study=study, kind=QualityRule.Kind.CHECKS)
    return flags.exclude(decision="").count()


def _rows_of_panel(study: Study, pilot: bool) -> dict[str, QuerySet]:
    """What is counted for each panel, all of it by an index alone."""
    # "In" a single value: SQLite finds no index by "not pilot".
    places = Place.objects.filter(panel=OuterRef("pk"), pilot__in=[pilot])
    units = Unit.objects.filter(study=study, purpose=Item.Purpose.RATED)
    return {
        "n_done": places.filter(state=Place.State.DONE),
        "n_leased": places.filter(state=Place.State.LEASED),
        "n_own_units": units.filter(country=OuterRef("country")),
        "n_shared_units": units.filter(country=""),
    }


def number_of(rows: QuerySet) -> Subquery:
    """How many rows there are, within another query: faster than grouping them by far."""
    number = Func(template="COUNT(*)", output_field=IntegerField())
    return Subquery(rows.order_by().annotate(n=number).values("n"))


def _panel(panel: Panel, study: Study, pilot: bool, lately: dict, people: dict) -> PanelCounts:
    panel.study = study  # known: no query for it
    return PanelCounts(
        id=panel.pk,
        name=str(panel),
        k=wanted_ratings(panel, pilot=pilot),
        units=panel.n_own_units + panel.n_shared_units,
        done=panel.n_done,
        leased=panel.n_leased,
        done_lately=lately.get(panel.pk, 0),
        last_seen=people.get("last_seen"),
        **{name: people.get(name, 0) for name in _OF_PANEL},
    )


_OUTCOMES = tuple(Participation.Outcome.values)
_OF_PANEL = ("working", "stuck", "complete", "people_lately")


def _people(study: Study, pilot: bool, now: datetime) -> dict[int | None, dict]:
    """Panel id -> people by where they are; under None those who have no panel (yet)."""
    rating = Q(state=State.RATING, set_aside_at=None)
    lease = now - timedelta(minutes=study.lease_minutes)
    counted = {
        "arrived": Q(),
        "fits": Q(panel__isnull=False),
        "consented": Q(consented_at__isnull=False),
        "rating": rating,
        "working": rating & Q(last_seen_at__gte=now - WORKING),
        "stuck": rating & Q(last_seen_at__lt=now - STUCK, last_seen_at__gte=lease),
        "gone": rating & Q(last_seen_at__lt=lease),
        "complete": Q(state=State.COMPLETE, set_aside_at=None),
        "people_lately": Q(last_seen_at__gte=now - LATELY, instructed_at__isnull=False),
        "simulated": Q(simulated=True),
        **{f"out_{n}": Q(outcome=outcome) for n, outcome in enumerate(_OUTCOMES)},
    }
    rows = (
        Participation.objects.filter(study=study, pilot=pilot)
        .order_by()
        .values("panel")
        .annotate(
            last_seen=Max("last_seen_at"),
            **{name: Count("pk", filter=rule or None) for name, rule in counted.items()},
        )
    )
    return {row.pop("panel"): row for row in rows}


def _done_lately(study: Study, pilot: bool, now: datetime) -> dict[int, int]:
    """Panel id -> ratings that came in the last hour. Looks at those seen since only."""
    since = now - LATELY
    sent = Assignment.objects.filter(
        participation__study=study,
        participation__pilot=pilot,
        participation__last_seen_at__gte=since,
        submitted_at__gte=since,
        repeat_of=None,
        gold=False,
    )
    counted = sent if pilot else sent.filter(counted=True)
    return dict(counted.order_by().values_list("participation__panel").annotate(n=Count("pk")))
