"""Prolific's rules of conduct towards the people who work for a study, as plain functions.

From its help pages for researchers (attention and comprehension checks; reviewing submissions) and
its API reference: a study of five minutes or more may reject after two failed attention checks, a
shorter one after one; comprehension questions give two chances and then the return, never a
rejection; a rejection carries a message of at least 100 characters; a return carries no mark
against the person, so it comes first. Nothing here acts by itself.
"""

from __future__ import annotations

from dataclasses import dataclass

LONG_STUDY_MINUTES = 5
CHECKS_IN_A_LONG_STUDY = 2
CHECKS_IN_A_SHORT_STUDY = 1
SHORTEST_MESSAGE = 100  # characters of a message that rejects, or asks to return
LONGEST_MESSAGE = 2000

ASK_TO_RETURN = "ask-to-return"
APPROVE = "approve"
MESSAGE = "message"
REJECT = "reject"

_RETURNABLE = {"", "RESERVED", "ACTIVE", "AWAITING REVIEW", "TIMED-OUT"}
_APPROVABLE = {"AWAITING REVIEW", "TIMED-OUT", "REJECTED"}
_REJECTABLE = {"AWAITING REVIEW"}


@dataclass(frozen=True, slots=True)
class RejectRule:
    """Whether a rejection is within the rules, and the sentence that says so."""

    allowed: bool
    failed: int
    needed: int
    sentence: str


def checks_needed(study_minutes: int) -> int:
    """How many failed attention checks a rejection takes; by the minutes people were promised."""
    long = study_minutes >= LONG_STUDY_MINUTES
    return CHECKS_IN_A_LONG_STUDY if long else CHECKS_IN_A_SHORT_STUDY


def reject_rule(*, study_minutes: int, failed_checks: int, status: str) -> RejectRule:
    """Only attention checks are counted: a comprehension question is no ground for rejection."""
    needed = checks_needed(study_minutes)
    lasts = f"This study takes {study_minutes} min, so Prolific allows a rejection after"
    wanted = f"{needed} failed attention check{'s' if needed > 1 else ''}"
    if failed_checks < needed:
        sentence = f"{lasts} {wanted}. This person failed {failed_checks or 'none'}."
        return RejectRule(False, failed_checks, needed, sentence)
    if status not in _REJECTABLE:
        sentence = f"{lasts} {wanted}, and only while the submission awaits review."
        return RejectRule(False, failed_checks, needed, sentence)
    sentence = f"{lasts} {wanted}. This person failed {failed_checks}."
    return RejectRule(True, failed_checks, needed, sentence)


def may_ask_to_return(status: str) -> bool:
    return status in _RETURNABLE


def may_approve(status: str) -> bool:
    return status in _APPROVABLE


def text_problem(action: str, text: str) -> str:
    """What is wrong with the text of an action, as a sentence; '' where nothing is."""
    n = len(text.strip())
    if action == APPROVE:
        return ""
    if n > LONGEST_MESSAGE:
        return f"The text has {n} characters, {LONGEST_MESSAGE} at most. Shorten it."
    if action == MESSAGE:
        return "" if n else "The message is empty. Write what the person should know."
    if n < SHORTEST_MESSAGE:
        return (
            f"The text has {n} of at least {SHORTEST_MESSAGE} characters. "
            "Say what happened and what the person can do."
        )
    return ""
