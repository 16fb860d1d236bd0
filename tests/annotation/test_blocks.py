"""Fixed sets of units: a session serves one, the least rated first; each unit gets exactly k."""

from collections import Counter

import pytest
from django.db import transaction

from annotation import entry
from annotation.assignment import claim_next_unit, lock_person
from annotation.models import Assignment, BlockSeat, Participation, Place
from annotation.setting_aside import set_aside
from studies.blocks import make_blocks
from studies.given_units import write_units
from studies.launch_checks import launch_checks
from studies.lifecycle import launch_study
from studies.models import Study
from tests.annotation.people import expire_leases, rate_all, screened, send, somebody
from tests.annotation.threads import in_threads
from tests.conftest import add_item


@pytest.fixture
def blocks(draft_study, researcher) -> Study:
    """Six units in two blocks of three, two ratings of each."""
    draft_study.policy = Study.Policy.BLOCKS
    draft_study.units_per_session = 3
    draft_study.save()
    draft_study.panels.update(ratings_per_unit=2)
    launch_study(study=draft_study, by=researcher)
    draft_study.refresh_from_db()
    return draft_study


def units_of(person) -> set[str]:
    return set(person.assignments.values_list("unit__key", flat=True))


def gone_home(person) -> None:
    """Left without a word, an hour ago."""
    expire_leases(holder=person)
    past = person.arrived_at.replace(year=person.arrived_at.year - 1)
    Participation.objects.filter(pk=person.pk).update(last_seen_at=past)


@pytest.mark.django_db
def test_the_rule_makes_blocks_no_larger_than_a_session_and_each_unit_is_in_one(blocks):
    sizes = Counter(blocks.units.values_list("block", flat=True))
    assert sorted(sizes) == ["NP-1", "NP-2"]
    assert set(sizes.values()) == {3}


@pytest.mark.django_db
def test_the_rule_is_seeded(blocks):
    before = dict(blocks.units.values_list("key", "block"))
    blocks.units.update(block="")
    make_blocks(blocks)
    assert dict(blocks.units.values_list("key", "block")) == before


@pytest.mark.django_db
def test_a_session_serves_one_block_whole(blocks):
    person = somebody(blocks)
    assert person.n_units == 3
    assert rate_all(blocks, person) == 3
    served = blocks.units.filter(block=person.block_seat.block)
    assert units_of(person) == set(served.values_list("key", flat=True))


@pytest.mark.django_db
def test_the_least_rated_block_comes_first_and_all_are_filled_exactly(blocks):
    people = []
    for _ in range(4):
        person = somebody(blocks)
        rate_all(blocks, person)
        people.append(person.block_seat.block)
    assert len(set(people[:2])) == 2
    assert len(set(people[2:])) == 2
    assert not Place.objects.exclude(state="done").exists()
    assert Assignment.objects.filter(counted=True).count() == 12


@pytest.mark.django_db
def test_people_at_work_count_before_they_have_sent_anything(blocks):
    first, second = somebody(blocks), somebody(blocks)
    assert first.block_seat.block != second.block_seat.block


@pytest.mark.django_db
def test_when_every_block_has_its_people_the_next_one_is_told_at_once(blocks):
    for _ in range(4):
        somebody(blocks)
    person = screened(blocks)
    assert not entry.start_rating(participation=person)
    assert person.outcome == Participation.Outcome.FULL
    assert BlockSeat.objects.count() == 4


@pytest.mark.django_db
def test_what_somebody_left_is_finished_by_others(blocks):
    leaver = somebody(blocks)
    send(blocks, claim_next_unit(participation=leaver))
    gone_home(leaver)
    finished = [somebody(blocks) for _ in range(3)]
    for person in finished:
        rate_all(blocks, person)
    late = somebody(blocks)
    assert late.block_seat.block == leaver.block_seat.block
    assert late.n_units == 2
    assert rate_all(blocks, late) == 2
    assert Assignment.objects.filter(counted=True).count() == 12
    assert not Place.objects.exclude(state="done").exists()


@pytest.mark.django_db
def test_the_block_of_who_returned_is_the_next_persons_at_once(blocks):
    """Not only once they have not been seen for long: the panel would be full until then."""
    for _ in range(3):
        rate_all(blocks, somebody(blocks))
    gone = somebody(blocks)
    send(blocks, claim_next_unit(participation=gone))
    assert somebody(blocks).outcome == "full"
    with transaction.atomic():
        set_aside(person=lock_person(gone.pk))
    person = somebody(blocks)
    assert (person.state, person.n_units) == ("rating", 3)
    assert rate_all(blocks, person) == 3
    assert not Place.objects.exclude(state="done").exists()


