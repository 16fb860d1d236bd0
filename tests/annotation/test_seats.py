"""When a seat is taken, how long it is kept, and when people hear that none is free."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from annotation import entry
from annotation.models import Participation
from annotation.seats import study_is_full
from studies.lifecycle import launch_study
from studies.models import Panel, Study
from tests.annotation.people import rate_all, screened, somebody
from tests.annotation.threads import in_threads
from tests.conftest import add_item

pytestmark = pytest.mark.django_db
FITS = {"nationality": "NP", "residence": "NP", "first_language": "ne"}


@pytest.fixture
def two_seats(draft_study, researcher) -> Study:
    draft_study.panels.update(seats=2, ratings_per_unit=2)
    launch_study(study=draft_study, by=researcher)
    draft_study.refresh_from_db()
    return draft_study


def outcome(person: Participation) -> str:
    person.refresh_from_db()
    return person.outcome


def let_lapse(person: Participation) -> None:
    past = timezone.now() - timedelta(hours=3)
    Participation.objects.filter(pk=person.pk).update(seated_at=past, last_seen_at=past)


def test_who_only_looks_takes_no_seat(two_seats):
    for _ in range(5):
        entry.record_consent(participation=entry.arrive(study=two_seats), agreed=True)
    assert screened(two_seats).seated_at is not None
    assert not study_is_full(two_seats)


def test_a_seat_is_taken_before_the_instructions(two_seats):
    first, second = screened(two_seats), screened(two_seats)
    assert first.seated_at and second.seated_at
    third = screened(two_seats)
    assert (third.outcome, third.consented_at, third.seated_at) == ("full", None, None)
    assert entry.start_rating(participation=first)
    assert entry.start_rating(participation=second)


def test_who_comes_to_a_full_study_hears_it_before_consent(client, two_seats):
    screened(two_seats), screened(two_seats)
    page = client.get(two_seats.entry_path, follow=True)
    assert page.request["PATH_INFO"].endswith("/out/")
    assert "All places in this study are taken." in page.content.decode()


def test_with_the_screening_first_the_seat_is_taken_at_consent(two_seats):
    Study.objects.update(consent_first=False)
    people = []
    for _ in range(3):
        person = entry.arrive(study=Study.objects.get())
        entry.record_screening(participation=person, **FITS)
        assert person.seated_at is None
        people.append(person)
    for person in people:
        entry.record_consent(participation=person, agreed=True)
    assert [person.seated_at is not None for person in people] == [True, True, False]
    assert outcome(people[2]) == "full"


def test_with_the_screening_first_a_full_panel_is_said_before_consent(two_seats):
    Study.objects.update(consent_first=False)
    late = entry.arrive(study=Study.objects.get())
    screened(two_seats), screened(two_seats)
    entry.record_screening(participation=late, **FITS)
    assert (late.outcome, late.consented_at) == ("full", None)


def test_a_seat_nobody_uses_is_free_after_one_lease(two_seats):
    gone = screened(two_seats)
    screened(two_seats)
    let_lapse(gone)
    assert screened(two_seats).seated_at is not None


def test_who_comes_back_after_the_lease_takes_a_seat_if_there_is_one(two_seats):
    slow = screened(two_seats)
    let_lapse(slow)
    assert entry.start_rating(participation=slow)


def test_who_comes_back_after_the_lease_does_not_push_out_who_took_the_seat(two_seats):
    slow = screened(two_seats)
    let_lapse(slow)
    quick = [screened(two_seats) for _ in range(2)]
    assert not entry.start_rating(participation=slow)
    assert slow.outcome == "full"
    assert all(entry.start_rating(participation=person) for person in quick)


def test_a_person_who_leaves_gives_the_seat_back(two_seats):
    leaver = screened(two_seats)
    screened(two_seats)
    entry.withdraw(participation=leaver)
    assert screened(two_seats).seated_at is not None


def test_more_people_than_open_ratings_are_not_sent_to_read_the_instructions(live_study):
    for _ in range(2):
        rate_all(live_study, somebody(live_study))
    for _ in range(6):  # six ratings are open, one for each
        assert screened(live_study).seated_at is not None
    assert screened(live_study).outcome == "full"


def test_who_was_told_that_it_is_full_may_come_again_when_it_is_not(client, two_seats):
    leaver = screened(two_seats)
    screened(two_seats)
    assert client.get(two_seats.entry_path, follow=True).request["PATH_INFO"].endswith("/out/")
    entry.withdraw(participation=leaver)
    page = client.get(two_seats.entry_path, follow=True)
    assert page.request["PATH_INFO"].endswith("/consent/")
    assert Participation.objects.count() == 3


def test_a_study_with_room_in_one_panel_is_not_full(two_seats):
    screened(two_seats), screened(two_seats)
    assert study_is_full(two_seats)
    two_seats.panels.create(country="IR", ratings_per_unit=1)
    two_seats.units.filter(key="np-6").update(country="IR")
    assert not study_is_full(two_seats)


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_the_last_seats_are_taken_once_by_a_flood(two_seats):
    """Thirty people pass the screening at the same moment."""
    people = []
    for _ in range(12):
        person = entry.arrive(study=two_seats)
        entry.record_consent(participation=person, agreed=True)
        people.append(person)
    in_threads(12, lambda i: entry.record_screening(participation=people[i], **FITS))
    seated = Participation.objects.filter(seated_at__isnull=False)
    assert seated.count() == 2
    assert Participation.objects.filter(outcome="full").count() == 10


class TestScreening:
    def test_a_second_nationality_counts_too(self, live_study):
        person = entry.arrive(study=live_study)
        entry.record_consent(participation=person, agreed=True)
        answers = FITS | {"nationality": "PL", "second_nationality": "NP"}
        entry.record_screening(participation=person, **answers)
        assert person.panel is not None
        assert (person.nationality, person.second_nationality) == ("PL", "NP")

    def test_a_second_nationality_is_a_fold_and_not_required(self, live_study):
        client = Client()
        url = client.get(live_study.entry_path, follow=True).request["PATH_INFO"]
        page = client.post(url, {"answer": "agree"}, follow=True)
        assert "<summary>Add another</summary>" in page.content.decode()
        url = page.request["PATH_INFO"]
        answers = FITS | {"nationality": "PL", "second_nationality": "NP"}
        assert (
            client.post(url, answers, follow=True).request["PATH_INFO"].endswith("/instructions/")
        )
        assert Participation.objects.get().second_nationality == "NP"

    def test_the_answers_of_who_does_not_fit_are_kept(self, live_study):
        person = entry.arrive(study=live_study)
        entry.record_consent(participation=person, agreed=True)
        entry.record_screening(participation=person, **(FITS | {"residence": "PL"}))
        person.refresh_from_db()
        assert (person.outcome, person.nationality, person.residence, person.first_language) == (
            "does-not-fit",
            "NP",
            "PL",
            "ne",
        )


class TestWhoFitsSeveralPanels:
    """People of two nationalities, where the study asks for the nationality alone."""

    BOTH = {**FITS, "second_nationality": "PL"}

    @pytest.fixture
    def two_panels(self, draft_study, researcher) -> Study:
        draft_study.panels.update(seats=1, ratings_per_unit=1, screen_residence=False)
        add_item(draft_study, "pl-1", country="PL")
        Panel.objects.create(
            study=draft_study, country="PL", ratings_per_unit=1, screen_residence=False
        )
        launch_study(study=draft_study, by=researcher)
        draft_study.refresh_from_db()
        return draft_study

    def comes(self, study: Study) -> Participation:
        person = entry.arrive(study=study)
        entry.record_consent(participation=person, agreed=True)
        entry.record_screening(participation=person, **self.BOTH)
        return person

    def test_the_first_is_theirs_and_the_next_where_it_is_full(self, two_panels):
        assert self.comes(two_panels).panel.country == "NP"
        second = self.comes(two_panels)
        assert (second.panel.country, second.outcome) == ("PL", "")

    def test_where_all_are_full_they_hear_it(self, two_panels):
        two_panels.panels.update(seats=1)
        self.comes(two_panels), self.comes(two_panels)
        assert outcome(self.comes(two_panels)) == "full"

    def test_a_panel_that_asks_for_nothing_takes_no_overflow(self, two_panels):
        two_panels.panels.filter(country="PL").update(screen_nationality=False)
        self.comes(two_panels)
        third = self.comes(two_panels)
        assert (third.panel.country, third.outcome) == ("NP", "full")
