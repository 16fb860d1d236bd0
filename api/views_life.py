"""The life of a study: check list, pilot, launch, pauses and ends, archive."""

from __future__ import annotations

from django.db import transaction
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.problems import told_line
from api.schema import LaunchLine, described, sample
from api.study_data import StudyDetail
from api.views import ApiView
from studies import lifecycle, plans


class CheckList(serializers.Serializer):
    ready = serializers.BooleanField(help_text="Nothing stops a launch.")
    needs_note = serializers.BooleanField(help_text="The launch has to say why in its note.")
    checks = LaunchLine(many=True)


class LaunchChecksView(ApiView):
    @described(
        operation_id="get_launch_checks",
        summary="What a launch needs, worst first",
        tags=["life of a study"],
        responses={200: CheckList},
        problems=("not-found",),
    )
    def get(self, request: Request, slug: str) -> Response:
        checks = [told_line(check) for check in lifecycle.launch_checks(self.study(slug))]
        marks = {check["mark"] for check in checks}
        asking = any(check["needs_note"] and check["mark"] == "warn" for check in checks)
        return Response({"ready": "stop" not in marks, "needs_note": asking, "checks": checks})


class Launch(serializers.Serializer):
    note = serializers.CharField(
        required=False, allow_blank=True, default="", help_text="Why, in spite of warnings."
    )
    fix_plan = serializers.BooleanField(
        default=False, help_text="Fix the analysis plan: later changes of it are recorded."
    )


class LaunchView(ApiView):
    @described(
        operation_id="launch_study",
        summary="Freeze the design and take arrivals",
        tags=["life of a study"],
        request=Launch,
        responses={200: StudyDetail},
        problems=(
            "malformed",
            "media-type",
            "not-found",
            "wrong-state",
            "frozen",
            "invalid",
            "stops",
            "note-missing",
        ),
        examples=[
            sample(
                "Without attention checks",
                {"note": "The published study had none.", "fix_plan": True},
                request=True,
            )
        ],
    )
    def post(self, request: Request, slug: str) -> Response:
        """From a draft, or from a pilot that went well. A second launch is told that it is live."""
        study = self.study(slug)
        wanted = Launch(data=request.data)
        wanted.is_valid(raise_exception=True)
        with transaction.atomic():
            if wanted.validated_data["fix_plan"]:
                plans.fix_plan(study=study, by=request.user)
            lifecycle.launch_study(study=study, by=request.user, note=wanted.validated_data["note"])
        return now(study)


class PilotView(ApiView):
    @described(
        operation_id="start_pilot",
        summary="Let a few people of each panel in, whose answers never count",
        tags=["life of a study"],
        request=None,
        responses={200: StudyDetail},
        problems=("not-found", "wrong-state", "stops"),
    )
    def post(self, request: Request, slug: str) -> Response:
        study = self.study(slug)
        lifecycle.start_pilot(study=study, by=request.user)
        return now(study)


class Move(serializers.Serializer):
    move = serializers.ChoiceField(choices=["pause", "resume", "close", "reopen"])


class MoveView(ApiView):
    @described(
        operation_id="move_study",
        summary="Pause, resume, close or reopen",
        tags=["life of a study"],
        request=Move,
        responses={200: StudyDetail},
        problems=("malformed", "media-type", "not-found", "wrong-state", "invalid"),
        examples=[sample("Pause", {"move": "pause"}, request=True)],
    )
    def post(self, request: Request, slug: str) -> Response:
        """A paused study takes nobody new; people inside finish."""
        study = self.study(slug)
        wanted = Move(data=request.data)
        wanted.is_valid(raise_exception=True)
        lifecycle.move_study(study=study, move=wanted.validated_data["move"])
        return now(study)


class Archive(serializers.Serializer):
    archived = serializers.BooleanField(default=True, help_text="false: out of the archive again.")


class ArchiveView(ApiView):
    @described(
        operation_id="archive_study",
        summary="Put a study away, or take it out of the archive",
        tags=["life of a study"],
        request=Archive,
        responses={200: StudyDetail},
        problems=("malformed", "media-type", "not-found", "wrong-state", "invalid"),
        examples=[sample("Put away", {"archived": True}, request=True)],
    )
    def post(self, request: Request, slug: str) -> Response:
        """Nothing is deleted. A study that people may still be in is closed first."""
        study = self.study(slug)
        wanted = Archive(data=request.data)
        wanted.is_valid(raise_exception=True)
        into = wanted.validated_data["archived"]
        verb = lifecycle.archive_study if into else lifecycle.unarchive_study
        verb(study=study)
        return now(study)


def now(study) -> Response:
    study.refresh_from_db()
    return Response(StudyDetail(study).data)
