"""The workshop: where a study is designed and launched."""

from collections import Counter

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import models
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.utils.html import format_html

from studies import lifecycle
from studies.admin_frozen import FrozenInline, is_saving, lock_study
from studies.admin_import import import_urls
from studies.admin_questions import QuestionAdmin
from studies.designs import people_needed
from studies.models import AttentionCheck, Descriptor, Item, Panel, Question, Study

admin.site.site_title = "Concord"
admin.site.site_header = "Concord"
admin.site.index_title = "All records"
admin.site.enable_nav_sidebar = False


class PanelInline(FrozenInline, admin.TabularInline):
    model = Panel
    extra = 0
    min_num = 0
    verbose_name_plural = "Panels"


class AttentionCheckInline(FrozenInline, admin.TabularInline):
    model = AttentionCheck
    extra = 0
    verbose_name_plural = "Attention checks"

    def formfield_for_foreignkey(self, db_field, request, **kwargs):
        if db_field.name == "scale_of":
            study = request.resolver_match.kwargs.get("object_id")
            kwargs["queryset"] = Question.objects.filter(
                study_id=study or 0, kind=Question.Kind.LIKERT
            )
            return db_field.formfield(**kwargs)  # plain: without buttons to make another question
        return super().formfield_for_foreignkey(db_field, request, **kwargs)


