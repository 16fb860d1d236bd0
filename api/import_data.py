"""What the API says of an import, and what rows it takes. The rows are checked by the import."""

from __future__ import annotations

import csv
from itertools import islice
from typing import Any

from django.conf import settings
from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from api.rows import PROBLEMS_SHOWN, told
from api.schema import RowProblem
from studies.importing.problems import Problem
from studies.importing.uploads import load_check
from studies.models import ImportUpload, Item

_COUNTS = {"new": "created", "changed": "updated", "same": "unchanged", "refused": "refused"}


class ImportCounts(serializers.Serializer):
    created = serializers.IntegerField()
    updated = serializers.IntegerField()
    unchanged = serializers.IntegerField()
    refused = serializers.IntegerField(help_text="Rows with a problem.")


class ImportProgress(serializers.Serializer):
    phase = serializers.ChoiceField(choices=["waiting", "rows", "files", "writing"])
    done = serializers.IntegerField()
    total = serializers.IntegerField(help_text="0 where it is not known yet.")


class ImportLinks(serializers.Serializer):
    self = serializers.URLField()
    confirm = serializers.URLField()
    problems = serializers.URLField(help_text="Every problem as CSV.")
    preview = serializers.URLField(help_text="The same import in the workshop.")


class ImportData(serializers.ModelSerializer):
    state = serializers.ChoiceField(
        choices=ImportUpload.State.choices,
        help_text="checking, then ready or refused; confirmed, writing, then done. failed: see "
        "error.",
    )
    progress = serializers.SerializerMethodField()
    counts = serializers.SerializerMethodField(help_text="Null until rows were checked.")
    n_problems = serializers.SerializerMethodField()
    problems = serializers.SerializerMethodField(help_text="The first 1,000.")
    warnings = serializers.SerializerMethodField(help_text="They stop nothing.")
    links = serializers.SerializerMethodField()

    class Meta:
        model = ImportUpload
        fields = [
            "id",
            "kind",
            "state",
            "created_at",
            "confirm_ahead",
            "progress",
            "counts",
            "n_problems",
            "problems",
            "warnings",
            "error",
            "links",
        ]

    @extend_schema_field(ImportProgress(allow_null=True))
    def get_progress(self, upload: ImportUpload) -> dict[str, Any] | None:
        if not upload.is_at_work:
            return None
        phase = upload.progress.get("phase", "waiting")
        done, total = upload.progress.get(phase, (0, 0))
        return {"phase": phase, "done": done, "total": total}

    @extend_schema_field(ImportCounts(allow_null=True))
    def get_counts(self, upload: ImportUpload) -> dict[str, int] | None:
        if not upload.summary:
            return None
        return {name: upload.summary.get(old, 0) for old, name in _COUNTS.items()}

    def get_n_problems(self, upload: ImportUpload) -> int:
        return self._check(upload).get("n_problems", 0)

    @extend_schema_field(RowProblem(many=True))
    def get_problems(self, upload: ImportUpload) -> list[dict[str, Any]]:
        if not self._check(upload).get("n_problems"):
            return []
        return [told(row, by_index=upload.by_index) for row in first_problems(upload)]

    @extend_schema_field(serializers.ListField(child=serializers.CharField()))
    def get_warnings(self, upload: ImportUpload) -> list[str]:
        return self._check(upload).get("warnings", [])

    @extend_schema_field(ImportLinks)
    def get_links(self, upload: ImportUpload) -> dict[str, str]:
        where = [upload.study.slug, upload.pk]
        pages = {
            "self": reverse("api:import", args=where),
            "confirm": reverse("api:import-confirm", args=where),
            "problems": reverse("api:import-problems", args=where),
            "preview": reverse(
                "admin:studies_study_import_preview", args=[upload.study_id, upload.pk]
            ),
        }
        return {name: f"{settings.SITE_URL}{path}" for name, path in pages.items()}

    def _check(self, upload: ImportUpload) -> dict[str, Any]:
        """What the last check left; nothing while another one runs, or once all is written."""
        shown = upload.state in (upload.State.REFUSED, upload.State.READY)
        return (load_check(upload) or {}) if shown else {}


class ImportSummary(ImportData):
    class Meta(ImportData.Meta):
        fields = [name for name in ImportData.Meta.fields if name not in ("problems", "warnings")]


