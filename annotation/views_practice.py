"""The practice screens: the rating screen with a ribbon, and what is said after sending."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from annotation.answers import Answers, kept_fields, read_answers
from annotation.asking import next_tier, opened_unseen
from annotation.booth import PASSED, State, booth, design_of, go, page, step_url
from annotation.kinds import Fields
from annotation.models import Participation
from annotation.practice import due_practice, feedback_on, record_practice, specs_of
from annotation.screen import practice_screen
from annotation.sheet import Sheet, practice_sheet


@booth
@require_http_methods(["GET", "HEAD", "POST"])
def practice(request: HttpRequest, person: Participation, n: int) -> HttpResponse:
    """The n-th practice screen: to be answered, or as it was sent with what is said about it."""
    specs = specs_of(person) if person.state == State.RATING else ()
    if not 1 <= n <= len(specs) or not person.study.takes_answers:
        return go(request, step_url(person))
    due = due_practice(person)
    sheet = practice_sheet(unit=specs[n - 1].unit, design=design_of(person), seed=person.seed)
    if due == n:
        return _open(request, person, n, sheet)
    if person.practice_answers.filter(n=n).exists() and not person.assignments.exists():
        return _sent(request, person, n, sheet)
    return go(request, step_url(person) + (PASSED if request.method == "GET" else ""))


def _open(request: HttpRequest, person: Participation, n: int, sheet: Sheet) -> HttpResponse:
    if request.method != "POST":
        return _draw(request, person, n, sheet, Fields({}), reached=_first(sheet))
    if "reason" in request.POST:  # what is to be seen does not load
        record_practice(participation=person, n=n, fields={}, answers=None)
        return go(request, step_url(person))
    fields = Fields(dict(request.POST.lists()))
    reached = _reached(request, sheet)
    answers = read_answers(sheet.rows, fields, up_to=reached)
    opened = not request.htmx and opened_unseen(sheet.rows, fields, up_to=reached)
    following = next_tier(sheet.rows, fields, after=reached)
    if answers.errors or opened or following is not None:
        keep = answers.errors or opened
        return _draw(
            request,
            person,
            n,
            sheet,
            fields,
            reached=reached if keep else following,
            errors=answers.errors,
            opened=opened,
        )
    record_practice(
        participation=person, n=n, fields=kept_fields(sheet.rows, fields), answers=answers
    )
    if not request.htmx:
        return redirect(_url(person, n))
    return _sent(request, person, n, sheet)


def _sent(request: HttpRequest, person: Participation, n: int, sheet: Sheet) -> HttpResponse:
    """The answers that are kept, whoever posts what again."""
    fields = Fields.kept(person.practice_answers.get(n=n).fields)
    answers = read_answers(sheet.rows, fields)
    return _draw(request, person, n, sheet, fields, reached=None, answers=answers)


def _draw(
    request: HttpRequest,
    person: Participation,
    n: int,
    sheet: Sheet,
    fields: Fields,
    *,
    reached: int | None,
    errors: dict[str, str] | None = None,
    opened: bool = False,
    answers: Answers | None = None,
) -> HttpResponse:
    specs = specs_of(person)
    following = due_practice(person)
    screen = practice_screen(
        url=_url(person, n),
        next_url=step_url(person) if following is None else _url(person, following),
        help_url=reverse("annotation:help", args=[person.token]),
        n=n,
        total=len(specs),
        shortcuts=person.shortcuts,
        sheet=sheet,
        reached=reached,
        fields=fields,
        errors=errors or {},
        opened=opened,
        feedback=feedback_on(specs[n - 1], sheet, answers) if answers is not None else None,
    )
    name = "_unit" if request.htmx else "unit"
    return page(request, person, name, {"screen": screen}, 422 if errors else 200)


def _url(person: Participation, n: int) -> str:
    return reverse("annotation:practice", args=[person.token, n])


def _first(sheet: Sheet) -> int:
    return min(sheet.tiers, default=1)


def _reached(request: HttpRequest, sheet: Sheet) -> int:
    raw = request.POST.get("reached", "")
    return next((tier for tier in sheet.tiers if str(tier) == raw), _first(sheet))
