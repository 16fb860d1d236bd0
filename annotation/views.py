"""The booth: an annotator's way from consent to the code. No menus."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone, translation
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation import comprehension, entry, hearing, outcomes
from annotation.booth import State, booth, design_of, elsewhere, page, step_url
from annotation.browser import first_shown, next_screen
from annotation.cards import scales
from annotation.forms import ScreeningForm
from annotation.languages import choices, choose, language_of
from annotation.models import Participation, Remark
from annotation.remarks import leave_remark
from annotation.sheet import sheet_of
from annotation.task import task_context
from annotation.unit_facts import study_media_kind
from annotation.words import back_to_rating, rated, rated_so_far
from studies.design import Design

# ---- before the first picture


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
    further = design_of(person).screening
    form = ScreeningForm(request.POST or None, language=translation.get_language(), further=further)
    if request.method == "POST" and form.is_valid():
        entry.record_screening(participation=person, **form.answers)
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
    """Stop, with the answers kept or removed. Who has sent none is not asked which."""
    if person.is_over:
        return redirect(step_url(person))
    if request.method == "POST":
        entry.withdraw(participation=person, remove=request.POST.get("answers") == "remove")
        return redirect(step_url(person))
    n_sent = person.assignments.filter(submitted_at__isnull=False).count()
    context = {
        "back_url": step_url(person),
        "rated": rated_so_far(study_media_kind(person.study_id), n_sent) if n_sent else "",
    }
    return page(request, person, "withdraw", context)


@booth
@require_http_methods(["GET", "HEAD", "POST"])
def end(request: HttpRequest, person: Participation) -> HttpResponse:
    """The code. It stands on no page before this one, and on this one at every visit."""
    if away := elsewhere(request, person):
        return away
    remark = Remark.objects.filter(participation=person).first()
    # A browser that knew the person's id alone reads and changes nothing of theirs.
    is_theirs = first_shown(request, person) < max(next_screen(person), 2)
    if request.method == "POST":
        if remark is None or is_theirs:
            leave_remark(participation=person, text=request.POST.get("remark", ""))
        return redirect(step_url(person))
    n_rated = person.assignments.filter(submitted_at__isnull=False).count()
    context = {
        "finish": outcomes.finish(person),
        "rated": rated(study_media_kind(person.study_id), n_rated),
        "dry": person.pool_ran_dry,
        "remark": remark,
        "is_theirs": is_theirs,
        "longest_remark": Remark.LONGEST,
        "returning": (timezone.now() - person.finished_at).total_seconds() > 60,
    }
    return page(request, person, "end", context)


@booth
@require_safe
def out(request: HttpRequest, person: Participation) -> HttpResponse:
    """Every other way a participation can stop, with what to do now."""
    if away := elsewhere(request, person):
        return away
    return page(request, person, "out", {"out": outcomes.out_page(person)})
