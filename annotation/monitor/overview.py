"""How far each of several studies is, and when somebody was last seen: for lists of studies."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max, OuterRef, Q

from annotation.models import Participation, Place
from annotation.monitor.counts import number_of
from annotation.places import wanted_ratings
from studies.models import Item, Panel, Study, Unit


@dataclass(slots=True)
class Progress:
    """``done`` of ``wanted`` ratings, of the pilot while that runs; ``wanted`` may be 0.

    ``simulated``: people of the demo are among those who are counted.
    """

    done: int = 0
    wanted: int = 0
    last_seen: datetime | None = None
    simulated: bool = False

    @property
    def percent(self) -> int:
        """Of the ratings wanted; 100 only once all are there."""
        return min(100, 100 * self.done // self.wanted) if self.wanted else 0


def progress_of(studies: Iterable[Study]) -> dict[int, Progress]:
    """Study id -> how far it is. Four small queries however many there are; drafts are left out."""
    opened = {study.pk: study for study in studies if not study.is_draft}
    found = {pk: Progress() for pk in opened}
    for pilot in (False, True):
        of_kind = [study for study in opened.values() if study.in_pilot is pilot]
        if of_kind:
            _count(of_kind, found, pilot=pilot)
    return found


def _count(studies: list[Study], found: dict[int, Progress], *, pilot: bool) -> None:
    # "In" a single value: SQLite finds no index by "not pilot".
    done = Place.objects.filter(panel=OuterRef("pk"), pilot__in=[pilot], state=Place.State.DONE)
    units = Unit.objects.filter(study=OuterRef("study"), purpose=Item.Purpose.RATED)
    panels = (
        Panel.objects.filter(study__in=studies)
        .select_related("study")
        .annotate(
            n_done=number_of(done),
            n_own_units=number_of(units.filter(country=OuterRef("country"))),
            n_shared_units=number_of(units.filter(country="")),
        )
    )
    for panel in panels:
        one = found[panel.study_id]
        one.done += panel.n_done
        one.wanted += wanted_ratings(panel, pilot=pilot) * (
            panel.n_own_units + panel.n_shared_units
        )
    people = Participation.objects.filter(study__in=studies, pilot=pilot).order_by()
    simulated = Count("pk", filter=Q(simulated=True))
    for row in people.values("study").annotate(seen=Max("last_seen_at"), simulated=simulated):
        one = found[row["study"]]
        one.last_seen, one.simulated = row["seen"], row["simulated"] > 0
