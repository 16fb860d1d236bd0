"""The bank of probes of a study: what is in it, and a chat model that writes it."""

from __future__ import annotations

from http import HTTPStatus

from django import forms
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from scoring.metrics.base import MetricError
from scoring.models import ScoringStep
from scoring.steps import request_step
from studies.access import study_page
from studies.models import Study

PROBES_A_PAGE = 60


class BankForm(forms.Form):
    """Who writes the bank, who verifies it, and what that may cost."""

    model = forms.CharField(
        label="The chat model that writes", help_text="Its name on the chat server.", max_length=200
    )
    verifier = forms.CharField(
        label="The one that verifies",
        help_text="Each question is checked by itself. Empty: the same model.",
        max_length=200,
        required=False,
    )
    budget_calls = forms.IntegerField(
        label="Budget",
        help_text="At most so many new calls: about 5 a scenario, and one for each question.",
        min_value=1,
        required=False,
    )


@require_http_methods(["GET", "HEAD", "POST"])
@study_page
def probes(request: HttpRequest, study: Study) -> HttpResponse:
    form = BankForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            step = request_step(
                study=study,
                kind=ScoringStep.Kind.PROBES,
                parameters=form.cleaned_data,
                by=request.user,
            )
            return redirect("scoring:ahead_step", study.slug, step.pk)
        except MetricError as error:
            form.add_error(None, str(error))
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    context = _context(study, request.GET.get("page")) | {"form": form}
    return render(request, "scoring/probes.html", context, status=status)


def _context(study: Study, page: str | None) -> dict[str, object]:
    bank = study.probes.order_by("scenario", "country", "dimension", "external_id")
    by_dimension = (
        study.probes.order_by()
        .values("dimension")
        .annotate(n=Count("pk"), verified=Count("pk", filter=Q(verified=True)))
        .order_by("dimension")
    )
    return {
        "study": study,
        "tab": "metrics",
        "page": Paginator(bank, PROBES_A_PAGE).get_page(page),
        "by_dimension": by_dimension,
        "n_scenarios": study.probes.order_by().values("scenario", "country").distinct().count(),
        "steps": study.scoring_steps.filter(kind=ScoringStep.Kind.PROBES)[:5],
    }
