"""The analysis plan: fixed with a date, and never changed afterwards without a record."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from studies.models import AnalysisPlan, Study
from studies.presets.fields import PLAN_FIELDS
from studies.refusals import WrongState


class PlanFixed(Exception):
    """The plan is fixed: a change needs a reason, and is recorded."""


def plan_of(study: Study) -> AnalysisPlan:
    """The study's plan; an empty one is made where there is none."""
    return AnalysisPlan.objects.get_or_create(study=study)[0]


@transaction.atomic
def fix_plan(*, study: Study, by) -> AnalysisPlan:
    """Fix the plan with today's date. Raises WrongState for one that names no coefficient.

    One that is fixed already keeps its date.
    """
    plan_of(study)
    plan = AnalysisPlan.objects.select_for_update().get(study=study)
    if plan.is_fixed:
        return plan
    if not plan.coefficients:
        raise WrongState("The plan names no agreement coefficient. Write it first, then fix it.")
    plan.fixed_at, plan.fixed_by = timezone.now(), by
    plan.save(update_fields=["fixed_at", "fixed_by"])
    return plan


@transaction.atomic
def change_plan(*, study: Study, by, reason: str = "", **values) -> AnalysisPlan:
    """Write fields of the plan. One that was fixed is then open again, and its history says so.

    The history keeps when, by whom, in which state of the study, why, and what each field was.
    Raises PlanFixed for a change of a fixed plan without a reason, TypeError for a field it has
    not.
    """
    if unknown := values.keys() - set(PLAN_FIELDS):
        raise TypeError(f"A plan has no {', '.join(sorted(unknown))}.")
    plan_of(study)
    plan = AnalysisPlan.objects.select_for_update().get(study=study)
    changed = {name: value for name, value in values.items() if getattr(plan, name) != value}
    if not changed:
        return plan
    if plan.is_fixed:
        _record_change(plan, study, by, reason, changed)
    for name, value in changed.items():
        setattr(plan, name, value)
    plan.save()
    return plan


def _record_change(plan: AnalysisPlan, study: Study, by, reason: str, changed: dict) -> None:
    if not reason.strip():
        raise PlanFixed(
            f"The plan was fixed on {plan.fixed_at:%-d %B %Y}. Say why you change it; the report "
            "will name the change."
        )
    state = Study.objects.values_list("state", flat=True).get(pk=study.pk)
    plan.history.append(
        {
            "at": timezone.now().isoformat(),
            "by": str(by),
            "state": state,
            "reason": reason.strip(),
            "fixed_at": plan.fixed_at.isoformat(),
            "was": {name: getattr(plan, name) for name in changed},
        }
    )
    plan.fixed_at = plan.fixed_by = None
