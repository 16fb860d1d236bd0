"""For researchers: the annotator's view before launch."""

from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import translation
from django.views.decorators.http import require_http_methods

from annotation import comprehension
from annotation.answers import Answers, read_answers
from annotation.asking import next_tier
from annotation.booth import go
from annotation.kinds import Fields
from annotation.languages import interface_language
from annotation.practice import feedback_on
from annotation.screen import practice_screen, preview_screen
from annotation.sheet import Sheet, practice_sheet, preview_sheet
from annotation.task import task_context
from studies.access import study_page
from studies.design import Design, current_design, frozen_design
from studies.models import Item, Study, Unit
from studies.previews import record_preview
from studies.words.design_language import in_language


def _design(study: Study) -> Design:
    return frozen_design(study.pk, study.revision) if study.revision else current_design(study)


def _rated(study: Study) -> QuerySet[Unit]:
    """Without practice, gold and examples: what the session of an annotator is made of."""
    return study.units.filter(purpose=Item.Purpose.RATED)


def _language(request: HttpRequest, study: Study, design: Design) -> str:
    """The one asked for by ?language=, if there are words in it; else the first panel's."""
    wanted = request.GET.get("language", "")
    if wanted in {design.base_language, *design.translations}:
        return wanted
    panel = study.panels.first()
    return panel.language if panel else study.base_language


def _unit_url(study: Study, n: int, language: str) -> str:
    url = reverse("annotation:preview_unit", args=[study.slug, n])
    return f"{url}?{urlencode({'language': language})}"


def _practice_url(study: Study, n: int, language: str) -> str:
    url = reverse("annotation:preview_practice", args=[study.slug, n])
    return f"{url}?{urlencode({'language': language})}"


def _first_url(study: Study, design: Design, language: str) -> str:
    return (_practice_url if design.practice else _unit_url)(study, 1, language)


@require_http_methods(["GET", "HEAD", "POST"])
@study_page
def preview(request: HttpRequest, study: Study) -> HttpResponse:
    """Consent and instructions on one way to the first unit; nothing is saved."""
    frozen = _design(study)
    language = _language(request, study, frozen)
    if request.method == "POST":
        return redirect(_first_url(study, frozen, language))
    if study.is_draft or study.in_pilot:
        record_preview(study=study, language=language)
    design = in_language(frozen, language)
    context = {
        "study_title": design.public_title,
        "short_lines": design.consent_lines,
        "full_information": design.consent_text,
        "version": design.revision,
        "quizzes": comprehension.quizzes(design, seed=0, tries=[]),
        "try_number": 1,
        "has_units": _rated(study).exists(),
        "study": study,
        **task_context(design),
    }
    with translation.override(interface_language(language)):
        return render(request, "annotation/preview.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@study_page
def preview_unit(request: HttpRequest, study: Study, n: int) -> HttpResponse:
    """The n-th unit as an annotator sees it, its steps and errors included."""
    total = min(_rated(study).count(), study.units_per_session)
    if not 1 <= n <= total:
        return redirect("annotation:preview", study.slug)
    frozen = _design(study)
    language = _language(request, study, frozen)
    shown = Preview(study, in_language(frozen, language), language, total)
    with translation.override(interface_language(language)):
        sheet = shown.sheet(n)
        posted = Fields(dict(request.POST.lists()))
        reached, errors = _reached(request, sheet), {}
        if request.method == "POST":
            errors = read_answers(sheet.rows, posted, up_to=reached).errors
            following = next_tier(sheet.rows, posted, after=reached)
            if not errors and following is None:
                return _preview_next(request, shown, n)
            reached = reached if errors or following is None else following
        return _draw(request, shown, n, sheet, reached, posted, errors)


@require_http_methods(["GET", "HEAD", "POST"])
@study_page
def preview_practice(request: HttpRequest, study: Study, n: int) -> HttpResponse:
    """The n-th practice screen, of whichever panel, with what is said about the answers."""
    frozen = _design(study)
    language = _language(request, study, frozen)
    design, specs = in_language(frozen, language), frozen.practice
    if not 1 <= n <= len(specs):
        return redirect("annotation:preview", study.slug)
    with translation.override(interface_language(language)):
        sheet = practice_sheet(unit=specs[n - 1].unit, design=design, seed=0)
        posted = Fields(dict(request.POST.lists()))
        reached, answers, feedback = _reached(request, sheet), Answers(), None
        if request.method == "POST":
            answers = read_answers(sheet.rows, posted, up_to=reached)
            following = next_tier(sheet.rows, posted, after=reached)
            if not answers.errors and following is None:
                feedback = feedback_on(specs[n - 1], sheet, answers)
            reached = reached if answers.errors or following is None else following
        is_last = n == len(specs)
        screen = practice_screen(
            url=_practice_url(study, n, language),
            next_url=(
                _unit_url(study, 1, language) if is_last else _practice_url(study, n + 1, language)
            ),
            help_url=_practice_url(study, n, language),
            n=n,
            total=len(specs),
            shortcuts=True,
            sheet=sheet,
            reached=None if feedback else reached,
            fields=posted,
            errors=answers.errors,
            opened=False,
            feedback=feedback,
        )
        context = {"study_title": design.public_title, "screen": replace(screen, preview=True)}
        name = "_unit" if request.htmx else "unit"
        status = 422 if answers.errors else 200
        return render(request, f"annotation/{name}.html", context, status=status)


@dataclass(frozen=True)
class Preview:
    """A study as it is looked at before anybody rates it."""

    study: Study
    design: Design
    language: str
    total: int

    def sheet(self, n: int) -> Sheet:
        unit = _rated(self.study).order_by("key")[n - 1]
        return preview_sheet(unit=unit, n=n, design=self.design)

    def url(self, n: int) -> str:
        return _unit_url(self.study, n, self.language)


def _reached(request: HttpRequest, sheet: Sheet) -> int:
    """Nothing is saved, so the form itself says which steps are open."""
    raw = request.POST.get("reached", "")
    return next((tier for tier in sheet.tiers if str(tier) == raw), min(sheet.tiers, default=1))


def _preview_next(request: HttpRequest, shown: Preview, n: int) -> HttpResponse:
    if n == shown.total:
        return go(request, reverse("annotation:preview", args=[shown.study.slug]))
    if not request.htmx:
        return redirect(shown.url(n + 1))
    sheet = shown.sheet(n + 1)
    reached = min(sheet.tiers, default=1)
    response = _draw(request, shown, n + 1, sheet, reached, Fields({}), {})
    response["HX-Push-Url"] = shown.url(n + 1)
    return response


def _draw(request, shown: Preview, n: int, sheet, reached: int, fields, errors) -> HttpResponse:
    screen = preview_screen(
        url=shown.url(n),
        n=n,
        total=shown.total,
        sheet=sheet,
        reached=reached,
        fields=fields,
        errors=errors,
    )
    name = "_unit" if request.htmx else "unit"
    context = {"study_title": shown.design.public_title, "screen": screen}
    return render(request, f"annotation/{name}.html", context, status=422 if errors else 200)
