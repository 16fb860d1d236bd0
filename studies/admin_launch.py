"""The launch page and the pilot page: what will happen, what it costs, what stands in the way."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import ROUND_UP, Decimal
from math import ceil
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from studies import lifecycle, plans
from studies.designs import people_needed
from studies.launch_checks import LaunchCheck
from studies.models import Panel, Study
from studies.refusals import EditRefused, LaunchNoteMissing, LaunchRefused, WrongState

SPARE_PERCENT = 10
MAX_SPARE = 200
CENT = Decimal("0.01")


@dataclass(frozen=True)
class PanelSum:
    """One panel: units x ratings, people who give them, places to book with some to spare."""

    panel: Panel
    units: int
    ratings: int
    people: int
    places: int
    cost: Decimal | None


@dataclass(frozen=True)
class LaunchSum:
    """What a launch asks for; money in the study's currency, without the platform's fees."""

    rows: list[PanelSum]
    pay_each: Decimal | None

    @property
    def ratings(self) -> int:
        return sum(row.ratings for row in self.rows)

    @property
    def people(self) -> int:
        return sum(row.people for row in self.rows)

    @property
    def places(self) -> int:
        return sum(row.places for row in self.rows)

    @property
    def cost(self) -> Decimal | None:
        return None if self.pay_each is None else self.pay_each * self.places


def pay_each(study: Study) -> Decimal | None:
    """Pay of one session, rounded up to the cent; None where no pay is set."""
    if study.pay_per_hour is None:
        return None
    hours = Decimal(study.estimated_minutes) / 60
    return (study.pay_per_hour * hours).quantize(CENT, rounding=ROUND_UP)


def launch_sum(study: Study, *, spare: int) -> LaunchSum:
    each = pay_each(study)
    rows = []
    for panel in study.panels.all():
        units = panel.units().count()
        people = people_needed(
            n_units=units,
            ratings_per_unit=panel.ratings_per_unit,
            units_per_session=study.units_per_session,
        )
        places = ceil(people * (100 + spare) / 100)
        if panel.seats is not None:
            places = min(places, panel.seats)
        cost = None if each is None else each * places
        rows.append(PanelSum(panel, units, units * panel.ratings_per_unit, people, places, cost))
    return LaunchSum(rows, each)


def pilot_sum(study: Study) -> LaunchSum:
    each = pay_each(study)
    n = study.pilot_people
    rows = [
        PanelSum(panel, units, 0, n, n, None if each is None else each * n)
        for panel in study.panels.all()
        for units in [min(panel.units().count(), study.units_per_session)]
    ]
    return LaunchSum(rows, each)


def launch_page(request: HttpRequest, context: dict, study: Study) -> HttpResponse:
    """What will happen, then the launch. A second click is told that it is live already."""
    context |= {"refusals": (), "note": "", "fix_plan": True, "note_missing": False}
    status = 200
    if request.method == "POST":
        try:
            return _launched(request, study)
        except WrongState as refusal:
            messages.warning(request, str(refusal))
            return redirect("admin:studies_study_change", study.pk)
        except LaunchRefused:
            status = 422
        except LaunchNoteMissing:
            status, context["note_missing"] = 422, True
        except EditRefused as refusal:
            status, context["refusals"] = 422, refusal.sentences
        context |= {"note": request.POST.get("note", ""), "fix_plan": "fix_plan" in request.POST}
    elif study.launched_at is not None:
        return redirect("admin:studies_study_change", study.pk)
    spare = _spare(request)
    context |= _checked(study) | {
        "title": f"Launch “{study.title}”?",
        "sum": launch_sum(study, spare=spare),
        "spare": spare,
        "plan": plans.plan_of(study),
        "prolific_link": prolific_link(study),
    }
    return render(request, "admin/studies/study/launch.html", context, status=status)


def _launched(request: HttpRequest, study: Study) -> HttpResponse:
    note = request.POST.get("note", "").strip()
    plan_trouble = ""
    lifecycle.launch_study(study=study, by=request.user, note=note)
    if "fix_plan" in request.POST:
        try:
            plans.fix_plan(study=study, by=request.user)
        except WrongState as refusal:
            plan_trouble = str(refusal)
    messages.success(request, "The study is live. Give people the link below.")
    if plan_trouble:
        messages.warning(request, plan_trouble)
    return redirect("admin:studies_study_change", study.pk)


def pilot_page(request: HttpRequest, context: dict, study: Study) -> HttpResponse:
    """A few people of each panel, whose answers never count."""
    status = 200
    if request.method == "POST":
        try:
            lifecycle.start_pilot(study=study, by=request.user)
        except WrongState as refusal:
            messages.warning(request, str(refusal))
            return redirect("admin:studies_study_change", study.pk)
        except LaunchRefused:
            status = 422
        else:
            messages.success(request, "The pilot runs. Give people the link below.")
            return redirect("admin:studies_study_change", study.pk)
    elif not study.is_draft:
        return redirect("admin:studies_study_change", study.pk)
    context |= _checked(study) | {
        "title": f"Run a pilot of “{study.title}”?",
        "sum": pilot_sum(study),
        "prolific_link": prolific_link(study),
    }
    return render(request, "admin/studies/study/pilot.html", context, status=status)


def launch_lines(study: Study) -> list[LaunchCheck]:
    """The check list, its last lines leading to the pages where they are done."""
    places = {
        "Plan": reverse("admin:studies_study_plan", args=[study.pk]),
        "Pilot": reverse("admin:studies_study_pilot", args=[study.pk]),
        "Preview": reverse("annotation:preview", args=[study.slug]),
    }
    return [
        replace(check, url=places[check.name]) if check.name in places else check
        for check in lifecycle.launch_checks(study)
    ]


def _checked(study: Study) -> dict[str, Any]:
    checks = launch_lines(study)
    return {
        "checks": checks,
        "stops": [check for check in checks if check.mark == "stop"],
        "warnings": [check for check in checks if check.mark == "warn"],
        "open_lines": [check for check in checks if check.mark == "todo"],
        "needs_note": any(check.needs_note and check.mark == "warn" for check in checks),
    }


def _spare(request: HttpRequest) -> int:
    wanted = request.GET.get("spare", "")
    return min(int(wanted), MAX_SPARE) if wanted.isdecimal() and len(wanted) < 5 else SPARE_PERCENT


def prolific_link(study: Study) -> str:
    """The annotators' link with the placeholders that Prolific fills in."""
    return (
        f"{study.entry_link}?PROLIFIC_PID={{{{%PROLIFIC_PID%}}}}"
        "&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
    )
