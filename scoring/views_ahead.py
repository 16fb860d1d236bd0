"""AHEaD's pages of a study: its steps, one step, one item with what a run says of it."""

from __future__ import annotations

from http import HTTPStatus

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import HttpResponseClientRefresh

from scoring import steps
from scoring.ahead import pages
from scoring.ahead.forms import FIELDS, EditForm, ResumeForm, StepForm
from scoring.metrics.base import MetricError
from scoring.models import MetricRun, ScoringStep
from studies.access import study_page
from studies.models import Item, Study


@require_GET
@study_page
def overview(request: HttpRequest, study: Study) -> HttpResponse:
    return render(request, "scoring/ahead.html", pages.overview(study))


@require_POST
@study_page
def start_step(request: HttpRequest, study: Study) -> HttpResponse:
    kind = request.POST.get("kind", "")
    if kind not in FIELDS:
        raise Http404(f"There is no step {kind!r}.")
    form = StepForm(request.POST, study=study, kind=kind)
    if form.is_valid():
        try:
            made = steps.request_step(
                study=study, kind=kind, parameters=form.cleaned_data, by=request.user
            )
            return redirect("scoring:ahead_step", study.slug, made.pk)
        except MetricError as error:
            form.add_error(None, str(error))
    context = pages.overview(study, submitted=form)
    return render(request, "scoring/ahead.html", context, status=HTTPStatus.UNPROCESSABLE_ENTITY)


@require_GET
@study_page
def step(request: HttpRequest, study: Study, step_id: int) -> HttpResponse:
    context = pages.step_page(_step_of(study, step_id))
    return render(request, "scoring/ahead_step.html", context | {"form": ResumeForm()})


@require_GET
@study_page
def step_progress(request: HttpRequest, study: Study, step_id: int) -> HttpResponse:
    """The fragment that asks for itself until the step is over, then has the page read again."""
    shown = _step_of(study, step_id)
    if shown.is_over and request.htmx:
        return HttpResponseClientRefresh()
    context = {"study": study, **pages.step_words(shown)}
    return render(request, "scoring/_ahead_progress.html", context)


@require_POST
@study_page
def step_cancel(request: HttpRequest, study: Study, step_id: int) -> HttpResponse:
    if not steps.cancel_step(step=_step_of(study, step_id)):
        messages.warning(request, "This step was already over; there was nothing to cancel.")
    return redirect("scoring:ahead_step", study.slug, step_id)


@require_POST
@study_page
def step_resume(request: HttpRequest, study: Study, step_id: int) -> HttpResponse:
    form = ResumeForm(request.POST)
    if form.is_valid():
        try:
            budget = form.cleaned_data["budget_calls"]
            steps.resume_step(step=_step_of(study, step_id), budget_calls=budget)
        except steps.StepError as error:
            messages.warning(request, str(error))
    else:
        messages.warning(request, "The budget is a whole number of calls, at least one.")
    return redirect("scoring:ahead_step", study.slug, step_id)


@require_GET
@study_page
def item(request: HttpRequest, study: Study, run_id: int, item_id: int) -> HttpResponse:
    run, shown = _scored(study, run_id, item_id)
    context = {"study": study, "form": EditForm(), **pages.item_page(run, shown)}
    return render(request, "scoring/ahead_item.html", context)


@require_GET
@study_page
def cell(request: HttpRequest, study: Study, run_id: int) -> HttpResponse:
    """The pictures of one activity, country and model together; ``?cell=`` is the score's key."""
    run = get_object_or_404(study.metric_runs, pk=run_id, metric="ahead")
    found = pages.cell_page(run, request.GET.get("cell", ""))
    if found is None:
        raise Http404("The run has no such group of pictures.")
    return render(request, "scoring/ahead_cell.html", {"study": study, **found})


@require_POST
@study_page
def ask_edit(request: HttpRequest, study: Study, run_id: int, item_id: int) -> HttpResponse:
    """Ask a chat model what an image editor should be told."""
    run, shown = _scored(study, run_id, item_id)
    form = EditForm(request.POST)
    if form.is_valid():
        parameters = {"run": run.pk, "items": [shown.pk], **form.cleaned_data}
        try:
            made = steps.request_step(
                study=study, kind=ScoringStep.Kind.EDITS, parameters=parameters, by=request.user
            )
            return redirect("scoring:ahead_step", study.slug, made.pk)
        except MetricError as error:
            form.add_error(None, str(error))
    context = {"study": study, "form": form, **pages.item_page(run, shown)}
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    return render(request, "scoring/ahead_item.html", context, status=status)


def _step_of(study: Study, step_id: int) -> ScoringStep:
    return get_object_or_404(
        study.scoring_steps.select_related("study", "requested_by"), pk=step_id
    )


def _scored(study: Study, run_id: int, item_id: int) -> tuple[MetricRun, Item]:
    run = get_object_or_404(study.metric_runs, pk=run_id, metric="ahead")
    items = study.items.select_related("parent__system", "system")
    return run, get_object_or_404(items, pk=item_id)
