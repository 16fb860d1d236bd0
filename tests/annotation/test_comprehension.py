"""The quick check on the instructions page: two chances, then out, and nobody loses a place."""

import pytest

from annotation import comprehension, entry
from annotation.models import ComprehensionTry, Participation
from studies.design_changes import changes
from studies.lifecycle import launch_study
from studies.models import ComprehensionQuestion, DesignRevision
from studies.revisions import revise
from tests.annotation.people import design, screened

pytestmark = pytest.mark.django_db


@pytest.fixture
def quizzed(draft_study, researcher):
    """Two questions: the second answer is right, then the first."""
    for text, options, correct in (
        ("What do you judge?", "How sharp it is\nHow well it fits the culture", 2),
        ("How many pictures?", "Six\nA hundred\nNone", 1),
    ):
        ComprehensionQuestion.objects.create(
            study=draft_study,
            text=text,
            options=options,
            correct=correct,
            hint="Read the second point again.",
        )
    launch_study(study=draft_study, by=researcher)
    draft_study.refresh_from_db()
    return draft_study


def post(client, person, number, *lines):
    data = {f"quick_{n}": str(line) for n, line in enumerate(lines, 1) if line}
    return client.post(f"/a/{person.token}/instructions/", data | {"try": str(number)})


def page(client, person) -> str:
    return client.get(f"/a/{person.token}/instructions/").content.decode()


def test_right_answers_lead_into_the_rating(client, quizzed):
    person = screened(quizzed)
    assert "What do you judge?" in page(client, person)
    assert post(client, person, 1, 2, 1).status_code == 302
    person.refresh_from_db()
    assert person.state == Participation.State.RATING
    assert person.comprehension_tries.get().missed == []


def test_a_first_miss_shows_the_hint_beside_it_and_keeps_what_was_right(client, quizzed):
    person = screened(quizzed)
    post(client, person, 1, 1, 1)
    html = page(client, person)
    assert "Not quite." in html
    assert html.count("Read the second point again.") == 1
    assert html.count(" checked") == 1
    person.refresh_from_db()
    assert person.state == Participation.State.ARRIVED


def test_the_second_chance_is_a_chance(client, quizzed):
    person = screened(quizzed)
    post(client, person, 1, 1, 1)
    post(client, person, 2, 2, 1)
    person.refresh_from_db()
    assert person.state == Participation.State.RATING
    assert [one.missed for one in comprehension.tries_of(person)] == [["quick.1"], []]


def test_two_misses_end_it_kindly_and_keep_what_was_missed_and_when(client, quizzed):
    person = screened(quizzed)
    post(client, person, 1, 1, 1)
    response = post(client, person, 2, 2, 3)
    assert response.url == f"/a/{person.token}/out/"
    html = client.get(response.url).content.decode()
    assert "The check was not passed." in html
    person.refresh_from_db()
    assert person.outcome == Participation.Outcome.FAILED_CHECKS
    tries = comprehension.tries_of(person)
    assert [one.missed for one in tries] == [["quick.1"], ["quick.2"]]
    assert [one.chosen for one in tries] == [
        {"quick.1": 1, "quick.2": 1},
        {"quick.1": 2, "quick.2": 3},
    ]
    assert all(one.tried_at is not None for one in tries)


def test_a_form_sent_twice_is_one_miss(client, quizzed):
    person = screened(quizzed)
    post(client, person, 1, 1, 1)
    post(client, person, 1, 1, 1)
    person.refresh_from_db()
    assert person.state == Participation.State.ARRIVED
    assert person.comprehension_tries.count() == 1


def test_an_incomplete_form_is_no_try(client, quizzed):
    person = screened(quizzed)
    response = post(client, person, 1, 1, None)
    assert response.status_code == 422
    assert "Choose an answer." in response.content.decode()
    assert not ComprehensionTry.objects.exists()


@pytest.mark.parametrize("junk", ["0", "3", "99", "x", "²", "-1", "1" * 5000])
def test_what_is_no_option_is_no_answer(client, quizzed, junk):
    person = screened(quizzed)
    assert post(client, person, 1, junk, 1).status_code == 422
    assert not ComprehensionTry.objects.exists()


def test_a_try_number_from_elsewhere_changes_nothing(client, quizzed):
    person = screened(quizzed)
    for number in ("2", "7", "", "x"):
        post(client, person, number, 2, 1)
    person.refresh_from_db()
    assert person.state == Participation.State.ARRIVED
    assert not person.comprehension_tries.exists()


def test_who_failed_stays_out_and_a_right_answer_afterwards_changes_nothing(client, quizzed):
    person = screened(quizzed)
    post(client, person, 1, 1, 1)
    post(client, person, 2, 1, 1)
    post(client, person, 3, 2, 1)
    assert client.get(f"/a/{person.token}/instructions/").url == f"/a/{person.token}/out/"
    person.refresh_from_db()
    assert person.state == Participation.State.OUT
    assert person.comprehension_tries.count() == 2


def test_the_seat_of_who_failed_is_anothers(client, quizzed):
    panel = quizzed.panels.get()
    panel.seats = 1
    panel.save()
    failed = screened(quizzed)
    post(client, failed, 1, 1, 1)
    post(client, failed, 2, 1, 1)
    other = screened(quizzed)
    assert entry.start_rating(participation=other)


def test_answers_stand_in_an_order_of_each_persons_own(quizzed):
    def orders(seed):
        shown = comprehension.quizzes(design(quizzed), seed=seed, tries=[])
        return [[option.number for option in quiz.options] for quiz in shown]

    assert orders(1) == orders(1)
    assert len({str(orders(seed)) for seed in range(30)}) > 3


def test_the_questions_are_frozen_with_the_design(client, quizzed):
    person = screened(quizzed)
    quizzed.comprehension_questions.update(text="Reworded")
    assert "Reworded" not in page(client, person)


def test_a_revision_says_what_changed_in_them(quizzed, researcher):
    before = design(quizzed)
    row = quizzed.comprehension_questions.first()
    row.text = "What is it that you judge?"
    row.save()
    quizzed.comprehension_questions.last().delete()
    revision = revise(study=quizzed, by=researcher)
    assert isinstance(revision, DesignRevision)
    said = changes(before, design(quizzed))
    assert "Quick check “What is it that you judge?”: changed." in said
    assert "Quick check “How many pictures?”: no longer asked." in said


def test_a_study_without_questions_asks_none(client, live_study):
    person = screened(live_study)
    assert "Quick check" not in page(client, person)
    client.post(f"/a/{person.token}/instructions/")
    person.refresh_from_db()
    assert person.state == Participation.State.RATING


def test_the_preview_shows_them(client, quizzed, researcher):
    client.force_login(researcher)
    html = client.get(f"/studies/{quizzed.slug}/preview/").content.decode()
    assert "What do you judge?" in html
    assert client.post(f"/studies/{quizzed.slug}/preview/").status_code == 302
