"""The places of a panel follow what is wanted: more or fewer ratings, more units, answers back."""

from collections import Counter

import pytest
from kombu.exceptions import OperationalError

from annotation.assignment import claim_next_unit
from annotation.models import Assignment, Place
from annotation.places import ensure_places, promote_surplus
from studies import tasks
from studies.lifecycle import launch_study
from studies.models import Panel
from tests.annotation.people import expire_leases, rate_all, screened, send, somebody
from tests.conftest import add_item

pytestmark = pytest.mark.django_db
DONE, OPEN = Place.State.DONE, Place.State.OPEN


def want(study, k: int) -> Panel:
    study.panels.update(ratings_per_unit=k)
    return study.panels.get()


def per_unit(**which) -> Counter:
    return Counter(Place.objects.filter(**which).values_list("unit", flat=True))


def test_nothing_is_looked_through_where_nothing_has_changed(
    live_study, django_assert_max_num_queries
):
    panel = live_study.panels.get()
    assert ensure_places(panel=panel) == 18
    with django_assert_max_num_queries(3):
        assert ensure_places(panel=panel) == 0


def test_ranks_serve_all_first_places_before_any_second(live_study):
    ensure_places(panel=live_study.panels.get())
    numbers = list(Place.objects.order_by("rank").values_list("number", flat=True))
    assert numbers == [1] * 6 + [2] * 6 + [3] * 6
    assert Place.objects.values("rank").distinct().count() == 18


def test_more_wanted_ratings_are_open_for_the_next_screen(live_study):
    for _ in range(3):
        rate_all(live_study, somebody(live_study))
    want(live_study, 4)
    assert rate_all(live_study, somebody(live_study)) == 6
    assert set(per_unit(state=DONE).values()) == {4}


def test_somebody_in_the_middle_gets_what_was_added(live_study):
    person = somebody(live_study)
    send(live_study, claim_next_unit(participation=person))
    want(live_study, 5)
    claim_next_unit(participation=person)
    assert set(per_unit().values()) == {5}


def test_fewer_wanted_ratings_take_open_places_away_at_once(live_study):
    first = somebody(live_study)
    rate_all(live_study, first)
    second = somebody(live_study)
    send(live_study, claim_next_unit(participation=second))
    want(live_study, 1)
    assert claim_next_unit(participation=second) is None
    assert per_unit(state=OPEN) == {}
    assert Place.objects.filter(state=DONE).count() == 7


def test_what_was_given_stays_and_is_made_use_of_when_more_is_wanted_again(live_study):
    for _ in range(2):
        rate_all(live_study, somebody(live_study))
    ensure_places(panel=want(live_study, 1))
    assert set(per_unit().values()) == {2}
    ensure_places(panel=want(live_study, 3))
    assert set(per_unit().values()) == {3}
    assert rate_all(live_study, somebody(live_study)) == 6
    assert set(per_unit(state=DONE).values()) == {3}


def test_who_is_at_work_on_a_unit_that_is_full_now_gives_a_surplus_answer(live_study):
    rate_all(live_study, somebody(live_study))
    late = somebody(live_study)
    held = claim_next_unit(participation=late)
    ensure_places(panel=want(live_study, 1))
    assert send(live_study, held).counted is False
    assert set(per_unit(state=DONE).values()) == {1}


def test_a_place_that_others_left_is_not_served_beyond_k(live_study):
    """Numbers have gaps then: what counts is how many places a unit has."""
    person = somebody(live_study)
    unit = claim_next_unit(participation=person).unit
    Place.objects.filter(unit=unit).exclude(holder=person).filter(number=2).update(number=9)
    ensure_places(panel=want(live_study, 2))
    assert per_unit()[unit.pk] == 2
    assert Place.objects.filter(unit=unit, holder=person).exists()


def test_new_units_are_open_to_those_who_would_be_sent_home(live_study):
    person = somebody(live_study)
    others = [screened(live_study) for _ in range(3)]
    for _ in range(5):
        send(live_study, claim_next_unit(participation=person))
    last = live_study.units.exclude(assignments__participation=person).get()
    for number, other in enumerate(others, 1):
        Place.objects.filter(unit=last, number=number).update(state=DONE, holder=other)
    add_item(live_study, "np-7")
    assert claim_next_unit(participation=person).unit.key == "np-7"


