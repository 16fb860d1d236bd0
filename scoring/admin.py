"""Runs, scores and stored reports as read-only records."""

from django.contrib import admin

from scoring.models import (
    Calibration,
    EditInstruction,
    LabelSet,
    MetricRun,
    RealChoice,
    ReportSnapshot,
    Score,
    ScoringStep,
)
from studies.models import Study


class RecordAdmin(admin.ModelAdmin):
    """A list to look things up in; nothing is added, changed or deleted here."""

    study_path = "study"
    show_full_result_count = False
    list_per_page = 50

    def get_queryset(self, request):
        studies = Study.objects.visible_to(request.user)
        return super().get_queryset(request).filter(**{f"{self.study_path}__in": studies})

    def has_add_permission(self, request):
        return False

    def has_change_permission(self, request, obj=None):
        return False

    def has_delete_permission(self, request, obj=None):
        return False


@admin.register(MetricRun)
class MetricRunAdmin(RecordAdmin):
    list_display = ["metric", "study", "state", "n_done", "n_items", "requested_at", "requested_by"]
    list_filter = ["state", "metric"]
    search_fields = ["study__title", "metric"]
    list_select_related = ["study", "requested_by"]


@admin.register(Score)
class ScoreAdmin(RecordAdmin):
    study_path = "run__study"
    list_display = ["item", "output", "dimension", "value", "reason", "run"]
    list_filter = ["output", "dimension", "reason"]
    search_fields = ["item__external_id"]
    list_select_related = ["item", "run__study"]


@admin.register(LabelSet)
class LabelSetAdmin(admin.ModelAdmin):
    """Labels that CAIRe holds pictures against; those of a run are kept with its scores."""

    list_display = ["name", "study"]
    search_fields = ["name", "study__title"]
    list_select_related = ["study"]

    def get_queryset(self, request):
        studies = Study.objects.visible_to(request.user)
        return super().get_queryset(request).filter(study__in=studies)

    def formfield_for_foreignkey(self, db_field, request, **kwargs):
        if db_field.name == "study":
            kwargs["queryset"] = Study.objects.visible_to(request.user)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)


@admin.register(ReportSnapshot)
class ReportSnapshotAdmin(RecordAdmin):
    list_display = ["study", "state", "requested_at", "finished_at"]
    list_filter = ["state"]
    search_fields = ["study__title"]
    list_select_related = ["study"]
    exclude = ["plots"]  # drawings, tens of kilobytes of SVG


@admin.register(ScoringStep)
class ScoringStepAdmin(RecordAdmin):
    list_display = ["kind", "study", "state", "n_done", "n_total", "n_calls", "requested_at"]
    list_filter = ["kind", "state"]
    search_fields = ["study__title"]
    list_select_related = ["study"]


@admin.register(Calibration)
class CalibrationAdmin(RecordAdmin):
    list_display = ["extractor", "study", "references", "values_of", "q1", "median", "q3"]
    search_fields = ["extractor", "study__title"]
    list_select_related = ["study"]
    exclude = ["plots"]  # drawings, tens of kilobytes of SVG


@admin.register(RealChoice)
class RealChoiceAdmin(RecordAdmin):
    study_path = "item__study"
    list_display = ["item", "rank", "score", "kept"]
    list_filter = ["kept"]
    search_fields = ["item__external_id"]
    list_select_related = ["item"]


@admin.register(EditInstruction)
class EditInstructionAdmin(RecordAdmin):
    study_path = "item__study"
    list_display = ["item", "model", "reason", "created_at"]
    search_fields = ["item__external_id", "model"]
    list_select_related = ["item"]
