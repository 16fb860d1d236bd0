"""What needs a researcher, from counts alone."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

from annotation.monitor.counts import Collection, PanelCounts
from annotation.monitor.needs import needs_of
from annotation.monitor.pace import pay_of

NOW = datetime(2026, 11, 3, 14, 0, tzinfo=UTC)
STARTED = NOW - timedelta(hours=5)


def panel(pk: int = 1, name: str = "Nepal", *, seen: float | None = 1, **fields) -> PanelCounts:
    given = {"k": 3, "units": 96, "done": 200, "leased": 2, "people_lately": 9, "done_lately": 60}
    last_seen = None if seen is None else NOW - timedelta(minutes=seen)
    return PanelCounts(id=pk, name=name, last_seen=last_seen, **given | fields)


def sentences(*panels: PanelCounts, **given) -> list[tuple[str, str]]:
    defaults = {"started": STARTED, "takes_people": True, "over": 0, "failed_two": 0, "pay": {}}
    now = Collection(panels=panels, pilot=False, at=NOW)
    return [(one.mark, one.sentence) for one in needs_of(now=now, **defaults | given)]


def test_nothing_needs_anybody_while_panels_fill():
    assert sentences(panel(), panel(2, "Iran")) == []


def test_a_slow_panel_is_named_with_its_people_and_open_places():
    # 288 wanted, 173 there, 9 of the rest being rated: 106 places are open.
    slow = panel(2, "Iran", done=173, leased=9, people_lately=3, done_lately=2)
    assert sentences(panel(), slow) == [
        ("warn", "Iran is slow: 3 people in the last hour, 106 places open.")
    ]


def test_a_panel_nobody_comes_to_is_worse_than_a_slow_one():
    slow = panel(2, "Iran", done_lately=1, people_lately=1)
    stuck = panel(3, "Japan", seen=95, done_lately=0, leased=0)
    assert sentences(panel(), slow, stuck) == [
        ("bad", "Japan: nobody for 2 h, 88 places open."),
        ("warn", "Iran is slow: 1 person in the last hour, 86 places open."),
    ]


def test_where_nobody_comes_at_all_it_is_said_once():
    both = panel(seen=40, leased=0), panel(2, "Iran", seen=50, leased=0)
    assert sentences(*both) == [("bad", "Nobody has come for 40 min; 176 places open.")]
    assert sentences(panel(seen=None, leased=0)) == [
        ("bad", "Nobody has come so far; 88 places open.")
    ]


def test_a_full_panel_needs_nobody():
    full = panel(2, "Iran", done=288, leased=0, seen=600, done_lately=0)
    assert sentences(panel(), full) == []
    assert sentences(full) == []


def test_a_paused_study_does_not_wait_for_people():
    assert sentences(panel(seen=600), takes_people=False) == []


def test_pay_below_the_promise_is_told_once_three_have_finished():
    pay = pay_of(promised=Decimal(9), currency="GBP", estimated_minutes=14, median_seconds=19 * 60)
    words = "median 19 min pays £6.63 an hour; promised £9.00."
    assert sentences(panel(), pay={1: (pay, 1140.0, 2)}) == []
    assert sentences(panel(), pay={1: (pay, 1140.0, 3)}) == [("warn", words)]
    both = panel(), panel(2, "Iran")
    assert sentences(*both, pay={2: (pay, 1140.0, 3)}) == [("warn", f"Iran: {words}")]


def test_the_advice_on_pay_names_the_bonus():
    pay = pay_of(promised=Decimal(9), currency="GBP", estimated_minutes=14, median_seconds=19 * 60)
    now = Collection(panels=(panel(),), pilot=False, at=NOW)
    (need,) = needs_of(
        now=now,
        started=STARTED,
        takes_people=True,
        over=0,
        failed_two=0,
        pay={1: (pay, 1140.0, 9)},
    )
    assert "bonus of £0.75 each" in need.advice


def test_a_unit_with_too_many_ratings_comes_first_and_people_last():
    stuck = panel(stuck=1)
    assert sentences(stuck, over=2, failed_two=2) == [
        ("bad", "2 units have more counted ratings than wanted."),
        ("info", "1 person has not acted for over 10 min."),
        ("info", "2 people failed two checks."),
    ]
