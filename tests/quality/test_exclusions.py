"""Answers left out of results: a layer that can be lifted; others fill their places meanwhile."""

from __future__ import annotations

import pytest
from django.db import transaction

from annotation.assignment import claim_next_unit, lock_person
from annotation.models import Assignment, Exclusion, Flag, Participation, Place, Rating
from annotation.places import ensure_places
from annotation.quality.exclusions import (
    AlreadyExcluded,
    NotExcluded,
    ReasonMissing,
    active_exclusions,
    exclude,
    lift,
)
from annotation.ratings import Layer, counted_ratings, left_out_mark, rating_rows, rating_table
from annotation.setting_aside import set_aside, take_back
from studies.models import QualityRule, Study
from tests.annotation.people import expire_leases, rate_all, send, somebody
from tests.annotation.threads import in_threads

pytestmark = pytest.mark.django_db


def finish(study: Study, person: Participation) -> Participation:
    rate_all(study, person)
    return person


def claim(person: Participation) -> Assignment | None:
    return claim_next_unit(participation=person)


def n_of(study: Study, layer: Layer = Layer.AFTER_ALL) -> int:
    return counted_ratings(study, layer).values("assignment").distinct().count()


def counted_a_unit(study: Study) -> set[int]:
    """How many counted answers that results show each unit has."""
    shown = Assignment.objects.filter(participation__study=study, counted=True, excluded="")
    return {shown.filter(unit=unit).count() for unit in study.units.all()}


@pytest.fixture
def full(live_study) -> list[Participation]:
    """Three people have rated all six units: every place is done."""
    return [finish(live_study, somebody(live_study)) for _ in range(3)]


def test_who_is_excluded_shows_only_in_results_without_exclusions(live_study, full, colleague):
    assert n_of(live_study) == 18
    exclude(participation=full[0], reason="Sent the same text everywhere.", by=colleague)
    assert n_of(live_study) == 12
    assert n_of(live_study, Layer.AFTER_RULES) == 18
    assert n_of(live_study, Layer.ALL) == 18
    assert {row.excluded for row in rating_rows(live_study)} == {""}
    left_out = [row for row in rating_rows(live_study, Layer.ALL) if row.excluded]
    assert {(row.rater, row.excluded) for row in left_out} == {(full[0].code, "person")}
    assert len(rating_table(live_study, Layer.ALL).raters) == 3
    assert len(rating_table(live_study).raters) == 2


def test_nothing_is_deleted_and_the_places_are_open_again(live_study, full):
    before = Rating.objects.count()
    exclude(participation=full[0], reason="Too fast.")
    assert Rating.objects.count() == before
    assert Place.objects.filter(state=Place.State.OPEN).count() == 6
    fourth = finish(live_study, somebody(live_study))
    assert fourth.assignments.filter(counted=True).count() == 6
    assert counted_a_unit(live_study) == {3}
    assert n_of(live_study, Layer.ALL) == 24, "without exclusions the excluded one is there as well"


def test_lifted_the_answers_count_where_units_lack_some(live_study, full, colleague):
    exclusion = exclude(participation=full[0], reason="Too fast.")
    fourth = somebody(live_study)
    send(live_study, claim(fourth))
    lift(exclusion=exclusion, by=colleague, reason="They explained it.")
    assert n_of(live_study) == 18
    assert full[0].assignments.filter(counted=True).count() == 5
    assert full[0].assignments.filter(counted=False).count() == 1, "its unit was filled: surplus"
    assert counted_a_unit(live_study) == {3}
    exclusion.refresh_from_db()
    assert (exclusion.lifted_by, exclusion.lift_reason) == (colleague, "They explained it.")
    assert not full[0].assignments.exclude(excluded="").exists()
    assert not full[0].assignments.filter(set_aside=True).exists()
    assert not active_exclusions(live_study).exists()


def test_with_its_places_kept_nobody_is_asked_anew(live_study, full):
    exclusion = exclude(participation=full[0], reason="Late.", reopen=False)
    assert not exclusion.reopened
    assert not Place.objects.filter(state=Place.State.OPEN).exists()
    assert (n_of(live_study), n_of(live_study, Layer.ALL)) == (12, 18)
    lift(exclusion=exclusion, by=None, reason="In time after all.")
    assert n_of(live_study) == 18


