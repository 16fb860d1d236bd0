"""The Metrics page of a study, what can be scored and the runs, and the page that starts a run."""

from __future__ import annotations

from http import HTTPStatus
from itertools import groupby

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from scoring import runs
from scoring.chosen import runs_for_reports
from scoring.coverage import StudyCounts, study_coverage
from scoring.declared import IMPORTED
from scoring.forms import StartRunForm
from scoring.metrics import all_metrics, get_metric
from scoring.metrics.absent import absent_metrics
from scoring.metrics.base import MetricError, UnknownMetricError
from scoring.run_errors import RunError
from scoring.run_words import run_words
from scoring.selection import UnknownItemsError
from scoring.wording import ABOUT, output_words
from studies.access import study_page
from studies.models import Study


@require_GET
@study_page
def metrics(request: HttpRequest, study: Study) -> HttpResponse:
    counts = StudyCounts(study)
    cards = [_card(study, metric, counts) for metric in all_metrics()]
    read = {run.pk for run in runs_for_reports(study)}
    names = {metric.declaration.key: metric.declaration.name for metric in all_metrics()}
    rows = [
        run_words(run)
        | {
            "name": names.get(run.metric, run.metric.removeprefix(IMPORTED)),
            "is_read": run.pk in read,
        }
        for run in study.metric_runs.select_related("requested_by")
    ]
    families = [(name, list(some)) for name, some in groupby(cards, key=lambda c: c["family"])]
    context = {
        "study": study,
        "tab": "metrics",
        "families": families,
        "absent": absent_metrics(),
        "has_items": counts.n_items > 0,
        "runs": rows,
    }
    return render(request, "scoring/metrics.html", context)


@require_http_methods(["GET", "POST"])
@study_page
def start_run(request: HttpRequest, study: Study, metric: str) -> HttpResponse:
    """Its parameters, which items, what it may spend; then the run."""
    try:
        found = get_metric(metric)
    except UnknownMetricError as error:
        raise Http404(str(error)) from error
    asks_chat = hasattr(found, "estimate")
    form = StartRunForm(
        request.POST if request.method == "POST" else None,
        declaration=found.declaration,
        study=study,
        asks_chat=asks_chat,
    )
    if form.is_valid():
        try:
            run = runs.request_run(
                study=study,
                metric=metric,
                parameters=form.parameters,
                by=request.user,
                selection=form.selection,
                budget=form.budget,
                ask_first=True,
            )
            return redirect("scoring:run", study.slug, run.pk)
        except (RunError, MetricError, UnknownItemsError) as error:
            form.add_error(None, str(error))
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.is_bound else HTTPStatus.OK
    context = {
        "study": study,
        "tab": "metrics",
        "form": form,
        "asks_chat": asks_chat,
        "asks_always": asks_chat and not hasattr(found, "asks"),
        **_card(study, found, StudyCounts(study)),
    }
    return render(request, "scoring/metrics_start.html", context, status=status)


def _card(study: Study, metric: object, counts: StudyCounts) -> dict[str, object]:
    declaration = metric.declaration  # type: ignore[attr-defined]
    needs = study_coverage(study=study, declaration=declaration, counts=counts)
    return {
        "declaration": declaration,
        "family": declaration.family,
        "about": ABOUT.get(declaration.key, ""),
        "outputs": output_words(declaration),
        "needs": needs,
        "is_ready": counts.n_items > 0 and not any(need.is_absent for need in needs),
    }
