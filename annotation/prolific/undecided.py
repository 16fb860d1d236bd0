"""Submissions that wait for somebody to decide. Prolific does not wait for ever."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Min
from django.db.models.functions import Coalesce

from annotation.models import Attempt
from studies.models import Study

APPROVED_BY_ITSELF = timedelta(days=21)


@dataclass(frozen=True, slots=True)
class Undecided:
    """``days_left``: until Prolific approves the first of them by itself; None where unknown."""

    n: int
    days_left: int | None


def undecided(study: Study, *, now: datetime) -> Undecided:
    waiting = Attempt.objects.filter(study=study, status=Attempt.Status.AWAITING_REVIEW).aggregate(
        n=Count("pk"), since=Min(Coalesce("completed_at", "status_at"))
    )
    if waiting["since"] is None:
        return Undecided(waiting["n"], None)
    left = (waiting["since"] + APPROVED_BY_ITSELF - now).days
    return Undecided(waiting["n"], max(0, left))
