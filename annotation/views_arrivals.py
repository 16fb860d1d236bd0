"""For researchers: Prolific's list against ours, where new word comes from, and one submission."""

from __future__ import annotations

import secrets
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from annotation.models import Attempt, Identity, ProlificAction, Reconciliation
from annotation.prolific import actions, conduct
from annotation.prolific.client import NoToken, ProlificError
from annotation.prolific.export import LARGEST, UnreadableExport, read_export
from annotation.prolific.matching import KINDS
from annotation.prolific.polling import LOST_AFTER, request_poll, take_export
from annotation.prolific.receiving import send_off
from annotation.prolific.reconciling import (
    Row,
    Wish,
    asking_of,
    counts_of,
    rows_csv,
    rows_of,
)
from annotation.prolific.statuses import change_rules, latest_attempt, rules_of
from annotation.tasks import poll_prolific
from studies.access import study_page
from studies.models import Recruitment, Study

ROWS_EACH_PAGE = 200
MAY_SEE_IDS = "annotation.see_prolific_ids"


def _shows_ids(request: HttpRequest) -> bool:
    """Ids of Prolific are shown on a choice made anew each time, to people who may see them."""
    return request.GET.get("ids") == "yes" and request.user.has_perm(MAY_SEE_IDS)


def _wish(request: HttpRequest) -> Wish:
    given = request.GET
    return Wish(
        show=given.get("show", ""), status=given.get("status", ""), search=given.get("code", "")
    )


@require_safe
@study_page
def arrivals(request: HttpRequest, study: Study) -> HttpResponse:
    return _page(request, study)


def _page(request: HttpRequest, study: Study, **more) -> HttpResponse:
    recruitment = Recruitment.objects.filter(study=study).first()
    with_ids, wish = _shows_ids(request), _wish(request)
    rows = rows_of(study, with_ids=with_ids)
    page = Paginator([row for row in rows if wish.keeps(row)], ROWS_EACH_PAGE).get_page(
        request.GET.get("page")
    )
    kept = {name: value for name, value in request.GET.dict().items() if value and name != "page"}
    context = {
        "study": study,
        "tab": "arrivals",
        "linked": recruitment is not None and bool(recruitment.prolific_study_ids),
        "takes_prolific": recruitment is not None and recruitment.uses_prolific,
        "counts": counts_of(rows),
        "kinds": KINDS.items(),
        "statuses": Attempt.Status.choices,
        "wish": wish,
        "page": page,
        "to_look_at": [row for row in page if row.mismatch is not None],
        "fits": [row for row in page if row.mismatch is None],
        "with_ids": with_ids,
        "may_see_ids": request.user.has_perm(MAY_SEE_IDS),
        "query": urlencode(kept),
        "asking": asking_of(study, lost_after=LOST_AFTER),
        "rules": rules_of(study),
        "choices": Reconciliation.Work.choices,
        "has_token": bool(settings.PROLIFIC_TOKEN),
        "poll_minutes": settings.PROLIFIC_POLL_MINUTES,
        "has_secret": bool(settings.PROLIFIC_WEBHOOK_SECRETS),
        "hook_url": settings.SITE_URL.rstrip("/") + reverse("prolific:event"),
        **more,
    }
    return render(
        request, "annotation/arrivals.html", context, status=422 if more.get("problems") else 200
    )


@require_safe
@study_page
def news(request: HttpRequest, study: Study) -> HttpResponse:
    """The line on what was heard last; it asks for itself while Prolific is being asked."""
    context = {
        "study": study,
        "asking": asking_of(study, lost_after=LOST_AFTER),
        "has_token": bool(settings.PROLIFIC_TOKEN),
        "just_done": True,
    }
    return render(request, "annotation/_arrivals_news.html", context)


@require_POST
@study_page
def ask(request: HttpRequest, study: Study) -> HttpResponse:
    """Have a worker ask Prolific."""
    try:
        if not settings.PROLIFIC_TOKEN:
            raise NoToken("No Prolific token is set on the server, so nothing was asked.")
        request_poll(study=study)
    except ProlificError as refusal:
        messages.warning(request, str(refusal))
    else:
        send_off(poll_prolific, study.pk)
    return redirect("prolific:arrivals", study.slug)


@require_POST
@study_page
def upload(request: HttpRequest, study: Study) -> HttpResponse:
    """Take Prolific's demographic export, whole or not at all."""
    file = request.FILES.get("export")
    try:
        if file is None:
            raise UnreadableExport("No file was chosen. Choose the one you downloaded.")
        if file.size > LARGEST:
            raise UnreadableExport("The file is larger than 5 MB. Is it Prolific's export?")
        taken = take_export(study=study, rows=read_export(file.read()))
    except UnreadableExport as refusal:
        return _page(request, study, problems=refusal.problems)
    messages.success(request, f"The export was taken: {taken.sentence()}")
    return redirect("prolific:arrivals", study.slug)


@require_POST
@study_page
def rules(request: HttpRequest, study: Study) -> HttpResponse:
    """What happens to the work of returned and of rejected submissions."""
    choices = {name: request.POST.get(name, "") for name in ("returned_work", "rejected_work")}
    if not set(choices.values()) <= set(Reconciliation.Work.values):
        return _page(request, study, problems=["Choose what happens to both kinds of work."])
    n = change_rules(study=study, **choices)
    messages.success(request, f"Saved. It was applied to {n} {'person' if n == 1 else 'people'}.")
    return redirect("prolific:arrivals", study.slug)