def first_problems(upload: ImportUpload) -> list[Problem]:
    """In the order of the file."""
    with (upload.folder / "problems.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = islice(csv.reader(file), 1, PROBLEMS_SHOWN + 1)
        return [Problem(int(line or 0), *texts) for line, *texts in rows]


# ---- rows, for the documentation: other words for a field, and further fields, are taken too


class ItemRow(serializers.Serializer):
    """Further fields are kept as metadata."""

    item_id = serializers.CharField(max_length=200, help_text="Your own id of the item.")
    url = serializers.URLField(required=False, help_text="It is fetched once and stored.")
    file = serializers.CharField(
        required=False, help_text="Name of an uploaded file, or of the one the item has."
    )
    prompt = serializers.CharField(required=False)
    country = serializers.CharField(
        required=False, help_text="Two-letter code or English name; empty: every panel."
    )
    category = serializers.CharField(required=False)
    scenario = serializers.CharField(required=False)
    variant = serializers.ChoiceField(choices=Item.Variant.choices, required=False)
    system = serializers.CharField(required=False, help_text="What made the item.")
    replicate = serializers.CharField(required=False)
    origin = serializers.ChoiceField(choices=Item.Origin.choices, required=False)
    parent = serializers.CharField(required=False, help_text="item_id of the original of an edit.")
    aspect = serializers.CharField(required=False)
    cultural_element = serializers.CharField(required=False)
    element_picture = serializers.CharField(required=False)
    sub_activities = serializers.ListField(child=serializers.CharField(), required=False)
    purpose = serializers.ChoiceField(choices=Item.Purpose.choices, required=False)
    expected = serializers.CharField(
        required=False, help_text="Of practice and gold items: faithfulness: 4-5; realism: 1."
    )
    feedback = serializers.CharField(
        required=False, max_length=400, help_text="Said after a practice screen."
    )


class ProbeRow(serializers.Serializer):
    probe_id = serializers.CharField(max_length=200)
    scenario = serializers.CharField()
    dimension = serializers.CharField()
    text = serializers.CharField()
    country = serializers.CharField(required=False, help_text="Empty: every country.")
    weight = serializers.FloatField(required=False)
    verified = serializers.BooleanField(required=False)
    evidence = serializers.CharField(required=False)
    source = serializers.CharField(required=False)


class DescriptorRow(serializers.Serializer):
    kind = serializers.ChoiceField(
        choices=["reference", "predicted", "stereotype", "candidate", "described"],
        help_text="candidate: of a proposer's own list. described: somebody looked at the item in "
        "this dimension, even where nothing was seen; without a token.",
    )
    token = serializers.CharField(required=False, help_text="Needed but for described.")
    item_id = serializers.CharField(required=False, help_text="Of a predicted one.")
    activity = serializers.CharField(required=False)
    country = serializers.CharField(required=False)
    dimension = serializers.ChoiceField(
        choices=["setting", "objects", "attire", "interaction", "layout"], required=False
    )
    style = serializers.CharField(required=False)
    source = serializers.CharField(required=False)


class GoldRow(serializers.Serializer):
    item_id = serializers.CharField()
    label_set = serializers.CharField()
    label = serializers.CharField()
    value = serializers.FloatField(required=False, help_text="1 where it applies, 0 where not.")


class ScenarioRow(serializers.Serializer):
    scenario = serializers.CharField()
    country = serializers.CharField(required=False)
    category = serializers.CharField(required=False)
    aspect = serializers.CharField(required=False)
    cultural_element = serializers.CharField(required=False)
    sub_activities = serializers.ListField(child=serializers.CharField(), required=False)
    variant = serializers.ChoiceField(choices=Item.Variant.choices, required=False)
    prompt = serializers.CharField(required=False)


class ItemRows(serializers.Serializer):
    items = ItemRow(many=True)


class ProbeRows(serializers.Serializer):
    probes = ProbeRow(many=True)


class DescriptorRows(serializers.Serializer):
    descriptors = DescriptorRow(many=True)


class GoldRows(serializers.Serializer):
    gold_labels = GoldRow(many=True)


class ScenarioRows(serializers.Serializer):
    scenarios = ScenarioRow(many=True)


class TableUpload(serializers.Serializer):
    table = serializers.FileField(help_text="CSV, TSV, XLSX or JSONL of up to 100,000 rows.")


class ItemsUpload(serializers.Serializer):
    table = serializers.FileField(
        required=False,
        help_text="Left out, the files are matched to the study's prompt book.",
    )
    files = serializers.ListField(
        child=serializers.FileField(), required=False, help_text="Media and ZIP files."
    )
    transcode = serializers.BooleanField(
        default=False, help_text="Convert clips that not every browser plays."
    )
