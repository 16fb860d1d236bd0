"""The workshop: where a study is designed and launched."""

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import models
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path, reverse
from django.utils.html import format_html

from studies import lifecycle
from studies.admin_import import import_urls
from studies.designs import people_needed
from studies.models import AttentionCheck, Descriptor, Item, Panel, Question, ScalePoint, Study

admin.site.site_title = "Concord"
admin.site.site_header = "Concord"
admin.site.index_title = "All records"
admin.site.enable_nav_sidebar = False

DEFAULT_POINTS = 5


def is_frozen(obj) -> bool:
    """Whether this study, or the study this is a part of, was launched."""
    study = obj if isinstance(obj, Study) or obj is None else obj.study
    return study is not None and not study.is_draft


class FrozenAfterLaunch:
    """A part of a design: it can be edited as long as its study is a draft."""

    def has_change_permission(self, request, obj=None):
        return super().has_change_permission(request, obj) and not is_frozen(obj)

    def has_delete_permission(self, request, obj=None):
        return super().has_delete_permission(request, obj) and not is_frozen(obj)


class FrozenInline(FrozenAfterLaunch):
    def has_add_permission(self, request, obj):
        return super().has_add_permission(request, obj) and not is_frozen(obj)


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
        ("Basics", {"fields": ["title", "slug", "public_title"], "classes": ["anchor-basics"]}),
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
        study = self.get_object(request, object_id)
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


class ScalePointInline(FrozenInline, admin.TabularInline):
    model = ScalePoint
    verbose_name_plural = "Points of the scale, lowest value first"

    def get_extra(self, request, obj=None, **kwargs):
        return 0 if obj else DEFAULT_POINTS

    def get_formset(self, request, obj=None, **kwargs):
        formset = super().get_formset(request, obj, **kwargs)
        if obj is not None:
            return formset

        class NewScale(formset):
            """Five empty points to fill in; one without a label is not made."""

            def __init__(self, *args, **kwargs):
                kwargs["initial"] = [{"value": i + 1} for i in range(DEFAULT_POINTS)]
                super().__init__(*args, **kwargs)

        return NewScale


class QuestionForm(forms.ModelForm):
    """Study and kind are set by the page one comes from; other fields depend on them."""

    class Meta:
        model = Question
        fields = [
            "study",
            "kind",
            "position",
            "text",
            "help",
            "required",
            "key",
            "reported_as",
            "direction",
            "min_length",
            "required_when",
            "required_from",
            "required_to",
        ]
        widgets = {
            "study": forms.HiddenInput,
            "kind": forms.HiddenInput,
            "text": forms.Textarea(attrs={"rows": 2}),
        }

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        if "required_when" not in self.fields:
            return
        study = self.instance.study_id or self.initial.get("study") or self.data.get("study")
        others = Question.objects.filter(study_id=study or 0, kind=Question.Kind.LIKERT)
        self.fields["required_when"].queryset = others.exclude(pk=self.instance.pk)


@admin.register(Question)
class QuestionAdmin(FrozenAfterLaunch, admin.ModelAdmin):
    form = QuestionForm

    def _kind(self, request, obj) -> str:
        return obj.kind if obj else request.GET.get("kind", Question.Kind.LIKERT)

    def get_inlines(self, request, obj):
        return [ScalePointInline] if self._kind(request, obj) == Question.Kind.LIKERT else []

    def get_fieldsets(self, request, obj=None):
        asked = ["study", "kind", "position", "text", "help", "required"]
        named = ["key", "reported_as"]
        if self._kind(request, obj) == Question.Kind.LIKERT:
            return [
                (None, {"fields": asked}),
                ("In exports and reports", {"fields": [*named, "direction"]}),
            ]
        when = ["min_length", ("required_when", "required_from", "required_to")]
        return [
            (None, {"fields": asked}),
            ("How long, and which answers make it required", {"fields": when}),
            ("In exports and reports", {"fields": named}),
        ]

    def formfield_for_foreignkey(self, db_field, request, **kwargs):
        if db_field.name == "required_when":
            return db_field.formfield(**kwargs)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def get_queryset(self, request):
        mine = Study.objects.visible_to(request.user)
        return super().get_queryset(request).filter(study__in=mine)

    def has_module_permission(self, request):
        return False  # questions are reached from their study

    def get_changeform_initial_data(self, request):
        initial = super().get_changeform_initial_data(request)
        study = initial.get("study")
        if study:
            initial["position"] = Question.objects.filter(study_id=study).count() + 1
        return initial

    def add_view(self, request, form_url="", extra_context=None):
        wanted = request.POST.get("study") or request.GET.get("study")
        if not str(wanted).isdecimal():
            return redirect("admin:studies_study_changelist")
        study = get_object_or_404(Study.objects.visible_to(request.user), pk=wanted)
        if not study.is_draft:
            messages.warning(request, "The design is frozen since the launch.")
            return redirect("admin:studies_study_change", study.pk)
        extra = {"study": study, "tab": "design", "title": "New question"}
        return super().add_view(request, form_url, (extra_context or {}) | extra)

    def change_view(self, request, object_id, form_url="", extra_context=None):
        question = self.get_object(request, object_id)
        extra = {"study": question and question.study, "tab": "design"}
        return super().change_view(request, object_id, form_url, (extra_context or {}) | extra)

    def _back(self, obj):
        return redirect(reverse("admin:studies_study_change", args=[obj.study_id]) + "#questions")

    def response_add(self, request, obj, post_url_continue=None):
        messages.success(request, f"Question “{obj.label}” is added.")
        return self._back(obj)

    def response_change(self, request, obj):
        messages.success(request, f"Question “{obj.label}” is saved.")
        return self._back(obj)

    def response_delete(self, request, obj_display, obj_id):
        messages.success(request, f"Question “{obj_display}” is deleted.")
        return redirect("admin:studies_study_changelist")


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
