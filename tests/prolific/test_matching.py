"""What does not fit together between our record and Prolific's."""

from datetime import UTC, datetime, timedelta

import pytest

from annotation.prolific.matching import KINDS, Standing, mismatch

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
CODES = {"DONE42": "Complete", "NOFIT1": "Does not fit"}


def standing(state="complete", **more):
    facts = {
        "sent": 12,
        "planned": 12,
        "own_code": "DONE42" if state == "complete" else "",
        "codes": CODES,
        "finished_at": NOW - timedelta(hours=1),
        "now": NOW,
    }
    return Standing(state=state, **facts | more)


def kind(*args, **more):
    found = mismatch(standing(*args, **more))
    return found.kind if found is not None else None


@pytest.mark.parametrize(
    ("here", "there", "expected"),
    [
        ("complete", {"status": "AWAITING REVIEW", "entered_code": "DONE42"}, None),
        ("complete", {"status": "AWAITING REVIEW", "entered_code": " done42 "}, None),
        ("complete", {"status": "AWAITING REVIEW", "entered_code": "NOCODE"}, "no-code"),
        ("complete", {"status": "AWAITING REVIEW"}, "no-code"),
        ("complete", {"status": "AWAITING REVIEW", "entered_code": "NOFIT1"}, "wrong-code"),
        ("complete", {"status": "AWAITING REVIEW", "entered_code": "XYZ"}, "wrong-code"),
        ("complete", {"status": "APPROVED"}, None),
        ("complete", {"status": "REJECTED", "entered_code": "DONE42"}, None),
        ("complete", {"status": "TIMED-OUT"}, "timed-out-finished"),
        ("complete", {"status": "RETURNED"}, "returned-finished"),
        ("complete", {"status": "ACTIVE"}, "not-submitted"),
        ("complete", {"status": "ACTIVE", "finished_at": NOW - timedelta(minutes=2)}, None),
        ("complete", {}, None),
        ("complete", {"listed": True}, "unknown-there"),
        ("rating", {"status": "ACTIVE"}, None),
        ("rating", {"status": "TIMED-OUT"}, None),
        ("rating", {"status": "RETURNED"}, None),
        ("rating", {"status": "APPROVED", "entered_code": "DONE42"}, "approved-unfinished"),
        ("rating", {"status": "AWAITING REVIEW"}, "submitted-unfinished"),
        ("rating", {"status": "AWAITING REVIEW", "entered_code": "DONE42"}, "submitted-unfinished"),
        ("rating", {"status": "AWAITING REVIEW", "entered_code": "XYZ"}, "wrong-code"),
        ("rating", {"listed": True}, "unknown-there"),
        (
            "out",
            {"status": "AWAITING REVIEW", "entered_code": "NOFIT1", "own_code": "NOFIT1"},
            None,
        ),
        ("out", {"status": "APPROVED", "entered_code": "NOFIT1", "own_code": "NOFIT1"}, None),
        ("out", {"status": "AWAITING REVIEW", "entered_code": "DONE42"}, "submitted-unfinished"),
        ("out", {"status": "RETURNED"}, None),
        ("", {"status": "AWAITING REVIEW", "entered_code": "DONE42"}, "never-arrived"),
        ("", {"status": "ACTIVE"}, "never-arrived"),
        ("", {"status": "RETURNED"}, None),
        ("", {"status": "TIMED-OUT"}, None),
        ("", {"status": "RESERVED"}, None),
    ],
)
def test_each_pair_of_sides_fits_or_has_its_name(here, there, expected):
    assert kind(here, **there) == expected


def test_a_mismatch_says_what_is_wrong_and_what_to_do():
    found = mismatch(standing("rating", status="AWAITING REVIEW", entered_code="DONE42", sent=5))
    assert found.what == "Handed in with the code for “Complete”, 5 of 12 units sent here."
    assert found.do.startswith("Ask the person to return it")


def test_what_concerns_a_persons_pay_comes_before_our_bookkeeping():
    order = list(KINDS)
    assert order[0] == "no-code" and order.index("not-submitted") < order.index("unknown-there")


def test_a_missing_code_of_finished_work_is_said_to_be_no_ground_for_rejection():
    found = mismatch(standing(status="AWAITING REVIEW", entered_code="NOCODE"))
    assert "approve it" in found.do and "no ground for a rejection" in found.do


@pytest.mark.parametrize("status", ["TIMED-OUT", "RETURNED"])
def test_what_became_of_the_answers_is_said_as_it_is(status):
    assert "kept and count" in mismatch(standing(status=status)).what
    assert "are set aside" in mismatch(standing(status=status, set_aside=True)).what
