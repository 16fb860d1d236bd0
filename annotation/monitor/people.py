"""People as rows of a table: how far they are, how long they worked, how they answer twice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from annotation.checks import CheckResult, checks_of, n_failed
from annotation.models import (
    Assignment,
    CheckAnswer,
    CheckOutcome,
    Exclusion,
    Flag,
    Identity,
    Participation,
    Rating,
)
from annotation.monitor.counts import STUCK
from studies.models import QualityRule, Study

State = Participation.State


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """One row. ``active_minutes`` is None where nothing was measured.

    ``same`` of ``twice`` answers were the same when a unit came again. ``submission``: under which
    number the arrivals page knows them, where they came from Prolific. ``stuck_minutes``: rating,
    and without an action for so long.
    """

    id: int
    code: str
    panel: str
    panel_id: int | None
    state: str
    state_words: str
    planned: int
    sent: int
    skipped: int
    surplus: int
    now_at: int | None
    active_minutes: float | None
    same: int
    twice: int
    last_seen: datetime | None
    stuck_minutes: int | None
    checks: int
    failed: int
    submission: int | None
    flags: tuple[str, ...]
    flags_decided: tuple[str, ...]
    excluded: bool
    simulated: bool
    pilot: bool

    @property
    def same_percent(self) -> int | None:
        return round(100 * self.same / self.twice) if self.twice else None


def people_of(study: Study) -> QuerySet[Participation]:
    """Everybody who has begun to rate: before that a person has no code."""
    return Participation.objects.filter(study=study).exclude(code="")


def stuck_people(people: QuerySet[Participation], study: Study) -> QuerySet[Participation]:
    """Still rating, no action for over 10 minutes, and their unit not yet given to others; nobody
    whose work was set aside."""
    now = timezone.now()
    return people.filter(
        state=State.RATING,
        set_aside_at=None,
        last_seen_at__lt=now - STUCK,
        last_seen_at__gte=now - timedelta(minutes=study.lease_minutes),
    )


def person_rows(people: Sequence[Participation], study: Study) -> list[Person]:
    """A row for each, in their order: eight queries for all of them.

    The people come with their panels (``select_related``).
    """
    screens: dict[int, list[Assignment]] = defaultdict(list)
    ids = [person.pk for person in people]
    shown = Assignment.objects.filter(participation__in=ids)
    for screen in shown.order_by("participation", "n").defer("draft"):
        screens[screen.participation_id].append(screen)
    twice = answered_twice(screen for rows in screens.values() for screen in rows)
    checks = checks_of(people)
    submissions = dict(
        Identity.objects.filter(participation__in=ids, source=Identity.Source.PROLIFIC).values_list(
            "participation", "pk"
        )
    )
    flags: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for flag in Flag.objects.filter(participation__in=ids):
        flags[flag.participation_id].append((flag.get_kind_display().lower(), flag.decision))
    excluded = set(
        wholly_excluded().filter(participation__in=ids).values_list("participation", flat=True)
    )
    now = timezone.now()
    return [
        replace(
            _row(person, screens[person.pk], twice, checks[person.pk], study, now),
            submission=submissions.get(person.pk),
            flags=tuple(words for words, decision in flags[person.pk] if not decision),
            flags_decided=tuple(words for words, decision in flags[person.pk] if decision),
            excluded=person.pk in excluded,
        )
        for person in people
    ]


def _row(
    person: Participation,
    screens: list[Assignment],
    twice: dict[int, tuple[int, int]],
    checks: list[CheckResult],
    study: Study,
    now: datetime,
) -> Person:
    repeats = [twice[screen.pk] for screen in screens if screen.pk in twice]
    measured = [s.timing["active"] for s in screens if is_number(s.timing.get("active"))]
    waiting = next((screen.n for screen in screens if screen.is_open), None)
    return Person(
        id=person.pk,
        code=person.code,
        panel=str(person.panel) if person.panel else "",
        panel_id=person.panel_id,
        state=person.state,
        state_words=state_words(person),
        planned=person.n_units,
        sent=sum(screen.submitted_at is not None for screen in screens),
        skipped=sum(screen.skipped_at is not None for screen in screens),
        surplus=sum(screen.counted is False and not screen.set_aside for screen in screens),
        now_at=waiting if person.state == State.RATING else None,
        active_minutes=sum(measured) / 60 if measured else None,
        same=sum(same for same, _ in repeats),
        twice=sum(n for _, n in repeats),
        last_seen=person.last_seen_at,
        stuck_minutes=_stuck_minutes(person, study, now),
        checks=len(checks),
        failed=n_failed(checks),
        submission=None,
        flags=(),
        flags_decided=(),
        excluded=False,
        simulated=person.simulated,
        pilot=person.pilot,
    )


def is_number(value: object) -> bool:
    """Whether a browser's word is a number at all: timing is taken as it came."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def state_words(person: Participation) -> str:
    if person.state == State.OUT:
        return person.get_outcome_display().lower() or "left"
    return person.get_state_display().lower()


def _stuck_minutes(person: Participation, study: Study, now: datetime) -> int | None:
    if person.state != State.RATING or person.last_seen_at is None or person.set_aside_at:
        return None
    since = now - person.last_seen_at
    if not STUCK < since <= timedelta(minutes=study.lease_minutes):
        return None
    return int(since / timedelta(minutes=1))


