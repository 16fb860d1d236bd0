"""The booth: an annotator's way from the link to the code. No accounts, no menus."""

from collections.abc import Callable
from datetime import timedelta
from functools import wraps

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation import entry, outcomes
from annotation.answers import MAX_TEXT, field_names, read_answers
from annotation.assignment import claim_next_unit
from annotation.forms import ScreeningForm
from annotation.models import Assignment, Participation
from annotation.responding import WrongKey, save_draft, skip_unit, submit_unit
from annotation.screen import check_of, rating_screen
from studies.design import Design, current_design, frozen_design
from studies.models import Study

State = Participation.State
COOKIE_AGE = 60 * 60 * 24 * 90
SEEN_TO = timedelta(minutes=1)


def booth(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """A view ``(request, person, ...)`` under a participation's token, in the panel's language."""

    @never_cache
    @wraps(view)
    def opened(request: HttpRequest, token: str, *args, **kwargs) -> HttpResponse:
        person = Participation.objects.select_related("study", "panel").filter(token=token).first()
        if person is None:
            return broken_link(request)
        _see(person)
        with translation.override(person.panel.language if person.panel else "en"):
            return view(request, person, *args, **kwargs)

    return opened


def _see(person: Participation) -> None:
    """Note that the person is here: to the minute, so that a screen does not cost a write more."""
    now = timezone.now()
    if person.last_seen_at is None or now - person.last_seen_at > SEEN_TO:
        Participation.objects.filter(pk=person.pk).update(last_seen_at=now)


def broken_link(request: HttpRequest) -> HttpResponse:
    return render(request, "annotation/broken_link.html", {"study_title": "Concord"}, status=404)


def page(request, person, name: str, context=None, status: int = 200) -> HttpResponse:
    """One booth page. ``lang`` and ``dir`` are those of the words on it."""
    design = design_of(person)
    common = {
        "study_title": design.public_title,
        "token": person.token,
        "contact": design.contact,
        "steps": 3,
    }
    return render(request, f"annotation/{name}.html", common | (context or {}), status=status)


def design_of(person: Participation) -> Design:
    """The words this person was promised: those of the revision they arrived under."""
    if person.revision:
        return frozen_design(person.study_id, person.revision)
    return current_design(person.study)


# ---- arriving


@never_cache
@require_safe
def door(request: HttpRequest, token: str) -> HttpResponse:
    """A study's link, or a person's own: both lead to where this person stands."""
    study = Study.objects.filter(entry_token=token).first()
    if study is None:
        return where_was_i(request, token)
    if study.is_draft:
        return broken_link(request)
    known = _remembered(request, study)
    person = known or entry.arrive(study=study)
    response = redirect(step_url(person))
    if known is None:
        response.set_cookie(
            _cookie(study),
            signing.dumps(person.token, salt="participation"),
            max_age=COOKIE_AGE,
            httponly=True,
            samesite="Lax",
            secure=settings.SECURE_SITE,
        )
    return response


def _cookie(study: Study) -> str:
    return f"concord_{study.pk}"


def _remembered(request: HttpRequest, study: Study) -> Participation | None:
    """The participation this browser started; somebody else's cookie does not verify.

    Who came while the study took nobody may come again when it does.
    """
    try:
        token = signing.loads(request.COOKIES.get(_cookie(study), ""), salt="participation")
    except signing.BadSignature:
        return None
    known = Participation.objects.filter(study=study, token=token)
    if study.takes_arrivals:
        known = known.exclude(outcome=Participation.Outcome.CLOSED)
    return known.first()


@booth
def where_was_i(request: HttpRequest, person: Participation) -> HttpResponse:
    return redirect(step_url(person))


def step_url(person: Participation) -> str:
    """The address of the step this person is at."""
    if person.state == State.COMPLETE:
        return reverse("annotation:end", args=[person.token])
    if person.state == State.OUT or not person.study.takes_answers:
        return reverse("annotation:out", args=[person.token])
    if person.state == State.RATING:
        return reverse("annotation:unit_now", args=[person.token])
    steps = [("consent", person.consented_at), ("about_you", person.screened_at)]
    if not person.study.consent_first:
        steps.reverse()
    todo = next((name for name, done in steps if done is None), "instructions")
    return reverse(f"annotation:{todo}", args=[person.token])


def _elsewhere(request: HttpRequest, person: Participation) -> HttpResponse | None:
    """Where to go if this address is not the person's current step (Back, an old tab)."""
    now = step_url(person)
    return None if request.path == now else redirect(now)


@booth
@require_http_methods(["GET", "HEAD", "POST"])
def consent(request: HttpRequest, person: Participation) -> HttpResponse:
    if away := _elsewhere(request, person):
        return away
    if request.method == "POST" and request.POST.get("answer") in {"agree", "refuse"}:
        agreed = request.POST["answer"] == "agree"
        entry.record_consent(participation=person, agreed=agreed)
        return redirect(step_url(person))
    design = design_of(person)
    return page(
        request,
        person,
        "consent",
        {
            "short_lines": design.consent_lines,
            "full_information": design.consent_text,
            "version": design.revision,
            "step": 1 if design.consent_first else 2,
        },
    )


@booth
@require_http_methods(["GET", "HEAD", "POST"])
def about_you(request: HttpRequest, person: Participation) -> HttpResponse:
    if away := _elsewhere(request, person):
        return away
    form = ScreeningForm(request.POST or None, language=translation.get_language())
    if request.method == "POST" and form.is_valid():
        entry.record_screening(participation=person, **form.cleaned_data)
        return redirect(step_url(person))
    step = 2 if person.study.consent_first else 1
    status = 422 if form.errors else 200
    return page(request, person, "about_you", {"form": form, "step": step}, status)


@booth
@require_http_methods(["GET", "HEAD", "POST"])
def instructions(request: HttpRequest, person: Participation) -> HttpResponse:
    if away := _elsewhere(request, person):
        return away
    if request.method == "POST":
        entry.start_rating(participation=person)
        return redirect(step_url(person))
    design = design_of(person)
    context = {"paragraphs": design.paragraphs, "points": design.rules, "step": 3}
    return page(request, person, "instructions", context)


# ---- rating


@booth
@require_safe
def unit_now(request: HttpRequest, person: Participation) -> HttpResponse:
    """Serve the current screen under its own address."""
    if away := _elsewhere(request, person):
        return away
    return redirect(_next_url(person, claim_next_unit(participation=person)))


def _next_url(person: Participation, assignment: Assignment | None) -> str:
    if assignment is not None:
        return reverse("annotation:unit", args=[person.token, assignment.n])
    person.refresh_from_db(fields=["state"])
    return step_url(person)


@booth
@require_http_methods(["GET", "HEAD", "POST"])
def unit(request: HttpRequest, person: Participation, n: int) -> HttpResponse:
    """The n-th screen. The reply to a sent one is the next one: one round trip a unit."""
    assignment = _assignment(person, n)
    if assignment is None or person.state == State.OUT or not person.study.takes_answers:
        return _go(request, step_url(person))
    if request.method == "POST":
        return _submit(request, person, assignment)
    current = claim_next_unit(participation=person)
    if current is None or current.pk != assignment.pk:
        return redirect(_next_url(person, current))
    return _screen(request, person, current)


def _assignment(person: Participation, n: int) -> Assignment | None:
    return person.assignments.filter(n=n).order_by().first()


def _submit(request: HttpRequest, person: Participation, assignment: Assignment) -> HttpResponse:
    design = design_of(person)
    check = check_of(design, assignment)
    if assignment.is_open:
        answers = read_answers(design, check, request.POST)
        if answers.errors:
            return _screen(request, person, assignment, request.POST, answers.errors)
        try:
            submit_unit(
                assignment=assignment,
                key=request.POST.get("key", ""),
                answers=answers,
                check=check,
            )
        except WrongKey:
            return _go(request, reverse("annotation:unit", args=[person.token, assignment.n]))
    following = claim_next_unit(participation=person)
    if following is None or not request.htmx:
        return _go(request, _next_url(person, following))
    response = _screen(request, person, following)
    response["HX-Push-Url"] = reverse("annotation:unit", args=[person.token, following.n])
    return response


def _screen(request, person, assignment, data=None, errors=None) -> HttpResponse:
    screen = rating_screen(
        person=person,
        assignment=assignment,
        design=design_of(person),
        data=data,
        errors=errors,
    )
    name = "_unit" if request.htmx else "unit"
    return page(request, person, name, {"screen": screen}, 422 if errors else 200)


def _go(request: HttpRequest, url: str) -> HttpResponse:
    """To another page: htmx would swap a redirect's body into the form, so it is told apart."""
    if request.htmx:
        return HttpResponse(headers={"HX-Redirect": url})
    return redirect(url)


@booth
@require_POST
def draft(request: HttpRequest, person: Participation, n: int) -> HttpResponse:
    """Keep answers as they are made. 204: kept. 409: this screen is no longer open."""
    assignment = get_object_or_404(person.assignments, n=n)
    counter = request.POST.get("counter", "")
    if not counter.isdecimal() or len(counter) > 15:
        return HttpResponse("The draft has no counter.", status=422, content_type="text/plain")
    if not assignment.is_open or person.is_over:
        return HttpResponse(_("This screen was sent."), status=409, content_type="text/plain")
    design = design_of(person)
    fields = {
        name: request.POST[name].replace("\x00", "")[:MAX_TEXT]
        for name in field_names(design, check_of(design, assignment))
        if name in request.POST
    }
    save_draft(assignment=assignment, counter=int(counter), fields=fields)
    return HttpResponse(status=204)


@booth
@require_http_methods(["GET", "HEAD", "POST"])
def problem(request: HttpRequest, person: Participation, n: int) -> HttpResponse:
    """What is wrong with a picture; skipping it puts it back into the pool."""
    assignment = _assignment(person, n)
    if assignment is None or not assignment.is_open or person.is_over:
        return redirect(step_url(person))
    reasons = outcomes.skip_reasons()
    error = ""
    if request.method == "POST":
        if request.POST.get("reason") in dict(reasons):
            skip_unit(assignment=assignment, reason=request.POST["reason"])
            return redirect(step_url(person))
        error = _("Choose what is the problem.")
    back = reverse("annotation:unit", args=[person.token, n])
    context = {"reasons": reasons, "back_url": back, "error": error}
    return page(request, person, "problem", context, 422 if error else 200)


@booth
@require_http_methods(["GET", "HEAD", "POST"])
def help_page(request: HttpRequest, person: Participation) -> HttpResponse:
    if person.state != State.RATING:
        return redirect(step_url(person))
    if request.method == "POST":
        person.shortcuts = request.POST.get("shortcuts") == "on"
        person.save(update_fields=["shortcuts"])
        return redirect("annotation:help", person.token)
    design = design_of(person)
    assignment = person.assignments.filter(submitted_at=None, skipped_at=None).last()
    cards = ()
    if assignment is not None:
        screen = rating_screen(person=person, assignment=assignment, design=design)
        cards = [card for card in screen.cards if card.points and card.name.startswith("q_")]
    context = {
        "paragraphs": design.paragraphs,
        "points": design.rules,
        "scales": cards,
        "shortcuts": person.shortcuts,
        "back_url": step_url(person),
        "withdraw_url": reverse("annotation:withdraw", args=[person.token]),
    }
    return page(request, person, "help", context)


# ---- leaving


@booth
@require_http_methods(["GET", "HEAD", "POST"])
def withdraw(request: HttpRequest, person: Participation) -> HttpResponse:
    if person.is_over:
        return redirect(step_url(person))
    if request.method == "POST":
        entry.withdraw(participation=person)
        return redirect(step_url(person))
    return page(request, person, "withdraw", {"back_url": step_url(person)})


@booth
@require_safe
def end(request: HttpRequest, person: Participation) -> HttpResponse:
    """The code. It stands on no page before this one, and on this one at every visit."""
    if away := _elsewhere(request, person):
        return away
    study = person.study
    context = {
        "code": study.completion_code,
        "completion_url": study.completion_url,
        "n_rated": person.assignments.filter(submitted_at__isnull=False).count(),
        "dry": person.pool_ran_dry,
        "returning": (timezone.now() - person.finished_at).total_seconds() > 60,
    }
    return page(request, person, "end", context)


@booth
@require_safe
def out(request: HttpRequest, person: Participation) -> HttpResponse:
    """Every other way a participation can stop, with what to do now."""
    if away := _elsewhere(request, person):
        return away
    return page(request, person, "out", outcomes.out_page(person))
