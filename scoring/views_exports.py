"""The Export page of a study and its files."""

from __future__ import annotations

from http import HTTPStatus
from urllib.parse import urlencode

from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from scoring.exports import jobs
from scoring.exports.catalogue import ExportFile, UnknownFile, export_file
from scoring.exports.delivery import finished_file, made_at_once
from scoring.exports.options import CHOICES, OptionRefused, Options, read_options
from scoring.exports.page import api_address, file_row, parts_of
from scoring.models import ExportJob
from studies.access import study_page
from studies.models import Study

_ON_THE_PAGE = ("layer", "rows", "runs")
_WORDS = {
    "layer": (
        "Exclusions",
        {"after-all": "After all exclusions", "after-rules": "After rules", "all": "None"},
    ),
    "rows": ("Ratings", {"counted": "Counted", "everything": "All that was sent"}),
    "runs": ("Runs of metrics", {"reported": "Those in the report", "all": "All"}),
}


@require_GET
@study_page
def exports(request: HttpRequest, study: Study) -> HttpResponse:
    options = _options(request.GET, _ON_THE_PAGE)
    context = {
        "study": study,
        "tab": "export",
        "parts": parts_of(study, options),
        "chosen": {name: getattr(options, name) for name in _ON_THE_PAGE},
        "filters": [(name, *_WORDS[name], getattr(options, name)) for name in _ON_THE_PAGE],
        "api_example": api_address(study, export_file("ratings.csv"), {}),
    }
    return render(request, "scoring/exports.html", context)


@require_http_methods(["GET", "POST"])
@study_page
def file(request: HttpRequest, study: Study, key: str) -> HttpResponseBase:
    """GET: a file that is made at once. POST: a worker makes one; asked again it is the same."""
    entry = _known(key)
    options = _options(request.POST if request.method == "POST" else request.GET, entry.options)
    if request.method == "GET":
        if entry.by_worker:
            raise Http404("A worker makes this file. Ask for it on the study’s page of exports.")
        try:
            return made_at_once(study, entry, options)
        except jobs.ExportRefused as refusal:
            raise Http404(str(refusal)) from refusal
    try:
        job = jobs.request_export(study=study, file=key, options=options, by=request.user)
    except UnknownFile as error:
        raise Http404(str(error)) from error
    return _after(request, study, job)


@require_GET
@study_page
def job_state(request: HttpRequest, study: Study, job_id: int) -> HttpResponse:
    """The fragment that asks for itself while the file is being made."""
    return _fragment(request, study, _job(study, job_id))


@require_GET
@study_page
def job_file(request: HttpRequest, study: Study, job_id: int) -> FileResponse:
    return finished_file(_job(study, job_id))


@require_POST
@study_page
def job_cancel(request: HttpRequest, study: Study, job_id: int) -> HttpResponse:
    job = _job(study, job_id)
    jobs.cancel_export(job)
    job.refresh_from_db()
    return _after(request, study, job)


def _known(key: str) -> ExportFile:
    try:
        return export_file(key)
    except UnknownFile as error:
        raise Http404(str(error)) from error


def _options(given, names: tuple[str, ...]) -> Options:
    try:
        return read_options(given, names)
    except OptionRefused as refusal:
        raise Http404(str(refusal)) from refusal


def _job(study: Study, job_id: int) -> ExportJob:
    return get_object_or_404(study.export_jobs.select_related("requested_by"), pk=job_id)


def _after(request: HttpRequest, study: Study, job: ExportJob) -> HttpResponse:
    if request.htmx:
        return _fragment(request, study, job)
    chosen = {name: value for name, value in job.options.items() if name in CHOICES}
    query = urlencode(chosen)
    address = reverse("scoring:exports", args=[study.slug])
    anchor = job.file.replace(".", "-")
    return redirect(f"{address}?{query}#{anchor}" if query else f"{address}#{anchor}")


def _fragment(request: HttpRequest, study: Study, job: ExportJob) -> HttpResponse:
    options = jobs.job_options(job)
    row = file_row(study, export_file(job.file), options, job)
    context = {"study": study, "row": row, "chosen": job.options}
    return render(request, "scoring/_export_file.html", context, status=HTTPStatus.OK)
