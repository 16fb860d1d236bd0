"""Both lists of a study's people, side by side: one row a person, in a fixed number of queries."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count
from django.utils import timezone

from annotation.models import Assignment, Attempt, Participation, Reconciliation
from annotation.monitor.people import state_words
from annotation.prolific.matching import KINDS, Mismatch, Standing, mismatch, same_code
from annotation.prolific.statuses import latest_attempt, rules_of
from studies.models import OutcomeCode, Study

SETTLED_LIST = timedelta(minutes=2)  # a list read this long after an arrival should name it
State = Participation.State
Outcome = Participation.Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A person of a study as the page shows them. ``pid`` is '' unless it was asked for."""

    identity_id: int
    name: str
    code: str
    panel: str
    here: str
    state: str
    sent: int
    planned: int
    status: str
    status_label: str
    status_at: datetime | None
    entered_code: str
    has_code: bool
    arrived: bool
    set_aside: bool
    pilot: bool
    simulated: bool
    n_attempts: int
    mismatch: Mismatch | None
    pid: str = ""
    submission_id: str = ""


def rows_of(study: Study, *, with_ids: bool = False, identity_id: int | None = None) -> list[Row]:
    """Everybody who came from Prolific or is known there: mismatches first, the worst on top."""
    attempts = (
        Attempt.objects.filter(study=study)
        .select_related("identity__participation__panel")
        .order_by("pk")
    )
    if identity_id is not None:
        attempts = attempts.filter(identity=identity_id)
    people: dict[int, list[Attempt]] = {}
    for attempt in attempts:
        people.setdefault(attempt.identity_id, []).append(attempt)
    table = _Table(study, with_ids)
    rows = [table.row(of_one) for of_one in people.values()]
    return sorted(rows, key=_on_the_page)


def _on_the_page(row: Row) -> tuple:
    place = row.mismatch.place if row.mismatch is not None else len(KINDS)
    waits = 0 if row.status == Attempt.Status.AWAITING_REVIEW else 1
    return place, waits, not row.arrived, row.name


class _Table:
    """What every row needs, asked for once."""

    def __init__(self, study: Study, with_ids: bool) -> None:
        self._with_ids = with_ids
        self._is_over = not study.takes_answers
        self._now = timezone.now()
        self._own = dict(OutcomeCode.objects.filter(study=study).values_list("outcome", "code"))
        self._complete = study.completion_code
        self._codes = code_names(study, self._own)
        self._listed = rules_of(study).polled_at
        sent = Assignment.objects.filter(
            participation__study=study,
            participation__identity__source="prolific",
            submitted_at__isnull=False,
        )
        counts = sent.order_by().values("participation").annotate(n=Count("pk"))
        self._sent = dict(counts.values_list("participation", "n"))

    def row(self, attempts: list[Attempt]) -> Row:
        latest = latest_attempt(attempts)
        identity = latest.identity
        person = identity.participation
        standing = self._standing(latest, person)
        return Row(
            identity_id=identity.pk,
            name=_name(person, latest),
            code=person.code if person else "",
            panel=str(person.panel) if person and person.panel else "",
            here=state_words(person) if person else "never arrived",
            state=standing.state,
            sent=standing.sent,
            planned=standing.planned,
            status=latest.status,
            status_label=latest.get_status_display(),
            status_at=latest.status_at,
            entered_code=latest.entered_code if standing.has_code else "",
            has_code=standing.has_code,
            arrived=person is not None,
            set_aside=standing.set_aside,
            pilot=bool(person and person.pilot),
            simulated=bool(person and person.simulated),
            n_attempts=len(attempts),
            mismatch=mismatch(standing),
            pid=_id(identity.external_id, identity.erased_at) if self._with_ids else "",
            submission_id=_id(latest.session_id, identity.erased_at) if self._with_ids else "",
        )

    def _standing(self, latest: Attempt, person: Participation | None) -> Standing:
        both = {
            "codes": self._codes,
            "status": latest.status,
            "entered_code": latest.entered_code,
            "now": self._now,
        }
        if person is None:
            return Standing(state="", **both)
        arrived = latest.arrived_at or person.arrived_at
        return Standing(
            state=person.state,
            sent=self._sent.get(person.pk, 0),
            planned=person.n_units,
            finished_at=person.finished_at,
            own_code=self._own_code(person),
            listed=self._listed is not None and self._listed > arrived + SETTLED_LIST,
            set_aside=person.set_aside_at is not None,
            **both,
        )

    def _own_code(self, person: Participation) -> str:
        """The code that their page shows them (``outcomes``)."""
        if person.state == State.COMPLETE:
            return self._complete
        if person.outcome and person.outcome != Outcome.CLOSED:
            return self._own.get(person.outcome, "")
        if self._is_over and self._sent.get(person.pk) and not person.taken_back:
            return self._own.get(Outcome.CLOSED, self._complete)
        return ""


