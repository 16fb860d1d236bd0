"""Coming in and going out: arrival, consent, screening, the start, withdrawal."""

from collections.abc import Mapping

from django.db import transaction
from django.utils import timezone

from annotation import hearing, seats
from annotation.assignment import ensure_places, lock_person, release_place
from annotation.blocks import take_block
from annotation.models import Invitation, Participation
from annotation.removal import remove_answers
from annotation.session import session_length
from studies.design import ScreeningSpec, current_design, frozen_design
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
    elif seats.study_is_full(study):
        leave(participation=person, outcome=Outcome.FULL)
    return person


@transaction.atomic
def come_again(*, participation: Participation) -> None:
    """Who was turned away because the study took nobody, or was full, comes again and may go on."""
    person = lock_person(participation.pk)
    away = person.state == State.OUT and person.outcome in {Outcome.CLOSED, Outcome.FULL}
    if away and not person.assignments.exists() and _would_be_taken(person):
        person.state, person.outcome, person.finished_at = State.ARRIVED, "", None
        if person.consented_at is None:
            person.revision, person.pilot = person.study.revision, person.study.in_pilot
        person.save(update_fields=["state", "outcome", "finished_at", "revision", "pilot"])
    participation.refresh_from_db()


def _would_be_taken(person: Participation) -> bool:
    study = Study.objects.get(pk=person.study_id)
    if not study.takes_arrivals:
        return False
    if person.panel is None:
        return not seats.study_is_full(study)
    return not seats.panel_is_full(person.panel, pilot=study.in_pilot)


def record_consent(*, participation: Participation, agreed: bool) -> None:
    """Keep the answer with its time; refusing ends the participation. The first answer stays.

    Who agrees, and is known to fit a panel, takes a seat there; where none is free any more, that
    ends the participation too.
    """
    panel = participation.panel if agreed else None
    if panel is not None:
        ensure_places(panel=panel, pilot=participation.study.in_pilot)
    with transaction.atomic():
        panel = seats.lock_panel(panel.pk) if panel is not None else None
        person = lock_person(participation.pk)
        if person.state == State.ARRIVED and person.consented_at is None:
            if agreed:
                person.consented_at = timezone.now()
                person.save(update_fields=["consented_at"])
                _sit_down(person, panel)
            else:
                leave(participation=person, outcome=Outcome.NO_CONSENT)
    participation.refresh_from_db()


def record_screening(
    *,
    participation: Participation,
    nationality: str,
    residence: str,
    first_language: str,
    second_nationality: str = "",
    further: Mapping[str, int] | None = None,
) -> None:
    """Keep the answers and find the panel they fit; no panel ends the participation.

    ``further``: answers to the study's own questions, key -> line; one that does not fit ends it
    too.

    Who has agreed takes a seat in it; who has yet to agree is told at once where none is free.
    The first answers stay: a form sent twice, or once more after Back, changes nothing.
    """
    answers = {
        "nationality": nationality,
        "second_nationality": second_nationality,
        "residence": residence,
        "first_language": first_language,
    }
    panel = matching_panel(participation, **answers)
    further = dict(further or {})
    if not all(spec.fits(further.get(spec.key)) for spec in _asked_of(participation)):
        panel = None
    if panel is not None:
        ensure_places(panel=panel, pilot=participation.study.in_pilot)
    with transaction.atomic():
        panel = seats.lock_panel(panel.pk) if panel is not None else None
        person = lock_person(participation.pk)
        if person.state == State.ARRIVED and person.screened_at is None:
            for name, answer in answers.items():
                setattr(person, name, answer)
            person.screened_at, person.panel = timezone.now(), panel
            person.screening_answers = further
            person.save(update_fields=[*answers, "screening_answers", "screened_at", "panel"])
            if panel is None:
                leave(participation=person, outcome=Outcome.DOES_NOT_FIT)
            else:
                _sit_down(person, panel)
    participation.refresh_from_db()


def _asked_of(person: Participation) -> tuple[ScreeningSpec, ...]:
    """The study's own screening questions, as this person was asked them."""
    if person.revision:
        return frozen_design(person.study_id, person.revision).screening
    return current_design(person.study).screening


