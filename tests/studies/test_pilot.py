"""A pilot tries a study on a few people, and none of its answers ever counts."""

from __future__ import annotations

from collections import Counter

import pytest

from annotation import ratings
from annotation.assignment import claim_next_unit
from annotation.entry import start_rating
from annotation.growth import open_places
from annotation.models import Participation, Place, Rating
from annotation.monitor.counts import collection
from studies.design import frozen_design
from studies.lifecycle import (
    LaunchRefused,
    WrongState,
    delete_draft,
    launch_study,
    move_study,
    start_pilot,
)
from studies.models import Study, UnitProbe
from studies.refusals import EditRefused
from studies.revisions import revise
from tests.annotation.people import rate_all, screened, send, somebody
from tests.conftest import add_item

pytestmark = pytest.mark.django_db

DONE = Place.State.DONE


@pytest.fixture
def piloted(draft_study, researcher) -> Study:
    Study.objects.filter(pk=draft_study.pk).update(pilot_people=2)
    draft_study.refresh_from_db()
    start_pilot(study=draft_study, by=researcher)
    draft_study.refresh_from_db()
    return draft_study


def launched(study: Study) -> Study:
    launch_study(study=study, by=study.owner)
    study.refresh_from_db()
    return study


def test_a_pilot_freezes_revision_1_and_takes_arrivals(piloted):
    assert (piloted.state, piloted.revision, piloted.launched_at) == ("pilot", 1, None)
    assert piloted.in_pilot and piloted.takes_arrivals and piloted.takes_answers
    assert somebody(piloted).pilot


def test_a_pilot_is_stopped_by_what_stops_a_launch(draft_study, researcher):
    draft_study.questions.get(key="faithfulness").points.update(label="")
    with pytest.raises(LaunchRefused):
        start_pilot(study=draft_study, by=researcher)
    draft_study.refresh_from_db()
    assert draft_study.is_draft


def test_a_pilot_takes_no_more_people_than_it_wants(piloted):
    for _ in range(2):
        rate_all(piloted, somebody(piloted))
    third = somebody(piloted)
    assert (third.state, third.outcome) == ("out", Participation.Outcome.FULL)


def test_seats_of_a_panel_do_not_bind_a_pilot_nor_a_pilot_the_seats(piloted):
    piloted.panels.update(seats=3)
    for _ in range(2):
        rate_all(piloted, somebody(piloted))
    launched(piloted)
    people = [somebody(piloted) for _ in range(3)]
    assert [person.state for person in people] == ["rating"] * 3


def test_pilot_answers_never_mix_with_live_ones_and_live_gets_exactly_k(piloted):
    for _ in range(2):
        assert rate_all(piloted, somebody(piloted)) == 6
    assert ratings.counted_ratings(piloted).count() == 0
    during = collection(piloted)
    assert (during.pilot, during.done, during.wanted) == (True, 12, 12)
    launched(piloted)
    while (person := somebody(piloted)).state == Participation.State.RATING:
        rate_all(piloted, person)
    live = Place.objects.filter(panel__study=piloted, pilot=False, state=DONE)
    assert set(Counter(live.values_list("unit", flat=True)).values()) == {3}
    counted = ratings.counted_ratings(piloted)
    assert counted.count() == 6 * 3 * 3
    assert not counted.filter(assignment__participation__pilot=True).exists()
    assert Rating.objects.filter(assignment__participation__pilot=True).count() == 6 * 2 * 3
    assert collection(piloted).done == collection(piloted).wanted == 18
    assert collection(piloted).surplus == 0


def test_who_is_in_the_middle_at_the_launch_stays_in_the_pilot(piloted):
    person = somebody(piloted)
    send(piloted, claim_next_unit(participation=person))
    launched(piloted)
    assert rate_all(piloted, person) == 5
    assert ratings.counted_ratings(piloted).count() == 0
    assert not Place.objects.filter(pilot=False, state=DONE).exists()


