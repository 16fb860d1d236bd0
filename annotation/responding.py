"""Saving what people answer: drafts as they go, each screen once, and changes of sent ones."""

import json
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass
from typing import TypeGuard

from django.db import connection, transaction
from django.utils import timezone

from annotation.answers import Answers
from annotation.assignment import (
    fill_place,
    is_rating,
    lock_rater,
    may_count,
    pool_is_current,
    release_place,
    renew_lease,
    serve_screen,
)
from annotation.judging import change_check_answer, judge_screen
from annotation.kinds import FormData, Given
from annotation.models import AnswerRevision, Assignment, CheckAnswer, Participation, Rating
from annotation.models.rating import subject_key
from annotation.prepared import INTEGERS, Prepared, for_sql, insert_values, save_fields
from annotation.screen import STEP
from studies.design import CheckSpec

SKIP_REASONS = ("not_loading", "black", "stutter", "no_sound", "unwilling", "other")


class WrongKey(Exception):
    """The form is not the one that was served for this screen."""


class NoLongerChangeable(Exception):
    """The screen's answers stand: the study allows no changes, or the session is over."""


@dataclass(frozen=True)
class Submission:
    """``repeated``: this screen had been sent before, nothing was written."""

    counted: bool
    repeated: bool


@transaction.atomic
def submit_unit(
    *,
    assignment: Assignment,
    key: str,
    answers: Answers,
    check: CheckSpec | None,
    timing: dict | None = None,
) -> Submission:
    """Save a screen's ratings and count them, in one transaction. A repeat changes nothing.

    Raises WrongKey where ``key`` is not the screen's own. A screen that was skipped in another tab
    counts as sent, as does every screen of somebody who has left: its unit is back in the pool and
    nothing is written.
    """
    return _submit(assignment, key, answers, check, timing)


@transaction.atomic
def submit_and_serve(
    *,
    assignment: Assignment,
    key: str,
    answers: Answers,
    check: CheckSpec | None,
    timing: dict | None = None,
) -> tuple[Submission, Assignment | None]:
    """``submit_unit`` and the next screen, in one transaction.

    None instead of a screen does not say that there is none: ask ``claim_next_unit``. So it does
    where this screen had been sent before.
    """
    submission = _submit(assignment, key, answers, check, timing)
    person = assignment.participation
    if submission.repeated or not is_rating(person) or not pool_is_current(person):
        return submission, None
    following = serve_screen(person=person, n=assignment.n + 1, after=assignment.unit_id)
    return submission, following


def _submit(
    assignment: Assignment, key: str, answers: Answers, check: CheckSpec | None, timing: dict | None
) -> Submission:
    """The caller may hold the screen as it was a moment ago: whether it is open still, the
    statement that closes it says."""
    if assignment.key != key:
        raise WrongKey("This form belongs to another screen.")
    person = assignment.participation = lock_rater(assignment.participation_id)
    if person.state != Participation.State.RATING or not _close(assignment, timing or {}):
        # The screen may be gone by now, with all answers of whoever wished so.
        rows = Assignment.objects.filter(pk=assignment.pk, counted=True)
        return Submission(counted=rows.exists(), repeated=True)
    _insert_ratings(assignment, answers.given)
    if check is not None:
        CheckAnswer.objects.create(
            assignment=assignment,
            value=answers.check_value,
            passed=answers.check_value == check.expected,
        )
    judge_screen(assignment=assignment, given=answers.given)
    counted = fill_place(assignment=assignment)
    if counted != assignment.counted:
        assignment.counted = counted
        save_fields(assignment, "counted")
    return Submission(counted=bool(counted), repeated=False)


_CLOSE = (
    "UPDATE annotation_assignment SET counted = %s, submitted_at = %s, draft = '{{}}', "
    "first_action_at = COALESCE(first_action_at, %s){timing} "
    "WHERE id = %s AND submitted_at IS NULL AND skipped_at IS NULL"
)


def _close(assignment: Assignment, timing: dict) -> bool:
    """Mark an open screen as sent, and counted if it may be. False: it was open no more."""
    now = timezone.now()
    counted = True if may_count(assignment) else None
    measured = [json.dumps(timing)] if timing else []
    moment = for_sql(now)
    with connection.cursor() as cursor:
        cursor.execute(
            _CLOSE.format(timing=", timing = %s" if timing else ""),
            [counted, moment, moment, *measured, assignment.pk],
        )
        if not cursor.rowcount:
            return False
    assignment.counted, assignment.submitted_at, assignment.draft = counted, now, {}
    return True


def _locked(assignment: Assignment) -> Assignment | None:
    """The screen as it is now, its person locked until the transaction ends.

    None: it is gone, with all answers of a person who left and wished so.
    """
    person = lock_rater(assignment.participation_id)
    row = _SCREEN.first(assignment.pk)
    if row is not None:
        row.participation = person
    return row


_SCREEN = Prepared(lambda pk: Assignment.objects.filter(pk=pk).order_by(), INTEGERS[0])


def _can_be_answered(row: Assignment | None) -> TypeGuard[Assignment]:
    return row is not None and row.is_open and row.participation.state == Participation.State.RATING


