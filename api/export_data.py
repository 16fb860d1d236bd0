"""What the API says of files that leave a study, and how a program asks for one."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from scoring.exports.catalogue import FILES
from scoring.exports.jobs import is_current
from scoring.exports.options import ABOUT, CHOICES
from scoring.models import ExportJob
from scoring.work_state import WorkState

AT_ONCE = [key for key, file in FILES.items() if not file.by_worker]
BY_WORKER = [key for key, file in FILES.items() if file.by_worker]


def _choice(name: str) -> serializers.ChoiceField:
    return serializers.ChoiceField(choices=CHOICES[name], required=False, help_text=ABOUT[name])


class FileOptions(serializers.Serializer):
    """What of the data; a file reads those that it has."""

    layer = _choice("layer")
    rows = _choice("rows")
    runs = _choice("runs")
    bom = _choice("bom")


class WantedFile(serializers.Serializer):
    file = serializers.ChoiceField(choices=BY_WORKER, help_text="Which file a worker is to make.")
    layer = _choice("layer")
    rows = _choice("rows")
    runs = _choice("runs")


class ExportLinks(serializers.Serializer):
    self = serializers.URLField()
    file = serializers.URLField(help_text="There once the state is done, until it expires.")


class ExportJobData(serializers.ModelSerializer):
    state = serializers.ChoiceField(choices=WorkState.choices)
    current = serializers.SerializerMethodField(
        help_text="Whether the data are still as they were when it was asked for."
    )
    links = serializers.SerializerMethodField()

    class Meta:
        model = ExportJob
        fields = [
            "id",
            "file",
            "options",
            "state",
            "n_done",
            "n_total",
            "error",
            "requested_at",
            "finished_at",
            "expires_at",
            "size",
            "sha256",
            "current",
            "links",
        ]
        read_only_fields = fields

    def get_current(self, job: ExportJob) -> bool:
        return is_current(job)

    @extend_schema_field(ExportLinks)
    def get_links(self, job: ExportJob) -> dict[str, str]:
        where = [job.study.slug, job.pk]
        names = {"self": "api:export", "file": "api:export-file"}
        return {
            key: f"{settings.SITE_URL}{reverse(name, args=where)}" for key, name in names.items()
        }


class ExportFileData(serializers.Serializer):
    """One file of the catalogue."""

    file = serializers.CharField()
    format = serializers.CharField()
    about = serializers.CharField()
    media_type = serializers.CharField()
    by_worker = serializers.BooleanField(help_text="Made by a worker: POST it, then ask for it.")
    options = serializers.ListField(child=serializers.CharField())
    url = serializers.URLField(allow_null=True, help_text="Where it is given at once.")
    newest = ExportJobData(allow_null=True, help_text="The last one that was asked for.")


class ExportFiles(serializers.Serializer):
    files = ExportFileData(many=True)


JOB: dict[str, Any] = {
    "id": 3,
    "file": "ratings.parquet",
    "options": {"layer": "all"},
    "state": "done",
    "n_done": 20160,
    "n_total": 20160,
    "error": "",
    "requested_at": "2026-11-30T09:00:00Z",
    "finished_at": "2026-11-30T09:00:04Z",
    "expires_at": "2026-12-07T09:00:04Z",
    "size": 412345,
    "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "current": True,
    "links": {
        "self": "https://concord.example.org/api/v1/studies/weddings/exports/3/",
        "file": "https://concord.example.org/api/v1/studies/weddings/exports/3/file/",
    },
}