def test_who_arrived_in_the_pilot_and_begins_after_the_launch_is_live(piloted):
    person = screened(piloted)
    piloted.questions.filter(key="faithfulness").update(text="How well?")
    launched(piloted)
    start_rating(participation=person)
    assert (person.pilot, person.revision) == (False, 2)
    rate_all(piloted, person)
    assert ratings.counted_ratings(piloted).count() == 6 * 3


def test_who_agreed_to_another_consent_keeps_the_design_they_agreed_to(piloted):
    person = screened(piloted)
    Study.objects.filter(pk=piloted.pk).update(consent_summary="Other terms.")
    launched(piloted)
    start_rating(participation=person)
    assert (person.pilot, person.revision) == (False, 1)


def test_what_a_study_gains_in_its_pilot_gets_places_of_the_pilot_only(piloted):
    rate_all(piloted, somebody(piloted))
    add_item(piloted, "np-7")
    assert open_places(study_id=piloted.pk) == 2
    assert not Place.objects.filter(pilot=False).exists()
    launched(piloted)
    assert open_places(study_id=piloted.pk) == 0
    somebody(piloted)
    assert Place.objects.filter(unit__key="np-7", pilot=False).count() == 3


def test_a_launch_after_an_unchanged_pilot_keeps_its_revision(piloted):
    launched(piloted)
    assert (piloted.state, piloted.revision, piloted.revisions.count()) == ("live", 1, 1)
    assert not piloted.in_pilot


def test_words_mended_in_a_pilot_are_the_next_revision_at_the_launch(piloted):
    piloted.questions.filter(key="faithfulness").update(text="How well does it fit?")
    launched(piloted)
    assert piloted.revision == 2
    texts = [frozen_design(piloted.pk, n).questions[0].text for n in (1, 2)]
    assert texts[0] != texts[1] == "How well does it fit?"


def test_words_can_be_mended_while_the_pilot_goes_on(piloted, researcher):
    first = somebody(piloted)
    piloted.questions.filter(key="faithfulness").update(help="Look twice.")
    revise(study=piloted, by=researcher, note="Two people asked.")
    second = somebody(piloted)
    assert (first.revision, second.revision, second.pilot) == (1, 2, True)


def test_a_scale_that_the_pilot_answered_cannot_become_another_at_the_launch(piloted):
    piloted.questions.get(key="faithfulness").points.filter(value=5).delete()
    with pytest.raises(EditRefused, match="the numbers of its scale cannot change"):
        launched(piloted)
    piloted.refresh_from_db()
    assert piloted.state == "pilot"


def test_a_paused_pilot_resumes_as_a_pilot_and_never_as_a_launch(piloted):
    for move, state in (
        ("pause", "paused"),
        ("resume", "pilot"),
        ("close", "closed"),
        ("reopen", "paused"),
        ("resume", "pilot"),
    ):
        move_study(study=piloted, move=move)
        piloted.refresh_from_db()
        assert piloted.state == state
    assert piloted.in_pilot


def test_a_paused_pilot_can_be_launched(piloted):
    move_study(study=piloted, move="pause")
    launched(piloted)
    assert piloted.state == "live"


def test_a_second_pilot_is_refused(piloted, researcher):
    with pytest.raises(WrongState, match="is pilot already"):
        start_pilot(study=piloted, by=researcher)


def test_a_piloted_study_is_not_deleted(piloted):
    with pytest.raises(WrongState, match="its data are kept"):
        delete_draft(study=piloted)


def test_the_probes_of_a_pilot_are_those_of_the_launch(triplet_study, researcher):
    start_pilot(study=triplet_study, by=researcher)
    before = list(UnitProbe.objects.values())
    triplet_study.refresh_from_db()
    launch_study(study=triplet_study, by=researcher, note="As published.")
    assert list(UnitProbe.objects.values()) == before != []
