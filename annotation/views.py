"""The booth: an annotator's way from the link to the code. No accounts, no menus."""

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone, translation
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation import comprehension, entry, hearing, outcomes
from annotation.booth import (
    State,
    booth,
    broken_link,
    design_of,
    elsewhere,
    page,
    step_url,
)
from annotation.cards import scales
from annotation.devices import screen_too_small
from annotation.forms import ScreeningForm
from annotation.languages import choices, choose, guessed, interface_language, language_of
from annotation.models import Participation
from annotation.sheet import sheet_of
from annotation.task import task_context
from annotation.unit_facts import study_media_kind
from annotation.words import back_to_rating, rated
from studies.design import Design
from studies.models import Study

COOKIE_AGE = 60 * 60 * 24 * 90


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
    if known is None and screen_too_small(request, study.devices):
        return _needs_computer(request, study)
    person = known or entry.arrive(
        study=study, language=guessed(study, request.headers.get("Accept-Language", ""))
    )
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


def _needs_computer(request: HttpRequest, study: Study) -> HttpResponse:
    """Before anybody is counted as arrived: on a computer the same link begins."""
    language = guessed(study, request.headers.get("Accept-Language", "")) or study.base_language
    with translation.override(interface_language(language)):
        context = {"study_title": study.public_title, "link": request.build_absolute_uri()}
        return render(request, "annotation/needs_computer.html", context)


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


@booth
@require_http_methods(["GET", "HEAD", "POST"])
def consent(request: HttpRequest, person: Participation) -> HttpResponse:
    if away := elsewhere(request, person):
        return away
    if request.method == "POST" and request.POST.get("answer") in {"agree", "refuse"}:
        agreed = request.POST["answer"] == "agree"
        entry.record_consent(participation=person, agreed=agreed)
        return redirect(step_url(person))
    design = design_of(person)
    return _first_page(
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
    if away := elsewhere(request, person):
        return away
    form = ScreeningForm(request.POST or None, language=translation.get_language())
    if request.method == "POST" and form.is_valid():
        entry.record_screening(participation=person, **form.cleaned_data)
        return redirect(step_url(person))
    step = 2 if person.study.consent_first else 1
    status = 422 if form.errors else 200
    return _first_page(request, person, "about_you", {"form": form, "step": step}, status)


def _first_page(request, person, name: str, context: dict, status: int = 200) -> HttpResponse:
    """A page before the instructions: the language can be switched on it."""
    languages = choices(person)
    switch = {"languages": languages if len(languages) > 1 else [], "reads": language_of(person)}
    return page(request, person, name, switch | context, status)


@booth
@require_POST
def language(request: HttpRequest, person: Participation) -> HttpResponse:
    """Read on in another language, at the same step."""
    choose(participation=person, language=request.POST.get("language", ""))
    return redirect(step_url(person))


@booth
@require_http_methods(["GET", "HEAD", "POST"])
def instructions(request: HttpRequest, person: Participation) -> HttpResponse:
    """The task, and a quick check of it where the study has one: two chances."""
    if away := elsewhere(request, person):
        return away
    design = design_of(person)
    tries = comprehension.tries_of(person) if design.comprehension else []
    understood = comprehension.is_understood(design, tries)
    chosen = None
    if request.method == "POST" and understood:
        entry.start_rating(participation=person)
        return redirect(step_url(person))
    if request.method == "POST":
        chosen = comprehension.read_choices(design, request.POST)
        if len(chosen) == len(design.comprehension):
            return _judge_try(request, person, design, chosen)
    context = task_context(design) | {"step": 4 if hearing.is_asked(person.study) else 3}
    if not understood:
        context |= {
            "quizzes": comprehension.quizzes(design, seed=person.seed, tries=tries, posted=chosen),
            "try_number": len(tries) + 1,
            "incomplete": chosen is not None,
        }
    return page(request, person, "instructions", context, 200 if chosen is None else 422)


def _judge_try(request, person: Participation, design: Design, chosen: dict) -> HttpResponse:
    number = request.POST.get("try", "")
    comprehension.record_try(
        participation=person,
        design=design,
        number=int(number) if number in {"1", "2"} else 0,
        chosen=chosen,
    )
    if comprehension.is_understood(design, comprehension.tries_of(person)):
        entry.start_rating(participation=person)
    return redirect(step_url(person))


# ---- beside the way


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
    context = task_context(design) | {
        "scales": _scales(person),
        "shortcuts": person.shortcuts,
        "back_url": step_url(person),
        "back_label": back_to_rating(study_media_kind(person.study_id)),
        "withdraw_url": reverse("annotation:withdraw", args=[person.token]),
    }
    return page(request, person, "help", context)


def _scales(person: Participation):
    """The scales of the design, worded for the screen this person is at."""
    assignment = person.assignments.filter(submitted_at=None, skipped_at=None).last()
    if assignment is None:
        return ()
    return scales(sheet_of(assignment=assignment, design=design_of(person)))


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
    if away := elsewhere(request, person):
        return away
    study = person.study
    n_rated = person.assignments.filter(submitted_at__isnull=False).count()
    context = {
        "code": study.completion_code,
        "completion_url": study.completion_url,
        "rated": rated(study_media_kind(study.pk), n_rated),
        "dry": person.pool_ran_dry,
        "returning": (timezone.now() - person.finished_at).total_seconds() > 60,
    }
    return page(request, person, "end", context)


@booth
@require_safe
def out(request: HttpRequest, person: Participation) -> HttpResponse:
    """Every other way a participation can stop, with what to do now."""
    if away := elsewhere(request, person):
        return away
    return page(request, person, "out", outcomes.out_page(person))
