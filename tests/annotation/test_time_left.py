"""The minutes left: the person's own pace, rising by one at most, unsaid under one."""

from datetime import timedelta
from math import ceil

import pytest
from django.utils import timezone

from annotation.assignment import claim_next_unit
from annotation.models import Assignment
from annotation.screen import minutes_left
from tests.annotation.people import design, send, somebody

pytestmark = pytest.mark.django_db


@pytest.fixture
def pace(live_study):
    """``pace(20, 30)``: what is said before the first screen and after each of so many seconds."""

    def said(*seconds: int) -> list[int | None]:
        person = somebody(live_study)
        rules = design(live_study)
        found = [minutes_left(person, 1, rules)]
        for n, took in enumerate(seconds, 1):
            send(live_study, claim_next_unit(participation=person))
            sent = timezone.now()
            Assignment.objects.filter(participation=person, n=n).update(
                served_at=sent - timedelta(seconds=took), submitted_at=sent
            )
            found.append(minutes_left(person, n + 1, rules))
        return found

    return said


def test_until_three_screens_are_sent_the_studys_estimate_counts(live_study, pace):
    each = live_study.estimated_minutes / live_study.units_per_session
    assert pace(1, 1) == [ceil(n * each) for n in (6, 5, 4)]


def test_then_the_persons_own_median_counts_rounded_up(pace):
    assert pace(50, 50, 50)[3] == 3  # three screens of 50 s are 150 s


def test_a_slow_screen_raises_it_by_one_minute_at_most(pace):
    said = pace(10, 10, 600, 600, 600)
    assert said[3:] == [None, 2, 3]


def test_under_one_minute_nothing_is_said(pace):
    assert pace(10, 10, 10)[3] is None
