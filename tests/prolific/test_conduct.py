"""Prolific's rules of conduct."""

import pytest

from annotation.prolific import conduct


@pytest.mark.parametrize(
    ("minutes", "failed", "allowed"),
    [(5, 0, False), (5, 1, False), (5, 2, True), (30, 3, True), (4, 0, False), (4, 1, True)],
)
def test_a_rejection_takes_two_failed_checks_and_one_in_a_study_under_five_minutes(
    minutes, failed, allowed
):
    rule = conduct.reject_rule(
        study_minutes=minutes, failed_checks=failed, status="AWAITING REVIEW"
    )
    assert rule.allowed is allowed
    assert str(rule.needed) in rule.sentence and f"{minutes} min" in rule.sentence


@pytest.mark.parametrize("status", ["", "ACTIVE", "TIMED-OUT", "RETURNED", "APPROVED", "REJECTED"])
def test_only_what_awaits_review_can_be_rejected(status):
    rule = conduct.reject_rule(study_minutes=10, failed_checks=2, status=status)
    assert not rule.allowed and "awaits review" in rule.sentence


def test_who_was_paid_or_has_returned_is_not_asked_to_return():
    assert conduct.may_ask_to_return("AWAITING REVIEW")
    assert not conduct.may_ask_to_return("APPROVED")
    assert not conduct.may_ask_to_return("RETURNED")


def test_a_rejection_can_be_turned_into_an_approval_and_a_return_cannot():
    assert conduct.may_approve("REJECTED") and conduct.may_approve("AWAITING REVIEW")
    assert not conduct.may_approve("RETURNED") and not conduct.may_approve("APPROVED")


@pytest.mark.parametrize("action", [conduct.REJECT, conduct.ASK_TO_RETURN])
def test_what_may_harm_is_explained_in_a_hundred_characters(action):
    assert "99 of at least 100" in conduct.text_problem(action, "x" * 99)
    assert "0 of at least 100" in conduct.text_problem(action, " " * 200)
    assert conduct.text_problem(action, "x" * 100) == ""


def test_a_message_says_something_and_is_no_novel():
    assert conduct.text_problem(conduct.MESSAGE, "Hello") == ""
    assert "empty" in conduct.text_problem(conduct.MESSAGE, "  ")
    assert "Shorten" in conduct.text_problem(conduct.MESSAGE, "x" * 2001)


def test_an_approval_needs_no_words():
    assert conduct.text_problem(conduct.APPROVE, "") == ""
