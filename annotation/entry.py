"""Coming in and going out: arrival, consent, screening, the start, withdrawal."""

from django.db import transaction
from django.utils import timezone

from annotation.assignment import ensure_places, release_place
from annotation.models import Participation, Place
from studies.models import Panel, Study

Outcome = Participation.Outcome
State = Participation.State


def arrive(*, study: Study) -> Participation:
    """Somebody opened the study's link. Nothing is taken yet: many only look."""
    person = Participation.objects.create(
        study=study, revision=study.revision, last_seen_at=timezone.now()
    )
    if not study.takes_arrivals:
        leave(participation=person, outcome=Outcome.CLOSED)
    return person


def record_consent(*, participation: Participation, agreed: bool) -> None:
    """Keep the answer with its time; refusing ends the participation."""
    if agreed:
        participation.consented_at = timezone.now()
        participation.save(update_fields=["consented_at"])
    else:
        leave(participation=participation, outcome=Outcome.NO_CONSENT)


def record_screening(
    *, participation: Participation, nationality: str, residence: str, first_language: str
) -> None:
    """Keep the answers and find the panel they fit; no panel ends the participation."""
    participation.nationality = nationality
    participation.residence = residence
    participation.first_language = first_language
    participation.screened_at = timezone.now()
    participation.panel = matching_panel(participation)
    participation.save()
    if participation.panel is None:
        leave(participation=participation, outcome=Outcome.DOES_NOT_FIT)


def matching_panel(participation: Participation) -> Panel | None:
    """The first panel all of whose criteria the person meets."""
    for panel in participation.study.panels.all():
        meets = (
            not panel.screen_nationality or participation.nationality == panel.country,
            not panel.screen_residence or participation.residence == panel.country,
            not panel.screen_language or participation.first_language == panel.language,
        )
        if all(meets):
            return panel
    return None


@transaction.atomic
def start_rating(*, participation: Participation) -> bool:
    """Take a seat in the panel. False: all seats are taken, and the participation is over.

    The panel's row is locked while seats are counted, so that the last seat is given once.
    """
    panel = Panel.objects.select_for_update().get(pk=participation.panel_id)
    person = Participation.objects.select_for_update().get(pk=participation.pk)
    if person.state != State.ARRIVED:
        return person.state == State.RATING
    ensure_places(panel=panel)
    seated = Participation.objects.filter(panel=panel).holding_a_seat().count()
    open_places = Place.objects.filter(panel=panel).exclude(state=Place.State.DONE)
    if (panel.seats is not None and seated >= panel.seats) or not open_places.exists():
        leave(participation=person, outcome=Outcome.FULL)
        return False
    number = Participation.objects.filter(panel=panel).exclude(code="").count() + 1
    person.code = f"{panel.country}-{number:02d}"
    person.n_units = min(person.study.units_per_session, panel.units().count())
    person.state = State.RATING
    person.instructed_at = timezone.now()
    person.save()
    return True


@transaction.atomic
def withdraw(*, participation: Participation) -> None:
    """The person stops: their unsent screen goes back to the pool, what they sent stays."""
    person = Participation.objects.select_for_update().get(pk=participation.pk)
    if person.is_over:
        return
    for assignment in person.assignments.filter(submitted_at=None, skipped_at=None):
        release_place(assignment=assignment)
    leave(participation=person, outcome=Outcome.WITHDREW)


def leave(*, participation: Participation, outcome: str) -> None:
    participation.state = State.OUT
    participation.outcome = outcome
    participation.finished_at = timezone.now()
    participation.save(update_fields=["state", "outcome", "finished_at"])