@pytest.mark.django_db
def test_who_comes_back_goes_on_in_their_block_as_far_as_it_lasts(blocks):
    leaver = somebody(blocks)
    send(blocks, claim_next_unit(participation=leaver))
    gone_home(leaver)
    for _ in range(4):
        person = somebody(blocks)
        if person.state == Participation.State.RATING:
            rate_all(blocks, person)
    rate_all(blocks, leaver)
    leaver.refresh_from_db()
    assert leaver.state == Participation.State.COMPLETE
    assert Assignment.objects.filter(counted=True).count() <= 12
    held = Counter(Place.objects.filter(state="done").values_list("unit", flat=True))
    assert max(held.values()) == 2


@pytest.mark.django_db
def test_blocks_can_be_given_with_the_units(draft_study, researcher):
    draft_study.policy = Study.Policy.BLOCKS
    draft_study.save()
    rows = [
        {"key": f"u-{n}", "items": [f"np-{n}"], "block": "A" if n <= 2 else "B"}
        for n in range(1, 7)
    ]
    write_units(study=draft_study, rows=rows, replace=True)
    launch_study(study=draft_study, by=researcher)
    draft_study.refresh_from_db()
    assert set(draft_study.units.values_list("key", "block")) == {
        (f"u-{n}", "A" if n <= 2 else "B") for n in range(1, 7)
    }
    sizes = sorted(somebody(draft_study).n_units for _ in range(2))
    assert sizes == [2, 4]


@pytest.mark.django_db
def test_a_column_of_the_items_names_them_too(draft_study, researcher):
    draft_study.policy = Study.Policy.BLOCKS
    draft_study.save()
    for n, item in enumerate(draft_study.items.order_by("pk")):
        item.metadata = {"block": f"set {n % 3}"}
        item.save()
    launch_study(study=draft_study, by=researcher)
    names = Counter(draft_study.units.values_list("block", flat=True))
    assert names == {"set 0": 2, "set 1": 2, "set 2": 2}


@pytest.mark.django_db
def test_units_brought_again_after_the_launch_are_unchanged(draft_study, researcher):
    draft_study.policy = Study.Policy.BLOCKS
    draft_study.save()
    rows = [{"key": f"u-{n}", "items": [f"np-{n}"]} for n in range(1, 7)]
    write_units(study=draft_study, rows=rows, replace=True)
    launch_study(study=draft_study, by=researcher)
    draft_study.refresh_from_db()
    assert write_units(study=draft_study, rows=rows)["same"] == 6


@pytest.mark.django_db
def test_a_block_larger_than_a_session_stops_the_launch(draft_study):
    draft_study.policy = Study.Policy.BLOCKS
    draft_study.units_per_session = 2
    draft_study.save()
    draft_study.units.update(block="A")
    lines = [check for check in launch_checks(draft_study) if check.mark == "stop"]
    assert any("block A has 6 units; a session has 2" in check.sentence for check in lines)


@pytest.mark.django_db
def test_units_that_a_live_study_gains_make_blocks_of_their_own(blocks):
    from studies.importing.growing import grow_units

    for n in (7, 8, 9):
        add_item(blocks, f"np-{n}")
    grow_units(blocks)
    new = blocks.units.filter(key__in=["np-7", "np-8", "np-9"])
    assert set(new.values_list("block", flat=True)) == {"NP-3"}


@pytest.mark.django_db
def test_blocks_beside_gold_and_a_pilot_never_mix_phases(draft_study, researcher):
    from studies.lifecycle import start_pilot

    draft_study.policy, draft_study.units_per_session = Study.Policy.BLOCKS, 3
    draft_study.pilot_people = 4
    draft_study.save()
    start_pilot(study=draft_study, by=researcher)
    draft_study.refresh_from_db()
    pilot = somebody(draft_study)
    rate_all(draft_study, pilot)
    launch_study(study=draft_study, by=researcher)
    draft_study.refresh_from_db()
    person = somebody(draft_study)
    assert person.n_units == 3
    assert rate_all(draft_study, person) == 3
    assert Assignment.objects.filter(counted=True).count() == 3


def _rate_a_block(study) -> None:
    person = somebody(study)
    if person.state == Participation.State.RATING:
        rate_all(study, person)


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_people_who_begin_at_once_share_the_blocks_and_fill_each_unit_exactly(
    draft_study, researcher
):
    draft_study.policy, draft_study.units_per_session = Study.Policy.BLOCKS, 2
    draft_study.save()
    launch_study(study=draft_study, by=researcher)
    draft_study.refresh_from_db()
    in_threads(14, lambda _: _rate_a_block(draft_study))
    for _ in range(2):  # whoever found every block taken just then
        _rate_a_block(draft_study)
    done = Counter(Place.objects.filter(state="done").values_list("unit", flat=True))
    assert set(done.values()) == {3}
    assert len(done) == 6
    assert Assignment.objects.filter(counted=False).count() == 0
    seats = Counter(BlockSeat.objects.values_list("block", flat=True))
    assert set(seats.values()) == {3}
