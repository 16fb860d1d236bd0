"""Saving what people answer: drafts as they go, and each screen once."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from annotation.answers import Answers
from annotation.assignment import fill_place, lock_person, release_place, renew_lease
from annotation.models import Assignment, CheckAnswer, Participation, Rating
from annotation.models.rating import subject_key
from studies.design import CheckSpec
from studies.models import UnitItem

SKIP_REASONS = ("not_loading", "black", "unwilling", "other")


class WrongKey(Exception):
    """The form is not the one that was served for this screen."""


@dataclass(frozen=True)
class Submission:
    """``repeated``: this screen had been sent before, nothing was written."""

    counted: bool
    repeated: bool


@transaction.atomic
def submit_unit(
    *, assignment: Assignment, key: str, answers: Answers, check: CheckSpec | None
) -> Submission:
    """Save a screen's ratings and count them, in one transaction. A repeat changes nothing.

    Raises WrongKey where ``key`` is not the screen's own. A screen that was skipped in another tab
    counts as sent, as does every screen of somebody who has left: its unit is back in the pool and
    nothing is written.
    """
    row = _locked(assignment)
    if row.key != key:
        raise WrongKey("This form belongs to another screen.")
    if not _can_be_answered(row):
        return Submission(counted=bool(row.counted), repeated=True)
    Rating.objects.bulk_create(_ratings(row, answers))
    if check is not None:
        CheckAnswer.objects.create(
            assignment=row,
            value=answers.check_value,
            passed=answers.check_value == check.expected,
        )
    row.counted = fill_place(assignment=row)
    row.submitted_at = timezone.now()
    row.draft = {}
    row.save(update_fields=["counted", "submitted_at", "draft"])
    return Submission(counted=row.counted, repeated=False)


def _locked(assignment: Assignment) -> Assignment:
    """The screen as it is now, its person locked until the transaction ends."""
    return lock_person(assignment.participation_id).assignments.get(pk=assignment.pk)


def _can_be_answered(row: Assignment) -> bool:
    return row.is_open and row.participation.state == Participation.State.RATING


def _ratings(row: Assignment, answers: Answers) -> list[Rating]:
    items = UnitItem.objects.filter(unit=row.unit_id).values_list("item_id", flat=True)
    given = {q: {"value": v} for q, v in answers.values.items()}
    given |= {q: {"text": t} for q, t in answers.texts.items() if t}
    return [
        Rating(
            assignment=row,
            question_id=question,
            item_id=item,
            subject=subject_key(item=item),
            **value,
        )
        for item in items
        for question, value in given.items()
    ]


@transaction.atomic
def save_draft(*, assignment: Assignment, counter: int, fields: Mapping[str, str]) -> bool:
    """Keep half-made answers. False: a newer draft is there, or the screen is no longer open."""
    row = _locked(assignment)
    if not _can_be_answered(row) or row.draft_counter >= counter:
        return False
    row.draft, row.draft_counter = dict(fields), counter
    row.save(update_fields=["draft", "draft_counter"])
    renew_lease(assignment=row)
    return True


@transaction.atomic
def skip_unit(*, assignment: Assignment, reason: str) -> None:
    """Put the unit back into the pool without harm to the person: it counts as a screen done."""
    row = _locked(assignment)
    if not _can_be_answered(row):
        return
    row.skipped_at = timezone.now()
    row.skip_reason = reason if reason in SKIP_REASONS else "other"
    row.draft = {}
    row.save(update_fields=["skipped_at", "skip_reason", "draft"])
    release_place(assignment=row)
