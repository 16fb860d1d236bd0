"""Imports under way: how they stand, what is wrong with their rows, and their confirmation."""

from __future__ import annotations

from contextlib import suppress

from django.http import FileResponse, Http404
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from api import listing
from api.import_data import ImportData, ImportSummary
from api.import_examples import REFUSED
from api.problems import Refused
from api.schema import described, problem_responses, sample
from api.views import ApiView
from studies.importing import work
from studies.importing.writing import CLOSED, takes_items
from studies.models import ImportUpload
from studies.refusals import DesignFrozen, refuse_archived

MAX_KEY = 2**63 - 1


class ImportPage(listing.PageData):
    results = ImportSummary(many=True)


class ImportsOfStudyView(ApiView):
    @described(
        operation_id="list_imports",
        summary="The imports of a study, the newest first",
        tags=["rows"],
        parameters=listing.PARAMETERS,
        responses={200: ImportPage},
        problems=("not-found",),
    )
    def get(self, request: Request, slug: str) -> Response:
        return listing.paged(self, self.study(slug).uploads.select_related("study"), ImportSummary)


class OneImportView(ApiView):
    def upload(self, slug: str, pk: int) -> ImportUpload:
        rows = self.study(slug).uploads.select_related("study")
        if pk > MAX_KEY:
            raise Http404
        return get_object_or_404(rows, pk=pk)

    @described(
        operation_id="get_import",
        summary="How an import stands: progress, counts, every problem with its row",
        tags=["rows"],
        responses={200: ImportData},
        problems=("not-found",),
        examples=[sample("Refused", REFUSED, status=200)],
    )
    def get(self, request: Request, slug: str, pk: int) -> Response:
        return Response(ImportData(self.upload(slug, pk)).data)


class ConfirmView(OneImportView):
    http_method_names = ["post", "options"]

    @described(
        operation_id="confirm_import",
        summary="Have a checked import written",
        tags=["rows"],
        request=None,
        responses={202: ImportData},
        problems=("not-found", "wrong-state", "frozen", "rows"),
    )
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Confirming twice is harmless. Where rows were refused nothing can be confirmed: send the
        corrected ones as a new import."""
        upload = self.upload(slug, pk)
        refuse_archived(upload.study)
        if upload.kind == ImportUpload.Kind.ITEMS and not takes_items(upload.study):
            raise DesignFrozen(CLOSED)
        if upload.state == upload.State.READY:
            with suppress(work.AlreadyConfirmed):
                work.request_write(upload)
        if upload.state not in (upload.State.WRITING, upload.State.DONE):
            raise not_confirmable(upload)
        return Response(ImportData(upload).data, status=202)


def not_confirmable(upload: ImportUpload) -> Refused:
    data = ImportData(upload).data
    if upload.is_refused and data["n_problems"]:
        detail = f"{data['n_problems']:,} problems. Mend the rows and send them again."
        return Refused("rows", detail, problems=data["problems"], n_problems=data["n_problems"])
    if upload.state == upload.State.CHECKING:
        return Refused("wrong-state", "It is still being checked. Ask again when it is ready.")
    return Refused("wrong-state", upload.error or "It cannot be confirmed. Send the rows again.")


class ProblemsView(OneImportView):
    @extend_schema(
        operation_id="get_import_problems",
        summary="Every problem as CSV",
        tags=["rows"],
        responses={(200, "text/csv"): OpenApiTypes.STR, **problem_responses(("not-found",))},
    )
    def get(self, request: Request, slug: str, pk: int) -> FileResponse:
        file = self.upload(slug, pk).folder / "problems.csv"
        if not file.exists():
            raise Http404
        return FileResponse(file.open("rb"), content_type="text/csv; charset=utf-8")
