"""The Metrics pages of a study: what can be scored, the runs, one run with its scores."""

from __future__ import annotations

from http import HTTPStatus

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import HttpResponseClientRefresh

from annotation.ratings import rating_counts
from scoring import runs
from scoring.coverage import StudyCounts, inputs_have_changed, study_coverage
from scoring.forms import StartRunForm
from scoring.metrics import all_metrics, get_metric
from scoring.metrics.base import MetricError, UnknownMetricError
from scoring.models import MetricRun, WorkState
from scoring.score_table import score_table, undefined_counts
from scoring.wording import ABOUT, output_words, parameter_words, time_left
from studies.access import study_page
from studies.models import Study

ITEMS_A_PAGE = 50


@require_GET
@study_page
def metrics(request: HttpRequest, study: Study) -> HttpResponse:
    return render(request, "scoring/metrics.html", _metrics_context(study))


@require_POST
@study_page
def start_run(request: HttpRequest, study: Study) -> HttpResponse:
    try:
        declaration = get_metric(request.POST.get("metric", "")).declaration
    except UnknownMetricError as error:
        raise Http404(str(error)) from error
    form = StartRunForm(request.POST, declaration=declaration)
    if form.is_valid():
        try:
            run = runs.request_run(
                study=study,
                metric=declaration.key,
                parameters=form.cleaned_data,
                by=request.user,
            )
            return redirect("scoring:run", study.slug, run.pk)
        except (runs.RunError, MetricError) as error:
            form.add_error(None, str(error))
    context = _metrics_context(study, submitted=form)
    return render(request, "scoring/metrics.html", context, status=HTTPStatus.UNPROCESSABLE_ENTITY)


@require_GET
@study_page
def run(request: HttpRequest, study: Study, run_id: int) -> HttpResponse:
    shown = _run_of(study, run_id)
    declaration = get_metric(shown.metric).declaration
    table = None
    if shown.is_over and shown.n_done:
        table = score_table(run=shown, declaration=declaration, order=request.GET.get("order", ""))
    context = {
        **_progress_context(study, shown),
        "tab": "metrics",
        "declaration": declaration,
        "undefined": undefined_counts(run=shown, declaration=declaration),
        "outdated": shown.is_over and inputs_have_changed(shown),
        "table": table,
    }
    if table is not None:
        page = Paginator(table.order_of_items, ITEMS_A_PAGE).get_page(request.GET.get("page"))
        context |= {
            "page": page,
            "rows": table.rows(page.object_list),
            "simulated": rating_counts(study).simulated,
        }
    return render(request, "scoring/metrics_run.html", context)


@require_GET
@study_page
def run_progress(request: HttpRequest, study: Study, run_id: int) -> HttpResponse:
    """The fragment that asks for itself while the run is not over, then has the page read again."""
    shown = _run_of(study, run_id)
    if shown.is_over and request.htmx:
        return HttpResponseClientRefresh()
    return render(request, "scoring/_run_progress.html", _progress_context(study, shown))


@require_POST
@study_page
def run_cancel(request: HttpRequest, study: Study, run_id: int) -> HttpResponse:
    shown = _run_of(study, run_id)
    if not runs.cancel_run(run=shown):
        messages.warning(request, "This run was already over; there was nothing to cancel.")
    return redirect("scoring:run", study.slug, run_id)


def _run_of(study: Study, run_id: int) -> MetricRun:
    return get_object_or_404(study.metric_runs.select_related("requested_by"), pk=run_id)


def _metrics_context(study: Study, *, submitted: StartRunForm | None = None) -> dict[str, object]:
    counts = StudyCounts(study)
    cards = []
    for metric in all_metrics():
        declaration = metric.declaration
        is_submitted = submitted is not None and submitted.declaration.key == declaration.key
        cards.append(
            {
                "declaration": declaration,
                "about": ABOUT.get(declaration.key, ""),
                "outputs": output_words(declaration),
                "needs": study_coverage(study=study, declaration=declaration, counts=counts),
                "form": submitted if is_submitted else StartRunForm(declaration=declaration),
            }
        )
    shown = study.metric_runs.select_related("requested_by")
    names = {metric.declaration.key: metric.declaration.name for metric in all_metrics()}
    return {
        "study": study,
        "tab": "metrics",
        "cards": cards,
        "has_items": counts.n_items > 0,
        "runs": [_run_words(row) | {"name": names.get(row.metric, row.metric)} for row in shown],
    }


def _progress_context(study: Study, run: MetricRun) -> dict[str, object]:
    return {"study": study, **_run_words(run)}


_TAGS = {
    WorkState.RUNNING: "on",
    WorkState.DONE: "ok",
    WorkState.FAILED: "bad",
    WorkState.CANCELLED: "",
    WorkState.QUEUED: "",
}


def _run_words(run: MetricRun) -> dict[str, object]:
    now = timezone.now()
    return {
        "run": run,
        "parameters": parameter_words(run),
        "tag": _TAGS[run.state],
        "time_left": time_left(run, now=now),
        "waits_long": run.state == WorkState.QUEUED and now - run.requested_at > runs.UNHEARD_AFTER,
    }
