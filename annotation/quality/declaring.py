"""Declaring a study's rules, with what they were before."""

from __future__ import annotations

from django.contrib.auth import get_user_model
from django.db import transaction

from annotation.ratings import counted_ratings
from studies.models import QualityRule, Study
from studies.quality_rules import write_rule

User = get_user_model()


@transaction.atomic
def declare(
    *, study: Study, kind: str, threshold: float, action: str, by: User | None
) -> QualityRule:
    """Set one rule; the value before is kept in ``changes``. Nothing is done where it is the same.

    A rule set when counted answers are there is no longer declared before them, and says so from
    then on. Shares run from 0 to 1. Raises RuleRefused for an unknown kind or action, a threshold
    out of range, and for distance from the others set to exclude.
    """
    return write_rule(
        study=study,
        kind=kind,
        threshold=threshold,
        action=action,
        by=by,
        after_ratings=counted_ratings(study).exists(),
    )
