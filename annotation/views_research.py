"""For researchers: the annotator's view before launch, and how the collection stands."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import translation
from django.views.decorators.http import require_http_methods, require_safe

from annotation.answers import read_answers
from annotation.progress import study_progress
from annotation.screen import preview_check, preview_screen
from studies.access import study_page
from studies.design import Design, current_design, frozen_design
from studies.models import Study


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
    """The n-th unit as an annotator sees it, errors included."""
    design = _design(study)
    total = min(study.units.count(), study.units_per_session)
    if not 1 <= n <= total:
        return redirect("annotation:preview", study.slug)
    panel = study.panels.first()
    errors, data = {}, {}
    if request.method == "POST":
        data = request.POST
        errors = read_answers(design, preview_check(design, n), data).errors
        if not errors:
            n, data = n + 1, {}
    if n > total:
        return _go(request, reverse("annotation:preview", args=[study.slug]))
    language = panel.language if panel else "en"
    with translation.override(language):
        screen = preview_screen(
            slug=study.slug,
            unit=study.units.order_by("key")[n - 1],
            n=n,
            total=total,
            design=design,
            language=language,
            data=data,
            errors=errors,
        )
        name = "_unit" if request.htmx else "unit"
        context = {"study_title": design.public_title, "screen": screen}
        response = render(
            request, f"annotation/{name}.html", context, status=422 if errors else 200
        )
    if request.htmx and not errors:
        response["HX-Push-Url"] = reverse("annotation:preview_unit", args=[study.slug, n])
    return response


def _go(request: HttpRequest, url: str) -> HttpResponse:
    return HttpResponse(headers={"HX-Redirect": url}) if request.htmx else redirect(url)


@require_safe
@study_page
def progress(request: HttpRequest, study: Study) -> HttpResponse:
    context = {"study": study, "tab": "progress", "progress": study_progress(study)}
    return render(request, "annotation/progress.html", context)
