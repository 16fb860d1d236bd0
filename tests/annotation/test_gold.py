"""Gold units and contradictions: judged when sent and after changes, never counted."""

import pytest

from annotation.answers import Answers
from annotation.assignment import claim_next_unit
from annotation.checks import checks_of, n_failed
from annotation.kinds import Given
from annotation.models import Assignment, CheckOutcome, Place, Rating
from annotation.ratings import counted_ratings
from annotation.responding import change_answers, skip_unit, submit_unit
from annotation.session import plan_of
from annotation.sheet import check_of
from studies.design import current_design
from studies.lifecycle import launch_study
from studies.models import CheckRules, Contradiction, Study
from studies.units import rebuild
from tests.annotation.people import answers, design, expire_leases, rate_all, send, somebody
from tests.conftest import add_item

pytestmark = pytest.mark.django_db


def add_gold(study: Study, name: str, country: str = "NP", **expected) -> None:
    """A gold item and its unit, made by the rule as an import makes it."""
    item = add_item(study, name, country)
    item.purpose = item.Purpose.GOLD
    item.expected = {key: list(span) for key, span in expected.items()}
    item.save()
    rebuild(study)


@pytest.fixture
def gold_study(draft_study):
    """Six units to rate, and three gold ones of which a session holds two."""
    for n in (1, 2, 3):
        add_gold(draft_study, f"gold-{n}", faithfulness=(4, 5))
    return draft_study


def launched(study, researcher) -> Study:
    launch_study(study=study, by=researcher, note="A test.")
    study.refresh_from_db()
    return study


def walk(study, person, *, gold=5, others=2):
    """Rate everything; gold screens with one value, the rest with another."""
    while (screen := claim_next_unit(participation=person)) is not None:
        send(study, screen, gold if screen.gold else others)


def test_a_session_holds_them_besides_its_units_and_none_first_or_last(gold_study, researcher):
    study = launched(gold_study, researcher)
    for _ in range(3):
        person = somebody(study)
        assert person.n_units == 8
        assert rate_all(study, person) == 8
        gold = list(person.assignments.filter(gold=True).values_list("n", flat=True))
        assert len(gold) == 2
        assert 1 < min(gold) <= max(gold) < 8


def test_their_answers_are_never_counted_and_fill_no_place(gold_study, researcher):
    study = launched(gold_study, researcher)
    for _ in range(3):
        walk(study, somebody(study))
    assert set(Place.objects.values_list("unit__purpose", flat=True)) == {"rated"}
    assert Place.objects.count() == 18
    assert Assignment.objects.filter(counted=True).count() == 18
    assert set(Assignment.objects.filter(gold=True).values_list("counted", flat=True)) == {None}
    assert not counted_ratings(study).filter(assignment__gold=True).exists()
    assert Rating.objects.filter(assignment__gold=True).exists()


def test_an_answer_in_the_range_passes_and_one_outside_fails(gold_study, researcher):
    study = launched(gold_study, researcher)
    careful, careless = somebody(study), somebody(study)
    walk(study, careful, gold=4)
    walk(study, careless, gold=3)
    found = checks_of([careful, careless])
    assert [r.passed for r in found[careful.pk] if r.kind == "gold"] == [True, True]
    failed = [r for r in found[careless.pk] if r.kind == "gold"]
    assert [(r.passed, r.questions) for r in failed] == [(False, ("faithfulness",))] * 2
    assert n_failed(found[careless.pk]) == 2
    assert n_failed(found[careful.pk]) == 0


def test_each_person_meets_others_in_another_order(gold_study, researcher):
    study = launched(gold_study, researcher)
    people = [somebody(study) for _ in range(3)]
    orders = set()
    for person in people:
        rate_all(study, person)
        gold = person.assignments.filter(gold=True).order_by("n")
        orders.add(tuple(gold.values_list("unit__key", "n")))
    assert len(orders) > 1


def test_a_screen_sent_twice_is_judged_once(gold_study, researcher):
    study = launched(gold_study, researcher)
    person = somebody(study)
    while not (screen := claim_next_unit(participation=person)).gold:
        send(study, screen)
    for _ in range(2):
        send(study, screen, 1)
    assert CheckOutcome.objects.filter(kind="gold").count() == 1