def test_a_rule_leaves_out_before_a_person_does(live_study, full):
    exclude(participation=full[0], reason="2 of 2 checks failed.", rule="checks")
    exclude(participation=full[1], reason="Wrote to us that they guessed.")
    assert n_of(live_study, Layer.ALL) == 18
    assert n_of(live_study, Layer.AFTER_RULES) == 12
    assert n_of(live_study, Layer.AFTER_ALL) == 6


def test_one_screen_can_be_left_out(live_study, full):
    screen = full[0].assignments.get(n=2)
    exclusion = exclude(participation=full[0], assignment=screen, reason="A slip.")
    assert n_of(live_study) == 17
    assert list(Place.objects.filter(state=Place.State.OPEN).values_list("unit", flat=True)) == [
        screen.unit_id
    ]
    lift(exclusion=exclusion, by=None, reason="No slip.")
    assert n_of(live_study) == 18
    assert not Place.objects.filter(state=Place.State.OPEN).exists()


def test_a_screen_stays_out_when_its_person_is_taken_in_again(live_study, full):
    screen = full[0].assignments.get(n=2)
    exclude(participation=full[0], assignment=screen, reason="A slip.")
    whole = exclude(participation=full[0], reason="Too fast.")
    assert n_of(live_study) == 12
    lift(exclusion=whole, by=None, reason="Fast, but good.")
    assert n_of(live_study) == 17
    screen.refresh_from_db()
    assert (screen.counted, screen.excluded) == (None, "person")


def test_a_person_lifted_while_a_screen_is_lifted_first(live_study, full):
    screen = full[0].assignments.get(n=2)
    single = exclude(participation=full[0], assignment=screen, reason="A slip.")
    whole = exclude(participation=full[0], reason="Too fast.")
    lift(exclusion=single, by=None, reason="No slip.")
    assert n_of(live_study) == 12, "the person is still out"
    lift(exclusion=whole, by=None, reason="Fast, but good.")
    assert n_of(live_study) == 18


def test_excluded_answers_are_not_counted_when_more_are_wanted(live_study, full):
    exclude(participation=full[0], reason="Too fast.")
    panel = live_study.panels.get()
    panel.ratings_per_unit = 4
    panel.save()
    ensure_places(panel=panel)
    assert not full[0].assignments.filter(counted=True).exists()
    assert n_of(live_study) == 12


def test_surplus_answers_fill_the_places_first(live_study, full):
    exclusion = exclude(participation=full[0], reason="Too fast.")
    late = somebody(live_study)
    screen = claim(late)
    lift(exclusion=exclusion, by=None, reason="Fast, but good.")
    # Their lease stands; while it does, one of the answers taken in again is surplus.
    assert full[0].assignments.filter(counted=False).count() == 1
    expire_leases()
    exclude(participation=full[1], reason="Too fast.")
    assert full[0].assignments.filter(counted=True).count() == 6
    assert screen.unit_id in full[0].assignments.values_list("unit", flat=True)


def test_who_is_still_rating_finishes_the_screen_in_hand_and_gets_no_more(live_study):
    person = somebody(live_study)
    send(live_study, claim(person))
    in_hand = claim(person)
    exclusion = exclude(participation=person, reason="Two checks failed.", reopen=False)
    assert exclusion.reopened, "places they would fill are wanted"
    send(live_study, in_hand)
    assert claim(person) is None
    person.refresh_from_db()
    assert person.state == Participation.State.COMPLETE, "they see their code and are paid"
    assert not person.assignments.filter(counted=True).exists()


