"""What one person does in two tabs, late or twice, and what others do meanwhile."""

import threading
from datetime import timedelta

import pytest
from django.db import connection, transaction

from annotation import entry
from annotation.answers import Answers
from annotation.assignment import claim_next_unit, lock_person, reopen_expired
from annotation.models import Assignment, Participation, Place, Rating
from annotation.responding import (
    NoLongerChangeable,
    WrongKey,
    change_answers,
    finish_step,
    save_draft,
    skip_unit,
)
from annotation.setting_aside import set_aside
from studies.lifecycle import launch_study, move_study
from tests.annotation.people import design, expire_leases, rate_all, screened, send, somebody
from tests.annotation.threads import in_threads

DONE, OPEN, LEASED = Place.State.DONE, Place.State.OPEN, Place.State.LEASED


def session_of(study, researcher, n: int):
    study.units_per_session = n
    study.save()
    launch_study(study=study, by=researcher)
    study.refresh_from_db()


@pytest.mark.django_db
class TestLateOrTwice:
    def test_an_answer_that_comes_after_the_person_left_writes_nothing(self, live_study):
        person = somebody(live_study)
        assignment = claim_next_unit(participation=person)
        entry.withdraw(participation=person)
        assert send(live_study, assignment).repeated is True
        assert not Rating.objects.exists()
        assert Place.objects.filter(state=OPEN).count() == 18

    def test_a_skip_that_comes_after_the_person_left_changes_nothing(self, live_study):
        person = somebody(live_study)
        assignment = claim_next_unit(participation=person)
        entry.withdraw(participation=person)
        skip_unit(assignment=assignment, reason="black")
        assignment.refresh_from_db()
        assert assignment.skipped_at is None

    def test_a_screening_form_sent_again_from_an_old_tab_takes_nothing_back(self, live_study):
        person = entry.arrive(study=live_study)
        entry.record_consent(participation=person, agreed=True)
        old_tab = Participation.objects.get(pk=person.pk)
        country = {"nationality": "NP", "residence": "NP", "first_language": "ne"}
        entry.record_screening(participation=person, **country)
        entry.start_rating(participation=person)
        claim_next_unit(participation=person)
        entry.record_screening(participation=old_tab, **country | {"nationality": "PL"})
        person.refresh_from_db()
        assert (person.state, person.code, person.nationality) == ("rating", "NP-01", "NP")

    def test_a_refusal_from_an_old_tab_does_not_end_a_running_session(self, live_study):
        person = somebody(live_study)
        entry.record_consent(participation=person, agreed=False)
        assert person.state == "rating"

    def test_what_comes_after_answers_were_removed_is_refused_and_breaks_nothing(self, live_study):
        person = somebody(live_study)
        held = claim_next_unit(participation=person)
        entry.withdraw(participation=person, remove=True)
        assert send(live_study, held).repeated is True
        assert save_draft(assignment=held, counter=9, fields={"q": "late"}) is False
        skip_unit(assignment=held, reason="black")
        with pytest.raises(WrongKey):
            finish_step(assignment=held, key=held.key, next_tier=2, fields={})
        with pytest.raises(NoLongerChangeable):
            change_answers(assignment=held, key=held.key, answers=Answers(), check=None)
        assert not Rating.objects.exists()
        assert Place.objects.filter(state=OPEN).count() == 18

    def test_who_was_set_aside_keeps_no_place_by_typing_on(self, live_study):
        person = somebody(live_study)
        held = claim_next_unit(participation=person)
        with transaction.atomic():
            set_aside(person=lock_person(person.pk))
        assert save_draft(assignment=held, counter=1, fields={"q": "more"}) is True
        claim_next_unit(participation=person)
        assert not Place.objects.filter(holder=person).exists()
        assert Place.objects.filter(state=OPEN).count() == 18

    def test_no_screen_is_served_once_the_study_is_closed(self, live_study):
        person = somebody(live_study)
        move_study(study=live_study, move="close")
        assert claim_next_unit(participation=person) is None
        person.refresh_from_db()
        assert person.state == "rating"

    def test_a_person_whose_unit_others_filled_goes_on_with_the_next_one(self, live_study):
        late = somebody(live_study)
        held = claim_next_unit(participation=late)
        expire_leases()
        others = [somebody(live_study) for _ in range(3)]
        for person in others[:2]:
            rate_all(live_study, person)
        while (assignment := claim_next_unit(participation=others[2])) is not None:
            send(live_study, assignment)
            if assignment.unit_id == held.unit_id:
                break
        assert claim_next_unit(participation=late) == held
        assert not Place.objects.filter(holder=late).exists()
        assert send(live_study, held).counted is False
        following = claim_next_unit(participation=late)
        late.refresh_from_db()
        assert (following is None) == late.pool_ran_dry


