"""What a status changes: places, answers that count, and what never changes back."""

from datetime import timedelta

import pytest

from annotation import entry
from annotation.arrivals import FromProlific, arrive_from_prolific
from annotation.assignment import claim_next_unit, release_place
from annotation.models import Assignment, Attempt, Identity, Participation, Place, Reconciliation
from annotation.monitor.page import monitor_of
from annotation.places import promote_surplus
from annotation.prolific.receiving import receive
from annotation.prolific.reconciling import rows_of
from annotation.prolific.statuses import Applied, Source, change_rules, known_attempt
from annotation.prolific.webhook import Event
from annotation.quality.exclusions import exclude
from annotation.ratings import Layer, exclusions_in_force, rating_counts
from studies.lifecycle import move_study
from tests.annotation.people import screened, send, somebody
from tests.prolific.conftest import NOON, attempt_of, came, finish, hear, rate

Work = Reconciliation.Work


def places(person, state):
    return Place.objects.filter(holder=person, state=state).count()


def counted(person, value):
    return person.assignments.filter(submitted_at__isnull=False, counted=value).count()


@pytest.mark.parametrize("status", ["RETURNED", "REJECTED"])
def test_work_taken_back_opens_all_its_places_at_once_and_keeps_its_answers(study, status):
    person = came(study)
    rate(study, person, 2)
    assert (places(person, "done"), places(person, "leased")) == (2, 1)
    assert hear(person, status) is Applied.APPLIED
    assert Place.objects.filter(holder=person).count() == 0
    assert counted(person, None) == 2
    assert rating_counts(study).ratings == 0
    assert sum(a.ratings.count() for a in person.assignments.all()) > 0


def test_a_time_out_gives_back_the_screen_in_hand_and_counts_what_was_sent(study):
    person = came(study)
    rate(study, person, 2)
    hear(person, "TIMED-OUT")
    assert (places(person, "done"), places(person, "leased")) == (2, 0)
    assert counted(person, True) == 2


def test_who_timed_out_and_still_sends_counts_where_the_place_is_still_open(study):
    person = came(study)
    screen = rate(study, person, 1)
    hear(person, "TIMED-OUT")
    assert send(study, screen).counted
    finish(study, person)
    assert person.state == Participation.State.COMPLETE
    assert counted(person, True) == 6


def test_who_timed_out_and_sends_after_others_filled_the_unit_is_kept_as_surplus(study):
    study.panels.update(ratings_per_unit=1)
    person = came(study)
    screen = claim_next_unit(participation=person)
    hear(person, "TIMED-OUT")
    finish(study, somebody(study))
    assert not send(study, screen).counted
    screen.refresh_from_db()
    assert screen.counted is False and screen.ratings.count() > 0


def test_who_returned_and_still_sends_is_kept_counted_for_nothing_and_led_to_the_end(study):
    person = came(study)
    screen = rate(study, person, 1)
    hear(person, "RETURNED")
    assert not send(study, screen).counted
    screen.refresh_from_db()
    assert screen.counted is None and screen.ratings.count() > 0
    assert claim_next_unit(participation=person) is None
    assert Place.objects.filter(holder=person).count() == 0


def test_an_answer_set_aside_fills_no_place_as_surplus(study):
    study.panels.update(ratings_per_unit=1)
    person = came(study)
    rate(study, person, 3)
    hear(person, "RETURNED")
    assert promote_surplus(panel=study.panels.get()) == 0
    assert counted(person, True) == 0


def test_a_surplus_answer_of_another_fills_the_place_that_was_taken_back(study):
    study.panels.update(ratings_per_unit=1)
    late = somebody(study)
    screen = claim_next_unit(participation=late)
    Place.objects.filter(holder=late).update(state="open", holder=None, leased_until=None)
    first = came(study)
    finish(study, first)
    assert not send(study, screen).counted
    hear(first, "RETURNED")
    screen.refresh_from_db()
    assert screen.counted is True
    assert Place.objects.get(unit=screen.unit).holder == late


def test_a_study_may_count_work_that_was_returned(study):
    change_rules(study=study, returned_work=Work.KEEP, rejected_work=Work.REOPEN)
    person = came(study)
    rate(study, person, 2)
    hear(person, "RETURNED")
    assert counted(person, True) == 2
    assert places(person, "leased") == 0


