"""Saying what an item is for: to be rated, practice, gold, an example."""

from __future__ import annotations

from collections.abc import Mapping

from django.db import transaction
from django.db.models import QuerySet

from studies.importing.known import answered_items, placed_items
from studies.models import Item, Question, Study, Unit
from studies.models.item import Purpose
from studies.refusals import refuse_archived
from studies.units import rebuild


class MarkRefused(Exception):
    """The item cannot be marked so. ``field`` is what is to be mended; the text is for people."""

    def __init__(self, field: str, sentence: str) -> None:
        self.field = field
        super().__init__(sentence)


def special_items(study: Study) -> QuerySet[Item]:
    """What is not there to be rated, by purpose and id."""
    return study.items.exclude(purpose=Purpose.RATED).order_by("purpose", "external_id")


@transaction.atomic
def mark_item(
    *,
    study: Study,
    item: str,
    purpose: str,
    expected: Mapping[str, list[int]],
    feedback: str,
) -> Item:
    """Set what an item is for, which answers are accepted, and what is said about it.

    Its unit follows. Raises MarkRefused where the study has no such item or question, where gold
    would accept everything, and where the item was given out already.
    """
    locked = Study.objects.select_for_update().get(pk=study.pk)
    refuse_archived(locked)
    row = locked.items.filter(external_id=item.strip()).first()
    if row is None:
        raise MarkRefused("item", "The study has no item of this id.")
    given_out = placed_items(locked) | answered_items(locked)
    if purpose != row.purpose and row.external_id in given_out:
        raise MarkRefused("purpose", "The item was given out already: it stays what it is.")
    _refuse_expected(locked, purpose, expected)
    rated = purpose == Purpose.RATED
    row.purpose, row.expected = purpose, {} if rated else dict(expected)
    row.feedback = "" if rated else feedback.strip()
    row.save(update_fields=["purpose", "expected", "feedback"])
    if locked.is_draft and not locked.units_by_hand:
        rebuild(locked)
    else:
        Unit.objects.filter(study=locked, items=row).update(purpose=purpose)
    return row


def _refuse_expected(study: Study, purpose: str, expected: Mapping[str, list[int]]) -> None:
    known = set(Question.objects.filter(study=study, retired=False).values_list("key", flat=True))
    if unknown := [key for key in expected if key not in known]:
        raise MarkRefused("expected", f"There is no question “{unknown[0]}”.")
    if purpose == Purpose.GOLD and not expected:
        raise MarkRefused("expected", "A gold item needs accepted answers, else nobody fails it.")
