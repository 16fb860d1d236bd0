"""Files on their way out: streamed, made from the stored report, or as a worker left them."""

from __future__ import annotations

import base64
import json

from django.http import FileResponse, Http404, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

from scoring.exports.catalogue import ExportFile, export_file
from scoring.exports.jobs import job_path
from scoring.exports.latex import latex_tables
from scoring.exports.options import Options
from scoring.exports.report_files import stored_report
from scoring.exports.report_html import report_html
from scoring.exports.streaming import text_of
from scoring.models import ExportJob, WorkState
from studies.models import Study


def made_at_once(study: Study, file: ExportFile, options: Options) -> HttpResponseBase:
    """A file that no worker has to make. Raises ExportRefused where there is no report yet."""
    response: HttpResponseBase
    if file.part == "report":
        response = HttpResponse(_report_text(study, file), content_type=file.media_type)
    else:
        pieces = text_of(study, file, options)
        response = StreamingHttpResponse(pieces, content_type=file.media_type)
    response["Content-Disposition"] = f'attachment; filename="{file.name_for(study)}"'
    return response


def finished_file(job: ExportJob) -> FileResponse:
    """The file that a worker made; 404 where it is not there, or not any more."""
    path = job_path(job)
    if job.state != WorkState.DONE or not path.exists():
        raise Http404("This file is not there. Have it made on the study’s page of exports.")
    entry = export_file(job.file)
    response = FileResponse(
        path.open("rb"),
        as_attachment=True,
        filename=entry.name_for(job.study),
        content_type=entry.media_type,
    )
    response["Repr-Digest"] = f"sha-256=:{_base64(job.sha256)}:"
    return response


def _base64(digest: str) -> str:
    return base64.b64encode(bytes.fromhex(digest)).decode()


def _report_text(study: Study, file: ExportFile) -> str:
    report, snapshot = stored_report(study)
    if file.key == "report.json":
        return json.dumps(snapshot.report, ensure_ascii=False, allow_nan=False, indent=1)
    if file.key == "report.tex":
        return latex_tables(report)
    return report_html(report, snapshot.plots)
