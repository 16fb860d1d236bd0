"""A study's descriptors, scene by scene, with people's verdicts beside them; edited by hand."""

from __future__ import annotations

from http import HTTPStatus
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from scoring.ahead import editing, pages
from scoring.ahead.forms import DescriptorForm, NewDescriptorForm
from studies.access import study_page
from studies.models import Descriptor, Study

EDITED = (Descriptor.Kind.REFERENCE, Descriptor.Kind.STEREOTYPE)


@require_GET
@study_page
def descriptors(request: HttpRequest, study: Study) -> HttpResponse:
    """Without a scene in the address: the scenes."""
    context = {"study": study, "tab": "metrics", "styles": editing.STYLES}
    if "country" not in request.GET:
        context["scenes"] = pages.descriptor_scenes(study)
        return render(request, "scoring/ahead_scenes.html", context)
    scene = (request.GET.get("activity", ""), request.GET["country"])
    context |= pages.scene_page(study, *scene)
    return render(request, "scoring/ahead_descriptors.html", context)


@require_POST
@study_page
def add(request: HttpRequest, study: Study) -> HttpResponse:
    form = NewDescriptorForm(request.POST)
    scene = (request.POST.get("activity", ""), request.POST.get("country", ""))
    if not form.is_valid():
        return _refused(request, study, scene, _first_error(form))
    try:
        editing.add_descriptor(study=study, **form.cleaned_data)
    except editing.ListClosedError as error:
        return _refused(request, study, scene, str(error), HTTPStatus.CONFLICT)
    return _back(study, scene, form.cleaned_data["dimension"])


@require_POST
@study_page
def change(request: HttpRequest, study: Study, descriptor_id: int) -> HttpResponse:
    row = get_object_or_404(study.descriptors.filter(kind__in=EDITED), pk=descriptor_id)
    scene = (row.activity, row.country)
    form = DescriptorForm(request.POST)
    if not form.is_valid():
        return _refused(request, study, scene, _first_error(form))
    try:
        editing.change_descriptor(descriptor=row, **form.cleaned_data)
    except editing.ListClosedError as error:
        return _refused(request, study, scene, str(error), HTTPStatus.CONFLICT)
    return _back(study, scene, row.dimension)


@require_POST
@study_page
def remove(request: HttpRequest, study: Study, descriptor_id: int) -> HttpResponse:
    row = get_object_or_404(study.descriptors.filter(kind__in=EDITED), pk=descriptor_id)
    scene = (row.activity, row.country)
    try:
        editing.remove_descriptor(descriptor=row)
    except editing.ListClosedError as error:
        return _refused(request, study, scene, str(error), HTTPStatus.CONFLICT)
    messages.success(request, f"Removed: {row.token}")
    return _back(study, scene, row.dimension)


def _refused(
    request: HttpRequest,
    study: Study,
    scene: tuple[str, str],
    sentence: str,
    status: HTTPStatus = HTTPStatus.UNPROCESSABLE_ENTITY,
) -> HttpResponse:
    context = {"study": study, "tab": "metrics", "styles": editing.STYLES, "refusal": sentence}
    context |= pages.scene_page(study, *scene)
    return render(request, "scoring/ahead_descriptors.html", context, status=status)


def _first_error(form: DescriptorForm) -> str:
    return next(str(error) for errors in form.errors.values() for error in errors)


def _back(study: Study, scene: tuple[str, str], dimension: str) -> HttpResponse:
    activity, country = scene
    query = urlencode({"activity": activity, "country": country})
    address = reverse("scoring:ahead_descriptors", args=[study.slug])
    return redirect(f"{address}?{query}#{dimension or 'stereotypes'}")
