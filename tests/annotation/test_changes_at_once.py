"""The same change, or the same step, posted many times at the same moment."""

import pytest

from annotation.assignment import claim_next_unit
from annotation.kinds import FormData
from annotation.models import AnswerRevision, Assignment
from annotation.responding import change_answers, finish_step
from annotation.screen import STEP
from annotation.sheet import check_of
from tests.annotation.people import answers, design, send, somebody
from tests.annotation.threads import in_threads

pytestmark = [pytest.mark.database, pytest.mark.django_db(transaction=True)]


def test_ten_posts_of_one_change_are_one_change(live_study):
    person = somebody(live_study)
    screen = claim_next_unit(participation=person)
    send(live_study, screen, 2)
    changed = answers(live_study, screen, 5)

    def change(_):
        return change_answers(
            assignment=Assignment.objects.get(pk=screen.pk),
            key=screen.key,
            answers=changed,
            check=check_of(design(live_study), screen),
        )

    assert sorted(in_threads(10, change)) == [False] * 9 + [True]
    assert AnswerRevision.objects.count() == 1
    assert screen.ratings.filter(value=5).count() == 3


def test_ten_different_changes_leave_one_answer_and_a_history_without_gaps(live_study):
    person = somebody(live_study)
    screen = claim_next_unit(participation=person)
    send(live_study, screen, 2)
    wanted = [answers(live_study, screen, 1 + i % 5) for i in range(10)]

    def change(i):
        return change_answers(
            assignment=Assignment.objects.get(pk=screen.pk),
            key=screen.key,
            answers=wanted[i],
            check=check_of(design(live_study), screen),
        )

    n_changed = sum(in_threads(10, change))
    numbers = list(AnswerRevision.objects.order_by("number").values_list("number", flat=True))
    assert numbers == list(range(1, n_changed + 1))
    scales = screen.ratings.filter(value__isnull=False)
    assert (scales.count(), scales.values("value").distinct().count()) == (3, 1)


def test_steps_finished_in_any_order_leave_the_furthest_open(live_triplets):
    person = somebody(live_triplets)
    screen = claim_next_unit(participation=person)
    fields: FormData = {"q_1": "1"}

    def finish(i):
        return finish_step(
            assignment=Assignment.objects.get(pk=screen.pk),
            key=screen.key,
            next_tier=2 + i % 2,
            fields=fields,
        )

    in_threads(6, finish)
    screen.refresh_from_db()
    assert screen.draft == {"q_1": "1", STEP: 3}
    assert screen.draft_counter == 6
