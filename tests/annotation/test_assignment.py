"""Exactly k ratings a unit and panel, from different people, whatever happens."""

from collections import Counter

import pytest
from django.db import IntegrityError, transaction

from annotation import entry
from annotation.assignment import claim_next_unit, ensure_places, reopen_expired
from annotation.models import Assignment, Participation, Place
from annotation.responding import skip_unit, submit_and_serve
from annotation.sheet import check_of
from studies.lifecycle import launch_study
from studies.models import Panel
from tests.annotation.people import (
    answers,
    design,
    expire_leases,
    rate_all,
    screened,
    send,
    somebody,
)
from tests.annotation.threads import in_threads
from tests.conftest import add_item

DONE, OPEN, LEASED = Place.State.DONE, Place.State.OPEN, Place.State.LEASED


@pytest.mark.django_db
class TestOnePersonAfterAnother:
    def test_three_people_fill_every_unit_exactly_three_times(self, live_study):
        for _ in range(3):
            assert rate_all(live_study, somebody(live_study)) == 6
        counts = Counter(Place.objects.filter(state=DONE).values_list("unit", flat=True))
        assert counts == dict.fromkeys(live_study.units.values_list("pk", flat=True), 3)
        assert Assignment.objects.filter(counted=True).count() == 18

    def test_a_fourth_person_is_told_that_the_study_is_full(self, live_study):
        for _ in range(3):
            rate_all(live_study, somebody(live_study))
        late = somebody(live_study)
        assert (late.state, late.outcome) == ("out", "full")
        assert late.code == ""

    def test_nobody_is_shown_a_unit_twice(self, live_study):
        person = somebody(live_study)
        rate_all(live_study, person)
        units = list(person.assignments.values_list("unit", flat=True))
        assert len(units) == len(set(units)) == 6

    def test_least_rated_units_come_first(self, live_study):
        rate_all(live_study, somebody(live_study))
        open_numbers = Place.objects.filter(state=OPEN).values_list("number", flat=True)
        assert set(open_numbers) == {2, 3}

    def test_asking_again_gives_the_same_screen(self, live_study):
        person = somebody(live_study)
        first = claim_next_unit(participation=person)
        assert claim_next_unit(participation=person) == first
        assert Place.objects.filter(state=LEASED).count() == 1

    def test_a_session_ends_after_its_planned_length(self, draft_study, researcher):
        draft_study.units_per_session = 4
        draft_study.save()
        launch_study(study=draft_study, by=researcher)
        draft_study.refresh_from_db()
        person = somebody(draft_study)
        assert rate_all(draft_study, person) == 4
        person.refresh_from_db()
        assert (person.state, person.pool_ran_dry) == ("complete", False)

    def test_a_pool_that_runs_dry_completes_the_session(self, live_study):
        first, second, third, fourth = (somebody(live_study) for _ in range(4))
        for person in (first, second, third):
            rate_all(live_study, person)
        assert claim_next_unit(participation=fourth) is None
        fourth.refresh_from_db()
        assert (fourth.state, fourth.pool_ran_dry) == ("complete", True)

    def test_a_unit_of_another_country_is_not_served(self, draft_study, researcher):
        add_item(draft_study, "ir-1", country="IR")
        Panel.objects.create(study=draft_study, country="IR", ratings_per_unit=1)
        launch_study(study=draft_study, by=researcher)
        draft_study.refresh_from_db()
        person = somebody(draft_study, country="IR")
        rate_all(draft_study, person)
        assert [a.unit.key for a in person.assignments.all()] == ["ir-1"]

    def test_making_places_twice_makes_none_twice(self, live_study):
        panel = live_study.panels.get()
        ensure_places(panel=panel)
        ensure_places(panel=panel)
        assert Place.objects.filter(panel=panel).count() == 18