def test_changing_the_rules_changes_what_is_there(study):
    person = came(study)
    rate(study, person, 2)
    hear(person, "RETURNED")
    assert change_rules(study=study, returned_work=Work.KEEP, rejected_work=Work.REOPEN) == 1
    assert (counted(person, True), places(person, "done")) == (2, 2)
    change_rules(study=study, returned_work=Work.REOPEN, rejected_work=Work.REOPEN)
    assert (counted(person, None), places(person, "done")) == (2, 0)
    with pytest.raises(ValueError, match="not a valid"):
        change_rules(study=study, returned_work="burn", rejected_work=Work.KEEP)


def test_a_rejection_turned_into_an_approval_counts_again_where_room_is_left(study):
    study.panels.update(ratings_per_unit=1)
    person = came(study)
    finish(study, person)
    hear(person, "REJECTED")
    other = somebody(study)
    send(study, claim_next_unit(participation=other))
    hear(person, "APPROVED", minutes=1)
    assert (counted(person, True), counted(person, False)) == (5, 1)
    person.refresh_from_db()
    assert person.set_aside_at is None


def test_an_approval_is_never_taken_back(study):
    person = came(study)
    finish(study, person)
    hear(person, "APPROVED")
    for status in ("RETURNED", "REJECTED", "TIMED-OUT", "ACTIVE"):
        assert hear(person, status, minutes=9) is Applied.OLDER
    assert attempt_of(person).status == "APPROVED"
    assert counted(person, True) == 6


def test_older_news_never_overwrites_newer_in_whatever_order_they_come(study):
    person = came(study)
    hear(person, "AWAITING REVIEW", minutes=5)
    assert hear(person, "ACTIVE", minutes=1) is Applied.OLDER
    assert hear(person, "TIMED-OUT", minutes=3) is Applied.OLDER
    assert hear(person, "RETURNED", minutes=6) is Applied.APPLIED
    assert attempt_of(person).status == "RETURNED"


def test_older_news_may_fill_what_is_not_known_yet(study):
    person = came(study)
    hear(person, "AWAITING REVIEW", minutes=5)
    hear(person, "ACTIVE", minutes=1, entered_code="DONE42")
    assert attempt_of(person).entered_code == "DONE42"


def test_the_same_news_twice_changes_nothing(study):
    person = came(study)
    rate(study, person, 2)
    hear(person, "RETURNED")
    aside = Participation.objects.get(pk=person.pk).set_aside_at
    assert hear(person, "RETURNED", minutes=4) is Applied.KNOWN
    assert Participation.objects.get(pk=person.pk).set_aside_at == aside


def test_an_old_export_does_not_set_back_what_events_told(study):
    person = came(study)
    hear(person, "RETURNED", minutes=5)
    assert hear(person, "ACTIVE", minutes=60, source=Source.CSV) is Applied.OLDER
    assert hear(person, "TIMED-OUT", minutes=61, source=Source.CSV) is Applied.OLDER
    assert attempt_of(person).status == "RETURNED"


def test_an_export_tells_what_is_further_on(study):
    person = came(study)
    hear(person, "ACTIVE", minutes=5)
    assert hear(person, "AWAITING REVIEW", minutes=60, source=Source.CSV) is Applied.APPLIED
    # An event that was sent before the file was uploaded, and is further on than it.
    assert hear(person, "RETURNED", minutes=30) is Applied.APPLIED


def test_a_status_of_the_moment_is_passed_over(study):
    person = came(study)
    assert hear(person, "PROCESSING") is Applied.MEANINGLESS
    assert attempt_of(person).status == ""


def test_somebody_who_never_arrived_is_kept_for_the_comparison(study):
    attempt = known_attempt(study=study, submission_id="s9", participant_id="p9")
    assert hear(attempt, "ACTIVE") is Applied.APPLIED
    again = known_attempt(study=study, submission_id="s9", participant_id="p9")
    assert again.pk == attempt.pk and again.arrived_at is None
    assert Identity.objects.get(external_id="p9").participation is None
    assert known_attempt(study=study, submission_id="s10", participant_id="") is None


