"""Coming in and going out: arrival, consent, screening, the start, withdrawal."""

from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from annotation import hearing
from annotation.assignment import ensure_places, lock_person, release_place, reopen_expired
from annotation.models import Participation, Place
from annotation.session import session_length
from studies.design import frozen_design
from studies.models import Panel, Study

Outcome = Participation.Outcome
State = Participation.State


def arrive(*, study: Study, language: str = "") -> Participation:
    """Somebody opened the study's link. Nothing is taken yet: many only look.

    ``language`` is the one to begin with, as their browser has it; they may choose another.
    """
    person = Participation.objects.create(
        study=study,
        revision=study.revision,
        pilot=study.in_pilot,
        language=language,
        last_seen_at=timezone.now(),
    )
    if not study.takes_arrivals:
        leave(participation=person, outcome=Outcome.CLOSED)
    return person


@transaction.atomic
def record_consent(*, participation: Participation, agreed: bool) -> None:
    """Keep the answer with its time; refusing ends the participation. The first answer stays."""
    person = lock_person(participation.pk)
    if person.state == State.ARRIVED and person.consented_at is None:
        if agreed:
            person.consented_at = timezone.now()
            person.save(update_fields=["consented_at"])
        else:
            leave(participation=person, outcome=Outcome.NO_CONSENT)
    participation.refresh_from_db()


@transaction.atomic
def record_screening(
    *, participation: Participation, nationality: str, residence: str, first_language: str
) -> None:
    """Keep the answers and find the panel they fit; no panel ends the participation.

    The first answers stay: a form sent twice, or once more after Back, changes nothing.
    """
    person = lock_person(participation.pk)
    if person.state == State.ARRIVED and person.screened_at is None:
        person.nationality = nationality
        person.residence = residence
        person.first_language = first_language
        person.screened_at = timezone.now()
        person.panel = matching_panel(person)
        person.save(
            update_fields=["nationality", "residence", "first_language", "screened_at", "panel"]
        )
        if person.panel is None:
            leave(participation=person, outcome=Outcome.DOES_NOT_FIT)
    participation.refresh_from_db()


@transaction.atomic
def record_hearing(*, participation: Participation, beeps: int) -> None:
    """Keep what was counted in the sound check; after two misses it waits for a new beginning."""
    person = lock_person(participation.pk)
    if person.state == State.ARRIVED and hearing.is_due(person) and not person.hearing:
        if beeps == hearing.beeps_of(person):
            person.hearing = Participation.Hearing.HEARD
        elif (person.hearing_tries + 1) % hearing.TRIES == 0:
            person.hearing = Participation.Hearing.NOT_HEARD
        person.hearing_tries += 1
        person.save(update_fields=["hearing", "hearing_tries"])
    participation.refresh_from_db()


@transaction.atomic
def check_hearing_again(*, participation: Participation) -> None:
    """After headphones were put on. How often it was tried is kept."""
    person = lock_person(participation.pk)
    if person.state == State.ARRIVED and person.hearing == Participation.Hearing.NOT_HEARD:
        person.hearing = ""
        person.save(update_fields=["hearing"])
    participation.refresh_from_db()


def matching_panel(participation: Participation) -> Panel | None:
    """The first panel all of whose criteria the person meets."""
    for panel in participation.study.panels.all():
        meets = (
            not panel.screen_nationality or participation.nationality == panel.country,
            not panel.screen_residence or participation.residence == panel.country,
            not panel.screen_language or participation.first_language in panel.languages,
        )
        if all(meets):
            return panel
    return None


@transaction.atomic
def start_rating(*, participation: Participation) -> bool:
    """Take a seat in the panel. False: nothing is left to rate, and the participation is over.

    The panel's row is locked while seats are counted, so that the last seat and every code are
    given once.
    """
    ensure_places(panel=participation.panel, pilot=participation.study.in_pilot)
    # Not the key: people who are screened meanwhile may still point to this panel.
    panel = Panel.objects.select_for_update(no_key=True).get(pk=participation.panel_id)
    person = lock_person(participation.pk)
    if person.state == State.ARRIVED:
        _take_seat(person, panel)
    participation.refresh_from_db()
    return participation.state == State.RATING


def _take_seat(person: Participation, panel: Panel) -> None:
    _join_phase(person)
    if not _has_room(panel, person):
        leave(participation=person, outcome=Outcome.FULL)
        return
    number = Participation.objects.filter(panel=panel).exclude(code="").count() + 1
    person.code = f"{panel.country}-{number:02d}"
    person.n_units, person.n_repeats = session_length(
        design=frozen_design(person.study_id, person.revision),
        n_units=min(person.study.units_per_session, panel.units().count()),
    )
    person.state = State.RATING
    person.instructed_at = person.last_seen_at = timezone.now()
    person.save(
        update_fields=[
            "code",
            "n_units",
            "n_repeats",
            "state",
            "instructed_at",
            "last_seen_at",
            "pilot",
            "revision",
        ]
    )


def _join_phase(person: Participation) -> None:
    """Who begins now rates in the phase and by the design of now, whenever they arrived.

    Where the consent was reworded meanwhile, the design they agreed to stays theirs.
    """
    study = person.study
    person.pilot = study.in_pilot
    agreed, now = (frozen_design(study.pk, number) for number in (person.revision, study.revision))
    if (agreed.consent_lines, agreed.consent_text) == (now.consent_lines, now.consent_text):
        person.revision = study.revision


def _has_room(panel: Panel, person: Participation) -> bool:
    """Whether a seat is free, and a place that nobody is at work on, in the person's phase."""
    at_work = timezone.now() - timedelta(minutes=person.study.lease_minutes)
    beside = panel.participations.filter(pilot=person.pilot)
    seats = person.study.pilot_people if person.pilot else panel.seats
    if seats is not None and beside.holding_a_seat(since=at_work).count() >= seats:
        return False
    reopen_expired(panel=panel, wait=True)
    return Place.objects.filter(panel=panel, pilot=person.pilot, state=Place.State.OPEN).exists()


@transaction.atomic
def withdraw(*, participation: Participation) -> None:
    """The person stops: their unsent screen goes back to the pool, what they sent stays."""
    person = lock_person(participation.pk)
    if not person.is_over:
        for assignment in person.assignments.filter(submitted_at=None, skipped_at=None):
            release_place(assignment=assignment)
        leave(participation=person, outcome=Outcome.WITHDREW)
    participation.refresh_from_db()


def leave(*, participation: Participation, outcome: str) -> None:
    participation.state = State.OUT
    participation.outcome = outcome
    participation.finished_at = timezone.now()
    participation.save(update_fields=["state", "outcome", "finished_at"])