@pytest.mark.django_db
class TestAbandonedWork:
    def test_goes_to_somebody_else_when_its_lease_ends(self, live_study):
        leaver = somebody(live_study)
        left = claim_next_unit(participation=leaver)
        expire_leases()
        assert reopen_expired(panel=live_study.panels.get()) == 1
        others = [somebody(live_study) for _ in range(3)]
        for person in others:
            rate_all(live_study, person)
        assert Place.objects.filter(unit=left.unit, state=DONE).count() == 3

    def test_does_not_come_back_before_its_lease_ends(self, live_study):
        claim_next_unit(participation=somebody(live_study))
        assert reopen_expired(panel=live_study.panels.get()) == 0
        assert Place.objects.filter(state=LEASED).count() == 1

    def test_a_late_answer_counts_while_its_place_is_free(self, live_study):
        person = somebody(live_study)
        assignment = claim_next_unit(participation=person)
        expire_leases()
        reopen_expired(panel=live_study.panels.get())
        assert send(live_study, assignment).counted is True
        assert Place.objects.filter(unit=assignment.unit, holder=person, state=DONE).count() == 1

    def test_a_late_answer_is_kept_as_surplus_when_others_filled_the_unit(self, live_study):
        late = somebody(live_study)
        assignment = claim_next_unit(participation=late)
        expire_leases()
        for _ in range(3):
            rate_all(live_study, somebody(live_study))
        submission = send(live_study, assignment)
        assignment.refresh_from_db()
        assert submission.counted is False
        assert assignment.counted is False
        assert assignment.ratings.count() == 3
        assert Place.objects.filter(unit=assignment.unit, state=DONE).count() == 3

    def test_withdrawing_gives_the_unsent_unit_back_and_keeps_the_sent_ones(self, live_study):
        person = somebody(live_study)
        send(live_study, claim_next_unit(participation=person))
        claim_next_unit(participation=person)
        entry.withdraw(participation=person)
        assert Place.objects.filter(state=LEASED).count() == 0
        assert Place.objects.filter(state=DONE, holder=person).count() == 1
        assert claim_next_unit(participation=person) is None

    def test_skipping_gives_the_unit_back_and_counts_as_a_screen(self, live_study):
        person = somebody(live_study)
        skipped = claim_next_unit(participation=person)
        skip_unit(assignment=skipped, reason="black")
        following = claim_next_unit(participation=person)
        assert (following.n, following.unit != skipped.unit) == (2, True)
        assert Place.objects.filter(unit=skipped.unit, state=OPEN).count() == 3


@pytest.mark.django_db
class TestTheDatabaseRefuses:
    def test_two_places_of_one_unit_held_by_one_person(self, live_study):
        person = somebody(live_study)
        unit = claim_next_unit(participation=person).unit
        other = Place.objects.filter(unit=unit, state=OPEN).first()
        other.state, other.holder = DONE, person
        with pytest.raises(IntegrityError), transaction.atomic():
            other.save()

    def test_a_second_rating_of_one_question(self, live_study):
        assignment = claim_next_unit(participation=somebody(live_study))
        send(live_study, assignment)
        rating = assignment.ratings.first()
        rating.pk = None
        with pytest.raises(IntegrityError), transaction.atomic():
            rating.save(force_insert=True)

    def test_a_place_in_use_without_a_holder(self, live_study):
        claim_next_unit(participation=somebody(live_study))
        with pytest.raises(IntegrityError), transaction.atomic():
            Place.objects.filter(state=OPEN).update(state=DONE)


@pytest.mark.django_db
class TestSeats:
    def test_are_not_given_beyond_their_number(self, draft_study, researcher):
        draft_study.panels.update(seats=3)
        launch_study(study=draft_study, by=researcher)
        draft_study.refresh_from_db()
        people = [somebody(draft_study) for _ in range(4)]
        assert [person.state for person in people] == ["rating"] * 3 + ["out"]
        assert people[3].outcome == "full"


