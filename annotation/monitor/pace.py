"""What counts say about the course of a collection: pace, verdict, pay. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal

SILENT = timedelta(minutes=30)
"""Nobody for this long, and something is left to do: the collection is stuck."""

TOO_LONG = timedelta(hours=24)
"""What is left would take longer at the pace of the last hour: the collection is slow."""

FIRST_MINUTES = timedelta(minutes=10)
"""Before that nothing is said about the pace."""

HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Verdict:
    """``course``: on, slow, stuck, complete, paused, closed or empty. ``sentence`` says it."""

    course: str
    sentence: str


def pace_per_hour(*, done_lately: int, started: datetime | None, now: datetime) -> float | None:
    """Ratings an hour by the last hour, or by all of it where it began less than an hour ago.

    None in the first 10 minutes, and where nothing has begun.
    """
    if started is None or now - started < FIRST_MINUTES:
        return None
    return done_lately / (min(now - started, HOUR) / HOUR)


def time_left(*, left: int, pace: float | None) -> timedelta | None:
    """How long ``left`` ratings take at this pace; None where there is none."""
    return None if not pace else left / pace * HOUR


def in_words(span: timedelta) -> str:
    """A span as people say it: 40 min, 2 h, 3 days. Under a minute is 1 min."""
    minutes = max(1, round(span / timedelta(minutes=1)))
    if minutes < 90:
        return f"{minutes} min"
    hours = round(minutes / 60)
    return f"{hours} h" if hours < 36 else f"{round(hours / 24)} days"


def course_of(*, left: int, last_seen: datetime | None, pace: float | None, now: datetime) -> str:
    """on, slow, stuck or complete, of a collection that takes people."""
    if left == 0:
        return "complete"
    if last_seen is None or now - last_seen >= SILENT:
        return "stuck"
    needed = time_left(left=left, pace=pace)
    if pace == 0 or (needed is not None and needed > TOO_LONG):
        return "slow"
    return "on"


def verdict(
    *,
    done: int,
    wanted: int,
    each: int | None,
    state: str,
    last_seen: datetime | None,
    pace: float | None,
    now: datetime,
) -> Verdict:
    """The one-line verdict. ``each``: ratings a unit, where all panels want the same number."""
    if not wanted:
        if state == "closed":
            return Verdict("closed", "Closed: nothing is collected here.")
        return Verdict("empty", "There is nothing to rate yet.")
    course = course_of(left=max(0, wanted - done), last_seen=last_seen, pace=pace, now=now)
    if course == "complete":
        number = f"{each} rating{'' if each == 1 else 's'}" if each else "ratings"
        return Verdict("complete", f"Complete: every unit has its {number}.")
    so_far = f"{done:,} of {wanted:,} ratings ({100 * done // wanted} %)"
    if state == "closed":
        return Verdict("closed", f"Closed with {so_far}.")
    if state == "paused":
        return Verdict("paused", f"Paused: {so_far}. People in the middle can finish.")
    if course == "stuck":
        silent = f"nobody for {in_words(now - last_seen)}" if last_seen else "nobody has come yet"
        return Verdict("stuck", f"Stuck: {silent}. {so_far}.")
    opening = {"on": "On course", "slow": "Slow"}[course]
    return Verdict(course, f"{opening}: {so_far}. {_outlook(wanted - done, pace)}")


def _outlook(left: int, pace: float | None) -> str:
    if pace is None:
        return "Too early to tell the pace."
    needed = time_left(left=left, pace=pace)
    if needed is None:
        return "No rating in the last hour."
    return f"At this pace done in about {in_words(needed)}."


@dataclass(frozen=True, slots=True)
class Pay:
    """What people earn an hour at the pace they have; ``short``: missing for each of them."""

    per_hour: Decimal
    promised: Decimal
    currency: str
    short: Decimal

    @property
    def is_less(self) -> bool:
        return self.per_hour < self.promised


def pay_of(
    *, promised: Decimal | None, currency: str, estimated_minutes: int, median_seconds: float | None
) -> Pay | None:
    """Each is paid the promised rate for the estimated minutes, however long they take.

    None where no rate is promised or nobody has finished.
    """
    if promised is None or not median_seconds:
        return None
    hours = Decimal(str(median_seconds)) / 3600
    each = promised * estimated_minutes / 60
    return Pay(
        per_hour=_pence(each / hours),
        promised=promised,
        currency=currency,
        short=max(Decimal(0), _pence(promised * hours - each)),
    )


SIGNS = {"GBP": "£", "EUR": "€", "USD": "$", "JPY": "¥", "INR": "₹"}


def money(amount: Decimal, currency: str) -> str:
    """£9.00; a currency without a sign of its own by its code: CHF 9.00."""
    sign = SIGNS.get(currency, f"{currency} ")
    return f"{sign}{amount:.2f}"


def _pence(amount: Decimal) -> Decimal:
    return amount.quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)