@pytest.mark.django_db
class TestSkipping:
    def test_every_screen_ends_the_session_and_every_unit_is_back(self, live_study):
        person = somebody(live_study)
        while (assignment := claim_next_unit(participation=person)) is not None:
            skip_unit(assignment=assignment, reason="unwilling")
        person.refresh_from_db()
        assert (person.state, person.pool_ran_dry) == ("complete", False)
        assert person.assignments.count() == 6
        assert Place.objects.filter(state=OPEN, holder=None).count() == 18

    def test_the_screen_of_a_check_brings_the_check_to_the_next_one(self, live_study):
        person = somebody(live_study)
        while (assignment := claim_next_unit(participation=person)).attention_check_id is None:
            send(live_study, assignment)
        check = assignment.attention_check_id
        skip_unit(assignment=assignment, reason="black")
        following = claim_next_unit(participation=person)
        assert following.attention_check_id == (check if following.n < 6 else None)

    def test_a_check_that_was_answered_does_not_come_again(self, live_study):
        person = somebody(live_study)
        rate_all(live_study, person)
        assert person.assignments.exclude(attention_check=None).count() == 1


@pytest.mark.django_db
class TestSeatsOfPeopleWhoAreGone:
    def people(self, draft_study, researcher):
        draft_study.panels.update(seats=3)
        launch_study(study=draft_study, by=researcher)
        draft_study.refresh_from_db()
        return [somebody(draft_study) for _ in range(3)]

    def test_go_to_others_so_that_every_unit_gets_its_ratings(self, draft_study, researcher):
        gone, *others = self.people(draft_study, researcher)
        send(draft_study, claim_next_unit(participation=gone))
        claim_next_unit(participation=gone)
        for person in others:
            rate_all(draft_study, person)
        expire_leases()
        seen = gone.last_seen_at - timedelta(minutes=draft_study.lease_minutes, seconds=1)
        Participation.objects.filter(pk=gone.pk).update(last_seen_at=seen)
        assert rate_all(draft_study, somebody(draft_study)) == 5
        assert Place.objects.filter(state=DONE).count() == 18

    def test_are_free_at_once_when_they_withdrew(self, draft_study, researcher):
        entry.withdraw(participation=self.people(draft_study, researcher)[0])
        assert somebody(draft_study).code == "NP-04"

    def test_are_kept_while_they_are_at_work(self, draft_study, researcher):
        self.people(draft_study, researcher)
        assert somebody(draft_study).outcome == "full"

    def test_nobody_starts_where_every_place_is_being_rated(self, draft_study, researcher):
        for unit in draft_study.units.all()[1:]:
            unit.delete()
        launch_study(study=draft_study, by=researcher)
        draft_study.refresh_from_db()
        for _ in range(3):
            claim_next_unit(participation=somebody(draft_study))
        assert somebody(draft_study).outcome == "full"
        expire_leases()
        assert somebody(draft_study).state == "rating"


@pytest.mark.django_db
def test_a_draft_that_is_no_point_of_the_scale_does_not_break_the_screen(client, live_study):
    person = somebody(live_study)
    assignment = claim_next_unit(participation=person)
    likert = f"q_{design(live_study).questions[0].id}"
    url = f"/a/{person.token}/1/"
    for raw in ("--5", "9" * 5000, "٣"):
        fields = {likert: raw, "counter": "1", "q_999999": "x", "other": "y"}
        Assignment.objects.update(draft_counter=0)
        assert client.post(f"{url}draft/", fields).status_code == 204
        assignment.refresh_from_db()
        assert assignment.draft == {likert: raw}
        assert client.get(url).status_code == 200
        assert client.post(url, {likert: raw, "key": assignment.key}).status_code == 422


