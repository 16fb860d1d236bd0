"""The analysis plan: typed, fixed with a date, changed afterwards only with a reason."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from studies import plans
from studies.admin_question_form import LinesField
from studies.models import AnalysisPlan, Study
from studies.models.plan import COEFFICIENTS, CORRELATION_LEVELS, CORRELATIONS
from studies.presets.fields import PLAN_FIELDS
from studies.refusals import WrongState


@dataclass(frozen=True)
class PlanRow:
    label: str
    value: str
    origin: object | None


IN_WORDS = {"coefficients": COEFFICIENTS, "correlations": CORRELATIONS}
FORMER_LEVEL = "{}: not known, taken over all items"


def _named(name: str, values: list[str]) -> list[str]:
    """Names as people write them; one that is not known here stays as it is."""
    words = IN_WORDS.get(name, {})
    return [words.get(value, value) for value in values]


def _told(plan: AnalysisPlan, name: str) -> str:
    value = getattr(plan, name)
    if name == "targets":
        return targets_text(value) or "none yet"
    if name == "aggregation":
        return plan.get_aggregation_display()
    if name == "correlation_level":
        return CORRELATION_LEVELS.get(value, FORMER_LEVEL.format(value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(_named(name, value)) or "none yet"
    return value or "none yet"


LABELS = {
    "coefficients": "Agreement coefficients, the main one first",
    "aggregation": "An item's score",
    "rescaled": "Rescaled to 0-1",
    "correlations": "Correlations with metrics, the main one first",
    "correlation_level": "Where correlations are taken",
    "metrics": "Metrics",
    "targets": "Which metric is held against which questions",
    "exclusions": "Who is left out, and why",
    "notes": "Notes",
}


def plan_rows(plan: AnalysisPlan, origins: Mapping[str, object]) -> list[PlanRow]:
    return [
        PlanRow(LABELS[name], _told(plan, name), origins.get(f"plan.{name}"))
        for name in PLAN_FIELDS
    ]


def plan_line(plan: AnalysisPlan) -> str:
    """What the closed section says, e.g. "alpha (ordinal), Spearman, not fixed yet"."""
    parts = [*_named("coefficients", plan.coefficients)[:2]]
    parts += _named("correlations", plan.correlations)[:1]
    parts.append(f"fixed {plan.fixed_at:%-d %b %Y}" if plan.is_fixed else "not fixed yet")
    return ", ".join(part for part in parts if part)


def targets_text(targets: Mapping[str, list[str]]) -> str:
    return "\n".join(f"{metric}: {', '.join(keys)}" for metric, keys in targets.items())


class TargetsField(forms.CharField):
    """A metric a line: its name, a colon, keys of questions."""

    widget = forms.Textarea(attrs={"rows": 4})

    def __init__(self, *, keys: set[str], **kwargs):
        super().__init__(**kwargs)
        self.keys = keys

    def prepare_value(self, value):
        return targets_text(value) if isinstance(value, dict) else value

    def to_python(self, value) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for n, line in enumerate(str(value or "").splitlines(), 1):
            if not line.strip():
                continue
            metric, colon, names = line.partition(":")
            wanted = [name.strip() for name in names.split(",") if name.strip()]
            if not colon or not metric.strip() or not wanted:
                raise forms.ValidationError(
                    f"Line {n} has no metric, colon and keys. Write e.g. FAITH: faithfulness."
                )
            if unknown := [name for name in wanted if name not in self.keys]:
                raise forms.ValidationError(
                    f"Line {n}: no question has the key {', '.join(unknown)}. "
                    f"The keys are {', '.join(sorted(self.keys)) or 'not there yet'}."
                )
            found[metric.strip()] = wanted
        return found


class NamesField(LinesField):
    """Names a line, of those that an analysis knows."""

    def __init__(self, *, known: Mapping[str, str], **kwargs):
        super().__init__(**kwargs)
        self.known = known

    def to_python(self, value) -> list[str]:
        names = super().to_python(value)
        if unknown := [name for name in names if name not in self.known]:
            near = difflib.get_close_matches(unknown[0], self.known, n=1)
            mend = f"Did you mean {near[0]}?" if near else f"Known: {', '.join(self.known)}."
            raise forms.ValidationError(f"“{unknown[0]}” is not known. {mend}")
        return names


class PlanForm(forms.Form):
    coefficients = NamesField(
        known=COEFFICIENTS,
        required=False,
        label=LABELS["coefficients"],
        help_text=f"One a line: {', '.join(COEFFICIENTS)}.",
    )
    aggregation = forms.ChoiceField(
        choices=AnalysisPlan.Aggregation.choices,
        label=LABELS["aggregation"],
        help_text="On record. Metrics are held against the mean of an item's ratings in any case; "
        "majorities and mean ranks have tables of their own.",
    )
    rescaled = forms.BooleanField(
        required=False,
        label=LABELS["rescaled"],
        help_text="(score - lowest point) / (highest - lowest).",
    )
    correlations = NamesField(
        known=CORRELATIONS,
        required=False,
        label=LABELS["correlations"],
        help_text=f"One a line: {', '.join(CORRELATIONS)}.",
    )
    correlation_level = forms.ChoiceField(
        choices=list(CORRELATION_LEVELS.items()), label=LABELS["correlation_level"]
    )
    metrics = LinesField(required=False, label=LABELS["metrics"], help_text="One a line.")
    exclusions = forms.CharField(
        required=False,
        label=LABELS["exclusions"],
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="One rule a line.",
    )
    notes = forms.CharField(
        required=False, label=LABELS["notes"], widget=forms.Textarea(attrs={"rows": 3})
    )
    reason = forms.CharField(
        required=False,
        max_length=300,
        label="Why you change it",
        help_text="The report names the change, its date and this reason.",
    )

    def __init__(self, *args, study: Study, plan: AnalysisPlan, **kwargs):
        values = {name: getattr(plan, name) for name in PLAN_FIELDS}
        super().__init__(*args, initial=values, **kwargs)
        level = plan.correlation_level
        if level not in CORRELATION_LEVELS:
            self.fields["correlation_level"].choices += [(level, FORMER_LEVEL.format(level))]
        keys = set(study.questions.values_list("key", flat=True))
        self.fields["targets"] = TargetsField(
            keys=keys,
            required=False,
            label=LABELS["targets"],
            help_text="A metric a line, e.g. FAITH: faithfulness, realism.",
        )
        if not plan.is_fixed:
            del self.fields["reason"]
        order = [*PLAN_FIELDS, "reason"]
        self.order_fields(order)


def plan_page(request: HttpRequest, context: dict, study: Study) -> HttpResponse:
    plan = plans.plan_of(study)
    form = PlanForm(request.POST or None, study=study, plan=plan)
    if request.method == "POST" and form.is_valid():
        values = dict(form.cleaned_data)
        reason = values.pop("reason", "")
        try:
            plans.change_plan(study=study, by=request.user, reason=reason, **values)
        except plans.PlanFixed as refusal:
            form.add_error("reason", str(refusal))
        else:
            messages.success(request, "The plan is saved.")
            return _back(study)
    context |= {"title": "Analysis plan", "form": form, "plan": plan}
    status = 422 if form.is_bound else 200
    return render(request, "admin/studies/study/plan.html", context, status=status)


@require_POST
def fix_plan(request: HttpRequest, context: dict, study: Study) -> HttpResponse:
    try:
        plan = plans.fix_plan(study=study, by=request.user)
    except WrongState as refusal:
        messages.warning(request, str(refusal))
    else:
        messages.success(request, f"The plan is fixed, {plan.fixed_at:%-d %B %Y, %H:%M} UTC.")
    return _back(study)


def _back(study: Study) -> HttpResponse:
    page = reverse("admin:studies_study_change", args=[study.pk])
    return redirect(f"{page}#section-plan")
