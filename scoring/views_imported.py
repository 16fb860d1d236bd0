"""The page that takes scores which were computed elsewhere."""

from __future__ import annotations

from http import HTTPStatus

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from scoring.forms import ImportScoresForm
from scoring.imported import ImportedScoresError, import_metrics
from scoring.imported_files import LARGEST, read_scores
from scoring.models import MetricRun
from studies.access import study_page
from studies.models import Study


@require_http_methods(["GET", "POST"])
@study_page
def import_page(request: HttpRequest, study: Study) -> HttpResponse:
    form = ImportScoresForm(request.POST or None, request.FILES or None)
    problems: list[str] = []
    if form.is_valid():
        try:
            made = _imported(request, study, form)
            _tell(request, made)
            if len(made) == 1:
                return redirect("scoring:run", study.slug, made[0].pk)
            return redirect("scoring:metrics", study.slug)
        except ImportedScoresError as error:
            problems = error.problems
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.is_bound else HTTPStatus.OK
    context = {"study": study, "tab": "metrics", "form": form, "problems": problems}
    return render(request, "scoring/metrics_import.html", context, status=status)


def _imported(request: HttpRequest, study: Study, form: ImportScoresForm) -> list[MetricRun]:
    """One run for each metric of the file; all or none."""
    told = form.cleaned_data
    file = told["file"]
    if file.size > LARGEST:
        raise ImportedScoresError([f"The file is larger than {LARGEST // 2**20} MB. Split it."])
    by_metric = read_scores(file.read(), name=told["name"])
    return import_metrics(
        study=study,
        by_metric=by_metric,
        better=told["better"],
        low=told["low"],
        high=told["high"],
        source=told["source"],
        by=request.user,
    )


def _tell(request: HttpRequest, made: list[MetricRun]) -> None:
    n = sum(run.n_done for run in made)
    left_out = sum(run.declared["left_out"] for run in made)
    sentence = f"Scores of {n} items are imported."
    if left_out:
        sentence += f" {left_out} scores of items that are not to be rated were left out."
    messages.success(request, sentence)
