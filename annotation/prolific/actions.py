"""What a researcher does to a submission: within the rules, written down first, sent once."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone

from annotation.models import Attempt, Identity, Participation, ProlificAction
from annotation.prolific import conduct
from annotation.prolific.client import Client, ProlificError, ServiceFailed, Unreachable
from annotation.prolific.grounds import Grounds, grounds_of
from annotation.prolific.statuses import News, Source, Status, apply_status
from studies.design import frozen_design
from studies.models import Recruitment

Kind = ProlificAction.Kind
State = ProlificAction.State
_AFTERWARDS = {Kind.APPROVE: Status.APPROVED, Kind.REJECT: Status.REJECTED}


class ActionRefused(Exception):
    """Against the rules, or without the words it takes; nothing was sent. For people."""


@dataclass(frozen=True, slots=True)
class Allowed:
    """What may be done to a submission now, with the rule on rejecting it and what failed."""

    ask_to_return: bool
    approve: bool
    message: bool
    reject: conduct.RejectRule
    grounds: Grounds
    is_erased: bool

    def includes(self, kind: str) -> bool:
        return {
            Kind.ASK_TO_RETURN: self.ask_to_return,
            Kind.APPROVE: self.approve,
            Kind.MESSAGE: self.message,
            Kind.REJECT: self.reject.allowed and not self.is_erased,
        }[Kind(kind)]


def allowed(attempt: Attempt) -> Allowed:
    erased = attempt.identity.erased_at is not None
    grounds = grounds_of(attempt.identity.participation)
    rule = conduct.reject_rule(
        study_minutes=_minutes(attempt),
        failed_checks=grounds.n,
        status=attempt.status,
    )
    return Allowed(
        ask_to_return=not erased and conduct.may_ask_to_return(attempt.status),
        approve=not erased and conduct.may_approve(attempt.status),
        message=not erased,
        reject=rule,
        grounds=grounds,
        is_erased=erased,
    )


def _minutes(attempt: Attempt) -> int:
    """How long the study takes by what this person was promised, or by a longer estimate since."""
    person, now = attempt.identity.participation, attempt.study.estimated_minutes
    if person is None or not person.revision:
        return now
    return max(now, frozen_design(person.study_id, person.revision).estimated_minutes)


def last_action(attempt: Attempt) -> int:
    """The number of what was last done to a submission; 0: nothing."""
    return attempt.actions.aggregate(last=Max("pk"))["last"] or 0


def perform(
    *,
    attempt: Attempt,
    kind: str,
    text: str,
    by,
    key: str,
    seen: int | None = None,
    client: Client | None = None,
) -> ProlificAction:
    """Do it once: a second call with the same ``key`` sends nothing and gives the first one's row.

    ``seen``: the ``last_action`` that whoever decides knew of; where another has come since, nobody
    decides over it unknowingly. Raises ActionRefused then, and where the rules or the text do not
    allow it, NoToken where nothing can be sent at all. What Prolific refuses, or leaves unclear,
    stands in the row.
    """
    earlier = ProlificAction.objects.filter(key=key).first()
    if earlier is not None:
        return earlier
    _refuse(attempt, kind, text)
    asking = client or Client()
    try:
        with transaction.atomic():
            _refuse_overtaken(attempt, key, seen)
            row = ProlificAction.objects.create(
                key=key,
                study=attempt.study,
                participation=attempt.identity.participation,
                attempt=attempt,
                kind=kind,
                text="" if kind == Kind.APPROVE else text.strip(),
                by=by,
            )
    except IntegrityError:
        return ProlificAction.objects.get(key=key)
    try:
        _send(asking, attempt, row)
    except ProlificError as error:
        unclear = isinstance(error, Unreachable | ServiceFailed)
        row.state, row.result = State.UNCLEAR if unclear else State.FAILED, str(error)
    else:
        row.state = State.DONE
    row.save(update_fields=["state", "result"])
    if row.state == State.DONE and kind in _AFTERWARDS:
        news = News(status=_AFTERWARDS[Kind(kind)], source=Source.POLL, at=timezone.now())
        apply_status(attempt=attempt, news=news)
    return row


def _refuse_overtaken(attempt: Attempt, key: str, seen: int | None) -> None:
    """Two who decide at once do so one after the other, and the second reads what the first did."""
    Identity.objects.select_for_update().get(pk=attempt.identity_id)  # as statuses lock them
    newest = attempt.actions.select_related("by").order_by("-pk").first()
    if seen is None or newest is None or newest.pk == seen or newest.key == key:
        return
    who = newest.by.get_full_name() or newest.by.get_username() if newest.by else "Somebody"
    raise ActionRefused(
        f"{who} was faster, at {newest.made_at:%H:%M} UTC: "
        f"{newest.get_kind_display().lower()}. Nothing was sent. Look at it, then decide again."
    )


def _refuse(attempt: Attempt, kind: str, text: str) -> None:
    may = allowed(attempt)
    if may.is_erased:
        raise ActionRefused("Who this is was erased here. Nothing was sent. Do it on Prolific.")
    if kind == Kind.REJECT and not may.reject.allowed:
        raise ActionRefused(f"{may.reject.sentence} Nothing was sent. Ask to return instead.")
    if not may.includes(kind):
        label = Kind(kind).label.lower()
        there = attempt.get_status_display().lower() or "unknown there"
        raise ActionRefused(
            f"A submission that is {there} cannot be {label}. Nothing was sent. "
            "Ask Prolific how it stands now."
        )
    problem = conduct.text_problem(kind, text)
    if problem:
        raise ActionRefused(problem)
    if kind == Kind.MESSAGE and not _study_there(attempt):
        raise ActionRefused(
            "A message names the study on Prolific, and none is linked. Nothing was sent. "
            "Link the study first."
        )


def _study_there(attempt: Attempt) -> str:
    """The study on Prolific that an attempt is of; an uploaded file does not name it."""
    linked = Recruitment.objects.filter(study=attempt.study_id).first()
    ids = linked.prolific_study_ids if linked is not None else []
    return attempt.prolific_study_id or (ids[0] if ids else "")


def _send(client: Client, attempt: Attempt, row: ProlificAction) -> None:
    match row.kind:
        case Kind.ASK_TO_RETURN:
            client.request_return(attempt.session_id, reason=row.text)
        case Kind.APPROVE:
            client.approve(attempt.session_id)
        case Kind.REJECT:
            client.reject(attempt.session_id, message=row.text)
        case Kind.MESSAGE:
            client.send_message(
                participant_id=attempt.identity.external_id,
                study_id=_study_there(attempt),
                text=row.text,
            )


def ready_text(kind: str, *, attempt: Attempt, sent: int) -> str:
    """A message to begin with, in the facts of this person. It blames nobody."""
    person, title = attempt.identity.participation, attempt.study.public_title
    planned = person.n_units if person is not None else 0
    contact = "If you see it differently, write to us here, and we look at it again."
    if kind == Kind.ASK_TO_RETURN:
        return (
            f"Thank you for your time in “{title}”. {_facts(person, sent, planned)} "
            "Please return the submission on Prolific: a return leaves no mark on your account. "
            f"{contact}"
        )
    if kind == Kind.REJECT:
        return (
            f"In “{title}” some questions had one plain answer, to see that each is read. "
            f"{grounds_of(person).n} of them were answered otherwise, so we cannot use this "
            f"submission. {contact}"
        )
    return ""


def _facts(person: Participation | None, sent: int, planned: int) -> str:
    if person is None:
        return "We cannot find anything from you on our side."
    if person.state == Participation.State.COMPLETE and grounds_of(person).n:
        return (
            "Some questions had one plain answer and were answered otherwise, "
            "so we cannot use this submission."
        )
    if person.state == Participation.State.COMPLETE:
        return "We cannot use this submission as it is."
    return f"On our side {sent} of {planned} tasks came in, so it was not finished."