def test_who_was_known_before_they_arrived_is_the_same_person_then(study):
    hear(known_attempt(study=study, submission_id="s1", participant_id="p1"), "ACTIVE")
    person = came(study)
    assert Attempt.objects.count() == 1
    assert attempt_of(person).status == "ACTIVE"


def test_a_new_attempt_after_a_return_takes_up_the_work_again(study):
    person = came(study)
    rate(study, person, 2)
    hear(person, "RETURNED")
    anew = known_attempt(study=study, submission_id="s2", participant_id="p1")
    hear(anew, "ACTIVE", minutes=9)
    assert counted(person, True) == 2
    # Late news of the first attempt says nothing about the second.
    hear(Attempt.objects.get(session_id="s1"), "REJECTED", minutes=10)
    assert counted(person, True) == 2


def test_a_new_attempt_goes_on_where_the_return_had_ended_the_session(study):
    person = came(study)
    in_hand = rate(study, person, 2)
    hear(person, "RETURNED")
    send(study, in_hand)
    assert claim_next_unit(participation=person) is None
    person.refresh_from_db()
    assert (person.state, person.outcome) == ("out", "taken-back")
    anew = known_attempt(study=study, submission_id="s2", participant_id="p1")
    hear(anew, "ACTIVE", minutes=9)
    person.refresh_from_db()
    assert (person.state, person.outcome, person.finished_at) == ("rating", "", None)
    assert claim_next_unit(participation=person).n == 4


def test_who_had_finished_before_the_return_has_finished(study):
    person = came(study)
    finish(study, person)
    hear(person, "RETURNED")
    anew = known_attempt(study=study, submission_id="s2", participant_id="p1")
    hear(anew, "ACTIVE", minutes=9)
    person.refresh_from_db()
    assert person.state == "complete"


def test_the_seat_of_who_returned_is_the_next_persons_at_once(study):
    study.panels.update(seats=1)
    first = came(study)
    claim_next_unit(participation=first)
    assert screened(study).outcome == "full"
    hear(first, "RETURNED")
    assert entry.start_rating(participation=screened(study))


def test_a_pilots_work_that_is_returned_opens_its_places_and_counts_for_nothing(study):
    person = came(study)
    Participation.objects.filter(pk=person.pk).update(pilot=True)
    hear(person, "RETURNED")
    hear(person, "APPROVED", minutes=1)
    assert Assignment.objects.filter(counted=True).count() == 0


def test_who_has_withdrawn_and_returns_stays_withdrawn(study):
    person = came(study)
    rate(study, person, 2)
    entry.withdraw(participation=person)
    hear(person, "RETURNED")
    person.refresh_from_db()
    assert person.outcome == "withdrew"
    assert counted(person, None) == 2


def test_a_session_that_prolific_never_named_does_not_shield_work_from_a_return(study):
    person = came(study)
    rate(study, person, 2)
    Attempt.objects.create(
        identity=Identity.objects.get(),
        study=study,
        session_id="made-up",
        arrived_at=NOON + timedelta(days=400),
    )
    hear(Attempt.objects.get(session_id="s1"), "RETURNED")
    assert counted(person, None) == 2


@pytest.mark.parametrize("n", [0, 2])
def test_who_took_their_work_back_is_led_to_an_end_without_a_code(client, study, n):
    person = came(study)
    rate(study, person, n)
    release_place(assignment=person.assignments.get(submitted_at=None))
    person.assignments.filter(submitted_at=None).delete()
    hear(person, "RETURNED")
    text = client.get(f"/a/{person.token}/", follow=True).content.decode()
    assert "DONE42" not in text
    assert ("You have stopped. Your answers so far are kept." if n else "You have stopped.") in text
    assert 'href="https://app.prolific.com/"' in text
    assert "Please return" not in text


def test_who_had_finished_before_the_return_sees_their_code_still(client, study):
    person = came(study)
    finish(study, person)
    hear(person, "RETURNED")
    assert "DONE42" in client.get(f"/a/{person.token}/", follow=True).content.decode()


