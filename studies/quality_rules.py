"""What a quality rule may be, what it is until somebody declares it, and the writing of one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from django.contrib.auth import get_user_model
from django.utils import timezone

from studies.models import QualityRule, Study

User = get_user_model()
Kind = QualityRule.Kind
Action = QualityRule.Action

DEFAULTS: dict[str, float] = {
    Kind.CHECKS: 2,
    Kind.FAST: 0.5,
    Kind.STRAIGHT: 0.9,
    Kind.POSITION: 0.8,
    Kind.SHORT_TEXT: 15,
    Kind.COPIED_TEXT: 0.3,
    Kind.SHARED_TEXT: 3,
    Kind.REPEATS: 0.5,
    Kind.CONSENSUS: 0.4,
}
"""All of them only flag until somebody declares otherwise."""

SHARES = {Kind.FAST, Kind.STRAIGHT, Kind.POSITION, Kind.COPIED_TEXT, Kind.REPEATS, Kind.CONSENSUS}
"""Thresholds from 0 to 1, said in per cent."""


class RuleRefused(Exception):
    """The rule cannot be declared so; the message says why."""


def rule_fault(kind: str, threshold: float, action: str) -> str:
    """What is wrong with a rule, as a sentence; '' where it may be declared."""
    if kind not in Kind.values or action not in Action.values:
        return "There is no such rule."
    if kind == Kind.CONSENSUS and action == Action.EXCLUDE:
        return "A minority view is no error: distance from the others can flag, never exclude."
    top = 1.0 if kind in SHARES else 1000.0
    if not math.isfinite(threshold) or not 0 < threshold <= top:
        most = "100 %" if kind in SHARES else "1000"
        return f"The threshold lies above 0, and is at most {most}."
    return ""


def threshold_words(kind: str, threshold: float) -> str:
    """A threshold as people read it: shares in per cent."""
    return f"{100 * threshold:g} %" if kind in SHARES else f"{threshold:g}"


def write_rule(
    *,
    study: Study,
    kind: str,
    threshold: float,
    action: str,
    by: User | None = None,
    after_ratings: bool = False,
) -> QualityRule:
    """Declare one rule; the value before is kept in ``changes``.

    ``after_ratings``: counted answers are there, so that what is declared or changed now does not
    count as declared before them. Raises RuleRefused. Call in a transaction.
    """
    if fault := rule_fault(kind, threshold, action):
        raise RuleRefused(fault)
    row = QualityRule.objects.select_for_update().filter(study=study, kind=kind).first()
    if row is not None and (row.threshold, row.action) == (threshold, action):
        return row
    before = _as_it_was(row, kind)
    row = row or QualityRule(study=study, kind=kind)
    if before != {"threshold": threshold, "action": action}:
        row.changes = [*row.changes, before | _until(by)]
    row.threshold, row.action = threshold, action
    row.changed_after_ratings = row.changed_after_ratings or after_ratings
    row.save()
    return row


def declared(study: Study) -> dict[str, dict[str, Any]]:
    """Every kind of rule -> threshold and action, as declared or as it is until then."""
    rows = {row.kind: row for row in QualityRule.objects.filter(study=study)}
    return {str(kind): _as_it_was(rows.get(kind), kind) for kind in Kind.values}


def declare_all(study: Study, given: Mapping[str, Mapping[str, Any]]) -> None:
    """Declare every rule of a new study: as ``given`` by kind, the others as they are for all."""
    usual = {kind: {"threshold": value} for kind, value in DEFAULTS.items()}
    QualityRule.objects.bulk_create(
        QualityRule(study=study, kind=kind, **rule) for kind, rule in {**usual, **given}.items()
    )


def _as_it_was(row: QualityRule | None, kind: str) -> dict[str, Any]:
    if row is None:
        return {"threshold": DEFAULTS[kind], "action": str(Action.FLAG)}
    return {"threshold": row.threshold, "action": str(row.action)}


def _until(by: User | None) -> dict[str, str]:
    name = by.get_username() if by else ""
    return {"until": timezone.now().isoformat(), "by": name}
