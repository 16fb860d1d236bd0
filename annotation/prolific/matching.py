"""Our record of a person against Prolific's: what does not fit together, and what to do about it.

Pure: it is told how things stand on both sides. The order of ``KINDS`` is the order on the page,
the worst first: somebody's pay comes before our bookkeeping.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

NOT_A_CODE = {"", "NOCODE", "NO CODE"}
STILL_ON_THEIR_WAY = timedelta(minutes=15)

KINDS = {
    "no-code": "Finished here, no code there",
    "wrong-code": "Another code than ours",
    "not-submitted": "Finished here, not handed in there",
    "timed-out-finished": "Timed out there, finished here",
    "returned-finished": "Returned there, finished here",
    "approved-unfinished": "Approved there, not finished here",
    "submitted-unfinished": "Handed in there, not finished here",
    "never-arrived": "There, but never here",
    "unknown-there": "Here, but not there",
}
_ORDER = {kind: place for place, kind in enumerate(KINDS)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One person on both sides. ``state`` is '' for who never arrived.

    ``own_code`` is what we gave out for how it ended here, '' where we asked for the return;
    ``codes`` names every code of the study by what it is for. ``listed``: Prolific's whole list was
    read since the person arrived.
    """

    state: str
    sent: int = 0
    planned: int = 0
    finished_at: datetime | None = None
    own_code: str = ""
    codes: Mapping[str, str]
    status: str = ""
    entered_code: str = ""
    listed: bool = False
    set_aside: bool = False
    now: datetime

    @property
    def is_finished(self) -> bool:
        return self.state == "complete"

    @property
    def has_code(self) -> bool:
        return same_code(self.entered_code) not in NOT_A_CODE

    @property
    def code_is_ours(self) -> bool:
        return bool(self.own_code) and same_code(self.entered_code) == same_code(self.own_code)

    @property
    def kept(self) -> str:
        return "set aside" if self.set_aside else "kept and count"

    @property
    def progress(self) -> str:
        return f"{self.sent} of {self.planned} units" if self.planned else "nothing"


@dataclass(frozen=True, slots=True)
class Mismatch:
    """``what`` is wrong and what to ``do``, each a sentence or two."""

    kind: str
    what: str
    do: str

    @property
    def place(self) -> int:
        return _ORDER[self.kind]


def same_code(code: str) -> str:
    """A code as people type it: case and spaces around say nothing."""
    return code.strip().upper()


def mismatch(one: Standing) -> Mismatch | None:
    """What does not fit together, None where all does."""
    for look in (_never_arrived, _unknown_there, _finished_here, _unfinished_here):
        found = look(one)
        if found is not None:
            return found
    return None


def _never_arrived(one: Standing) -> Mismatch | None:
    if one.state:
        return None
    handed_in = {"AWAITING REVIEW", "APPROVED", "PARTIALLY APPROVED"}
    if one.status in handed_in:
        return Mismatch(
            "never-arrived",
            "Handed in on Prolific, but our link was never opened with this submission.",
            "Ask what the person did and which page they saw, before you decide.",
        )
    if one.status == "ACTIVE":
        return Mismatch(
            "never-arrived",
            "At work on Prolific, but our link was never opened with this submission.",
            "Wait: many only look. If there are several, try the study's link on Prolific.",
        )
    return None


def _unknown_there(one: Standing) -> Mismatch | None:
    if not one.state or one.status or not one.listed:
        return None
    return Mismatch(
        "unknown-there",
        "Came with Prolific's parameters, but Prolific lists no such submission of this study.",
        "Look whether every study id on Prolific is written down here. A preview from Prolific "
        "looks like this too.",
    )


def _finished_here(one: Standing) -> Mismatch | None:
    if not one.is_finished:
        return None
    if one.status in {"ACTIVE", "RESERVED"}:
        since = one.now - one.finished_at if one.finished_at else timedelta(0)
        if since < STILL_ON_THEIR_WAY:
            return None
        return Mismatch(
            "not-submitted",
            "Finished here, but the submission was not handed in on Prolific.",
            f"Write to the person before their time runs out; the code is {one.own_code}.",
        )
    if one.status == "TIMED-OUT":
        return Mismatch(
            "timed-out-finished",
            f"Finished here after Prolific's time ran out. The answers are {one.kept}.",
            "The work is done: approve the submission, or pay a bonus where that is not possible.",
        )
    if one.status == "RETURNED":
        return Mismatch(
            "returned-finished",
            f"Finished here, returned on Prolific. The answers are {one.kept}.",
            "A return is the person's own choice and not paid. If it was a slip, write to them.",
        )
    if one.status == "AWAITING REVIEW":
        return _code_of_finished(one)
    return None


def _code_of_finished(one: Standing) -> Mismatch | None:
    if not one.has_code:
        return Mismatch(
            "no-code",
            "Finished here, handed in without a code.",
            "The work is done: approve it. The missing code is no ground for a rejection.",
        )
    if one.code_is_ours:
        return None
    meaning = one.codes.get(same_code(one.entered_code))
    named = f"the code for “{meaning}”" if meaning else "a code that is none of ours"
    return Mismatch(
        "wrong-code",
        f"Finished here, handed in with {named}.",
        "What happened here counts: approve it if the answers are those of this person.",
    )


def _unfinished_here(one: Standing) -> Mismatch | None:
    if one.is_finished or one.code_is_ours or not one.state:
        return None
    if one.status in {"APPROVED", "PARTIALLY APPROVED"}:
        return Mismatch(
            "approved-unfinished",
            f"Approved on Prolific with {one.progress} sent here.",
            "An approval stays. Decide whether what was sent shall count.",
        )
    if one.status != "AWAITING REVIEW":
        return None
    meaning = one.codes.get(same_code(one.entered_code))
    if one.has_code and meaning is None:
        return Mismatch(
            "wrong-code",
            f"Handed in with a code that is none of ours, {one.progress} sent here.",
            "Ask the person to return it, and say what they can do if they disagree.",
        )
    with_code = f"with the code for “{meaning}”" if meaning else "without a code"
    return Mismatch(
        "submitted-unfinished",
        f"Handed in {with_code}, {one.progress} sent here.",
        "Ask the person to return it, or approve it for the part that was done.",
    )
