"""One run: its progress and scores, and what can be done with it."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRefresh

from annotation.ratings import rating_counts
from scoring import runs
from scoring.coverage import inputs_have_changed
from scoring.declared import run_declaration
from scoring.forms import BudgetForm
from scoring.models import MetricRun
from scoring.run_errors import RunError
from scoring.run_words import run_words
from scoring.score_table import cell_table, score_table, undefined_counts
from studies.access import study_page
from studies.models import Study

ITEMS_A_PAGE = 50


@require_GET
@study_page
def run(request: HttpRequest, study: Study, run_id: int) -> HttpResponse:
    shown = run_of(study, run_id)
    declaration = run_declaration(shown)
    same_metric = study.metric_runs.filter(metric=shown.metric, n_done__gt=0)
    context = {
        **_progress_context(study, shown),
        "tab": "metrics",
        "declaration": declaration,
        "undefined": undefined_counts(run=shown, declaration=declaration),
        "outdated": shown.is_over and inputs_have_changed(shown),
        "others": [run_words(other) for other in same_metric.exclude(pk=shown.pk)],
        "table": None,
    }
    if shown.is_over and shown.n_done:
        table = score_table(run=shown, declaration=declaration, order=request.GET.get("order", ""))
        page = Paginator(table.order_of_items, ITEMS_A_PAGE).get_page(request.GET.get("page"))
        context |= {
            "table": table,
            "page": page,
            "rows": table.rows(page.object_list),
            "cells": cell_table(run=shown, declaration=declaration),
            "simulated": rating_counts(study).simulated,
        }
    return render(request, "scoring/metrics_run.html", context)


@require_GET
@study_page
def run_progress(request: HttpRequest, study: Study, run_id: int) -> HttpResponse:
    """The fragment that asks for itself while the run goes on, then has the page read again."""
    shown = run_of(study, run_id)
    if not shown.is_under_way and request.htmx:
        return HttpResponseClientRefresh()
    return render(request, "scoring/_run_progress.html", _progress_context(study, shown))


@require_POST
@study_page
def run_cancel(request: HttpRequest, study: Study, run_id: int) -> HttpResponse:
    if not runs.cancel_run(run=run_of(study, run_id)):
        messages.warning(request, "This run was already over; there was nothing to cancel.")
    return redirect("scoring:run", study.slug, run_id)


@require_POST
@study_page
def run_continue(request: HttpRequest, study: Study, run_id: int) -> HttpResponse:
    """Go on with a run that ended before its time, or begin one whose calls were estimated."""
    form = BudgetForm(request.POST)
    if not form.is_valid():
        messages.error(request, "A budget is a whole number of calls or tokens, or empty.")
    elif not runs.resume_run(
        run=run_of(study, run_id), budget=form.budget if "budget_calls" in request.POST else None
    ):
        messages.warning(request, "This run is under way or done; there is nothing to continue.")
    return redirect("scoring:run", study.slug, run_id)


@require_POST
@study_page
def run_retry(request: HttpRequest, study: Study, run_id: int) -> HttpResponse:
    try:
        if not runs.retry_failed_items(run=run_of(study, run_id)):
            messages.warning(request, "No item of this run has failed.")
    except RunError as error:
        messages.error(request, str(error))
    return redirect("scoring:run", study.slug, run_id)


@require_POST
@study_page
def run_choose(request: HttpRequest, study: Study, run_id: int) -> HttpResponse:
    """Let reports read this run, or, where it is chosen, the newest one again."""
    shown = run_of(study, run_id)
    try:
        if shown.chosen:
            runs.unchoose_run(study=study, metric=shown.metric)
            messages.success(request, "Reports read the newest run of this metric again.")
        else:
            runs.choose_run(run=shown)
            messages.success(request, "Reports read this run from now on.")
    except RunError as error:
        messages.error(request, str(error))
    return redirect("scoring:run", study.slug, run_id)


@require_http_methods(["GET", "POST"])
@study_page
def run_delete(request: HttpRequest, study: Study, run_id: int) -> HttpResponse:
    """A page that asks, and then the deletion."""
    shown = run_of(study, run_id)
    declaration = run_declaration(shown)
    if request.method == "POST":
        try:
            runs.delete_run(run=shown)
            messages.success(request, f"The run of {declaration.name} and its scores are deleted.")
            return redirect("scoring:metrics", study.slug)
        except RunError as error:
            messages.error(request, str(error))
            return redirect("scoring:run", study.slug, run_id)
    context = {
        "study": study,
        "tab": "metrics",
        "declaration": declaration,
        "n_scores": shown.scores.count(),
        **run_words(shown),
    }
    return render(request, "scoring/metrics_delete.html", context)


def run_of(study: Study, run_id: int) -> MetricRun:
    return get_object_or_404(study.metric_runs.select_related("requested_by", "study"), pk=run_id)


def _progress_context(study: Study, run: MetricRun) -> dict[str, object]:
    budget = {f"budget_{name}": limit for name, limit in run.budget.items()}
    return {"study": study, "budget": BudgetForm(initial=budget), **run_words(run)}