def code_names(study: Study, own: Mapping[str, str]) -> dict[str, str]:
    """Each code of the study -> what it is for, in the words of the page."""
    labels = dict(OutcomeCode.Outcome.choices)
    names = {same_code(code): labels[outcome] for outcome, code in own.items() if code}
    return names | {same_code(study.completion_code): "Complete"}


def _name(person: Participation | None, latest: Attempt) -> str:
    if person is None:
        return f"submission {latest.pk}"
    return person.code or f"arrival {person.pk}"


def _id(value: str, erased_at: datetime | None) -> str:
    return "erased" if erased_at is not None else value


@dataclass(frozen=True, slots=True)
class Counts:
    people: int
    arrived: int
    to_look_at: int
    awaiting: int
    by_status: tuple[tuple[str, str, int], ...]  # value, label, how many
    by_kind: tuple[tuple[str, str, int], ...]


def counts_of(rows: Iterable[Row]) -> Counts:
    listed = list(rows)
    statuses = [("", "Not heard of"), *Attempt.Status.choices]
    by_status = [(v, label, sum(r.status == v for r in listed)) for v, label in statuses]
    kinds = [
        (kind, label, sum(r.mismatch is not None and r.mismatch.kind == kind for r in listed))
        for kind, label in KINDS.items()
    ]
    return Counts(
        people=len(listed),
        arrived=sum(row.arrived for row in listed),
        to_look_at=sum(row.mismatch is not None for row in listed),
        awaiting=sum(row.status == Attempt.Status.AWAITING_REVIEW for row in listed),
        by_status=tuple(one for one in by_status if one[2]),
        by_kind=tuple(one for one in kinds if one[2]),
    )


@dataclass(frozen=True, slots=True)
class Wish:
    """Which rows are asked for: of a kind of mismatch, a status there, a state here, a code."""

    show: str = ""
    status: str = ""
    search: str = ""

    def keeps(self, row: Row) -> bool:
        return self._of_show(row) and self._of_status(row) and self._of_search(row)

    @property
    def is_narrow(self) -> bool:
        return bool(self.show or self.status or self.search)

    def _of_show(self, row: Row) -> bool:
        match self.show:
            case "":
                return True
            case "look":
                return row.mismatch is not None
            case "fits":
                return row.mismatch is None
            case kind:
                return row.mismatch is not None and row.mismatch.kind == kind

    def _of_status(self, row: Row) -> bool:
        return not self.status or (row.status or "none") == self.status

    def _of_search(self, row: Row) -> bool:
        # Not by ids: what is looked for here stands in the address.
        return self.search.lower() in row.name.lower()


@dataclass(frozen=True, slots=True)
class Asking:
    """Whether Prolific is being asked at the moment, and what was heard last."""

    is_asking: bool
    done: int
    total: int
    row: Reconciliation


def asking_of(study: Study, *, lost_after: timedelta) -> Asking:
    row = rules_of(study)
    since = timezone.now() - lost_after
    asking = row.poll_asked_at is not None and row.poll_asked_at > since
    return Asking(asking, row.poll_done, row.poll_total, row)


COLUMNS = (
    "annotator",
    "panel",
    "state_here",
    "sent",
    "planned",
    "status_there",
    "status_at",
    "entered_code",
    "set_aside",
    "mismatch",
    "sentence",
)


def rows_csv(rows: Iterable[Row], *, with_ids: bool) -> str:
    """The list as a table; ids of Prolific only where they were asked for."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow([*COLUMNS, *(("participant_id", "submission_id") if with_ids else ())])
    for row in rows:
        found = row.mismatch
        writer.writerow(
            [
                *(_cell(row.name), _cell(row.panel), row.here, row.sent, row.planned),
                *(row.status, row.status_at.isoformat() if row.status_at else ""),
                *(_cell(row.entered_code), "yes" if row.set_aside else "no"),
                *((found.kind, f"{found.what} {found.do}") if found else ("", "")),
                *((_cell(row.pid), _cell(row.submission_id)) if with_ids else ()),
            ]
        )
    return out.getvalue()


def _cell(text: str) -> str:
    """What others wrote, so that a spreadsheet takes it as text and not as a formula."""
    return f"'{text}" if text[:1] in {"=", "+", "-", "@", "\t", "\r"} else text
