"""Many rows at once: the same checks, the same worker and the same writing as in the workshop."""

from __future__ import annotations

from django.core.files.base import ContentFile
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    extend_schema_view,
)
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from api import import_data, listing
from api.import_data import ImportData
from api.import_examples import CHECKING
from api.parsers import BoundedJSONParser
from api.problems import Refused, TooLarge
from api.rows import as_lines, rows_of
from api.schema import ROWS_REFUSED, described, sample
from api.views import BulkView
from studies.admin_import import MAX_TABLE_BYTES
from studies.importing import uploads, work
from studies.models import ImportUpload, Item, Study
from studies.refusals import refuse_archived

CONFIRM = OpenApiParameter(
    "confirm", bool, description="Write at once if nothing is refused, without a second request."
)


class Options(serializers.Serializer):
    confirm = serializers.BooleanField(default=False)


class ImportView(BulkView):
    """One kind of rows: a JSON list, or a table as a file."""

    parser_classes = [BoundedJSONParser, MultiPartParser]
    kind: str
    rows_name: str
    upload_form: type[serializers.Serializer] = import_data.TableUpload

    def post(self, request: Request, slug: str) -> Response:
        study = self.study(slug)
        refuse_archived(study)
        options = Options(data=request.query_params)
        options.is_valid(raise_exception=True)
        if request.content_type.partition(";")[0].strip() == "multipart/form-data":
            upload = self._from_files(request, study)
        else:
            upload = self._from_rows(request, study)
        upload.confirm_ahead = options.validated_data["confirm"]
        upload.save(update_fields=["by_index", "confirm_ahead"])
        work.request_check(upload)
        data = ImportData(upload).data
        return Response(data, status=202, headers={"Location": data["links"]["self"]})

    def _from_rows(self, request: Request, study: Study) -> ImportUpload:
        content = as_lines(rows_of(request.data, self.rows_name))
        upload = uploads.start_upload(study=study, kind=self.kind, by=request.user)
        upload.by_index = True
        uploads.save_table(upload, ContentFile(content, name=f"{self.rows_name}.jsonl"))
        return upload

    def _from_files(self, request: Request, study: Study) -> ImportUpload:
        form = self.upload_form(data=request.data)
        form.is_valid(raise_exception=True)
        table, files = form.validated_data.get("table"), form.validated_data.get("files", [])
        if table is not None and table.size > MAX_TABLE_BYTES:
            limit = MAX_TABLE_BYTES // 2**20
            raise TooLarge(f"The table is larger than {limit} MB. Import it in several files.")
        if table is None and not (files and study.scenarios.exists()):
            error = {"field": "table", "wrong": "Send the table of items."}
            raise Refused("invalid", "There is no table.", errors=[error])
        transcode = form.validated_data.get("transcode", False)
        upload = uploads.start_upload(
            study=study, kind=self.kind, by=request.user, transcode=transcode
        )
        if table is not None:
            uploads.save_table(upload, table)
        uploads.save_files(upload, files)
        return upload


def _documented(name: str, summary: str, rows: type, example: dict, *, upload: type):
    return described(
        operation_id=f"import_{name}",
        summary=summary,
        tags=["rows"],
        parameters=[CONFIRM],
        request={"application/json": rows, "multipart/form-data": upload},
        responses={202: ImportData},
        problems=ROWS_REFUSED,
        examples=[
            OpenApiExample(
                "As JSON", {name: [example]}, request_only=True, media_type="application/json"
            ),
            sample("Being checked", CHECKING, status=202),
        ],
    )


class Listed(serializers.ModelSerializer):
    system = serializers.CharField(source="system.name", default="")
    parent = serializers.CharField(source="parent.external_id", default="")
    item_id = serializers.CharField(source="external_id")
    file = serializers.CharField(source="source_name")

    class Meta:
        model = Item
        fields = [
            *["item_id", "kind", "file", "prompt", "country", "category", "scenario", "variant"],
            *["system", "replicate", "origin", "parent", "sha256", "width", "height", "duration"],
            *["has_audio", "preparation", "metadata"],
        ]


class ItemPage(listing.PageData):
    results = Listed(many=True)


@extend_schema_view(
    post=_documented(
        "items",
        "Bring items: new ones, changed ones, the same again",
        import_data.ItemRows,
        {
            "item_id": "np-1",
            "url": "https://media.example.org/np-1.png",
            "prompt": "A wedding in Nepal",
            "country": "NP",
            "category": "wedding",
            "system": "Model A",
        },
        upload=import_data.ItemsUpload,
    )
)
class ItemsView(ImportView):
    """A worker checks every row and file first; nothing is written while one is wrong. The
    `item_id` decides: the same row again changes nothing. Items that no row names stay."""

    kind, rows_name = ImportUpload.Kind.ITEMS, "items"
    upload_form = import_data.ItemsUpload

    @described(
        operation_id="list_items",
        summary="The items of a study, by their id",
        tags=["rows"],
        parameters=listing.PARAMETERS,
        responses={200: ItemPage},
        problems=("not-found",),
    )
    def get(self, request: Request, slug: str) -> Response:
        rows = self.study(slug).items.select_related("system", "parent").order_by("external_id")
        return listing.paged(self, rows, Listed)


@extend_schema_view(
    post=_documented(
        "probes",
        "Bring probes to the scenarios' banks",
        import_data.ProbeRows,
        {
            "probe_id": "np-greeting-1",
            "scenario": "greeting",
            "country": "NP",
            "dimension": "Identity",
            "text": "Do the people wear what is worn in Nepal?",
        },
        upload=import_data.TableUpload,
    )
)
class ProbesView(ImportView):
    """The same `probe_id` again changes the probe; once people were asked it, its words stay."""

    kind, rows_name = ImportUpload.Kind.PROBES, "probes"


@extend_schema_view(
    post=_documented(
        "descriptors",
        "Bring reference, predicted and stereotype descriptors",
        import_data.DescriptorRows,
        {
            "kind": "reference",
            "activity": "wedding",
            "country": "NP",
            "dimension": "attire",
            "token": "red sari",
        },
        upload=import_data.TableUpload,
    )
)
class DescriptorsView(ImportView):
    """A descriptor that is there already, word for word, is not doubled."""

    kind, rows_name = ImportUpload.Kind.DESCRIPTORS, "descriptors"


@extend_schema_view(
    post=_documented(
        "gold_labels",
        "Bring gold labels of items",
        import_data.GoldRows,
        {"item_id": "np-1", "label_set": "festivals", "label": "Dashain", "value": 1},
        upload=import_data.TableUpload,
    )
)
class GoldLabelsView(ImportView):
    """One row for each item, label set and label; the same again changes the value."""

    kind, rows_name = ImportUpload.Kind.GOLD, "gold_labels"


@extend_schema_view(
    post=_documented(
        "scenarios",
        "Bring the prompt book: scenarios and their wordings",
        import_data.ScenarioRows,
        {
            "scenario": "greeting",
            "country": "NP",
            "variant": "base",
            "prompt": "Two people greet each other in Nepal",
        },
        upload=import_data.TableUpload,
    )
)
class ScenariosView(ImportView):
    """Files named after the book come back as items without a table."""

    kind, rows_name = ImportUpload.Kind.SCENARIOS, "scenarios"
