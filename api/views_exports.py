"""Files that leave a study: the catalogue, those given at once, those that a worker makes."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import Http404
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.request import Request
from rest_framework.response import Response

from api.export_data import (
    AT_ONCE,
    JOB,
    ExportFiles,
    ExportJobData,
    FileOptions,
    WantedFile,
)
from api.problems import Refused
from api.schema import described, problem_responses, sample
from api.throttles import PerPerson, PerPersonImports
from api.views import ApiView, BulkView
from scoring.exports import jobs
from scoring.exports.catalogue import FILES, UnknownFile, export_file
from scoring.exports.delivery import finished_file, made_at_once
from scoring.exports.options import OptionRefused, Options, read_options
from scoring.models import ExportJob
from scoring.work_state import WorkState
from studies.models import Study

MADE_TYPES = dict.fromkeys(file.media_type for file in FILES.values() if file.by_worker)
MAX_KEY = 2**63 - 1


class AnyAccept(BaseContentNegotiation):
    """A file is what it is, whatever a program says that it accepts; refusals are JSON."""

    def select_parser(self, request: Request, parsers: list[Any]) -> Any:
        return parsers[0]

    def select_renderer(self, request: Request, renderers: list[Any], format_suffix=None) -> Any:
        return renderers[0], renderers[0].media_type


class ExportsView(BulkView):
    needs = "studies.view_study"

    @described(
        operation_id="list_exports",
        summary="Every file that a study can be taken out as",
        tags=["exports"],
        responses={200: ExportFiles},
        problems=("not-found",),
    )
    def get(self, request: Request, slug: str) -> Response:
        study = self.study(slug)
        newest = jobs.newest_jobs(study)
        rows = [
            {
                "file": file.key,
                "format": file.format,
                "about": file.about,
                "media_type": file.media_type,
                "by_worker": file.by_worker,
                "options": list(file.options),
                "url": None if file.by_worker else _address(study, file.key),
                "newest": newest.get(file.key),
            }
            for file in FILES.values()
        ]
        return Response(ExportFiles({"files": rows}).data)

    @described(
        operation_id="request_export",
        summary="Have a worker make a file",
        tags=["exports"],
        request=WantedFile,
        responses={202: ExportJobData},
        problems=("malformed", "media-type", "not-found", "invalid"),
        examples=[
            sample("Parquet", {"file": "ratings.parquet", "layer": "all"}, request=True),
            sample("Made", JOB, status=202),
        ],
    )
    def post(self, request: Request, slug: str) -> Response:
        """The same file of the same data is made once: asking again gives the same job. Ask
        `links.self` until its state is `done`, then get `links.file`."""
        study = self.study(slug)
        wanted = WantedFile(data=request.data)
        wanted.is_valid(raise_exception=True)
        values = dict(wanted.validated_data)
        key = values.pop("file")
        options = Options(**{name: values[name] for name in values if name in FILES[key].options})
        job = jobs.request_export(study=study, file=key, options=options, by=request.user)
        return Response(ExportJobData(job).data, status=202)


class ExportView(ApiView):
    needs = "studies.view_study"

    def job(self, slug: str, pk: int) -> ExportJob:
        if pk > MAX_KEY:
            raise Http404
        return get_object_or_404(self.study(slug).export_jobs.select_related("study"), pk=pk)

    @described(
        operation_id="get_export",
        summary="How far a file is that a worker makes",
        tags=["exports"],
        responses={200: ExportJobData},
        problems=("not-found",),
        examples=[sample("Made", JOB, status=200)],
    )
    def get(self, request: Request, slug: str, pk: int) -> Response:
        return Response(ExportJobData(self.job(slug, pk)).data)


class MadeFileView(ExportView):
    content_negotiation_class = AnyAccept

    @extend_schema(
        operation_id="get_export_file",
        summary="The file that a worker made",
        tags=["exports"],
        responses={
            **{(200, media_type): OpenApiTypes.BINARY for media_type in MADE_TYPES},
            **problem_responses(("not-found", "wrong-state")),
        },
    )
    def get(self, request: Request, slug: str, pk: int) -> HttpResponseBase:
        job = self.job(slug, pk)
        if job.state != WorkState.DONE:
            raise Refused("wrong-state", job.error or "The file is not made yet. Ask again later.")
        return finished_file(job)


class FileView(ApiView):
    """Read by programs that know nothing but an address: ``pandas.read_csv(address)``."""

    needs = "studies.view_study"
    content_negotiation_class = AnyAccept

    def get_throttles(self):
        return [PerPerson(), PerPersonImports()]

    @extend_schema(
        operation_id="get_file",
        summary="A file that is given at once, streamed",
        description="CSV after RFC 4180 in UTF-8: read cells as text, `NA` is the country Namibia. "
        'In pandas: `read_csv(url, storage_options={"Authorization": "Bearer ..."}, dtype=str, '
        'keep_default_na=False, na_values=[""])`.',
        tags=["exports"],
        parameters=[
            OpenApiParameter("file", str, OpenApiParameter.PATH, enum=AT_ONCE),
            FileOptions,
        ],
        responses={
            (200, "text/csv"): OpenApiTypes.STR,
            (200, "application/jsonl"): OpenApiTypes.STR,
            (200, "application/json"): OpenApiTypes.OBJECT,
            (200, "application/x-tex"): OpenApiTypes.STR,
            (200, "text/html"): OpenApiTypes.STR,
            **problem_responses(("not-found", "wrong-state", "invalid")),
        },
    )
    def get(self, request: Request, slug: str, file: str) -> HttpResponseBase:
        study = self.study(slug)
        try:
            entry = export_file(file)
        except UnknownFile as error:
            raise Http404 from error
        if entry.by_worker:
            raise Refused("wrong-state", "A worker makes this file. POST it to exports/.")
        try:
            options = read_options(request.query_params, entry.options)
            return made_at_once(study, entry, options)
        except OptionRefused as refusal:
            raise serializers.ValidationError({refusal.field: [str(refusal)]}) from refusal
        except jobs.ExportRefused as refusal:
            raise Refused("wrong-state", str(refusal)) from refusal


def _address(study: Study, key: str) -> str:
    return f"{settings.SITE_URL}{reverse('api:file', args=[study.slug, key])}"
