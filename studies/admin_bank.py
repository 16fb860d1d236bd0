"""What a study's screens are made of: units with their items and probes, and the bank of probes."""

from __future__ import annotations

from django.contrib.admin import AdminSite
from django.core.paginator import Paginator
from django.db.models import Prefetch, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern
from django.views.decorators.http import require_safe

from studies.admin_pages import study_pages
from studies.models import Study, UnitItem, UnitProbe
from studies.unit_probes import asks_probes, missing_probes
from studies.units import TooManySets, plan_units

A_PAGE = 50
MAX_PROBLEMS = 100


def bank_urls(admin_site: AdminSite) -> list[URLPattern]:
    pages = [("units/", units, "units"), ("probes/", probes, "probes")]
    return study_pages(admin_site, pages, tab="items")


@require_safe
def units(request: HttpRequest, context: dict, study: Study) -> HttpResponse:
    """Every screen: its items, its panel, its probes; incomplete sets are named on top."""
    rows = study.units.order_by("key").prefetch_related(
        Prefetch("members", UnitItem.objects.select_related("item__system")),
        Prefetch("unit_probes", UnitProbe.objects.select_related("probe")),
    )
    if wanted := request.GET.get("q", "").strip():
        rows = rows.filter(Q(key__icontains=wanted) | Q(country__iexact=wanted))
    problems = _problems(study)
    context |= {
        "title": "Units",
        "page": Paginator(rows, A_PAGE).get_page(request.GET.get("page")),
        "q": wanted,
        "problems": problems[:MAX_PROBLEMS],
        "n_problems": len(problems),
        "asks_probes": asks_probes(study),
    }
    return render(request, "admin/studies/units.html", context)


def _problems(study: Study) -> list[str]:
    try:
        problems = list(plan_units(study).problems) if study.items_per_unit > 1 else []
    except TooManySets as refusal:
        problems = [str(refusal)]
    return [*problems, *(missing_probes(study) if asks_probes(study) else [])]


@require_safe
def probes(request: HttpRequest, context: dict, study: Study) -> HttpResponse:
    """The bank, read-only: filtered by dimension, verified or not, and words."""
    rows = study.probes.order_by("scenario", "country", "dimension", "external_id")
    dimensions = list(rows.order_by("dimension").values_list("dimension", flat=True).distinct())
    chosen = {name: request.GET.get(name, "").strip() for name in ("dimension", "verified", "q")}
    if chosen["dimension"]:
        rows = rows.filter(dimension=chosen["dimension"])
    if chosen["verified"] in {"yes", "no"}:
        rows = rows.filter(verified=chosen["verified"] == "yes")
    if chosen["q"]:
        words = chosen["q"]
        rows = rows.filter(
            Q(text__icontains=words) | Q(scenario__icontains=words) | Q(country__iexact=words)
        )
    context |= {
        "title": "Probes",
        "page": Paginator(rows, A_PAGE).get_page(request.GET.get("page")),
        "dimensions": dimensions,
        "chosen": chosen,
        "n_all": study.probes.count(),
    }
    return render(request, "admin/studies/probes.html", context)