# ---- races, with real concurrent connections


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
class TestRaces:
    def test_fifty_people_on_one_unit_give_exactly_three_ratings(self, draft_study, researcher):
        for unit in draft_study.units.all()[1:]:
            unit.delete()
        launch_study(study=draft_study, by=researcher)
        draft_study.refresh_from_db()
        people = [somebody(draft_study) for _ in range(50)]
        sent = in_threads(50, lambda i: rate_all(draft_study, people[i]))
        assert sum(sent) == 3
        assert Place.objects.filter(state=DONE).count() == 3
        assert Assignment.objects.filter(counted=True).count() == 3

    def test_people_who_rate_side_by_side_fill_every_unit_exactly(self, live_study):
        people = [somebody(live_study) for _ in range(9)]
        in_threads(9, lambda i: rate_all(live_study, people[i]))
        counts = Counter(Place.objects.filter(state=DONE).values_list("unit", flat=True))
        assert counts == dict.fromkeys(live_study.units.values_list("pk", flat=True), 3)
        counted = Assignment.objects.filter(counted=True)
        per_unit = Counter(counted.values_list("unit", flat=True))
        assert set(per_unit.values()) == {3}
        raters = set(counted.values_list("unit", "participation"))
        assert len(raters) == counted.count() == 18

    def test_screens_sent_together_with_the_next_one_fill_every_unit_exactly(self, live_study):
        """As browsers do it; a second post of each screen comes beside the first."""
        people = [somebody(live_study) for _ in range(8)]

        def work(i):
            person = people[i // 2]
            while (screen := claim_next_unit(participation=person)) is not None:
                while screen is not None:
                    _, screen = submit_and_serve(
                        assignment=screen,
                        key=screen.key,
                        answers=answers(live_study, screen),
                        check=check_of(design(live_study), screen),
                    )

        in_threads(8, work)
        counts = Counter(Place.objects.filter(state=DONE).values_list("unit", flat=True))
        assert counts == dict.fromkeys(live_study.units.values_list("pk", flat=True), 3)
        assert Assignment.objects.filter(counted=True).count() == 18
        per_screen = Assignment.objects.values_list("participation", "n")
        assert len(set(per_screen)) == Assignment.objects.count()
        assert not Place.objects.exclude(state=DONE).exists()

    def test_ten_parallel_posts_of_one_screen_make_one_submission(self, live_study):
        assignment = claim_next_unit(participation=somebody(live_study))
        results = in_threads(10, lambda i: send(live_study, assignment))
        assert sorted(result.repeated for result in results) == [False] + [True] * 9
        assert all(result.counted for result in results)
        assert assignment.ratings.count() == 3

    def test_two_tabs_are_served_one_screen(self, live_study):
        person = somebody(live_study)
        screens = in_threads(8, lambda i: claim_next_unit(participation=person).pk)
        assert len(set(screens)) == 1
        assert Place.objects.filter(state=LEASED).count() == 1

    def test_the_last_seat_is_given_once(self, draft_study, researcher):
        draft_study.panels.update(seats=3)
        launch_study(study=draft_study, by=researcher)
        draft_study.refresh_from_db()
        arrivals = [screened(draft_study) for _ in range(12)]
        seated = in_threads(12, lambda i: entry.start_rating(participation=arrivals[i]))
        assert sum(seated) == 3
        codes = Participation.objects.exclude(code="").values_list("code", flat=True)
        assert sorted(codes) == ["NP-01", "NP-02", "NP-03"]

    def test_late_and_new_people_together_never_overfill_a_unit(self, live_study):
        late = [somebody(live_study) for _ in range(4)]
        held = [claim_next_unit(participation=person) for person in late]
        expire_leases()
        fresh = [somebody(live_study) for _ in range(4)]

        def work(i):
            if i < 4:
                return send(live_study, held[i]).counted
            return rate_all(live_study, fresh[i - 4])

        in_threads(8, work)
        done = Counter(Place.objects.filter(state=DONE).values_list("unit", flat=True))
        counted = Counter(Assignment.objects.filter(counted=True).values_list("unit", flat=True))
        assert max(done.values()) <= 3
        assert counted == done
