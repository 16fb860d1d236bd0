"""Which failed checks a rejection may rest on: lines that name their answer, and plain nonsense."""

import pytest

from annotation.assignment import claim_next_unit
from annotation.models import CheckAnswer, CheckOutcome
from annotation.prolific.grounds import Grounds, grounds_of
from studies.lifecycle import launch_study
from studies.models import CheckRules, Question, ScalePoint
from studies.ranges import takes_a_whole_side
from tests.annotation.people import send, somebody
from tests.annotation.test_gold import add_gold

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("values", "low", "high", "whole"),
    [
        ([1, 2, 3, 4, 5], 4, 5, False),
        ([1, 2, 3, 4, 5], 3, 5, True),
        ([1, 2, 3, 4], 3, 4, True),
        ([1, 2, 3, 4], 4, 4, False),
        ([1, 2, 3, 4], 1, 3, True),
        ([0, 1], 0, 0, True),
        ([], 1, 5, False),
    ],
)
def test_a_whole_side_holds_the_middle_too(values, low, high, whole):
    assert takes_a_whole_side(values, low, high) is whole


def rated(study, researcher, *, value: int):
    """Somebody who answered every gold unit, and everything else, with ``value``."""
    launch_study(study=study, by=researcher, note="A test.")
    study.refresh_from_db()
    person = somebody(study)
    while (screen := claim_next_unit(participation=person)) is not None:
        send(study, screen, value)
    CheckAnswer.objects.filter(assignment__participation=person).delete()
    return person


def with_gold(study, *, plain: bool, low: int = 3):
    for n in (1, 2):
        add_gold(study, f"gold-{n}", faithfulness=(low, 5))
    CheckRules.objects.create(study=study, plain_gold=plain)
    return study


def test_gold_units_are_no_ground_unless_the_study_says_they_are_plain(draft_study, researcher):
    person = rated(with_gold(draft_study, plain=False), researcher, value=1)
    found = grounds_of(person)
    assert found == Grounds(gold_no_ground=2)
    assert (found.n, found.sentence) == (0, "No ground, so not counted: 2 gold units.")


def test_plain_gold_counts_where_only_the_wrong_side_fails(draft_study, researcher):
    person = rated(with_gold(draft_study, plain=True), researcher, value=1)
    found = grounds_of(person)
    assert found == Grounds(gold=2)
    assert found.sentence == "Counted: 2 gold units that are plain to everybody."


def test_plain_gold_that_fails_the_cautious_is_no_ground(draft_study, researcher):
    person = rated(with_gold(draft_study, plain=True, low=4), researcher, value=3)
    assert grounds_of(person) == Grounds(gold_no_ground=2)


def test_plain_gold_that_can_be_evaded_is_no_ground(draft_study, researcher):
    Question.objects.filter(study=draft_study, key="faithfulness").update(
        allow_na=True, na_label="Does not apply"
    )
    person = rated(with_gold(draft_study, plain=True), researcher, value=1)
    assert grounds_of(person) == Grounds(gold_no_ground=2)


def test_what_was_said_after_a_person_came_does_not_count_against_them(draft_study, researcher):
    person = rated(with_gold(draft_study, plain=False), researcher, value=1)
    CheckRules.objects.update(plain_gold=True)
    assert grounds_of(person).n == 0


def test_lines_that_name_their_answer_count_and_contradictions_do_not(live_study):
    person = somebody(live_study)
    while (screen := claim_next_unit(participation=person)) is not None:
        send(live_study, screen)
    CheckAnswer.objects.filter(assignment__participation=person).delete()
    first, second, third = person.assignments.order_by("n")[:3]
    for screen in (first, second):
        CheckAnswer.objects.create(assignment=screen, value=1, passed=False)
    for screen in (second, third):
        CheckOutcome.objects.create(
            assignment=screen, kind="contradiction", check_id=1, passed=False, first_passed=False
        )
    found = grounds_of(person)
    assert found == Grounds(instructed=2, contradictions=1), "a screen counts once"
    assert found.sentence == (
        "Counted: 2 lines that named their answer. No ground, so not counted: 1 contradiction."
    )


def test_who_was_never_here_failed_nothing():
    assert grounds_of(None).n == 0


def test_a_line_that_names_no_answer_is_told_where_its_scale_has_a_middle(draft_study):
    check = draft_study.attention_checks.get()
    assert check.names_its_answer
    check.text = "I swim across the ocean to work every day."
    assert not check.names_its_answer
    label = check.scale_of.points.get(value=check.expected).label
    check.text = f"Please choose “{label}” here."
    assert check.names_its_answer
    ScalePoint.objects.filter(question=check.scale_of).update(label="")
    assert not check.names_its_answer
