"""Studies: the list, a new one from a preset, one with its numbers, its settings, copies."""

from __future__ import annotations

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api import listing
from api.schema import described, sample
from api.study_data import ChangedSettings, NewStudy, PanelRows, StudyDetail, StudySummary
from api.views import ApiView
from studies import lifecycle, presets
from studies.changing import change_settings, replace_panels
from studies.models import Study


class WhichStudies(serializers.Serializer):
    archived = serializers.ChoiceField(choices=["no", "yes", "all"], default="no")
    state = serializers.ChoiceField(choices=Study.State.choices, required=False)


class StudyPage(listing.PageData):
    results = StudySummary(many=True)


class StudiesView(ApiView):
    needs = "studies.add_study"

    @described(
        operation_id="list_studies",
        summary="Your studies, the newest first",
        tags=["studies"],
        parameters=[WhichStudies, *listing.PARAMETERS],
        responses={200: StudyPage},
        problems=("invalid",),
    )
    def get(self, request: Request) -> Response:
        wanted = WhichStudies(data=request.query_params)
        wanted.is_valid(raise_exception=True)
        rows, which = self.studies, wanted.validated_data
        if which["archived"] != "all":
            rows = rows.archived() if which["archived"] == "yes" else rows.in_use()
        if "state" in which:
            rows = rows.filter(state=which["state"])
        return listing.paged(self, rows, StudySummary)

    @described(
        operation_id="create_study",
        summary="Make a complete study from a preset",
        tags=["studies"],
        request=NewStudy,
        responses={201: StudyDetail},
        problems=("malformed", "media-type", "invalid"),
        examples=[
            sample("From CULTIVate", {"preset": "cultivate", "title": "Weddings"}, request=True)
        ],
    )
    def post(self, request: Request) -> Response:
        """A draft with questions, panels, sessions and analysis plan; it only lacks its items."""
        wanted = NewStudy(data=request.data)
        wanted.is_valid(raise_exception=True)
        data = wanted.validated_data
        study = presets.create_study(
            preset=presets.get(data["preset"], request.user),
            owner=request.user,
            title=data["title"],
            slug=data.get("slug"),
        )
        return created(study)


def created(study: Study) -> Response:
    data = StudyDetail(study).data
    return Response(data, status=201, headers={"Location": data["links"]["api"]})


class StudyView(ApiView):
    @described(
        operation_id="get_study",
        summary="One study: state, settings, panels, counts, progress, links",
        tags=["studies"],
        responses={200: StudyDetail},
        problems=("not-found",),
    )
    def get(self, request: Request, slug: str) -> Response:
        return Response(StudyDetail(self.study(slug)).data)

    @described(
        operation_id="change_study",
        summary="Change settings",
        tags=["studies"],
        request=ChangedSettings,
        responses={200: StudyDetail},
        problems=("malformed", "media-type", "not-found", "wrong-state", "frozen", "invalid"),
        examples=[
            sample(
                "Shorter sessions",
                {"units_per_session": 8, "note": "People grew tired."},
                request=True,
            )
        ],
    )
    def patch(self, request: Request, slug: str) -> Response:
        """All settings of a draft. Once a study was opened, those that answers do not rest on; the
        change is then the next revision, and people in the middle keep the one they began with."""
        study = self.study(slug)
        wanted = ChangedSettings(study, data=request.data, partial=True)
        wanted.is_valid(raise_exception=True)
        values = dict(wanted.validated_data)
        note = values.pop("note", "")
        change_settings(study=study, by=request.user, values=values, note=note)
        return Response(StudyDetail(study).data)


class PanelsView(ApiView):
    @described(
        operation_id="replace_panels",
        summary="Make the panels of a draft exactly these",
        tags=["studies"],
        request=PanelRows,
        responses={200: StudyDetail},
        problems=("malformed", "media-type", "not-found", "wrong-state", "frozen", "invalid"),
        examples=[
            sample(
                "Two countries",
                {"panels": [{"country": "NP", "language": "ne"}, {"country": "IN", "seats": 40}]},
                request=True,
            )
        ],
    )
    def put(self, request: Request, slug: str) -> Response:
        """A panel is the people of one country. Once a study was opened its panels stay."""
        study = self.study(slug)
        wanted = PanelRows(data=request.data)
        wanted.is_valid(raise_exception=True)
        replace_panels(study=study, rows=wanted.validated_data["panels"])
        return Response(StudyDetail(study).data)


class Copy(serializers.Serializer):
    title = serializers.CharField(max_length=200)
    with_items = serializers.BooleanField(
        default=True, help_text="With items, units, descriptors and probes. Answers never."
    )


class DuplicateView(ApiView):
    needs = "studies.add_study"

    @described(
        operation_id="duplicate_study",
        summary="A new draft with the same design",
        tags=["studies"],
        request=Copy,
        responses={201: StudyDetail},
        problems=("malformed", "media-type", "not-found", "invalid"),
        examples=[sample("A second round", {"title": "Weddings, round 2"}, request=True)],
    )
    def post(self, request: Request, slug: str) -> Response:
        study = self.study(slug)
        wanted = Copy(data=request.data)
        wanted.is_valid(raise_exception=True)
        copy = lifecycle.duplicate_study(study=study, owner=request.user, **wanted.validated_data)
        return created(copy)
