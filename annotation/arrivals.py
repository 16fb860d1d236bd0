"""Arriving as somebody: from Prolific, by invitation, with an account.

Each way finds or makes the person's identity, locks it, and gives it the one participation it can
have, so that two arrivals at the same moment are the same person's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from django.db import transaction
from django.utils import timezone

from annotation import entry
from annotation.models import Attempt, Identity, Invitation, Participation
from annotation.prolific.receiving import catch_up_with
from annotation.prolific.statuses import settle
from studies.models import Study
from studies.recruiting import recruitment_of

Source = Identity.Source


class Reason(Enum):
    """Why somebody is not let in."""

    NOT_FILLED_IN = "The link lacks an id, or holds a placeholder in its place."
    OTHER_STUDY = "STUDY_ID is that of another study on Prolific."
    NOT_THEIRS = "The participation is somebody else's, as far as this browser can show."
    NEEDS_PROLIFIC = "The study takes people from Prolific."
    NEEDS_INVITATION = "The study takes invited people."
    REVOKED = "The invitation was revoked."


class ArrivalRefused(Exception):
    """Nobody is let in by this link as it is; ``reason`` says why."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.value)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class FromProlific:
    """What Prolific writes into a study's link."""

    pid: str
    study_id: str
    session_id: str


PARAMETERS = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
_AN_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


def read_parameters(query: Mapping[str, str]) -> FromProlific | None:
    """The three ids of a link; None where it has none of them.

    Raises ArrivalRefused where one is missing, or is no id: a placeholder that nobody filled in.
    """
    if not any(name in query for name in PARAMETERS):
        return None
    ids = [query.get(name, "").strip() for name in PARAMETERS]
    if not all(_AN_ID.fullmatch(word) for word in ids):
        raise ArrivalRefused(Reason.NOT_FILLED_IN)
    return FromProlific(*ids)


def refuse_strangers(study: Study) -> None:
    """Raise ArrivalRefused where the study does not take whoever has its link."""
    recruitment = recruitment_of(study)
    if recruitment.open_link:
        return
    uses_prolific = recruitment.uses_prolific
    raise ArrivalRefused(Reason.NEEDS_PROLIFIC if uses_prolific else Reason.NEEDS_INVITATION)


@transaction.atomic
def arrive_from_prolific(
    *, study: Study, came: FromProlific, known: Participation | None, language: str = ""
) -> Participation:
    """The participation of this PID in this study; ``known`` is the one this browser holds.

    A browser that does not hold it goes on with it only with the STUDY_ID that the person came
    with before, and a SESSION_ID that is new or theirs. Raises ArrivalRefused otherwise: a PID
    alone opens nobody's record.
    """
    _check_study(study, came)
    identity = _identity(study, Source.PROLIFIC, came.pid)
    if identity.participation_id is not None and identity.participation != known:
        _check_new_browser(identity, came, known)
    attempt, made = Attempt.objects.get_or_create(
        study=study,
        session_id=came.session_id,
        defaults={
            "identity": identity,
            "prolific_study_id": came.study_id,
            "arrived_at": timezone.now(),
        },
    )
    if attempt.identity_id != identity.pk:
        raise ArrivalRefused(Reason.NOT_THEIRS)
    if not made and attempt.arrived_at is None:
        attempt.arrived_at, attempt.prolific_study_id = timezone.now(), came.study_id
        attempt.save(update_fields=["arrived_at", "prolific_study_id"])
    person = _participation_of(identity, language)
    if made:
        catch_up_with(session_id=came.session_id)
    else:  # what Prolific said of it may be older than the participation
        settle(identity=identity)
    person.refresh_from_db()
    return person


def _check_study(study: Study, came: FromProlific) -> None:
    recruitment = recruitment_of(study)
    if not recruitment.uses_prolific:
        refuse_strangers(study)
    wanted = recruitment.prolific_study_ids
    if wanted and came.study_id not in wanted:
        raise ArrivalRefused(Reason.OTHER_STUDY)


def _check_new_browser(identity: Identity, came: FromProlific, known: Participation | None) -> None:
    """A browser may take up what another began; one that is another person's may not."""
    others = Identity.objects.filter(participation=known).exclude(pk=identity.pk)
    if known is not None and others.exists():
        raise ArrivalRefused(Reason.NOT_THEIRS)
    arrived = identity.attempts.filter(arrived_at__isnull=False)
    if not arrived.filter(prolific_study_id=came.study_id).exists():
        raise ArrivalRefused(Reason.NOT_THEIRS)


@transaction.atomic
def arrive_by_invitation(*, invitation: Invitation, language: str = "") -> Participation:
    """The participation of the person who was invited, in any browser that has the link."""
    identity = _identity(invitation.study, Source.INVITATION, invitation.key)
    if invitation.identity_id != identity.pk:
        invitation.identity = identity
        invitation.save(update_fields=["identity"])
    return _participation_of(identity, invitation.language or language)


@transaction.atomic
def arrive_with_account(*, study: Study, user, language: str = "") -> Participation:
    """The participation of somebody who is signed in here."""
    return _participation_of(_identity(study, Source.ACCOUNT, str(user.pk)), language)


def _identity(study: Study, source: str, external_id: str) -> Identity:
    """The identity, made where it is new, and this transaction's alone."""
    made, _ = Identity.objects.get_or_create(study=study, source=source, external_id=external_id)
    return Identity.objects.select_for_update(no_key=True).get(pk=made.pk)


def _participation_of(identity: Identity, language: str) -> Participation:
    if identity.participation is None:
        identity.participation = entry.arrive(study=identity.study, language=language)
        identity.save(update_fields=["participation"])
    else:
        entry.come_again(participation=identity.participation)
    return identity.participation
