"""What a researcher should look at now, most urgent first. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from annotation.monitor.counts import Collection, PanelCounts
from annotation.monitor.pace import Pay, course_of, in_words, money, pace_per_hour
from annotation.prolific.undecided import Undecided

FINISHED_FOR_PAY = 3
"""From so many people who finished, their median says something about the pay."""


DECIDE_SOON = 3  # days before Prolific decides by itself


@dataclass(frozen=True, slots=True)
class Need:
    """``mark``: bad, warn or info. ``page`` names where it is dealt with, ``panel`` filters it.

    ``advice`` is a sentence or two on what to do, where no page does it.
    """

    mark: str
    sentence: str
    page: str = ""
    panel: int | None = None
    advice: str = ""


ORDER = ("bad", "warn", "info")


def needs_of(
    *,
    now: Collection,
    started: datetime | None,
    takes_people: bool,
    over: int,
    failed_two: int,
    pay: dict[int, tuple[Pay, float, int]],
    flagged: int = 0,
    waiting: Undecided | None = None,
) -> list[Need]:
    """``over``: units with more ratings than wanted; ``failed_two``: who failed two checks
    and waits for a decision, ``flagged``: who has flags that wait for a decision.

    ``pay``: panel id -> pay, median seconds, how many have finished.
    """
    found = []
    if over:
        units = f"{over} unit has" if over == 1 else f"{over} units have"
        found.append(Need("bad", f"{units} more counted ratings than wanted.", advice=_OVER))
    if takes_people:
        found += _flow(now, started)
    for panel in now.panels:
        if panel.id in pay:
            found += _pay(panel, *pay[panel.id], alone=len(now.panels) == 1)
    if now.stuck:
        who = "1 person has" if now.stuck == 1 else f"{now.stuck} people have"
        found.append(Need("info", f"{who} not acted for over 10 min.", page="stuck"))
    if failed_two:
        who = "1 person" if failed_two == 1 else f"{failed_two} people"
        found.append(Need("info", f"{who} failed two checks.", page="failed-two"))
    if flagged:
        who = "1 person has" if flagged == 1 else f"{flagged} people have"
        found.append(Need("info", f"{who} flags that nobody decided on.", page="flagged"))
    if waiting is not None and waiting.n:
        found.append(_decide(waiting))
    return sorted(found, key=lambda need: ORDER.index(need.mark))


def _decide(waiting: Undecided) -> Need:
    who, them = ("1 person waits", "it") if waiting.n == 1 else (f"{waiting.n} people wait", "them")
    if waiting.days_left is None:
        return Need("info", f"{who} for a decision on Prolific.", page="decide")
    left = waiting.days_left
    soon = "today" if not left else "tomorrow" if left == 1 else f"in {left} days"
    sentence = f"{who} for a decision; Prolific approves {them} by itself {soon}."
    return Need("warn" if left <= DECIDE_SOON else "info", sentence, page="decide")


_OVER = (
    "It happens where you want fewer ratings than before: what was given stays. "
    "If you do not, please report it."
)


def _flow(now: Collection, started: datetime | None) -> list[Need]:
    """Panels to which nobody comes, or too few; the study as a whole where that is all of them."""
    courses = {panel.id: _course(panel, now, started) for panel in now.panels}
    behind = [panel for panel in now.panels if courses[panel.id] == "stuck"]
    to_do = [panel for panel in now.panels if panel.left]
    if behind and len(behind) == len(to_do):
        since = max((p.last_seen for p in behind if p.last_seen), default=None)
        silent = f"for {in_words(now.at - since)}" if since else "so far"
        return [
            Need("bad", f"Nobody has come {silent}; {_places(now.open)} open.", page="arrivals")
        ]
    found = []
    for panel in now.panels:
        if courses[panel.id] == "stuck":
            silent = f"for {in_words(now.at - panel.last_seen)}" if panel.last_seen else "so far"
            sentence = f"{panel.name}: nobody {silent}, {_places(panel.open)} open."
            found.append(Need("bad", sentence, page="arrivals", panel=panel.id))
        elif courses[panel.id] == "slow":
            lately = panel.people_lately
            people = "1 person" if lately == 1 else f"{lately} people"
            sentence = (
                f"{panel.name} is slow: {people} in the last hour, {_places(panel.open)} open."
            )
            found.append(Need("warn", sentence, page="arrivals", panel=panel.id))
    return found


def _course(panel: PanelCounts, now: Collection, started: datetime | None) -> str:
    pace = pace_per_hour(done_lately=panel.done_lately, started=started, now=now.at)
    return course_of(left=panel.left, last_seen=panel.last_seen, pace=pace, now=now.at)


def _places(n: int) -> str:
    return "1 place" if n == 1 else f"{n:,} places"


def _pay(
    panel: PanelCounts, pay: Pay, median_seconds: float, finished: int, *, alone: bool
) -> list[Need]:
    if finished < FINISHED_FOR_PAY or not pay.is_less:
        return []
    where = "" if alone else f"{panel.name}: "
    rate, promised = (money(n, pay.currency) for n in (pay.per_hour, pay.promised))
    sentence = (
        f"{where}median {round(median_seconds / 60)} min pays {rate} an hour; promised {promised}."
    )
    advice = (
        f"A bonus of {money(pay.short, pay.currency)} each makes up for it. "
        "For those to come, raise the estimated minutes."
    )
    return [Need("warn", sentence, panel=panel.id, advice=advice)]