@admin.register(Study)
class StudyAdmin(admin.ModelAdmin):
    list_display = ["title", "state_tag", "panel_names", "launched_at"]
    list_filter = ["state"]
    search_fields = ["title", "slug"]
    prepopulated_fields = {"slug": ["title"]}
    actions = None
    formfield_overrides = {
        models.URLField: {"assume_scheme": "https"},
        models.TextField: {"widget": forms.Textarea(attrs={"rows": 5})},
    }
    fieldsets = [
        ("Basics", {"fields": ["title", "slug", "public_title"]}),
        (
            "Consent and instructions",
            {
                "fields": [
                    "consent_summary",
                    "consent_text",
                    "instructions",
                    "instruction_points",
                    "contact",
                    "estimated_minutes",
                    "consent_first",
                ],
            },
        ),
        ("Order and sessions", {"fields": ["units_per_session", "lease_minutes"]}),
        ("Completion", {"fields": ["completion_code", "completion_url"]}),
    ]
    editable_after_launch = {"title", "lease_minutes", "completion_code", "completion_url"}
    add_form_template = "admin/studies/study/add_form.html"

    # ---- who may do what

    def get_queryset(self, request):
        return super().get_queryset(request).visible_to(request.user).prefetch_related("panels")

    def get_inlines(self, request, obj):
        return [PanelInline, AttentionCheckInline] if obj else [PanelInline]

    def get_prepopulated_fields(self, request, obj=None):
        return {} if obj else self.prepopulated_fields

    def get_readonly_fields(self, request, obj=None):
        if obj is None or obj.is_draft:
            return []
        fields = [name for _, options in self.fieldsets for name in options["fields"]]
        return [name for name in fields if name not in self.editable_after_launch]

    def has_delete_permission(self, request, obj=None):
        """A study that anybody opened is kept: close it instead."""
        allowed = super().has_delete_permission(request, obj)
        return allowed and (obj is None or obj.is_draft)

    def get_deleted_objects(self, objs, request):
        """A draft goes as a whole: its parts are counted, and need no right of their own."""
        parts, users = Counter(), Counter()
        for relation in Study._meta.related_objects:
            rows = relation.related_model._default_manager.filter(**{relation.field.name: objs[0]})
            counter = users if relation.on_delete is models.PROTECT else parts
            counter[relation.related_model._meta.verbose_name_plural] += rows.count()
        return [], +parts, set(), [f"{n} {name}" for name, n in (+users).items()]

    def delete_model(self, request, obj):
        lifecycle.delete_draft(study=obj)

    # ---- pages

    def get_urls(self):
        own = [
            path("<int:pk>/launch/", self._view(self.launch_view), name="studies_study_launch"),
            path("<int:pk>/move/", self._view(self.move_view), name="studies_study_move"),
        ]
        return [*own, *import_urls(self.admin_site), *super().get_urls()]

    def _view(self, view):
        return self.admin_site.admin_view(view)

    def _study(self, request: HttpRequest, pk: int) -> Study:
        study = get_object_or_404(self.get_queryset(request), pk=pk)
        if not self.has_change_permission(request, study):
            raise PermissionDenied
        return study

    def get_object(self, request, object_id, from_field=None):
        study = super().get_object(request, object_id, from_field)
        return lock_study(study.pk) if study is not None and is_saving(request) else study

    def save_model(self, request, obj, form, change):
        if not change:
            obj.owner = request.user
        super().save_model(request, obj, form, change)

    def response_add(self, request, obj, post_url_continue=None):
        messages.success(request, f"“{obj.title}” is made. Add questions and items, then launch.")
        return redirect("admin:studies_study_change", obj.pk)

    def response_change(self, request, obj):
        messages.success(request, "Saved.")
        return redirect("admin:studies_study_change", obj.pk)

    def change_view(self, request, object_id, form_url="", extra_context=None):
        study = super().get_object(request, object_id)
        extra = {"study": study, "tab": "design"}
        if study is not None:
            extra |= {
                "questions": study.questions.prefetch_related("points"),
                "checks": lifecycle.launch_checks(study) if study.is_draft else [],
                "n_items": study.items.count(),
            }
            extra["stops"] = [check for check in extra["checks"] if check.mark == "stop"]
        return super().change_view(request, object_id, form_url, (extra_context or {}) | extra)

    def launch_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """What will happen, then the launch. A second click is told that it is live already."""
        study = self._study(request, pk)
        status = 200
        if request.method == "POST":
            try:
                lifecycle.launch_study(study=study, by=request.user)
            except lifecycle.WrongState as refusal:
                messages.warning(request, str(refusal))
                return redirect("admin:studies_study_change", pk)
            except lifecycle.LaunchRefused:
                status = 422
            else:
                messages.success(request, "The study is live. Give people the link below.")
                return redirect("admin:studies_study_change", pk)
        elif not study.is_draft:
            return redirect("admin:studies_study_change", pk)
        return render(
            request, "admin/studies/study/launch.html", self._launch(request, study), status=status
        )

    def _launch(self, request, study) -> dict:
        checks = lifecycle.launch_checks(study)
        rows = []
        for panel in study.panels.all():
            units = panel.units().count()
            people = people_needed(
                n_units=units,
                ratings_per_unit=panel.ratings_per_unit,
                units_per_session=study.units_per_session,
            )
            ratings = units * panel.ratings_per_unit
            rows.append({"panel": panel, "units": units, "people": people, "ratings": ratings})
        return {
            **self.admin_site.each_context(request),
            "title": f"Launch “{study.title}”?",
            "study": study,
            "tab": "design",
            "checks": checks,
            "stops": [check for check in checks if check.mark == "stop"],
            "warnings": [check for check in checks if check.mark == "warn"],
            "rows": rows,
            "total": sum(row["ratings"] for row in rows),
        }

    def move_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Pause, resume, close, reopen."""
        study = self._study(request, pk)
        if request.method == "POST":
            try:
                state = lifecycle.move_study(study=study, move=request.POST.get("move", ""))
                messages.success(request, f"The study is {state.label.lower()}.")
            except lifecycle.WrongState as refusal:
                messages.warning(request, str(refusal))
        return redirect("admin:studies_study_change", pk)

    # ---- list columns

    @admin.display(description="state", ordering="state")
    def state_tag(self, study):
        mark = " ok" if study.state == Study.State.LIVE else ""
        return format_html('<span class="tag{}">{}</span>', mark, study.get_state_display())

    @admin.display(description="panels")
    def panel_names(self, study):
        return ", ".join(str(panel) for panel in study.panels.all()) or "none yet"


class ReadOnly(admin.ModelAdmin):
    """Records to look at; they change through their own pages."""

    def has_add_permission(self, request):
        return False

    def has_change_permission(self, request, obj=None):
        return False

    def has_delete_permission(self, request, obj=None):
        return False

    def get_queryset(self, request):
        mine = Study.objects.visible_to(request.user)
        return super().get_queryset(request).filter(study__in=mine)


admin.site.register(Question, QuestionAdmin)


@admin.register(Item)
class ItemAdmin(ReadOnly):
    list_display = ["external_id", "study", "country", "category", "system", "origin"]
    list_filter = ["origin", "country"]
    search_fields = ["external_id"]
    list_select_related = ["study", "system"]


@admin.register(Descriptor)
class DescriptorAdmin(ReadOnly):
    list_display = ["token", "kind", "dimension", "activity", "country", "item", "source"]
    list_filter = ["kind", "dimension", "country"]
    search_fields = ["token"]
    list_select_related = ["item"]