_RATING = ("assignment", "question", "item", "probe", "descriptor", "subject", "value")
_RATING += ("not_applicable", "text", "created_at")


def _insert_ratings(assignment: Assignment, given: Iterable[Given]) -> None:
    now = for_sql(timezone.now())
    rows = [
        (
            assignment.pk,
            answer.question,
            answer.item,
            answer.probe,
            answer.descriptor,
            subject_key(item=answer.item, probe=answer.probe, descriptor=answer.descriptor),
            answer.value,
            answer.not_applicable,
            answer.text,
            now,
        )
        for answer in given
    ]
    insert_values(Rating, _RATING, rows)


def _ratings(row: Assignment, given: Iterable[Given]) -> list[Rating]:
    return [
        Rating(
            assignment=row,
            question_id=answer.question,
            item_id=answer.item,
            probe_id=answer.probe,
            descriptor_id=answer.descriptor,
            subject=subject_key(item=answer.item, probe=answer.probe, descriptor=answer.descriptor),
            value=answer.value,
            not_applicable=answer.not_applicable,
            text=answer.text,
        )
        for answer in given
    ]


def given_answers(assignment: Assignment) -> list[Given]:
    """The current answers of a sent screen."""
    rows = assignment.ratings.order_by("id").values_list(
        "question", "item", "probe", "descriptor", "value", "not_applicable", "text"
    )
    return [Given(*row) for row in rows]


@transaction.atomic
def change_answers(
    *,
    assignment: Assignment,
    key: str,
    answers: Answers,
    check: CheckSpec | None,
    timing: dict | None = None,
) -> bool:
    """Replace the answers of a sent screen and keep the earlier ones. False: nothing has changed.

    Whether the screen counts stays as it was. Raises WrongKey as ``submit_unit`` does, and
    NoLongerChangeable once the session is over. Whether the study allows changes at all is the
    caller's to ask, by the design the person was shown.
    """
    row = _locked(assignment)
    if row is None:
        raise NoLongerChangeable("The answers of this screen were removed.")
    if row.key != key:
        raise WrongKey("This form belongs to another screen.")
    if row.submitted_at is None or row.participation.state != Participation.State.RATING:
        raise NoLongerChangeable("The answers of this screen can no longer be changed.")
    before = given_answers(row)
    sent_check = CheckAnswer.objects.filter(assignment=row).first() if check is not None else None
    check_changed = sent_check is not None and sent_check.value != answers.check_value
    if set(before) == set(answers.given) and not check_changed:
        return False
    _keep_earlier(row, before, sent_check)
    row.ratings.all().delete()
    Rating.objects.bulk_create(_ratings(row, answers.given))
    if check is not None and sent_check is not None:
        change_check_answer(sent_check, value=answers.check_value, expected=check.expected)
    row.changed_at = timezone.now()
    row.timing = timing or row.timing
    row.save(update_fields=["changed_at", "timing"])
    judge_screen(assignment=row, given=answers.given)
    return True


def _keep_earlier(row: Assignment, before: Iterable[Given], check: CheckAnswer | None) -> None:
    answers = [asdict(answer) for answer in before]
    if check is not None:
        answers.append({"attention_check": row.attention_check_id, "value": check.value})
    AnswerRevision.objects.create(
        assignment=row,
        number=row.earlier_answers.count() + 1,
        answers=answers,
        given_at=row.changed_at or row.submitted_at,
    )


@transaction.atomic
def save_draft(
    *, assignment: Assignment, counter: int, fields: FormData, timing: dict | None = None
) -> bool:
    """Keep half-made answers. False: a newer draft is there, or the screen is no longer open."""
    row = _locked(assignment)
    if not _can_be_answered(row) or row.draft_counter >= counter:
        return False
    _write_draft(row, counter, fields, timing)
    renew_lease(assignment=row)
    return True


@transaction.atomic
def finish_step(
    *,
    assignment: Assignment,
    key: str,
    next_tier: int,
    fields: FormData,
    later: Collection[str] = (),
    timing: dict | None = None,
) -> Assignment:
    """Open the next step of a screen whose earlier ones are complete; the screen as it is then.

    What was answered is kept as its draft. A step that is open stays open, with what was answered
    there, the fields ``later``: so a repeat changes nothing, and neither does a form of an earlier
    step from another window. Raises WrongKey as ``submit_unit`` does, also for a screen that is
    gone.
    """
    row = _locked(assignment)
    if row is None or row.key != key:
        raise WrongKey("This form belongs to another screen.")
    if _can_be_answered(row):
        kept = {name: texts for name, texts in row.draft.items() if name in later}
        row.draft = {STEP: max(next_tier, row.draft.get(STEP, 0))}
        _write_draft(row, row.draft_counter + 1, kept | fields, timing)
        renew_lease(assignment=row)
    return row


def _write_draft(row: Assignment, counter: int, fields: FormData, timing: dict | None) -> None:
    """The step that was reached is the server's to say: no draft sets it back."""
    reached = {STEP: row.draft[STEP]} if STEP in row.draft else {}
    row.draft, row.draft_counter = fields | reached, counter
    row.first_action_at = row.first_action_at or timezone.now()
    row.timing = timing or row.timing
    row.save(update_fields=["draft", "draft_counter", "first_action_at", "timing"])


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
