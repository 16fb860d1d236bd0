"""Declaring a study's rules, with what they were before."""

from __future__ import annotations

import math

from django.contrib.auth import get_user_model
from django.db import transaction
from django.utils import timezone

from annotation.models import QualityRule
from annotation.quality.rules import SHARES, Action, Kind, rules_of
from annotation.ratings import counted_ratings
from studies.models import Study

User = get_user_model()


class RuleRefused(Exception):
    """The rule cannot be declared so; the message says why."""


@transaction.atomic
def declare(
    *, study: Study, kind: str, threshold: float, action: str, by: User | None
) -> QualityRule:
    """Set one rule; the value before is kept in ``changes``. Nothing is done where it is the same.

    A rule set when counted answers are there is no longer declared before them, and says so from
    then on. Shares run from 0 to 1. Raises RuleRefused for an unknown kind or action, a threshold
    out of range, and for distance from the others set to exclude.
    """
    if kind not in Kind.values or action not in Action.values:
        raise RuleRefused("There is no such rule.")
    if kind == Kind.CONSENSUS and action == Action.EXCLUDE:
        raise RuleRefused(
            "A minority view is no error: distance from the others can flag, never exclude."
        )
    top = 1.0 if kind in SHARES else 1000.0
    if not math.isfinite(threshold) or not 0 < threshold <= top:
        most = "100 %" if kind in SHARES else "1000"
        raise RuleRefused(f"The threshold lies above 0, and is at most {most}.")
    before = rules_of(study)[kind]
    if (before.threshold, before.action) == (threshold, action):
        return before.row or QualityRule.objects.create(
            study=study, kind=kind, threshold=threshold, action=action
        )
    row = before.row or QualityRule(study=study, kind=kind)
    row.changes = [
        *row.changes,
        {
            "threshold": before.threshold,
            "action": str(before.action),
            "until": timezone.now().isoformat(),
            "by": by.get_username() if by else "",
        },
    ]
    row.threshold, row.action = threshold, action
    row.changed_after_ratings = row.changed_after_ratings or counted_ratings(study).exists()
    row.save()
    return row
