"""Planned repeats: a unit again, some screens later, never counted and never in the way."""

import pytest

from annotation import ratings
from annotation.assignment import claim_next_unit
from annotation.entry import withdraw
from annotation.models import Assignment, Participation, Place
from annotation.monitor.counts import collection
from annotation.responding import save_draft, skip_unit
from studies.designs import check_positions, possible_repeats, repeat_positions
from studies.lifecycle import launch_study
from tests.annotation.people import form, rate_all, send, somebody

DONE, LEASED = Place.State.DONE, Place.State.LEASED


@pytest.fixture
def launched(draft_study, researcher):
    """Six units, two of them repeated with two screens between."""

    def launch(**settings):
        for name, value in ({"repeats": 2, "repeat_gap": 2} | settings).items():
            setattr(draft_study, name, value)
        draft_study.save()
        launch_study(study=draft_study, by=researcher)
        draft_study.refresh_from_db()
        return draft_study

    return launch


def repeats_of(person: Participation):
    return list(person.assignments.exclude(repeat_of=None).order_by("n"))


@pytest.mark.django_db
class TestInASession:
    def test_come_once_each_with_the_gap_between(self, launched):
        study = launched()
        for _ in range(3):
            person = somebody(study)
            assert (person.n_units, person.n_repeats) == (8, 2)
            assert rate_all(study, person) == 8
            shown = repeats_of(person)
            assert len({row.repeat_of_id for row in shown}) == 2
            for row in shown:
                assert row.unit_id == row.repeat_of.unit_id
                assert row.n > row.repeat_of.n + 2

    def test_take_no_place_and_are_not_counted(self, launched):
        study = launched()
        person = somebody(study)
        rate_all(study, person)
        assert {row.counted for row in repeats_of(person)} == {None}
        assert Place.objects.filter(holder=person, state=DONE).count() == 6
        assert ratings.rating_counts(study).ratings == 6
        assert ratings.rating_counts(study).surplus == 0
        assert collection(study).surplus == 0

    def test_leave_every_unit_with_exactly_k(self, launched):
        study = launched()
        for _ in range(3):
            rate_all(study, somebody(study))
        assert Place.objects.filter(state=DONE).count() == 18
        assert Assignment.objects.filter(counted=True).count() == 18
        assert Assignment.objects.exclude(repeat_of=None).count() == 6

    def test_are_counted_in_the_progress_a_person_sees(self, launched, client):
        study = launched()
        person = somebody(study)
        page = client.get(f"/a/{person.token}/now/", follow=True).content.decode()
        assert "1 of 8" in page

    def test_lease_nothing_while_they_are_rated(self, launched):
        study = launched()
        person = somebody(study)
        while not (screen := claim_next_unit(participation=person)).is_repeat:
            send(study, screen)
        assert claim_next_unit(participation=person) == screen
        assert save_draft(assignment=screen, counter=1, fields={"q_1": "3"})
        assert not Place.objects.filter(holder=person, state=LEASED).exists()
        withdraw(participation=person)
        assert not Place.objects.filter(unit=screen.unit, state=LEASED).exists()

    def test_a_repeat_that_is_skipped_gives_nothing_back(self, launched):
        study = launched()
        person = somebody(study)
        while not (screen := claim_next_unit(participation=person)).is_repeat:
            send(study, screen)
        before = Place.objects.filter(state=DONE).count()
        skip_unit(assignment=screen, reason="black")
        assert Place.objects.filter(state=DONE).count() == before

    def test_are_sent_by_form_like_any_other(self, launched, client):
        study = launched()
        person = somebody(study)
        while (screen := claim_next_unit(participation=person)) is not None:
            url = f"/a/{person.token}/{screen.n}/"
            response = client.post(url, form(study, screen), headers={"HX-Request": "true"})
            assert response.status_code == 200
        assert len(repeats_of(person)) == 2


