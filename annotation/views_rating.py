"""The rating screen: served, drafted, sent, looked at again and changed, skipped."""

from collections.abc import Mapping

from django.http import Http404, HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.addresses import address
from annotation.answers import field_names, fields_of, kept_fields, read_answers
from annotation.asking import hears_sound, next_tier, opened_unseen
from annotation.assignment import claim_next_unit
from annotation.booth import (
    BACK,
    PASSED,
    State,
    at_screen,
    booth,
    design_of,
    elsewhere,
    go,
    is_back,
    page,
    step_url,
)
from annotation.browser import first_shown
from annotation.drawing import can_be_filled_in, fill_in
from annotation.kinds import Fields
from annotation.models import Assignment, Participation
from annotation.responding import (
    NoLongerChangeable,
    WrongKey,
    change_answers,
    finish_step,
    given_answers,
    save_draft,
    skip_unit,
    submit_and_serve,
)
from annotation.screen import Neighbours, Screen, rating_screen, reached_tier, sent_screen
from annotation.sheet import Sheet, sheet_of
from annotation.timing import read_timing
from annotation.words import skip_reasons


@booth
@require_safe
def unit_now(request: HttpRequest, person: Participation) -> HttpResponse:
    """Serve the current screen under its own address."""
    if away := elsewhere(request, person):
        return away
    url = _next_url(person, claim_next_unit(participation=person))
    if "passed" in request.GET:
        return redirect(url + PASSED)
    return redirect(url + BACK if is_back(request, person) else url)


def _next_url(person: Participation, assignment: Assignment | None) -> str:
    if assignment is not None:
        return _url(person, assignment.n)
    person.refresh_from_db(fields=["state"])
    return step_url(person)


def _url(person: Participation, n: int) -> str:
    return address("unit", person.token, n)


@at_screen
@require_http_methods(["GET", "HEAD", "POST"])
def unit(
    request: HttpRequest, person: Participation, assignment: Assignment | None
) -> HttpResponse:
    """The n-th screen. The reply to a sent one is the next one: one round trip a unit."""
    if assignment is None or person.state == State.OUT or not person.study.takes_answers:
        return go(request, step_url(person))
    if request.method == "POST":
        return _answer(request, person, assignment)
    sent = assignment.submitted_at is not None and person.state == State.RATING
    if sent and assignment.n >= first_shown(request, person):
        return _sent(request, person, assignment, _sheet(person, assignment))
    current = claim_next_unit(participation=person)
    if current is None or current.pk != assignment.pk:
        return redirect(_next_url(person, current))
    return _open(request, person, current, _sheet(person, current))


def _sheet(person: Participation, assignment: Assignment) -> Sheet:
    return sheet_of(assignment=assignment, design=design_of(person))


# ---- sending


def _answer(request: HttpRequest, person: Participation, assignment: Assignment) -> HttpResponse:
    """A form was posted: of a step, of the whole screen, or of one that was sent before."""
    try:
        if assignment.is_open:
            return _take(request, person, assignment, _sheet(person, assignment))
        if request.POST.get("change") and assignment.submitted_at is not None:
            return _change(request, person, assignment)
    except WrongKey:
        return go(request, _url(person, assignment.n))
    return _serve_next(request, person)


def _take(request, person, assignment: Assignment, sheet: Sheet) -> HttpResponse:
    fields = posted_fields(request)
    reached = reached_tier(assignment, sheet)
    up_to = _posted_tier(request, sheet, reached)
    answers = read_answers(sheet.rows, fields, up_to=up_to)
    # Scripts open such questions at once, and post by htmx.
    opened = not request.htmx and opened_unseen(sheet.rows, fields, up_to=up_to)
    if answers.errors or opened:
        return _open(request, person, assignment, sheet, fields, answers.errors, opened=opened)
    common = {
        "assignment": assignment,
        "key": request.POST.get("key", ""),
        "timing": read_timing(request.POST.get("timing", "")),
    }
    following = next_tier(sheet.rows, fields, after=up_to)
    if following is not None:
        later = field_names([row for row in sheet.rows if row.tier > up_to])
        kept = kept_fields(sheet.rows, fields)
        row = finish_step(next_tier=following, fields=kept, later=later, **common)
        if not request.htmx:
            return redirect(_url(person, assignment.n))
        row.participation = person
        return _open(request, person, row, sheet)
    _, following = submit_and_serve(answers=answers, check=sheet.check, **common)
    return _serve_next(request, person, following, back=assignment.n)


def _posted_tier(request: HttpRequest, sheet: Sheet, reached: int) -> int:
    """The tier up to which a form is complete by its own word: never beyond the open ones."""
    raw = request.POST.get("step", "")
    named = next((tier for tier in sheet.tiers if str(tier) == raw), reached)
    return min(named, reached)


def _serve_next(
    request: HttpRequest,
    person: Participation,
    following: Assignment | None = None,
    back: int | None = None,
) -> HttpResponse:
    following = following or claim_next_unit(participation=person)
    if following is None or not request.htmx:
        return go(request, _next_url(person, following))
    following.participation = person
    response = _open(request, person, following, _sheet(person, following), back=back)
    response["HX-Push-Url"] = _url(person, following.n)
    return response