def answered_twice(screens: Iterable[Assignment]) -> dict[int, tuple[int, int]]:
    """Sent repeat -> how many of its answers are those of the first time, and how many there are.

    Only numbers are compared, and only where both times hold one about the same subject.
    """
    pairs = {
        screen.pk: screen.repeat_of_id
        for screen in screens
        if screen.repeat_of_id is not None and screen.submitted_at is not None
    }
    values: dict[int, dict[tuple[int, str], int]] = defaultdict(dict)
    rows = Rating.objects.filter(assignment__in={*pairs, *pairs.values()}, value__isnull=False)
    for screen, question, subject, value in rows.values_list(
        "assignment", "question", "subject", "value"
    ):
        values[screen][question, subject] = value
    found = {}
    for repeat, first in pairs.items():
        both = values[repeat].keys() & values[first].keys()
        same = sum(values[repeat][about] == values[first][about] for about in both)
        found[repeat] = (same, len(both))
    return found


def failed_a_check() -> Q:
    """Whoever failed a check of any kind, by the final answers."""
    own = {"assignment__participation": OuterRef("pk"), "passed": False}
    answers, outcomes = (rows.objects.filter(**own) for rows in (CheckAnswer, CheckOutcome))
    return Q(Exists(answers)) | Q(Exists(outcomes))


def failed_two_checks(study: Study, *, pilot: bool) -> QuerySet[Participation]:
    """Whoever failed checks on two screens or more, by the final answers, and waits for a decision:
    not set aside, excluded, or kept by somebody who looked at it."""
    screens: dict[int, set[int]] = defaultdict(set)
    failed = {
        "assignment__participation__study": study,
        "assignment__participation__pilot": pilot,
        "passed": False,
    }
    for checks in (CheckAnswer, CheckOutcome):
        rows = checks.objects.filter(**failed).order_by()
        for person, screen in rows.values_list("assignment__participation", "assignment"):
            screens[person].add(screen)
    twice = [person for person, own in screens.items() if len(own) >= 2]
    mine = {"participation": OuterRef("pk")}
    decided = Flag.objects.filter(**mine, kind=QualityRule.Kind.CHECKS).exclude(decision="")
    waiting = people_of(study).filter(pk__in=twice, set_aside_at=None)
    return waiting.exclude(Exists(decided)).exclude(Exists(wholly_excluded().filter(**mine)))


def undecided_flags() -> Q:
    """Whoever has a flag that waits for a decision, but for those who are left out anyway."""
    mine = {"participation": OuterRef("pk")}
    waiting = Exists(Flag.objects.filter(**mine, decision=""))
    return Q(waiting) & ~Q(Exists(wholly_excluded().filter(**mine)))


def wholly_excluded() -> QuerySet[Exclusion]:
    """Exclusions in force of all that a person answered."""
    return Exclusion.objects.filter(assignment=None, lifted_at=None)


# ---- the table: what it shows of all there are

STATES = (
    ("rating", "Rating"),
    ("stuck", "Stuck"),
    ("complete", "Complete"),
    ("out", "Left"),
    ("failed", "Failed a check"),
    ("failed-two", "Failed two checks, undecided"),
    ("flagged", "Flagged, undecided"),
    ("excluded", "Excluded"),
)
SORTS = {
    "code": ("panel__country", "code"),
    "state": ("state", "id"),
    "seen": ("last_seen_at", "id"),
    "began": ("instructed_at", "id"),
}


@dataclass(frozen=True)
class Wish:
    """What is asked of the table: a panel's id, a state, part of a code, an order."""

    panel: str = ""
    state: str = ""
    search: str = ""
    sort: str = "-seen"

    @classmethod
    def of(cls, given: dict[str, str]) -> Wish:
        """What is known of it; anything else is as if it had not been asked."""
        sort, state = given.get("sort", ""), given.get("state", "")
        return cls(
            panel=given.get("panel", "") if given.get("panel", "").isdecimal() else "",
            state=state if state in dict(STATES) else "",
            search=given.get("code", "").strip()[:24],
            sort=sort if sort.removeprefix("-") in SORTS else cls.sort,
        )


def wished_people(study: Study, wish: Wish) -> QuerySet[Participation]:
    """The people who match, in the order asked for, with their panels."""
    people = people_of(study).select_related("panel")
    if wish.panel:
        people = people.filter(panel=int(wish.panel))
    if wish.state == "stuck":
        people = stuck_people(people, study)
    elif wish.state == "failed":
        people = people.filter(failed_a_check())
    elif wish.state == "failed-two":
        people = people.filter(pk__in=failed_two_checks(study, pilot=study.in_pilot).values("pk"))
    elif wish.state == "flagged":
        people = people.filter(undecided_flags())
    elif wish.state == "excluded":
        people = people.filter(Exists(wholly_excluded().filter(participation=OuterRef("pk"))))
    elif wish.state:
        people = people.filter(state=wish.state)
    if wish.search:
        people = people.filter(Q(code__icontains=wish.search))
    names = SORTS[wish.sort.removeprefix("-")]
    sign = "-" if wish.sort.startswith("-") else ""
    return people.order_by(*(f"{sign}{name}" for name in names))
