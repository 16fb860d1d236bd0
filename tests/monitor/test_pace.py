"""Pace, verdict and pay, by hand."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from annotation.monitor.pace import (
    Pay,
    in_words,
    money,
    pace_per_hour,
    pay_of,
    time_left,
    verdict,
)

NOW = datetime(2026, 11, 3, 14, 0, tzinfo=UTC)


def minutes(n: float) -> timedelta:
    return timedelta(minutes=n)


def said(**changes) -> tuple[str, str]:
    given = {
        "done": 424,
        "wanted": 576,
        "each": 3,
        "state": "live",
        "last_seen": NOW - minutes(1),
        "pace": 76.0,
        "now": NOW,
    }
    found = verdict(**given | changes)
    return found.course, found.sentence


def test_the_pace_is_that_of_the_last_hour():
    assert pace_per_hour(done_lately=30, started=NOW - minutes(600), now=NOW) == 30


def test_the_pace_of_a_young_collection_is_that_of_the_time_it_has_run():
    assert pace_per_hour(done_lately=10, started=NOW - minutes(20), now=NOW) == pytest.approx(30)


@pytest.mark.parametrize("started", [None, NOW - minutes(9)])
def test_nothing_is_said_about_the_pace_too_early(started):
    assert pace_per_hour(done_lately=4, started=started, now=NOW) is None


def test_what_is_left_takes_as_long_as_the_pace_says():
    assert time_left(left=152, pace=76.0) == timedelta(hours=2)
    assert time_left(left=152, pace=0.0) is None
    assert time_left(left=152, pace=None) is None


@pytest.mark.parametrize(
    ("span", "words"),
    [
        (timedelta(seconds=5), "1 min"),
        (minutes(40), "40 min"),
        (minutes(89), "89 min"),
        (minutes(100), "2 h"),
        (timedelta(hours=35), "35 h"),
        (timedelta(hours=60), "2 days"),
        (timedelta(days=3), "3 days"),
    ],
)
def test_spans_are_said_as_people_say_them(span, words):
    assert in_words(span) == words


def test_on_course_names_how_far_it_is_and_when_it_is_done():
    sentence = "On course: 424 of 576 ratings (73 %). At this pace done in about 2 h."
    assert said() == ("on", sentence)


def test_on_course_says_that_it_is_too_early_for_a_pace():
    assert said(pace=None)[1].endswith("Too early to tell the pace.")


def test_slow_is_what_takes_more_than_a_day_at_the_pace():
    # 152 ratings at 6.33 an hour take 24.01 h, at 6.34 they take 23.97 h.
    assert said(pace=6.33)[0] == "slow"
    assert said(pace=6.34)[0] == "on"
    assert said(pace=2.0)[1] == (
        "Slow: 424 of 576 ratings (73 %). At this pace done in about 3 days."
    )


def test_people_without_a_rating_for_an_hour_are_slow():
    assert said(pace=0.0) == (
        "slow",
        "Slow: 424 of 576 ratings (73 %). No rating in the last hour.",
    )


def test_stuck_after_half_an_hour_without_anybody():
    assert said(last_seen=NOW - minutes(29))[0] == "on"
    sentence = "Stuck: nobody for 40 min. 424 of 576 ratings (73 %)."
    assert said(last_seen=NOW - minutes(40)) == ("stuck", sentence)


def test_complete_names_the_ratings_of_a_unit_where_all_panels_want_as_many():
    assert said(done=576) == ("complete", "Complete: every unit has its 3 ratings.")
    assert said(done=576, each=1)[1] == "Complete: every unit has its 1 rating."
    assert said(done=576, each=None)[1] == "Complete: every unit has its ratings."


def test_one_rating_short_is_not_100_percent():
    assert said(done=575)[1].startswith("On course: 575 of 576 ratings (99 %).")


def test_a_closed_or_paused_study_is_neither_slow_nor_stuck():
    long_ago = NOW - timedelta(days=9)
    assert said(state="closed", last_seen=long_ago) == (
        "closed",
        "Closed with 424 of 576 ratings (73 %).",
    )
    assert said(state="paused", last_seen=long_ago)[0] == "paused"


def test_a_study_without_units_is_not_complete():
    assert said(done=0, wanted=0) == ("empty", "There is nothing to rate yet.")


def test_a_closed_study_that_asked_for_nothing_promises_nothing():
    assert said(done=0, wanted=0, state="closed") == (
        "closed",
        "Closed: nothing is collected here.",
    )


def test_pay_by_the_hour_falls_as_people_take_longer_than_promised():
    # £9 an hour for 14 min is £2.10; in 19 min that is 2.10 / 19 * 60 = £6.63 an hour.
    pay = pay_of(
        promised=Decimal("9.00"), currency="GBP", estimated_minutes=14, median_seconds=19 * 60
    )
    # 19 min at £9 would have been £2.85: £0.75 are missing.
    assert pay == Pay(Decimal("6.63"), Decimal("9.00"), "GBP", Decimal("0.75"))
    assert pay.is_less


def test_faster_people_earn_more_by_the_hour_and_miss_nothing():
    pay = pay_of(
        promised=Decimal("9.00"), currency="GBP", estimated_minutes=14, median_seconds=12 * 60
    )
    assert (pay.per_hour, pay.short, pay.is_less) == (Decimal("10.50"), Decimal("0.00"), False)


def test_there_is_no_pay_without_a_promise_or_anybody_who_finished():
    common = {"currency": "GBP", "estimated_minutes": 14}
    assert pay_of(promised=None, median_seconds=60, **common) is None
    assert pay_of(promised=Decimal(9), median_seconds=None, **common) is None


def test_a_currency_without_a_sign_goes_by_its_code():
    assert money(Decimal("9"), "GBP") == "£9.00"
    assert money(Decimal("9.5"), "CHF") == "CHF 9.50"