# ---- at the same moment


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
class TestAtTheSameMoment:
    def test_drafts_tabs_and_a_send_leave_one_consistent_screen(self, live_study):
        person = somebody(live_study)
        while (assignment := claim_next_unit(participation=person)) is not None:

            def act(i, screen=assignment):
                if i == 0:
                    return send(live_study, screen)
                if i < 4:
                    return claim_next_unit(participation=person)
                return save_draft(assignment=screen, counter=i, fields={"q_1": "3"})

            in_threads(7, act)
        assert person.assignments.count() == 6
        assert person.assignments.filter(counted=True).count() == 6
        assert Place.objects.filter(holder=person, state=DONE).count() == 6
        assert not Place.objects.filter(state=LEASED).exists()

    def test_drafts_and_a_skip_leave_no_lease_on_the_skipped_unit(self, live_study):
        person = somebody(live_study)
        while (assignment := claim_next_unit(participation=person)) is not None:

            def act(i, screen=assignment):
                if i == 0:
                    return skip_unit(assignment=screen, reason="black")
                return save_draft(assignment=screen, counter=i, fields={"q_1": "3"})

            in_threads(5, act)
            assert not Place.objects.filter(unit=assignment.unit, state=LEASED).exists()
        assert person.assignments.exclude(skipped_at=None).count() == 6

    def test_a_send_and_a_skip_are_never_both_taken(self, live_study):
        person = somebody(live_study)
        while (assignment := claim_next_unit(participation=person)) is not None:

            def act(i, screen=assignment):
                if i == 0:
                    return send(live_study, screen)
                return skip_unit(assignment=screen, reason="black")

            in_threads(2, act)
            assignment.refresh_from_db()
            sent = assignment.submitted_at is not None
            assert sent != (assignment.skipped_at is not None)
            assert assignment.ratings.exists() == sent
        held = Place.objects.filter(holder=person)
        assert held.count() == person.assignments.filter(counted=True).count()

    def test_leaving_and_sending_leave_no_lease_and_keep_what_was_taken(self, live_study):
        for _ in range(3):
            person = somebody(live_study)
            assignment = claim_next_unit(participation=person)

            def act(i, person=person, screen=assignment):
                if i == 0:
                    return entry.withdraw(participation=Participation.objects.get(pk=person.pk))
                if i == 1:
                    return send(live_study, screen)
                return save_draft(assignment=screen, counter=i, fields={})

            in_threads(4, act)
            person.refresh_from_db()
            assignment.refresh_from_db()
            assert person.state == "out"
            assert bool(assignment.counted) == Place.objects.filter(holder=person).exists()
            assert assignment.ratings.exists() == bool(assignment.counted)
        assert not Place.objects.filter(state=LEASED).exists()

    def test_a_lease_that_ends_while_the_answer_comes_is_counted_once(self, live_study):
        panel = live_study.panels.get()
        for _ in range(3):
            person = somebody(live_study)
            while (assignment := claim_next_unit(participation=person)) is not None:
                expire_leases(holder=person)

                def act(i, screen=assignment):
                    if i == 0:
                        return send(live_study, screen).counted
                    return reopen_expired(panel=panel)

                assert in_threads(3, act)[0] is True
        assert Place.objects.filter(state=DONE).count() == 18

    def test_nobody_is_sent_home_while_others_give_places_back(self, draft_study, researcher):
        """Who comes while all abandoned places are given back waits instead of finding none."""
        session_of(draft_study, researcher, 1)
        panel = draft_study.panels.get()
        waiting = somebody(draft_study)
        for _ in range(18):
            claim_next_unit(participation=somebody(draft_study))
        expire_leases()
        reopened = threading.Event()

        def act(i):
            if i == 0:
                with transaction.atomic():
                    n = reopen_expired(panel=panel)
                    reopened.set()
                    # Long enough for the other to look; the result does not hang on it.
                    threading.Event().wait(0.3)
                return n
            reopened.wait(10)
            return claim_next_unit(participation=waiting)

        n, assignment = in_threads(2, act)
        assert n == 18
        assert assignment is not None

    def test_places_are_made_once_by_people_who_start_together(self, live_study):
        people = [screened(live_study) for _ in range(8)]
        in_threads(8, lambda i: entry.start_rating(participation=people[i]))
        assert Place.objects.count() == 18
        codes = Participation.objects.values_list("code", flat=True)
        assert sorted(codes) == [f"NP-{i:02d}" for i in range(1, 9)]

    def test_the_claim_uses_the_index(self, live_study):
        """PostgreSQL may rightly scan a table this small; there the plan is forced."""
        person = somebody(live_study)
        with connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                cursor.execute("SET enable_seqscan = off; SET enable_sort = off")
            explain = "EXPLAIN" if connection.vendor == "postgresql" else "EXPLAIN QUERY PLAN"
            cursor.execute(
                f"{explain} SELECT p.id FROM annotation_place p "
                "WHERE p.panel_id = %s AND p.pilot = %s AND p.state = 'open' AND NOT EXISTS "
                "(SELECT 1 FROM annotation_assignment a WHERE a.participation_id = %s "
                "AND a.unit_id = p.unit_id) "
                "ORDER BY p.rank LIMIT 1",
                [person.panel_id, False, person.pk],
            )
            plan = " ".join(str(row) for row in cursor.fetchall())
            if connection.vendor == "postgresql":
                cursor.execute("RESET enable_seqscan; RESET enable_sort")
        assert "place_next" in plan
        assert "Sort" not in plan
        assert "TEMP B-TREE" not in plan

    def test_places_are_vacuumed_often_on_postgresql(self, live_study):
        if connection.vendor != "postgresql":
            pytest.skip("SQLite leaves no dead entries behind")
        with connection.cursor() as cursor:
            cursor.execute("SELECT reloptions FROM pg_class WHERE relname = 'annotation_place'")
            assert "autovacuum_vacuum_threshold=1000" in cursor.fetchone()[0]