def test_who_took_their_work_back_and_sees_the_study_close_gets_no_code(client, study):
    person = came(study)
    rate(study, person, 2)
    hear(person, "RETURNED")
    move_study(study=study, move="close")
    text = client.get(f"/a/{person.token}/", follow=True).content.decode()
    assert "DONE42" not in text and "You have stopped." in text


def test_a_session_that_a_return_ended_is_no_mismatch_and_named_once(study):
    person = came(study)
    in_hand = rate(study, person, 1)
    hear(person, "RETURNED")
    send(study, in_hand)
    assert claim_next_unit(participation=person) is None
    (row,) = rows_of(study)
    assert row.mismatch is None
    left = {step.label: step.n for step in monitor_of(study).left}
    assert left == {"returned on Prolific": 1}


def test_an_event_that_came_before_its_person_is_applied_when_they_come(study):
    """Who begins anew after a return is heard of before their browser opens the link."""
    person = came(study)
    in_hand = rate(study, person, 2)
    hear(person, "RETURNED")
    send(study, in_hand)
    assert claim_next_unit(participation=person) is None
    word = Event("e2", "submission.status.change", "s2", "p1", "ACTIVE", NOON + timedelta(hours=1))
    assert receive(event=word).result == "unknown"
    link = FromProlific(pid="p1", study_id="st1", session_id="s2")
    again = arrive_from_prolific(study=study, came=link, known=None)
    assert (again.pk, again.state) == (person.pk, "rating")
    assert claim_next_unit(participation=again).n == 4


def test_work_that_was_excluded_and_returned_is_in_no_layer_until_it_is_approved(study):
    person = came(study)
    finish(study, person)
    finish(study, somebody(study))
    exclude(participation=person, reason="Answered at random.")
    before = [rating_counts(study, layer).ratings for layer in Layer]
    assert before == [12, 12, 6]
    hear(person, "RETURNED")
    assert [rating_counts(study, layer).ratings for layer in Layer] == [6, 6, 6]
    assert [row.ratings for row in exclusions_in_force(study)] == [0]
    hear(person, "APPROVED", minutes=2)
    assert [rating_counts(study, layer).ratings for layer in Layer] == before


def test_nobody_who_is_excluded_goes_on_by_a_new_attempt(study):
    """Their further answers would count, though all of theirs are left out."""
    person = came(study)
    in_hand = rate(study, person, 2)
    hear(person, "RETURNED")
    send(study, in_hand)
    assert claim_next_unit(participation=person) is None
    exclude(participation=person, reason="Answered at random.", reopen=False)
    anew = known_attempt(study=study, submission_id="s2", participant_id="p1")
    hear(anew, "ACTIVE", minutes=9)
    person.refresh_from_db()
    assert person.state == "out"
    assert not person.assignments.filter(excluded="").exists()


def test_who_returned_before_they_began_is_told_at_once_and_takes_nothing(client, study):
    link = FromProlific(pid="p1", study_id="st1", session_id="s1")
    person = arrive_from_prolific(study=study, came=link, known=None)
    hear(person, "RETURNED")
    text = client.get(f"/a/{person.token}/", follow=True).content.decode()
    assert "<h1>You have stopped.</h1>" in text and "DONE42" not in text
    anew = known_attempt(study=study, submission_id="s2", participant_id="p1")
    hear(anew, "ACTIVE", minutes=9)
    person.refresh_from_db()
    assert (person.state, person.outcome, person.set_aside_at) == ("arrived", "", None)


def test_who_returned_before_our_link_was_opened_is_told_when_it_is(client, study):
    hear(known_attempt(study=study, submission_id="s1", participant_id="p1"), "RETURNED")
    link = f"{study.entry_path}?PROLIFIC_PID=p1&STUDY_ID=st1&SESSION_ID=s1"
    text = client.get(link, follow=True).content.decode()
    assert "<h1>You have stopped.</h1>" in text
    assert Identity.objects.get().participation.taken_back


def test_another_visit_by_the_same_link_changes_nothing_of_who_is_at_work(study):
    person = came(study)
    rate(study, person, 2)
    hear(person, "ACTIVE")
    again = came(study)
    assert (again.pk, again.state, counted(again, True)) == (person.pk, "rating", 2)