def test_a_change_decides_and_the_first_answer_is_kept(gold_study, researcher):
    gold_study.allow_changes = True
    gold_study.save()
    study = launched(gold_study, researcher)
    person = somebody(study)
    while not (screen := claim_next_unit(participation=person)).gold:
        send(study, screen)
    send(study, screen, 1)
    changed = answers(study, screen, 5)
    change_answers(assignment=screen, key=screen.key, answers=changed, check=None)
    outcome = CheckOutcome.objects.get()
    assert (outcome.passed, outcome.first_passed, outcome.details) == (True, False, [])
    assert outcome.changed_at is not None
    back = answers(study, screen, 2)
    change_answers(assignment=screen, key=screen.key, answers=back, check=None)
    (result,) = [r for r in checks_of([person])[person.pk] if r.kind == "gold"]
    assert (result.passed, result.first_passed, result.n) == (False, False, screen.n)


def test_a_skipped_gold_screen_is_no_check_and_does_not_come_again(gold_study, researcher):
    study = launched(gold_study, researcher)
    person = somebody(study)
    while (screen := claim_next_unit(participation=person)) is not None:
        if screen.gold:
            skip_unit(assignment=screen, reason="unwilling")
        else:
            send(study, screen)
    assert person.assignments.filter(gold=True).count() == 2
    assert person.assignments.filter(submitted_at__isnull=False).count() == 6
    assert not CheckOutcome.objects.exists()


def test_leases_that_lapse_do_not_touch_them(gold_study, researcher):
    study = launched(gold_study, researcher)
    person = somebody(study)
    while not (screen := claim_next_unit(participation=person)).gold:
        send(study, screen)
    expire_leases()
    assert claim_next_unit(participation=person).pk == screen.pk
    assert send(study, screen, 5).repeated is False


def test_a_gold_unit_of_another_country_is_not_shown(draft_study, researcher):
    add_gold(draft_study, "gold-ir", "IR", faithfulness=(4, 5))
    add_gold(draft_study, "gold-np", faithfulness=(4, 5))
    study = launched(draft_study, researcher)
    person = somebody(study)
    assert person.n_units == 7
    rate_all(study, person)
    assert person.assignments.get(gold=True).unit.key == "gold-np"


def test_a_gold_item_that_accepts_everything_is_no_check(draft_study):
    add_gold(draft_study, "gold-1")
    assert current_design(draft_study).gold == ()


def test_a_session_of_one_unit_has_room_for_none(gold_study, researcher):
    gold_study.units_per_session = 1
    gold_study.save()
    study = launched(gold_study, researcher)
    person = somebody(study)
    assert person.n_units == 1
    assert rate_all(study, person) == 1
    assert not person.assignments.filter(gold=True).exists()


@pytest.mark.parametrize("seed", range(12))
def test_beside_repeats_and_checks_the_gaps_hold(gold_study, researcher, seed):
    CheckRules.objects.create(study=gold_study, gold_per_session=3)
    gold_study.repeats, gold_study.repeat_gap = 2, 2
    gold_study.save()
    study = launched(gold_study, researcher)
    person = somebody(study)
    person.seed = seed
    person.save()
    assert (person.n_units, person.n_repeats) == (11, 2)
    assert rate_all(study, person) == 11
    screens = list(person.assignments.order_by("n").select_related("repeat_of"))
    gold = [row.n for row in screens if row.gold]
    repeats = [row for row in screens if row.is_repeat]
    assert len(gold) == 3
    plan = plan_of(person, design(study))
    assert tuple(gold) == plan.gold_at
    assert tuple(row.n for row in repeats) == plan.repeats_at
    assert all(row.n - row.repeat_of.n > 2 for row in repeats)
    assert not any(row.repeat_of.gold for row in repeats)
    (check,) = [row for row in screens if row.attention_check_id]
    assert 1 < check.n < 11
    assert not check.gold
    assert not check.is_repeat
    assert Assignment.objects.filter(counted=True).count() == 6


# ---- contradictions


def likert(study, screen, **values) -> Answers:
    given = answers(study, screen)
    keys = {question.key: question.id for question in design(study).questions}
    item = screen.unit.items.get().pk
    wanted = {keys[key]: value for key, value in values.items()}
    given.given = [
        Given(one.question, item=item, value=wanted.get(one.question, one.value))
        for one in given.given
    ]
    return given


def submit(study, screen, **values) -> None:
    submit_unit(
        assignment=screen,
        key=screen.key,
        answers=likert(study, screen, **values),
        check=check_of(design(study), screen),
    )