def test_twice_is_refused_and_a_reason_is_wanted(live_study, full):
    with pytest.raises(ReasonMissing):
        exclude(participation=full[0], reason="  ")
    exclusion = exclude(participation=full[0], reason="Too fast.")
    with pytest.raises(AlreadyExcluded, match=full[0].code):
        exclude(participation=full[0], reason="Too fast.")
    with pytest.raises(ReasonMissing):
        lift(exclusion=exclusion, by=None, reason="")
    lift(exclusion=exclusion, by=None, reason="A mistake.")
    with pytest.raises(NotExcluded):
        lift(exclusion=exclusion, by=None, reason="A mistake.")
    with pytest.raises(ValueError, match="another person"):
        exclude(participation=full[0], assignment=full[1].assignments.first(), reason="x")
    assert Exclusion.objects.count() == 1


def test_what_prolific_took_back_stays_aside_after_a_lift(live_study, full):
    Participation.objects.filter(pk=full[0].pk).update(taken_back=True)
    exclusion = exclude(participation=full[0], reason="Too fast.")
    lift(exclusion=exclusion, by=None, reason="Fast, but good.")
    assert n_of(live_study) == 12
    assert n_of(live_study, Layer.ALL) == 12, "returned work is in no results at all"


def test_work_set_aside_and_taken_back_without_an_exclusion(live_study, full):
    with transaction.atomic():
        set_aside(person=lock_person(full[0].pk))
    assert n_of(live_study, Layer.ALL) == 12
    with transaction.atomic():
        take_back(person=lock_person(full[0].pk))
    assert n_of(live_study) == 18


def test_the_mark_of_the_data_moves_with_exclusions(live_study, full):
    marks = [left_out_mark(live_study)]
    exclusion = exclude(participation=full[0], reason="Late.", reopen=False)
    marks.append(left_out_mark(live_study))
    lift(exclusion=exclusion, by=None, reason="In time.")
    assert left_out_mark(live_study) == marks[0]
    QualityRule.objects.create(study=live_study, kind="fast", threshold=0.3)
    marks.append(left_out_mark(live_study))
    assert len({str(mark) for mark in marks}) == 3


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_an_exclusion_beside_submits_keeps_exactly_k(live_study):
    first = finish(live_study, somebody(live_study))
    others = [somebody(live_study) for _ in range(6)]

    def work(i: int) -> None:
        if i == len(others):
            exclude(participation=first, reason="Too fast.")
        else:
            rate_all(live_study, others[i])

    in_threads(len(others) + 1, work)
    # Where the exclusion came last, nobody was left for the places that it opened.
    for unit in live_study.units.all():
        counted = Assignment.objects.filter(unit=unit, counted=True, excluded="").count()
        waiting = Place.objects.filter(unit=unit, state=Place.State.OPEN).count()
        assert (counted in {2, 3}, counted + waiting) == (True, 3)
    rate_all(live_study, somebody(live_study))
    assert counted_a_unit(live_study) == {3}
    assert not Place.objects.exclude(state=Place.State.DONE).exists()
    assert Place.objects.filter(holder=first).count() == 0


def test_a_lift_turns_what_was_decided_against_the_answers(live_study, full, colleague):
    """Else the flags would say "excluded" of somebody whose answers count."""
    person = full[0]
    for kind, decision in (("fast", "excluded"), ("straight", ""), ("position", "kept")):
        Flag.objects.create(participation=person, kind=kind, sentence="So.", decision=decision)
    exclusion = exclude(participation=person, reason="Very fast.", by=colleague)
    lift(exclusion=exclusion, by=colleague, reason="They know the place well.")
    decisions = dict(person.flags.values_list("kind", "decision"))
    assert decisions == {"fast": "kept", "straight": "", "position": "kept"}
    assert person.flags.get(kind="fast").decided_by == colleague


@pytest.mark.parametrize("reopen", [True, False])
def test_excluded_lifted_and_excluded_again_leaves_out_the_same_once(
    live_study, full, colleague, reopen
):
    person = full[0]
    for _ in range(3):
        exclusion = exclude(participation=person, reason="No.", by=colleague, reopen=reopen)
        assert [n_of(live_study, layer) for layer in Layer] == [18, 18, 12]
        lift(exclusion=exclusion, by=colleague, reason="Yes.")
        assert [n_of(live_study, layer) for layer in Layer] == [18, 18, 18]
        assert Place.objects.filter(state="done").count() == 18
    assert person.exclusions.count() == 3
