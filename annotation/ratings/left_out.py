"""What was left out of results and by what: exclusions in force, and the rules as declared."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max, Q, Sum

from annotation.models import Assignment, Exclusion, Participation
from annotation.ratings.counting import is_replaced
from studies.models import QualityRule, Study


@dataclass(frozen=True, slots=True, kw_only=True)
class ExclusionInForce:
    """``screen`` None: all that the rater answered. ``rule`` empty: a person decided.

    ``ratings`` are the counted ratings it leaves out; ``replaced``: their places were given to
    others.
    """

    rater: str
    screen: int | None
    ratings: int
    rule: str
    reason: str
    replaced: bool
    made_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredRule:
    """``in_time``: declared before the first rating, and not changed since."""

    kind: str
    threshold: float
    action: str
    declared_at: datetime
    in_time: bool


def exclusions_in_force(study: Study) -> list[ExclusionInForce]:
    """Every exclusion of the study itself that was not lifted, in the order they were made."""
    rows = Exclusion.objects.filter(
        participation__study=study, participation__pilot=False, lifted_at=None
    ).order_by("made_at", "pk")
    counts = dict(
        Assignment.objects.filter(
            Q(counted=True) | is_replaced(), participation__study=study, repeat_of=None
        )
        .exclude(excluded="")
        .order_by()
        .values("participation")
        .annotate(n=Count("pk"))
        .values_list("participation", "n")
    )
    return [
        ExclusionInForce(
            rater=row.participation.code,
            screen=row.assignment.n if row.assignment else None,
            ratings=_in_results(row.assignment, row.participation)
            if row.assignment
            else counts.get(row.participation_id, 0),
            rule=row.rule,
            reason=row.reason,
            replaced=row.reopened,
            made_at=row.made_at,
        )
        for row in rows.select_related("participation", "assignment")
    ]


def _in_results(screen: Assignment, person: Participation) -> int:
    """1 for a screen that would be in results; surplus answers and work that was taken back on
    Prolific are in none."""
    return int(screen.counted is True or (screen.set_aside and not person.taken_back))


def left_out_mark(study: Study) -> list[object]:
    """Differs as soon as an exclusion is made or lifted, what it leaves out is taken back on
    Prolific, or a rule is declared or changed. Two queries."""
    in_force = Exclusion.objects.filter(participation__study=study, lifted_at=None)
    rules = QualityRule.objects.filter(study=study).order_by("kind")
    return [
        *in_force.aggregate(
            n=Count("pk"),
            last=Max("pk"),
            sum=Sum("pk"),
            taken_back=Count("pk", filter=Q(participation__taken_back=True)),
        ).values(),
        *map(list, rules.values_list("kind", "threshold", "action", "changed_after_ratings")),
    ]


def declared_rules(study: Study) -> list[DeclaredRule]:
    """The rules that the study declared; a rule without a row here has its default."""
    first = (
        Assignment.objects.filter(
            participation__study=study, participation__pilot=False, submitted_at__isnull=False
        )
        .order_by("submitted_at")
        .values_list("submitted_at", flat=True)
        .first()
    )
    return [
        DeclaredRule(
            kind=row.kind,
            threshold=row.threshold,
            action=row.action,
            declared_at=row.declared_at,
            in_time=not row.changed_after_ratings and (first is None or row.declared_at < first),
        )
        for row in QualityRule.objects.filter(study=study)
    ]
