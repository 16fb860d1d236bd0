"""How it was for those who finished: kept apart from what they answered."""

from __future__ import annotations

from django.db import transaction
from django.db.models import QuerySet

from annotation.assignment import lock_person
from annotation.kinds.base import plain_text
from annotation.models import Participation, Remark
from studies.models import Study


@transaction.atomic
def leave_remark(*, participation: Participation, text: str) -> None:
    """Keep what somebody says, in place of what they said before; an empty text takes it back.

    Nothing is kept of who has not finished. What is longer than a remark may be is cut.
    """
    person = lock_person(participation.pk)
    if person.state != Participation.State.COMPLETE:
        return
    kept = plain_text(text)[: Remark.LONGEST]
    if kept:
        Remark.objects.update_or_create(participation=person, defaults={"text": kept})
    else:
        Remark.objects.filter(participation=person).delete()


def remarks_of(study: Study) -> QuerySet[Remark]:
    """What people said of a study, the latest first."""
    said = Remark.objects.filter(participation__study=study)
    return said.select_related("participation__panel")