def _sit_down(person: Participation, panel: Panel | None) -> None:
    """Once somebody has agreed and fits: a seat, or the word that none is free."""
    if panel is None:
        return
    if person.consented_at is None:
        free = not seats.panel_is_full(panel, pilot=person.study.in_pilot)
    else:
        _join_phase(person)
        person.save(update_fields=["pilot", "revision"])
        free = seats.take_seat(person=person, panel=panel)
    if not free:
        leave(participation=person, outcome=Outcome.FULL)


@transaction.atomic
def record_hearing(*, participation: Participation, beeps: int, number: int) -> None:
    """Keep what was counted in the sound check; after two misses it waits for a new beginning.

    ``number`` is that of the try the form asks for: one that is sent twice is one try.
    """
    person = lock_person(participation.pk)
    due = person.state == State.ARRIVED and hearing.is_due(person) and not person.hearing
    if due and number == person.hearing_tries + 1:
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


def matching_panel(
    participation: Participation,
    *,
    nationality: str,
    second_nationality: str,
    residence: str,
    first_language: str,
) -> Panel | None:
    """The first panel all of whose criteria the person meets; of an invitation's, that one only.

    Who fits several, by two nationalities say, goes to the next that takes people where the first
    does not. A panel that asks for nothing is no such next one: everybody would end in it.
    """
    invited_to = (
        Invitation.objects.filter(identity__participation=participation)
        .values_list("panel", flat=True)
        .first()
    )
    fitting = []
    for panel in participation.study.panels.all():
        meets = (
            invited_to in {None, panel.pk},
            not panel.screen_nationality or panel.country in {nationality, second_nationality},
            not panel.screen_residence or residence == panel.country,
            not panel.screen_language or first_language in panel.languages,
        )
        if all(meets):
            fitting.append(panel)
    takes_people = (panel for panel in fitting if panel.criteria and _has_room(panel))
    if len(fitting) > 1 and not _has_room(fitting[0]):
        return next(takes_people, fitting[0])
    return fitting[0] if fitting else None


def _has_room(panel: Panel) -> bool:
    return not seats.panel_is_full(panel, pilot=panel.study.in_pilot)


def start_rating(*, participation: Participation) -> bool:
    """Begin, on the seat that was taken before. False: the participation is over.

    A seat that was not used in time may be another's by now. The panel's row is locked while seats
    are counted, so that the last seat and every code are given once.
    """
    if participation.panel is not None:
        ensure_places(panel=participation.panel, pilot=participation.study.in_pilot)
        with transaction.atomic():
            panel = seats.lock_panel(participation.panel_id)
            person = lock_person(participation.pk)
            if person.state == State.ARRIVED and person.consented_at is not None:
                _begin(person, panel)
    participation.refresh_from_db()
    return participation.state == State.RATING


def _begin(person: Participation, panel: Panel) -> None:
    _join_phase(person)
    if not seats.take_seat(person=person, panel=panel):
        leave(participation=person, outcome=Outcome.FULL)
        return
    design = frozen_design(person.study_id, person.revision)
    n_units = min(person.study.units_per_session, panel.units().count())
    if design.policy == Study.Policy.BLOCKS:
        n_units = take_block(person=person, panel=panel, since=seats.lapse(person.study))
        if not n_units:
            leave(participation=person, outcome=Outcome.FULL)
            return
    number = Participation.objects.filter(panel=panel).exclude(code="").count() + 1
    person.code = f"{panel.country}-{number:02d}"
    person.n_units, person.n_repeats = session_length(
        design=design, n_units=n_units, country=panel.country
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


@transaction.atomic
def withdraw(*, participation: Participation, remove: bool = False) -> None:
    """The person stops: their unsent screen goes back to the pool, what they sent stays.

    With ``remove`` their answers are deleted, and the places these filled are open again.
    """
    person = lock_person(participation.pk)
    if not person.is_over:
        for assignment in person.assignments.filter(submitted_at=None, skipped_at=None):
            release_place(assignment=assignment)
        if remove:
            remove_answers(person=person)
        outcome = Outcome.WITHDREW_REMOVED if remove else Outcome.WITHDREW
        leave(participation=person, outcome=outcome)
    participation.refresh_from_db()


def leave(*, participation: Participation, outcome: str) -> None:
    participation.state = State.OUT
    participation.outcome = outcome
    participation.finished_at = timezone.now()
    participation.save(update_fields=["state", "outcome", "finished_at"])
