"""For researchers: the annotator's view before launch, and how the collection stands."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import translation
from django.views.decorators.http import require_http_methods, require_safe

from annotation.answers import read_answers
from annotation.asking import next_tier
from annotation.booth import go
from annotation.kinds import Fields
from annotation.progress import study_progress
from annotation.screen import preview_screen
from annotation.sheet import Sheet, preview_sheet
from studies.access import study_page
from studies.design import Design, current_design, frozen_design
from studies.models import Study
from studies.words.design_language import in_language


def _design(study: Study) -> Design:
    return frozen_design(study.pk, study.revision) if study.revision else current_design(study)


@require_http_methods(["GET", "HEAD", "POST"])
@study_page
def preview(request: HttpRequest, study: Study) -> HttpResponse:
    """Consent and instructions on one way to the first unit; nothing is saved."""
    design = _design(study)
    if request.method == "POST":
        return redirect("annotation:preview_unit", study.slug, 1)
    context = {
        "study_title": design.public_title,
        "short_lines": design.consent_lines,
        "full_information": design.consent_text,
        "version": design.revision,
        "paragraphs": design.paragraphs,
        "points": design.rules,
        "has_units": study.units.exists(),
        "study": study,
    }
    return render(request, "annotation/preview.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@study_page
def preview_unit(request: HttpRequest, study: Study, n: int) -> HttpResponse:
    """The n-th unit as an annotator sees it, its steps and errors included."""
    total = min(study.units.count(), study.units_per_session)
    if not 1 <= n <= total:
        return redirect("annotation:preview", study.slug)
    panel = study.panels.first()
    language = panel.language if panel else study.base_language
    design = in_language(_design(study), language)
    with translation.override(language):
        sheet = _preview_sheet(study, design, n)
        posted = Fields(dict(request.POST.lists()))
        reached, errors = _reached(request, sheet), {}
        if request.method == "POST":
            errors = read_answers(sheet.rows, posted, up_to=reached).errors
            following = next_tier(sheet.rows, posted, after=reached)
            if not errors and following is None:
                return _preview_next(request, study, design, n, total)
            reached = reached if errors else following
        return _draw(request, study, design, n, total, sheet, reached, posted, errors)


def _preview_sheet(study: Study, design: Design, n: int) -> Sheet:
    return preview_sheet(unit=study.units.order_by("key")[n - 1], n=n, design=design)


def _reached(request: HttpRequest, sheet: Sheet) -> int:
    """Nothing is saved, so the form itself says which steps are open."""
    raw = request.POST.get("reached", "")
    return next((tier for tier in sheet.tiers if str(tier) == raw), min(sheet.tiers, default=1))


def _preview_next(request, study: Study, design: Design, n: int, total: int) -> HttpResponse:
    if n == total:
        return go(request, reverse("annotation:preview", args=[study.slug]))
    url = reverse("annotation:preview_unit", args=[study.slug, n + 1])
    if not request.htmx:
        return redirect(url)
    sheet = _preview_sheet(study, design, n + 1)
    reached = min(sheet.tiers, default=1)
    response = _draw(request, study, design, n + 1, total, sheet, reached, Fields({}), {})
    response["HX-Push-Url"] = url
    return response


def _draw(request, study, design, n, total, sheet, reached, fields, errors) -> HttpResponse:
    screen = preview_screen(
        study=study,
        n=n,
        total=total,
        sheet=sheet,
        reached=reached,
        fields=fields,
        errors=errors,
    )
    name = "_unit" if request.htmx else "unit"
    context = {"study_title": design.public_title, "screen": screen}
    return render(request, f"annotation/{name}.html", context, status=422 if errors else 200)


@require_safe
@study_page
def progress(request: HttpRequest, study: Study) -> HttpResponse:
    context = {"study": study, "tab": "progress", "progress": study_progress(study)}
    return render(request, "annotation/progress.html", context)
