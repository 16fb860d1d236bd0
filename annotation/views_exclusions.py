"""For researchers: leaving a person's answers out of results, or one screen, and taking them in."""

from __future__ import annotations

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from annotation.models import Assignment, Exclusion, Flag, Participation
from annotation.monitor.people import people_of
from annotation.monitor.person import EACH_PAGE
from annotation.quality.exclusions import (
    AlreadyExcluded,
    NotExcluded,
    ReasonMissing,
    exclude,
    lift,
    reopens,
)
from annotation.quality.review import decide
from studies.access import study_page
from studies.models import Study

Refusal = (ReasonMissing, AlreadyExcluded)


@require_http_methods(["GET", "HEAD", "POST"])
@study_page
def exclude_person(request: HttpRequest, study: Study, code: str) -> HttpResponse:
    """Leave out all of a person's answers, with a reason; their waiting flags are decided so."""
    person = get_object_or_404(people_of(study), code=code)
    flags = person.flags.filter(decision="")
    error = ""
    if request.method == "POST":
        try:
            with transaction.atomic():
                exclude(participation=person, **_asked(request))
                for flag in flags:
                    decide(flag=flag, decision=Flag.Decision.EXCLUDED, by=request.user)
        except Refusal as refusal:
            error = str(refusal)
        else:
            messages.success(request, f"{code} is left out of results. Nothing was deleted.")
            return redirect("annotation:quality", study.slug)
    context = {
        "n_sent": person.assignments.filter(submitted_at__isnull=False).count(),
        "flags": flags,
        "excluded": _in_force(person, None),
        "suggested": " ".join(flag.sentence for flag in flags),
    }
    return _page(request, study, person, error, context)


@require_http_methods(["GET", "HEAD", "POST"])
@study_page
def exclude_screen(request: HttpRequest, study: Study, code: str, n: int) -> HttpResponse:
    """Leave out one unit of a person, with a reason. Repeats and gold are in no results anyway."""
    person = get_object_or_404(people_of(study), code=code)
    in_results = person.assignments.filter(
        submitted_at__isnull=False, repeat_of=None, gold=False
    ).select_related("unit")
    screen = get_object_or_404(in_results, n=n)
    error = ""
    if request.method == "POST":
        try:
            exclude(participation=person, assignment=screen, **_asked(request))
        except Refusal as refusal:
            error = str(refusal)
        else:
            messages.success(request, f"{code}, unit {n}: left out of results.")
            return redirect(_of_screen(study, person, screen))
    context = {"screen": screen, "excluded": _in_force(person, screen)}
    return _page(request, study, person, error, context)


@require_POST
@study_page
def lift_exclusion(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Take answers in again; the exclusion stays in the trail."""
    found = Exclusion.objects.filter(participation__study=study)
    exclusion = get_object_or_404(found.select_related("participation", "assignment"), pk=pk)
    person = exclusion.participation
    try:
        lift(exclusion=exclusion, by=request.user, reason=request.POST.get("reason", ""))
    except (ReasonMissing, NotExcluded) as refusal:
        messages.error(request, str(refusal))
    else:
        what = f", unit {exclusion.assignment.n}" if exclusion.assignment else ""
        messages.success(request, f"{person.code}{what}: taken in again.")
    if request.POST.get("back") == "person":
        return redirect(_of_screen(study, person, exclusion.assignment))
    return redirect("annotation:quality", study.slug)


def _asked(request: HttpRequest) -> dict:
    reopen = request.POST.get("reopen") == "yes"
    return {"reason": request.POST.get("reason", ""), "by": request.user, "reopen": reopen}


def _in_force(person: Participation, screen: Assignment | None) -> Exclusion | None:
    return person.exclusions.filter(assignment=screen, lifted_at=None).first()


def _of_screen(study: Study, person: Participation, screen: Assignment | None) -> str:
    """The annotator's page, at the screen where there is one."""
    url = reverse("annotation:person", args=[study.slug, person.code])
    if screen is None:
        return url
    first = (screen.n - 1) // EACH_PAGE * EACH_PAGE + 1
    part = f"?from={first}" if first > 1 else ""
    return f"{url}{part}#unit-{screen.n}"


def _page(
    request: HttpRequest, study: Study, person: Participation, error: str, context: dict
) -> HttpResponse:
    posted = request.method == "POST"
    reopen = request.POST.get("reopen") == "yes" if posted else reopens(study)
    reason = request.POST.get("reason", "") or context.get("suggested", "")
    context |= {"study": study, "tab": "quality", "one": person, "error": error}
    context |= {"reason": reason, "reopen": reopen}
    return render(request, "annotation/exclude.html", context, status=422 if error else 200)