def test_a_new_panel_of_a_live_study_has_places_with_its_first_arrival(live_study):
    add_item(live_study, "ir-1", country="IR")
    Panel.objects.create(study=live_study, country="IR", ratings_per_unit=2)
    person = somebody(live_study, country="IR")
    assert rate_all(live_study, person) == 1
    assert Place.objects.filter(panel__country="IR").count() == 2


class TestSurplus:
    def surplus(self, study):
        """A unit with three counted answers and a late one."""
        late = somebody(study)
        held = claim_next_unit(participation=late)
        expire_leases()
        for _ in range(3):
            rate_all(study, somebody(study))
        assert send(study, held).counted is False
        held.refresh_from_db()
        return held

    def test_fills_the_place_of_an_answer_that_was_taken_away(self, live_study):
        held = self.surplus(live_study)
        place = Place.objects.filter(unit=held.unit, state=DONE).first()
        Assignment.objects.filter(unit=held.unit, participation=place.holder).update(counted=None)
        Place.objects.filter(pk=place.pk).update(state=OPEN, holder=None)
        assert promote_surplus(panel=live_study.panels.get()) == 1
        held.refresh_from_db()
        assert held.counted is True
        assert Place.objects.filter(unit=held.unit, state=DONE).count() == 3
        assert Assignment.objects.filter(unit=held.unit, counted=True).count() == 3

    def test_comes_first_where_more_ratings_are_wanted(self, live_study):
        held = self.surplus(live_study)
        assert ensure_places(panel=want(live_study, 4)) == 6
        held.refresh_from_db()
        assert held.counted is True
        assert Place.objects.filter(unit=held.unit, state=DONE).count() == 4
        assert rate_all(live_study, somebody(live_study)) == 5, "nobody is asked what is there"
        assert set(per_unit(state=DONE).values()) == {4}

    def test_stays_surplus_where_nothing_is_open(self, live_study):
        held = self.surplus(live_study)
        assert promote_surplus(panel=live_study.panels.get()) == 0
        held.refresh_from_db()
        assert held.counted is False

    def test_counts_once_on_a_unit(self, live_study):
        held = self.surplus(live_study)
        Place.objects.filter(unit=held.unit, state=DONE)[:1].get().delete()
        Place.objects.filter(unit=held.unit).update(holder=None, state=OPEN)
        promote_surplus(panel=live_study.panels.get())
        promote_surplus(panel=live_study.panels.get())
        assert Place.objects.filter(unit=held.unit, holder=held.participation).count() == 1


def test_fewer_wanted_ratings_hold_for_who_is_just_sending(live_study):
    """Nobody was served between the change and the answer."""
    rate_all(live_study, somebody(live_study))
    late = somebody(live_study)
    held = claim_next_unit(participation=late)
    want(live_study, 1)
    assert send(live_study, held).counted is False
    assert set(per_unit(state=DONE).values()) == {1}
    assert set(per_unit().values()) == {1}


class TestAtLaunch:
    def launch(self, study, researcher, capture, monkeypatch, send_off):
        monkeypatch.setattr(tasks.open_to_annotators, "delay", send_off)
        with capture(execute=True):
            launch_study(study=study, by=researcher)

    def test_a_worker_makes_the_places(
        self, draft_study, researcher, django_capture_on_commit_callbacks, monkeypatch
    ):
        capture, at_once = django_capture_on_commit_callbacks, tasks.open_to_annotators
        self.launch(draft_study, researcher, capture, monkeypatch, lambda pk: at_once(pk))
        assert set(per_unit().values()) == {3}
        draft_study.refresh_from_db()
        assert rate_all(draft_study, somebody(draft_study)) == 6

    def test_without_a_broker_the_first_arrival_does(
        self, draft_study, researcher, django_capture_on_commit_callbacks, monkeypatch
    ):
        def no_broker(pk):
            raise OperationalError("no broker")

        capture = django_capture_on_commit_callbacks
        self.launch(draft_study, researcher, capture, monkeypatch, no_broker)
        draft_study.refresh_from_db()
        assert (draft_study.state, Place.objects.count()) == ("live", 0)
        assert rate_all(draft_study, somebody(draft_study)) == 6
