"""For researchers: what speaks against answers, what was decided, and the rules behind it."""

from __future__ import annotations

from django.contrib import messages
from django.db.models import Exists, OuterRef
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from annotation.models import Exclusion, Flag
from annotation.monitor.people import wholly_excluded
from annotation.quality.declaring import declare
from annotation.quality.exclusions import reopens, set_reopening
from annotation.quality.review import decide, review
from annotation.quality.rules import Rule, rules_of
from annotation.ratings import Layer, declared_rules, rating_counts
from studies.access import study_page
from studies.models import Study
from studies.presets import Difference, differences
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
    left_out = wholly_excluded().filter(participation=OuterRef("participation"))
    undecided = flags.filter(decision="").exclude(Exists(left_out))
    waiting = undecided.select_related("participation__panel")
    exclusions = Exclusion.objects.filter(participation__study=study).select_related(
        "participation", "assignment", "by", "lifted_by"
    )
    layers = [(label, rating_counts(study, layer)) for layer, label in LAYERS]
    context = {
        "study": study,
        "tab": "quality",
        "flags": waiting.order_by("participation", "kind")[:MOST_FLAGS],
        "n_waiting": waiting.count(),
        "n_decided": flags.exclude(decision="").count(),
        "exclusions": exclusions,
        "rules": _rules(study),
        "layers": layers,
        "simulated": any(counts.simulated for _, counts in layers),
        "reopens": reopens(study),
        "refused": refused,
        "refused_kind": kind,
    }
    return render(request, "annotation/quality.html", context, status=422 if refused else 200)


def _rules(study: Study) -> list[dict[str, object]]:
    origins = {row.name: row for row in differences(study)}
    in_time = {row.kind: row.in_time for row in declared_rules(study)}
    return [
        _rule(rule, origins.get(f"quality.{rule.kind}"), in_time=in_time.get(rule.kind, False))
        for rule in rules_of(study).values()
    ]


def _rule(rule: Rule, origin: Difference | None, *, in_time: bool) -> dict[str, object]:
    """A rule with its form, and what the study's preset has. A share is written in per cent."""
    return {
        "rule": rule,
        "in_time": in_time,
        "threshold": _as_written(rule.kind, rule.threshold),
        "is_share": rule.kind in SHARES,
        "origin": origin,
        "of_preset": origin and _as_written(rule.kind, origin.published["threshold"]),
        "actions": [
            choice
            for choice in Action.choices
            if not (rule.kind == Kind.CONSENSUS and choice[0] == Action.EXCLUDE)
        ],
    }


def _as_written(kind: str, threshold: float) -> str:
    return f"{100 * threshold if kind in SHARES else threshold:g}"


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


@require_POST
@study_page
def set_places(request: HttpRequest, study: Study) -> HttpResponse:
    """Whether places of what is excluded from now on are open again."""
    reopen = request.POST.get("reopen") == "yes"
    set_reopening(study=study, reopen=reopen)
    what = "are opened again" if reopen else "stay as they are"
    messages.success(request, f"Saved. Places of what is excluded from now on {what}.")
    return redirect("annotation:quality", study.slug)
