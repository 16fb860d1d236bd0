"""Which units come in which order: prompts apart, systems in balance, everybody their own order."""

from collections import Counter

import pytest

from annotation.assignment import claim_next_unit
from annotation.models import Assignment, Participation, Place
from annotation.next_place import probable_unit
from studies.lifecycle import launch_study
from studies.models import Item, System
from tests.annotation.people import design, rate_all, send, somebody
from tests.annotation.test_a_busy_day import more_items

pytestmark = pytest.mark.django_db
PROMPTS, SYSTEMS = 6, 4


@pytest.fixture
def launched(draft_study, researcher):
    """A study of 6 prompts by 4 systems, in sessions of 12, with settings changed."""

    def launch(**settings):
        more_items(draft_study, PROMPTS * SYSTEMS - 6)
        systems = [System.objects.create(study=draft_study, name=f"S{i}") for i in range(SYSTEMS)]
        for number, item in enumerate(Item.objects.order_by("pk")):
            item.system = systems[number % SYSTEMS]
            item.prompt = f"Prompt {number // SYSTEMS}"
            item.save(update_fields=["system", "prompt"])
        draft_study.units_per_session = 12
        for name, value in settings.items():
            setattr(draft_study, name, value)
        draft_study.save()
        launch_study(study=draft_study, by=researcher)
        draft_study.refresh_from_db()
        return draft_study

    return launch


def shown(person: Participation, what: str) -> list:
    return list(person.assignments.order_by("n").values_list(f"unit__items__{what}", flat=True))


def in_a_row(values: list) -> int:
    return sum(one == other for one, other in zip(values, values[1:], strict=False))


def test_no_two_units_of_one_prompt_come_in_a_row(launched):
    study = launched()
    for _ in range(5):
        person = somebody(study)
        rate_all(study, person)
        assert person.assignments.count() == 12
        assert in_a_row(shown(person, "prompt")) == 0


def test_prompts_are_not_kept_apart_where_the_study_does_not_say_so(launched):
    study = launched(avoid_same_prompt=False)
    together = 0
    for _ in range(6):
        person = somebody(study)
        rate_all(study, person)
        together += in_a_row(shown(person, "prompt"))
    assert together > 0


def test_units_of_one_prompt_come_in_a_row_where_nothing_else_is_left(launched):
    study = launched()
    Item.objects.update(prompt="The only one")
    person = somebody(study)
    assert rate_all(study, person) == 12


def test_a_scenario_is_a_prompt_whatever_its_words(launched):
    study = launched()
    for number, item in enumerate(Item.objects.order_by("pk")):
        item.scenario = f"Scene {number % 3}"
        item.save(update_fields=["scenario"])
    person = somebody(study)
    rate_all(study, person)
    assert in_a_row(shown(person, "scenario")) == 0


def test_each_stretch_of_a_session_shows_every_system(launched):
    study = launched()
    for _ in range(3):
        person = somebody(study)
        rate_all(study, person)
        systems = shown(person, "system")
        assert set(Counter(systems).values()) == {3}
        assert len(set(systems[:SYSTEMS])) == SYSTEMS


def test_over_people_a_session_begins_with_every_system(launched):
    study = launched(policy="random")
    first = Counter()
    for seed in range(24):
        person = somebody(study)
        Participation.objects.filter(pk=person.pk).update(seed=seed)
        claim_next_unit(participation=person)
        first[shown(person, "system")[0]] += 1
    assert len(first) == SYSTEMS
    assert max(first.values()) < 16


@pytest.mark.parametrize("policy", ["random", "crossed"])
def test_everybody_has_an_order_of_their_own(launched, policy):
    study = launched(policy=policy, units_per_session=24)
    orders = []
    for _ in range(3):
        person = somebody(study)
        assert rate_all(study, person) == 24
        orders.append(tuple(shown(person, "pk")))
    assert len(set(orders)) == 3
    assert Place.objects.filter(state=Place.State.DONE).count() == 24 * 3


def test_crossed_gives_every_unit_to_everybody_and_exactly_k_ratings(launched):
    study = launched(policy="crossed", units_per_session=24)
    for _ in range(3):
        rate_all(study, somebody(study))
    assert somebody(study).outcome == "full"
    counted = Counter(Assignment.objects.filter(counted=True).values_list("unit", flat=True))
    assert counted == dict.fromkeys(study.units.values_list("pk", flat=True), 3)


def test_a_person_who_left_in_the_middle_is_made_up_for_by_others(launched):
    study = launched(policy="crossed", units_per_session=24)
    leaver = somebody(study)
    for _ in range(5):
        send(study, claim_next_unit(participation=leaver))
    Participation.objects.filter(pk=leaver.pk).update(state="out")
    for _ in range(4):
        rate_all(study, somebody(study))
    counted = Counter(Assignment.objects.filter(counted=True).values_list("unit", flat=True))
    assert set(counted.values()) == {3}


@pytest.mark.parametrize("policy", ["least-rated", "random"])
def test_the_same_seed_and_pool_give_the_same_unit(launched, policy):
    study = launched(policy=policy)
    person = somebody(study)
    units = {probable_unit(person=person, design=design(study), n=n, after=None) for n in (1, 1, 1)}
    assert len(units) == 1


def test_the_claim_takes_as_many_queries_late_in_a_session_as_early(
    launched, django_assert_max_num_queries
):
    study = launched(repeats=2, repeat_gap=3)
    person = somebody(study)
    send(study, claim_next_unit(participation=person))
    while person.assignments.filter(submitted_at=None).count() == 0:
        with django_assert_max_num_queries(12):
            screen = claim_next_unit(participation=person)
        if screen is None:
            break
        send(study, screen)
    assert person.assignments.count() == 14
