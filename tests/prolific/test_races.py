"""Word from Prolific at the very moment when somebody sends, arrives, or clicks twice."""

import pytest

from annotation.assignment import claim_next_unit
from annotation.models import Assignment, Attempt, Identity, Participation, Place, ProlificAction
from annotation.models import ProlificEvent as Event
from annotation.prolific.actions import ActionRefused, perform
from annotation.prolific.receiving import receive
from annotation.prolific.statuses import known_attempt
from annotation.prolific.webhook import Event as Word
from tests.annotation.people import send, somebody
from tests.annotation.threads import in_threads
from tests.prolific.conftest import NOON, attempt_of, came, hear, rate

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]


def no_place_lies(study):
    """Exactly k: a done place is held by whoever has a counted answer, and by nobody else."""
    done = Place.objects.filter(state="done").values_list("unit", "holder")
    counted = Assignment.objects.filter(counted=True).values_list("unit", "participation")
    assert sorted(done) == sorted(counted)
    k = study.panels.get().ratings_per_unit
    for unit in study.units.all():
        assert Place.objects.filter(unit=unit).count() == k


@pytest.mark.parametrize("status", ["RETURNED", "REJECTED", "TIMED-OUT"])
def test_a_status_beside_a_submit_leaves_no_place_to_two_and_loses_no_answer(study, status):
    people = [came(study, f"p{i}", f"s{i}") for i in range(4)]
    screens = [rate(study, person, 1) for person in people]

    def work(i):
        person = people[i // 2]
        if i % 2:
            return hear(person, status)
        return send(study, screens[i // 2])

    in_threads(8, work)
    no_place_lies(study)
    for person, screen in zip(people, screens, strict=True):
        screen.refresh_from_db()
        assert screen.submitted_at is not None and screen.ratings.count() > 0
        person.refresh_from_db()
        if status == "TIMED-OUT":
            assert screen.counted is True and person.set_aside_at is None
        else:
            assert screen.counted is None and person.set_aside_at is not None
            assert not Place.objects.filter(holder=person).exists()


def test_who_takes_up_reopened_places_while_they_reopen_fills_each_once(study):
    study.panels.update(ratings_per_unit=1)
    gone = came(study)
    rate(study, gone, 5)
    other = somebody(study)

    def work(i):
        if i == 0:
            return hear(gone, "RETURNED")
        screen = claim_next_unit(participation=other)
        return send(study, screen) if screen is not None else None

    _, sent = in_threads(2, work)
    assert not gone.assignments.filter(counted=True).exists(), "returned work counts for nothing"
    assert sent is None or sent.counted, "a place that was leased is filled"
    no_place_lies(study)


def test_the_same_event_from_many_sides_is_stored_and_applied_once(study):
    person = came(study)
    rate(study, person, 2)
    word = Word("e1", "submission.status.change", "s1", "p1", "RETURNED", NOON)
    rows = in_threads(6, lambda _: receive(event=word).pk)
    assert len(set(rows)) == 1 and Event.objects.count() == 1
    assert attempt_of(person).status == "RETURNED"
    no_place_lies(study)


def test_news_in_every_order_at_once_ends_with_the_newest(study):
    person = came(study)
    rate(study, person, 2)
    told = [("ACTIVE", 1), ("AWAITING REVIEW", 3), ("TIMED-OUT", 2), ("APPROVED", 4)] * 2
    in_threads(8, lambda i: hear(person, told[i][0], minutes=told[i][1]))
    assert attempt_of(person).status == "APPROVED"
    assert person.assignments.filter(counted=True).count() == 2
    no_place_lies(study)


def test_somebody_arrives_while_their_submission_is_heard_of(study):
    def work(i):
        if i == 0:
            return came(study)
        attempt = known_attempt(study=study, submission_id="s1", participant_id="p1")
        return hear(attempt, "ACTIVE")

    in_threads(2, work)
    assert Identity.objects.count() == Attempt.objects.count() == Participation.objects.count() == 1
    attempt = Attempt.objects.get()
    assert attempt.status == "ACTIVE" and attempt.arrived_at is not None


def test_a_form_clicked_many_times_at_once_sends_once(prolific, study):
    person = came(study)
    prolific.add("s1", pid="p1", study="st1", status="AWAITING REVIEW")
    hear(person, "AWAITING REVIEW")
    attempt = attempt_of(person)
    in_threads(
        5, lambda _: perform(attempt=attempt, kind="message", text="Hi.", by=None, key="k" * 32)
    )
    assert len(prolific.messages) == 1 and ProlificAction.objects.count() == 1


def test_of_many_who_decide_at_once_one_does_and_the_others_read_it(prolific, study):
    person = came(study)
    prolific.add("s1", pid="p1", study="st1", status="AWAITING REVIEW")
    hear(person, "AWAITING REVIEW")
    attempt = attempt_of(person)

    def decide(i):
        key, words = f"{i}" * 32, "What happened, and what you can do about it. " * 3
        kind = ("ask-to-return", "approve")[i % 2]
        try:
            return perform(attempt=attempt, kind=kind, text=words, by=None, key=key, seen=0).kind
        except ActionRefused as refusal:
            return str(refusal)

    said = in_threads(6, decide)
    assert len(prolific.return_requests) + len(prolific.transitions) == 1
    assert sum("was faster" in words or "cannot be" in words for words in said) == 5
