"""The scores of a run: what failed or is undefined, another run beside it, files."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET

from scoring.compared_words import comparison_words
from scoring.declared import run_declaration
from scoring.exports.streaming import in_pieces
from scoring.models import MetricRun
from scoring.run_exports import scores_csv as csv_of
from scoring.run_exports import scores_json as json_of
from scoring.run_words import run_words
from scoring.trouble_table import reasons_of, troubles_of
from scoring.views_run import run_of
from studies.access import study_page
from studies.models import Study

TROUBLES_A_PAGE = 50


@require_GET
@study_page
def troubles(request: HttpRequest, study: Study, run_id: int) -> HttpResponse:
    """Items and cells with an undefined score and why, of one reason or of all."""
    shown = run_of(study, run_id)
    declaration = run_declaration(shown)
    reasons = reasons_of(shown)
    wanted = request.GET.get("reason", "")
    if wanted not in {row["reason"] for row in reasons}:
        wanted = ""
    page = Paginator(troubles_of(shown, wanted), TROUBLES_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "study": study,
        "tab": "metrics",
        "declaration": declaration,
        "reasons": reasons,
        "wanted": wanted,
        "page": page,
        **run_words(shown),
    }
    return render(request, "scoring/metrics_troubles.html", context)


@require_GET
@study_page
def comparison(request: HttpRequest, study: Study, run_id: int) -> HttpResponse:
    """This run and the one named by ``with``, of the same metric."""
    first = run_of(study, run_id)
    named = request.GET.get("with", "")
    others = study.metric_runs.filter(metric=first.metric, n_done__gt=0).exclude(pk=first.pk)
    second = others.filter(pk=named).first() if named.isdigit() else None
    if second is None:
        return redirect("scoring:run", study.slug, run_id)
    declaration = run_declaration(first)
    context = {
        "study": study,
        "tab": "metrics",
        "declaration": declaration,
        "sides": [run_words(first), run_words(second)],
        "outputs": comparison_words(first=first, second=second, declaration=declaration),
    }
    return render(request, "scoring/metrics_compare.html", context)


@require_GET
@study_page
def scores_csv(request: HttpRequest, study: Study, run_id: int) -> StreamingHttpResponse:
    return _file(run_of(study, run_id), csv_of, "csv", "text/csv; charset=utf-8")


@require_GET
@study_page
def scores_json(request: HttpRequest, study: Study, run_id: int) -> StreamingHttpResponse:
    return _file(run_of(study, run_id), json_of, "json", "application/json")


def _file(
    run: MetricRun, lines: Callable[[MetricRun], Iterator[str]], ending: str, media_type: str
) -> StreamingHttpResponse:
    response = StreamingHttpResponse(in_pieces(lines(run)), content_type=media_type)
    name = f"{run.study.slug}-scores-{run.pk}.{ending}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
