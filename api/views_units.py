"""Units: what one screen shows, by the rule or as a list."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api import listing
from api.rows import rows_of, rows_refused
from api.schema import ROWS_REFUSED, described, sample
from api.views import ApiView, BulkView
from studies import given_units, units
from studies.models import Unit
from studies.refusals import refuse_archived


class UnitRow(serializers.Serializer):
    key = serializers.CharField(max_length=200, help_text="Its name, unique in the study.")
    country = serializers.CharField(
        required=False,
        allow_blank=True,
        help_text="Whose panel rates it. Left out: the country of its items; '': every panel.",
    )
    items = serializers.ListField(
        child=serializers.CharField(), help_text="Ids, as many as a screen shows, in their order."
    )
    probes = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="Left out or empty: drawn."
    )
    block = serializers.CharField(
        max_length=40,
        required=False,
        allow_blank=True,
        help_text="The fixed set it belongs to, where the study's policy is blocks.",
    )


class UnitRows(serializers.Serializer):
    units = UnitRow(many=True)


class UnitCounts(serializers.Serializer):
    created = serializers.IntegerField()
    updated = serializers.IntegerField()
    unchanged = serializers.IntegerField()
    removed = serializers.IntegerField()


class UnitData(serializers.ModelSerializer):
    items = serializers.SerializerMethodField(help_text="Ids in their order.")
    probes = serializers.SerializerMethodField(help_text="Named or drawn.")

    class Meta:
        model = Unit
        fields = ["key", "country", "items", "probes", "purpose", "block"]

    def get_items(self, unit: Unit) -> list[str]:
        return [member.item.external_id for member in unit.members.all()]

    def get_probes(self, unit: Unit) -> list[str]:
        return [given.probe.external_id for given in unit.unit_probes.all()]


class UnitPage(listing.PageData):
    results = UnitData(many=True)


_EXAMPLE = {
    "units": [
        {
            "key": "greeting-np",
            "country": "NP",
            "items": ["np-a", "np-b", "np-c"],
            "probes": ["np-greeting-1"],
        }
    ]
}


def _documented(operation: str, summary: str):
    return described(
        operation_id=operation,
        summary=summary,
        tags=["units"],
        request=UnitRows,
        responses={200: UnitCounts},
        problems=ROWS_REFUSED,
        examples=[sample("One triplet", _EXAMPLE, request=True)],
    )


class UnitsView(BulkView):
    @described(
        operation_id="list_units",
        summary="The units of a study",
        tags=["units"],
        parameters=listing.PARAMETERS,
        responses={200: UnitPage},
        problems=("not-found",),
    )
    def get(self, request: Request, slug: str) -> Response:
        rows = self.study(slug).units.prefetch_related("members__item", "unit_probes__probe")
        return listing.paged(self, rows, UnitData)

    @_documented("upsert_units", "Make or change the units that the rows name")
    def post(self, request: Request, slug: str) -> Response:
        """The rule makes no units from then on. An opened study takes new ones only."""
        return self._written(request, slug, replace=False)

    @_documented("replace_units", "Make the units of a draft exactly these")
    def put(self, request: Request, slug: str) -> Response:
        return self._written(request, slug, replace=True)

    def _written(self, request: Request, slug: str, *, replace: bool) -> Response:
        study = self.study(slug)
        refuse_archived(study)
        rows: list[dict[str, Any]] = rows_of(request.data, "units")
        try:
            counts = given_units.write_units(study=study, rows=rows, replace=replace)
        except given_units.RowsRefused as refusal:
            raise rows_refused(refusal.problems) from refusal
        names = {"created": "new", "updated": "changed", "unchanged": "same", "removed": "removed"}
        return Response({name: counts[old] for name, old in names.items()})


class Rebuilt(serializers.Serializer):
    units = serializers.IntegerField()
    problems = serializers.ListField(
        child=serializers.CharField(), help_text="Missing members and what is on no screen."
    )


class RebuildView(ApiView):
    @described(
        operation_id="rebuild_units",
        summary="Make the units of a draft by the rule, in place of any list",
        tags=["units"],
        request=None,
        responses={200: Rebuilt},
        problems=("not-found", "wrong-state", "frozen", "invalid"),
    )
    def post(self, request: Request, slug: str) -> Response:
        study = self.study(slug)
        refuse_archived(study)
        plan = units.rebuild(study, instead_of_given=True)
        return Response({"units": len(plan.units), "problems": list(plan.problems)})
