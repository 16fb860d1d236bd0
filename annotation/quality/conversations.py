"""What an annotator is asked about one of their screens, the sending of it, and what came of it."""

from __future__ import annotations

from collections.abc import Iterable

from django.contrib.auth import get_user_model
from django.db import transaction
from django.utils import timezone

from annotation.models import Assignment, Attempt, Conversation, Identity, ProlificAction
from annotation.prolific.actions import ActionRefused, Kind, perform
from annotation.prolific.client import Client
from annotation.prolific.statuses import latest_attempt
from studies.models import Study

User = get_user_model()


class NothingAsked(Exception):
    """A conversation without words."""


@transaction.atomic
def ask(*, assignment: Assignment, text: str, by: User | None) -> Conversation:
    """Keep what an annotator was asked about a screen. The same words twice are one conversation.

    Raises NothingAsked for an empty text.
    """
    if not text.strip():
        raise NothingAsked("Write what you ask.")
    Assignment.objects.select_for_update().get(pk=assignment.pk)
    asked, _ = Conversation.objects.get_or_create(
        assignment=assignment, text=text.strip(), closed_at=None, defaults={"by": by}
    )
    return asked


def close(*, conversation: Conversation, outcome: str, note: str = "") -> None:
    """Record what came of it. Raises ValueError for what is no outcome."""
    if not outcome or outcome not in Conversation.Outcome.values:
        raise ValueError(f"{outcome!r} is no outcome of a conversation.")
    conversation.outcome, conversation.note = outcome, note.strip()
    conversation.closed_at = timezone.now()
    conversation.save(update_fields=["outcome", "note", "closed_at"])


def send(
    *, conversation: Conversation, by: User | None, client: Client | None = None
) -> ProlificAction:
    """Send the words as a message on Prolific, once.

    Raises ActionRefused where the person did not come from there or their id was erased, NoToken
    where nothing can be sent at all.
    """
    person = conversation.assignment.participation_id
    attempts = Attempt.objects.filter(identity__participation=person, identity__erased_at=None)
    attempt = latest_attempt(list(attempts.select_related("study", "identity__participation")))
    if attempt is None:
        raise ActionRefused("This person cannot be reached on Prolific. Nothing was sent.")
    return perform(
        attempt=attempt,
        kind=Kind.MESSAGE,
        text=conversation.text,
        by=by,
        key=_key(conversation.pk),
        client=client,
    )


def sent_on_prolific(conversations: Iterable[Conversation]) -> dict[int, ProlificAction]:
    """Conversation id -> the message, for those that were sent there or tried to be."""
    keys = {_key(one.pk): one.pk for one in conversations}
    return {keys[row.key]: row for row in ProlificAction.objects.filter(key__in=list(keys))}


def reachable_on_prolific(study: Study) -> set[str]:
    """Codes of the people who can be written to there."""
    found = Identity.objects.filter(
        study=study,
        source=Identity.Source.PROLIFIC,
        erased_at=None,
        attempts__isnull=False,
        participation__isnull=False,
    )
    return set(found.values_list("participation__code", flat=True))


def _key(conversation: int) -> str:
    return f"conversation-{conversation}"
