"""How a collection stands: places filled, people by state. Read-only."""

from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Count, F, Q
from django.utils import timezone

from annotation.models import Assignment, Participation, Place
from studies.models import Panel, Study

WORKING = timedelta(minutes=3)


@dataclass(frozen=True)
class PanelProgress:
    panel: Panel
    wanted: int
    done: int
    units: int
    units_full: int
    working: int

    @property
    def percent(self) -> int:
        return 100 * self.done // self.wanted if self.wanted else 0


@dataclass(frozen=True)
class Person:
    code: str
    state: str
    panel: str
    sent: int
    skipped: int
    checks: int
    checks_passed: int
    surplus: int
    simulated: bool


@dataclass(frozen=True)
class StudyProgress:
    panels: list[PanelProgress]
    people: list[Person]
    arrived: int
    consented: int
    started: int
    complete: int
    left: list[tuple[str, int]]
    surplus: int

    @property
    def wanted(self) -> int:
        return sum(panel.wanted for panel in self.panels)

    @property
    def percent(self) -> int:
        return 100 * self.done // self.wanted if self.wanted else 0

    @property
    def simulated(self) -> bool:
        return any(person.simulated for person in self.people)

    @property
    def done(self) -> int:
        return sum(panel.done for panel in self.panels)


def study_progress(study: Study) -> StudyProgress:
    people = Participation.objects.filter(study=study)
    outcomes = dict(
        people.exclude(outcome="").order_by().values_list("outcome").annotate(n=Count("pk"))
    )
    return StudyProgress(
        panels=[_panel(panel) for panel in study.panels.all()],
        people=_people(people),
        arrived=people.count(),
        consented=people.filter(consented_at__isnull=False).count(),
        started=people.filter(instructed_at__isnull=False).count(),
        complete=people.filter(state=Participation.State.COMPLETE).count(),
        left=[
            (label, outcomes[value])
            for value, label in Participation.Outcome.choices
            if value in outcomes
        ],
        surplus=Assignment.objects.filter(participation__study=study, counted=False).count(),
    )


def _panel(panel: Panel) -> PanelProgress:
    units = panel.units().count()
    done = Place.objects.filter(panel=panel, pilot=False, state=Place.State.DONE)
    full = (
        done.order_by().values("unit").annotate(n=Count("pk")).filter(n__gte=panel.ratings_per_unit)
    )
    working = panel.participations.active_since(timezone.now() - WORKING)
    return PanelProgress(
        panel=panel,
        wanted=units * panel.ratings_per_unit,
        done=done.count(),
        units=units,
        units_full=full.count(),
        working=working.filter(state=Participation.State.RATING).count(),
    )


def _people(people) -> list[Person]:
    sent = Q(assignments__submitted_at__isnull=False)
    rows = (
        people.exclude(code="")
        .select_related("panel")
        .annotate(
            sent=Count("assignments", filter=sent),
            skipped=Count("assignments", filter=Q(assignments__skipped_at__isnull=False)),
            checks=Count("assignments__check_answer"),
            passed=Count(
                "assignments__check_answer", filter=Q(assignments__check_answer__passed=True)
            ),
            surplus=Count("assignments", filter=Q(assignments__counted=False)),
        )
        .order_by(F("last_seen_at").desc(nulls_last=True), "code")
    )
    return [
        Person(
            code=row.code,
            state=row.get_state_display(),
            panel=str(row.panel),
            sent=row.sent,
            skipped=row.skipped,
            checks=row.checks,
            checks_passed=row.passed,
            surplus=row.surplus,
            simulated=row.simulated,
        )
        for row in rows
    ]
