"""For researchers: what speaks against answers, what was decided, and the rules behind it."""

from __future__ import annotations

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.models import Exclusion, Flag
from annotation.monitor.people import people_of
from annotation.quality.declaring import declare
from annotation.quality.exclusions import (
    AlreadyExcluded,
    NotExcluded,
    ReasonMissing,
    exclude,
    lift,
)
from annotation.quality.review import decide, review
from annotation.quality.rules import rules_of
from annotation.ratings import Layer, rating_counts
from studies.access import study_page
from studies.models import Study
from studies.quality_rules import SHARES, Action, Kind, RuleRefused

MOST_FLAGS = 200
LAYERS = (
    (Layer.ALL, "All"),
    (Layer.AFTER_RULES, "After rules"),
    (Layer.AFTER_ALL, "After rules and people’s decisions"),
)


@require_safe
@study_page
def quality(request: HttpRequest, study: Study) -> HttpResponse:
    """Undecided flags, exclusions with their trail, rules, and what each layer leaves."""
    return _page(request, study)


def _page(request: HttpRequest, study: Study, *, refused: str = "", kind: str = "") -> HttpResponse:
    flags = Flag.objects.filter(participation__study=study)
    waiting = flags.filter(decision="").select_related("participation__panel")
    exclusions = Exclusion.objects.filter(participation__study=study).select_related(
        "participation", "assignment", "by", "lifted_by"
    )
    context = {
        "study": study,
        "tab": "quality",
        "flags": waiting.order_by("participation", "kind")[:MOST_FLAGS],
        "n_waiting": waiting.count(),
        "n_decided": flags.exclude(decision="").count(),
        "exclusions": exclusions,
        "rules": [_rule(rule) for rule in rules_of(study).values()],
        "layers": [(label, rating_counts(study, layer)) for layer, label in LAYERS],
        "refused": refused,
        "refused_kind": kind,
    }
    return render(request, "annotation/quality.html", context, status=422 if refused else 200)


def _rule(rule) -> dict[str, object]:
    """A rule with its form: a share is written in per cent."""
    is_share = rule.kind in SHARES
    return {
        "rule": rule,
        "threshold": f"{100 * rule.threshold if is_share else rule.threshold:g}",
        "is_share": is_share,
        "actions": [
            choice
            for choice in Action.choices
            if not (rule.kind == Kind.CONSENSUS and choice[0] == Action.EXCLUDE)
        ],
    }


@require_POST
@study_page
def review_now(request: HttpRequest, study: Study) -> HttpResponse:
    done = review(study)
    messages.success(
        request,
        f"Looked at {done.people} people: {done.flagged} new flags, {done.unflagged} taken away, "
        f"{done.excluded} excluded by rules.",
    )
    return redirect("annotation:quality", study.slug)


@require_POST
@study_page
def keep(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """The flag was looked at; the answers stay."""
    flag = get_object_or_404(
        Flag.objects.filter(participation__study=study).select_related("participation"), pk=pk
    )
    code = flag.participation.code
    if decide(flag=flag, decision=Flag.Decision.KEPT, by=request.user):
        messages.success(request, f"{code}: kept, though “{flag.get_kind_display().lower()}”.")
    else:
        messages.warning(request, f"{code}: this flag was decided before.")
    return redirect("annotation:quality", study.slug)


@require_POST
@study_page
def set_rule(request: HttpRequest, study: Study) -> HttpResponse:
    """Declare one rule as the form has it."""
    kind, raw = request.POST.get("kind", ""), request.POST.get("threshold", "")
    try:
        given = float(raw.replace(",", "."))
    except ValueError:
        return _page(request, study, refused="Write the threshold as a number.", kind=kind)
    try:
        row = declare(
            study=study,
            kind=kind,
            threshold=given / 100 if kind in SHARES else given,
            action=request.POST.get("action", ""),
            by=request.user,
        )
    except RuleRefused as refusal:
        return _page(request, study, refused=str(refusal), kind=kind)
    messages.success(request, f"{row.get_kind_display()}: saved. The next review goes by it.")
    return redirect("annotation:quality", study.slug)


@require_http_methods(["GET", "HEAD", "POST"])
@study_page
def exclude_person(request: HttpRequest, study: Study, code: str) -> HttpResponse:
    """Leave out all of a person's answers, with a reason; their waiting flags are decided so."""
    person = get_object_or_404(people_of(study), code=code)
    flags = person.flags.filter(decision="")
    error, reason = "", request.POST.get("reason", "")
    if request.method == "POST":
        reopen = request.POST.get("reopen") == "yes"
        try:
            with transaction.atomic():
                exclude(participation=person, reason=reason, by=request.user, reopen=reopen)
                for flag in flags:
                    decide(flag=flag, decision=Flag.Decision.EXCLUDED, by=request.user)
        except (ReasonMissing, AlreadyExcluded) as refusal:
            error = str(refusal)
        else:
            messages.success(request, f"{code} is left out of results. Nothing was deleted.")
            return redirect("annotation:quality", study.slug)
    context = {
        "study": study,
        "tab": "quality",
        "one": person,
        "n_sent": person.assignments.filter(submitted_at__isnull=False).count(),
        "flags": flags,
        "excluded": person.exclusions.filter(assignment=None, lifted_at=None).first(),
        "reason": reason or " ".join(flag.sentence for flag in flags),
        "reopen": request.method != "POST" or request.POST.get("reopen") == "yes",
        "error": error,
    }
    return render(request, "annotation/exclude.html", context, status=422 if error else 200)


@require_POST
@study_page
def lift_exclusion(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Take answers in again; the exclusion stays in the trail."""
    exclusion = get_object_or_404(
        Exclusion.objects.filter(participation__study=study).select_related("participation"), pk=pk
    )
    try:
        lift(exclusion=exclusion, by=request.user, reason=request.POST.get("reason", ""))
    except (ReasonMissing, NotExcluded) as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, f"{exclusion.participation.code}: taken in again.")
    return redirect("annotation:quality", study.slug)