@pytest.fixture
def reversed_study(draft_study, researcher):
    """Hallucination is the reverse of faithfulness."""
    keys = {question.key: question for question in draft_study.questions.all()}
    Contradiction.objects.create(
        study=draft_study,
        question=keys["faithfulness"],
        other=keys["hallucination"],
        allowed="1-2: 3-5; 4-5: 1-3",
    )
    draft_study.allow_changes = True
    draft_study.save()
    return launched(draft_study, researcher)


@pytest.mark.parametrize(
    ("first", "second", "stands"), [(1, 1, False), (1, 4, True), (5, 5, False), (3, 5, True)]
)
def test_answers_that_cannot_both_stand_fail_once_a_screen(reversed_study, first, second, stands):
    person = somebody(reversed_study)
    screen = claim_next_unit(participation=person)
    submit(reversed_study, screen, faithfulness=first, hallucination=second)
    (result,) = checks_of([person])[person.pk]
    assert (result.kind, result.n, result.passed) == ("contradiction", 1, stands)
    assert result.questions == (() if stands else ("faithfulness", "hallucination"))


def test_the_final_answers_decide_about_a_contradiction(reversed_study):
    person = somebody(reversed_study)
    screen = claim_next_unit(participation=person)
    submit(reversed_study, screen, faithfulness=1, hallucination=1)
    mended = likert(reversed_study, screen, faithfulness=1, hallucination=5)
    change_answers(assignment=screen, key=screen.key, answers=mended, check=None)
    (result,) = checks_of([person])[person.pk]
    assert (result.passed, result.first_passed) == (True, False)


def test_between_two_units_the_verdict_stands_on_the_later_screen(draft_study, researcher):
    first, second = draft_study.units.order_by("key")[:2]
    question = draft_study.questions.get(key="faithfulness")
    Contradiction.objects.create(
        study=draft_study,
        question=question,
        other=question,
        unit=first,
        other_unit=second,
        allowed="1-2: 4-5",
    )
    draft_study.allow_changes = True
    draft_study.save()
    study = launched(draft_study, researcher)
    person = somebody(study)
    while (screen := claim_next_unit(participation=person)) is not None and screen.n < 6:
        submit(study, screen, faithfulness=1)
    submit(study, screen, faithfulness=1)
    pair = person.assignments.filter(unit__in=[first, second]).order_by("n")
    outcome = CheckOutcome.objects.get()
    assert outcome.assignment == pair[1]
    assert outcome.passed is False
    earlier = next(row for row in pair if row.unit_id == second.pk)
    mended = likert(study, earlier, faithfulness=5)
    mended_check = check_of(design(study), earlier)
    change_answers(assignment=earlier, key=earlier.key, answers=mended, check=mended_check)
    outcome.refresh_from_db()
    assert (outcome.passed, outcome.first_passed) == (True, False)
    assert CheckOutcome.objects.count() == 1


def test_two_failures_on_one_screen_are_one(gold_study, researcher):
    keys = {question.key: question for question in gold_study.questions.all()}
    Contradiction.objects.create(
        study=gold_study,
        question=keys["faithfulness"],
        other=keys["hallucination"],
        allowed="1: 5",
    )
    study = launched(gold_study, researcher)
    person = somebody(study)
    while not (screen := claim_next_unit(participation=person)).gold:
        submit(study, screen, faithfulness=2)
    submit(study, screen, faithfulness=1, hallucination=1)
    results = checks_of([person])[person.pk]
    assert sum(not result.passed for result in results) == 2
    assert n_failed(results) == 1


def test_everybody_who_is_asked_for_has_a_list(live_study):
    person = somebody(live_study)
    assert checks_of([person, 999_999]) == {person.pk: [], 999_999: []}


def test_an_instructed_response_keeps_what_was_sent_first(draft_study, researcher):
    draft_study.allow_changes = True
    draft_study.save()
    study = launched(draft_study, researcher)
    person = somebody(study)
    while (screen := claim_next_unit(participation=person)).attention_check_id is None:
        send(study, screen)
    wrong = answers(study, screen)
    wrong.check_value = 4
    check = check_of(design(study), screen)
    submit_unit(assignment=screen, key=screen.key, answers=wrong, check=check)
    change_answers(assignment=screen, key=screen.key, answers=answers(study, screen), check=check)
    (result,) = checks_of([person])[person.pk]
    assert (result.kind, result.passed, result.first_passed) == ("instructed", True, False)