@require_safe
@study_page
def table(request: HttpRequest, study: Study) -> HttpResponse:
    """The list as CSV, as it is filtered; pseudonyms unless ids are asked for."""
    with_ids, wish = _shows_ids(request), _wish(request)
    rows = [row for row in rows_of(study, with_ids=with_ids) if wish.keeps(row)]
    response = HttpResponse(rows_csv(rows, with_ids=with_ids), content_type="text/csv")
    response["Content-Disposition"] = f'attachment; filename="{study.slug}-arrivals.csv"'
    return response


@require_safe
@study_page
def arrival(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """One person's submission: both sides, what may be done, what was done."""
    return _one(request, study, pk)


def _one(
    request: HttpRequest,
    study: Study,
    pk: int,
    *,
    problem: str = "",
    kind: str = "",
    text: str = "",
) -> HttpResponse:
    identity = get_object_or_404(_from_prolific(study), pk=pk)
    attempts = list(identity.attempts.select_related("study", "identity__participation"))
    latest = latest_attempt(attempts)
    row = rows_of(study, with_ids=_shows_ids(request), identity_id=pk)[0]
    may = actions.allowed(latest)
    suggested = _suggested(row, may)
    forms = [
        _form(
            name, latest, row.sent, text if name == kind else None, problem if name == kind else ""
        )
        for name in (*actions.Kind.values[:3], actions.Kind.REJECT)
        if may.includes(name)
    ]
    for form in forms:
        form["is_open"] = form["kind"] == (kind if problem else suggested)
    done = ProlificAction.objects.filter(attempt__in=attempts).select_related("by")
    context = {
        "study": study,
        "tab": "arrivals",
        "row": row,
        "attempts": attempts,
        "latest": latest,
        "seen": actions.last_action(latest),
        "person": identity.participation,
        "rule": may.reject,
        "grounds": may.grounds,
        "forms": forms,
        "problem": problem,
        "told_in_form": any(form["problem"] and form["has_text"] for form in forms),
        "done": done,
        "events": [event for one in attempts for event in one.events.all()[:20]],
        "has_token": bool(settings.PROLIFIC_TOKEN),
        "with_ids": _shows_ids(request),
        "may_see_ids": request.user.has_perm(MAY_SEE_IDS),
    }
    return render(request, "annotation/arrival.html", context, status=422 if problem else 200)


def _suggested(row: Row, may: actions.Allowed) -> str:
    """What stands open: approving finished work; the return in every other doubt."""
    done = row.state == "complete" and may.approve and not may.reject.allowed
    return actions.Kind.APPROVE if done else actions.Kind.ASK_TO_RETURN


def _from_prolific(study: Study):
    return Identity.objects.filter(
        study=study, source=Identity.Source.PROLIFIC, attempts__isnull=False
    ).distinct()


_BUTTONS = {
    actions.Kind.ASK_TO_RETURN: ("Ask to return", "Ask this person to return"),
    actions.Kind.APPROVE: ("Approve", "Approve this submission"),
    actions.Kind.MESSAGE: ("Message", "Send this message"),
    actions.Kind.REJECT: ("Reject", "Reject this submission"),
}


def _form(kind: str, attempt: Attempt, sent: int, text: str | None, problem: str) -> dict:
    title, button = _BUTTONS[actions.Kind(kind)]
    shortest = 0 if kind == conduct.MESSAGE else conduct.SHORTEST_MESSAGE
    return {
        "kind": kind,
        "title": title,
        "button": button,
        "key": secrets.token_hex(16),
        "has_text": kind != conduct.APPROVE,
        "text": actions.ready_text(kind, attempt=attempt, sent=sent) if text is None else text,
        "shortest": shortest,
        "longest": conduct.LONGEST_MESSAGE,
        "problem": problem,
    }


@require_POST
@study_page
def act(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Ask to return, approve, write or reject; a second click sends nothing."""
    identity = get_object_or_404(_from_prolific(study), pk=pk)
    kind, text = request.POST.get("kind", ""), request.POST.get("text", "")
    key = request.POST.get("key", "")
    attempt = identity.attempts.filter(pk=_number(request.POST.get("attempt"))).first()
    if kind not in actions.Kind.values or attempt is None or not 16 <= len(key) <= 32:
        return _one(request, study, pk, problem="The form was not complete. Nothing was sent.")
    text = text.replace("\r\n", "\n")
    said = {"text": text, "seen": _number(request.POST.get("seen"))}
    try:
        row = actions.perform(attempt=attempt, kind=kind, by=request.user, key=key, **said)
    except (actions.ActionRefused, NoToken) as refusal:
        return _one(request, study, pk, problem=str(refusal), kind=kind, text=text)
    _tell(request, row)
    return redirect("prolific:arrival", study.slug, pk)


def _number(raw: str | None) -> int:
    return int(raw) if raw and raw.isdecimal() and len(raw) < 15 else 0


def _tell(request: HttpRequest, row: ProlificAction) -> None:
    done = row.get_kind_display()
    match row.state:
        case ProlificAction.State.DONE:
            messages.success(request, f"{done}. Prolific has it.")
        case ProlificAction.State.SENDING:
            messages.warning(request, f"{done}: it is being sent by your first click.")
        case _:
            messages.warning(request, f"{done}: {row.result}")