@pytest.mark.django_db
class TestWhenThingsGoOtherwise:
    def test_what_was_skipped_is_not_repeated(self, launched):
        study = launched(repeats=1, repeat_gap=5)
        person = somebody(study)
        skip_unit(assignment=claim_next_unit(participation=person), reason="black")
        rate_all(study, person)
        # Only the first of six is far enough from the seventh screen, and it was skipped.
        assert repeats_of(person) == []
        assert person.assignments.count() == 6
        person.refresh_from_db()
        assert (person.state, person.pool_ran_dry) == ("complete", False)

    def test_a_dry_pool_ends_with_the_repeats_that_are_possible(self, launched):
        study = launched()
        last = somebody(study)
        for _ in range(4):
            send(study, claim_next_unit(participation=last))
        for row in Place.objects.filter(state="open"):
            row.delete()
        rate_all(study, last)
        last.refresh_from_db()
        assert last.pool_ran_dry
        assert 1 <= len(repeats_of(last)) <= 2
        assert all(row.n > row.repeat_of.n + 2 for row in repeats_of(last))

    def test_a_session_that_is_too_short_has_none(self, launched):
        study = launched(repeat_gap=6)
        person = somebody(study)
        assert (person.n_units, person.n_repeats) == (6, 0)
        assert rate_all(study, person) == 6

    def test_checks_stand_on_other_screens(self, launched):
        study = launched()
        for _ in range(6):
            person = somebody(study)
            if person.state != "rating":
                break
            while (screen := claim_next_unit(participation=person)) is not None:
                assert not (screen.is_repeat and screen.attention_check_id)
                send(study, screen)
            assert person.assignments.exclude(attention_check=None).count() == 1

    def test_a_shuffled_set_is_shuffled_anew(self, triplet_study, researcher):
        triplet_study.repeats, triplet_study.repeat_gap = 1, 1
        triplet_study.save()
        launch_study(study=triplet_study, by=researcher, note="As published.")
        triplet_study.refresh_from_db()
        differ = 0
        for seed in range(4):
            person = somebody(triplet_study)
            if person.state != "rating":
                break
            Participation.objects.filter(pk=person.pk).update(seed=seed)
            while (screen := claim_next_unit(participation=person)) is not None:
                if screen.is_repeat:
                    assert sorted(screen.item_order) == sorted(screen.repeat_of.item_order)
                    differ += screen.item_order != screen.repeat_of.item_order
                Assignment.objects.filter(pk=screen.pk).update(submitted_at=screen.served_at)
                Place.objects.filter(holder=person, state=LEASED).update(state=DONE)
        assert differ > 0


class TestThePlan:
    @pytest.mark.parametrize("n_units", [1, 4, 6, 7, 12, 40])
    @pytest.mark.parametrize("gap", [1, 3, 5])
    @pytest.mark.parametrize("wanted", [0, 1, 3, 50])
    def test_always_has_a_unit_to_repeat(self, n_units, gap, wanted):
        n = possible_repeats(n_units=n_units, n_repeats=wanted, gap=gap)
        for seed in range(10):
            plan = repeat_positions(n_units=n_units, n_repeats=n, gap=gap, seed=seed)
            assert plan == sorted(set(plan))
            assert len(plan) == n
            shown: list[int] = []
            for position in range(1, n_units + n + 1):
                if position not in plan:
                    shown.append(position)
                    continue
                early = [other for other in shown if other + gap < position]
                assert early
                shown.remove(early[-1])

    def test_is_spread(self):
        plan = repeat_positions(n_units=40, n_repeats=4, gap=5, seed=1)
        assert plan[0] < 20
        assert plan[-1] > 30

    def test_keeps_checks_away_where_it_can(self):
        for seed in range(30):
            repeats = repeat_positions(n_units=12, n_repeats=3, gap=3, seed=seed)
            checks = check_positions(n_units=15, n_checks=2, seed=seed, avoid=repeats)
            assert not set(checks) & set(repeats)
            assert len(checks) == 2

    def test_puts_a_check_on_a_repeat_rather_than_nowhere(self):
        assert check_positions(n_units=3, n_checks=1, seed=1, avoid=[2]) == [2]