def _change(request: HttpRequest, person: Participation, assignment: Assignment) -> HttpResponse:
    """Save what was changed on a sent screen, and go on to the one after it."""
    if assignment.n < first_shown(request, person):
        return go(request, step_url(person))
    sheet = _sheet(person, assignment)
    if not sheet.design.allow_changes or person.state != State.RATING:
        return go(request, _url(person, assignment.n))
    fields = posted_fields(request)
    answers = read_answers(sheet.rows, fields)
    opened = not request.htmx and opened_unseen(sheet.rows, fields)
    if answers.errors or opened:
        return _sent(request, person, assignment, sheet, fields, answers.errors, opened=opened)
    try:
        change_answers(
            assignment=assignment,
            key=request.POST.get("key", ""),
            answers=answers,
            check=sheet.check,
            timing=read_timing(request.POST.get("timing", "")),
        )
    except NoLongerChangeable:
        return go(request, step_url(person))
    after = _around(person, assignment.n).after
    url = step_url(person) if after is None else _url(person, after)
    return go(request, url)


def posted_fields(request: HttpRequest) -> Fields:
    return Fields(dict(request.POST.lists()))


# ---- drawing


def _open(
    request,
    person: Participation,
    assignment: Assignment,
    sheet: Sheet,
    fields: Fields | None = None,
    errors: Mapping[str, str] | None = None,
    *,
    opened: bool = False,
    back: int | None = None,
) -> HttpResponse:
    """The screen this person is at. ``back`` is the sent one before it, where that is known."""
    if back is None and assignment.n > 1:
        before = person.assignments.filter(n__lt=assignment.n, submitted_at__isnull=False)
        back = before.order_by("-n").values_list("n", flat=True).first()
    if back is not None and back < first_shown(request, person):
        back = None
    screen = rating_screen(
        person=person,
        assignment=assignment,
        sheet=sheet,
        around=Neighbours(before=back),
        fields=fields,
        errors=errors,
        opened=opened,
    )
    return _draw(request, person, screen, bool(errors))


def _sent(
    request,
    person: Participation,
    assignment: Assignment,
    sheet: Sheet,
    fields: Fields | None = None,
    errors: Mapping[str, str] | None = None,
    *,
    opened: bool = False,
) -> HttpResponse:
    """A screen that was sent, as it was sent, or with a refused change and its errors."""
    if fields is None:
        check = getattr(assignment, "check_answer", None)
        fields = fields_of(sheet.rows, given_answers(assignment), check and check.value)
    screen = sent_screen(
        person=person,
        assignment=assignment,
        sheet=sheet,
        around=_around(person, assignment.n, first=first_shown(request, person)),
        fields=fields,
        errors=errors,
        opened=opened,
    )
    return _draw(request, person, screen, bool(errors))


def _around(person: Participation, n: int, *, first: int = 1) -> Neighbours:
    """The screens before and after the n-th that can be looked at: skipped ones cannot.

    Nor can those before the ``first`` that this browser may see.
    """
    there = person.assignments.filter(skipped_at=None, n__gte=first).order_by("n")
    numbers = list(there.values_list("n", flat=True))
    return Neighbours(
        before=max((other for other in numbers if other < n), default=None),
        after=min((other for other in numbers if other > n), default=None),
    )


def _draw(request, person: Participation, screen: Screen, refused: bool) -> HttpResponse:
    if request.htmx and not request.GET and not refused and can_be_filled_in(screen):
        return HttpResponse(
            fill_in(
                screen,
                token=person.token,
                csrf_token=_csrf_token(request),
                study_title=design_of(person).public_title,
            )
        )
    name = "_unit" if request.htmx else "unit"
    return page(request, person, name, {"screen": screen}, 422 if refused else 200)


def _csrf_token(request: HttpRequest) -> str:
    """The one that came with the form, which was found good; a new mask would hide nothing, because
    the reply repeats nothing that was sent."""
    return request.POST.get("csrfmiddlewaretoken") or get_token(request)


# ---- drafts and problems


@at_screen
@require_POST
def draft(
    request: HttpRequest, person: Participation, assignment: Assignment | None
) -> HttpResponse:
    """Keep answers as they are made. 204: kept. 409: this screen is no longer open."""
    if assignment is None:
        raise Http404("There is no such screen.")
    counter = request.POST.get("counter", "")
    if not counter.isdecimal() or len(counter) > 15:
        return HttpResponse("The draft has no counter.", status=422, content_type="text/plain")
    if not assignment.is_open or person.is_over:
        return HttpResponse(_("This screen was sent."), status=409, content_type="text/plain")
    save_draft(
        assignment=assignment,
        counter=int(counter),
        fields=kept_fields(_sheet(person, assignment).rows, posted_fields(request)),
        timing=read_timing(request.POST.get("timing", "")),
    )
    return HttpResponse(status=204)


@at_screen
@require_http_methods(["GET", "HEAD", "POST"])
def problem(
    request: HttpRequest, person: Participation, assignment: Assignment | None
) -> HttpResponse:
    """What is wrong with what is to be rated; skipping it puts it back into the pool."""
    if assignment is None or not assignment.is_open or person.is_over:
        return redirect(step_url(person))
    sheet = _sheet(person, assignment)
    reasons = skip_reasons(sheet.facts.item_kind, with_sound=hears_sound(sheet.design, sheet.facts))
    error = ""
    if request.method == "POST":
        if request.POST.get("reason") in dict(reasons):
            skip_unit(assignment=assignment, reason=request.POST["reason"])
            return redirect(step_url(person))
        error = _("Choose what is the problem.")
    context = {"reasons": reasons, "back_url": _url(person, assignment.n), "error": error}
    return page(request, person, "problem", context, 422 if error else 200)
