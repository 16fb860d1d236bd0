"""The workshop: where a study is designed and launched."""

from collections import Counter

from django import forms
from django.contrib import admin, messages
from django.db import models
from django.shortcuts import redirect, render
from django.urls import path
from django.utils.html import format_html

from studies import lifecycle, units
from studies.admin_bank import bank_urls
from studies.admin_checks import (
    ComprehensionInline,
    ContradictionInline,
    ScreeningInline,
    checks_urls,
)
from studies.admin_frozen import (
    KeptInline,
    NamedInline,
    Revising,
    is_frozen,
    is_saving,
    keep_fields,
    lock_study,
)
from studies.admin_history import history_page
from studies.admin_import import import_urls
from studies.admin_life import life_urls
from studies.admin_presets import delete_preset, new_study
from studies.admin_questions import QuestionAdmin
from studies.admin_study_form import FIELDS, PanelForm
from studies.admin_study_page import study_page_context
from studies.admin_words import words_urls
from studies.models import AttentionCheck, Descriptor, Item, Panel, Question, Study
from studies.models.question import SCALES_OF_CHECKS
from studies.revisions import FREE_AFTER_LAUNCH

admin.site.site_title = "Concord"
admin.site.site_header = "Concord"
admin.site.index_title = "All records"
admin.site.enable_nav_sidebar = False

PANEL_EDITABLE = {"seats", "more_languages"}
"""Of a panel once the study was opened: places and screening follow from the rest."""


class PanelInline(KeptInline, admin.TabularInline):
    model = Panel
    form = PanelForm
    extra = 0
    verbose_name_plural = "Panels"

    def get_formset(self, request, obj=None, **kwargs):
        formset = super().get_formset(request, obj, **kwargs)
        if not is_frozen(obj):
            return formset

        class Opened(formset):
            def add_fields(self, form, index):
                super().add_fields(form, index)
                kept = form.fields.keys() - PANEL_EDITABLE - {"id", "study", "DELETE"}
                keep_fields(form, kept, why="")

        return Opened


class AttentionCheckInline(NamedInline, admin.TabularInline):
    model = AttentionCheck
    extra = 0
    verbose_name_plural = "Attention checks"

    def has_delete_permission(self, request, obj=None):
        """Once shown, a check is switched off, not deleted."""
        return super().has_delete_permission(request, obj) and not is_frozen(obj)

    def formfield_for_dbfield(self, db_field, request, **kwargs):
        if db_field.name != "scale_of":
            return super().formfield_for_dbfield(db_field, request, **kwargs)
        study = request.resolver_match.kwargs.get("object_id")
        scales = Question.objects.filter(study_id=study or 0, kind__in=SCALES_OF_CHECKS)
        # Plain: without Django's buttons to make another question.
        return db_field.formfield(queryset=scales)


class ArchiveFilter(admin.SimpleListFilter):
    """Archived studies are out of the way until somebody asks for them."""

    title = "archive"
    parameter_name = "archive"

    def lookups(self, request, model_admin):
        return [("yes", "In the archive"), ("all", "All")]

    def choices(self, changelist):
        rows = list(super().choices(changelist))
        rows[0]["display"] = "In use"
        return rows

    def queryset(self, request, queryset):
        if self.value() == "all":
            return queryset
        return queryset.archived() if self.value() == "yes" else queryset.in_use()


@admin.register(Study)
class StudyAdmin(Revising, admin.ModelAdmin):
    list_display = ["title", "state_tag", "panel_names", "launched_at"]
    list_filter = ["state", ArchiveFilter]
    search_fields = ["title", "slug"]
    actions = None
    formfield_overrides = {
        models.URLField: {"assume_scheme": "https"},
        models.TextField: {"widget": forms.Textarea(attrs={"rows": 4})},
    }
    fieldsets = [(None, {"fields": FIELDS})]
    inlines = [
        PanelInline,
        ScreeningInline,
        ComprehensionInline,
        AttentionCheckInline,
        ContradictionInline,
    ]

    # ---- who may do what

    def get_queryset(self, request):
        return super().get_queryset(request).visible_to(request.user).prefetch_related("panels")

    def has_delete_permission(self, request, obj=None):
        """A study that anybody opened is kept: archive it instead."""
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

    def delete_view(self, request, object_id, extra_context=None):
        """What was opened is not deleted: the page says so and offers the archive."""
        study = super().get_object(request, object_id)
        if study is None or study.is_draft:
            return super().delete_view(request, object_id, extra_context)
        context = {**self.admin_site.each_context(request), "study": study, "tab": "design"}
        context["title"] = "This study is kept"
        return render(request, "admin/studies/study/kept.html", context, status=403)

    # ---- pages

    def get_urls(self):
        own = [
            path(
                "presets/delete/",
                self.admin_site.admin_view(delete_preset),
                name="studies_preset_delete",
            ),
            *life_urls(self.admin_site),
            *bank_urls(self.admin_site),
            *import_urls(self.admin_site),
            *words_urls(self.admin_site),
            *checks_urls(self.admin_site),
        ]
        return [*own, *super().get_urls()]

    def add_view(self, request, form_url="", extra_context=None):
        if not self.has_add_permission(request):
            return super().add_view(request, form_url, extra_context)
        return new_study(request, self.admin_site.each_context(request))

    def history_view(self, request, object_id, extra_context=None):
        study = self.get_object(request, object_id)
        if study is None:
            return self._get_obj_does_not_exist_redirect(request, self.opts, object_id)
        return history_page(request, self.admin_site.each_context(request), study)

    def get_object(self, request, object_id, from_field=None):
        study = super().get_object(request, object_id, from_field)
        return lock_study(study.pk) if study is not None and is_saving(request) else study

    def get_form(self, request, obj=None, change=False, **kwargs):
        base = super().get_form(request, obj, change=change, **kwargs)
        if not is_frozen(obj):
            return base

        class Opened(base):
            def __init__(self, *args, **kwargs):
                super().__init__(*args, **kwargs)
                keep_fields(self, self.fields.keys() - FREE_AFTER_LAUNCH)
                self.fields["consent_summary"].required = True  # people must have one to agree to

        return Opened

    def save_model(self, request, obj, form, change):
        """Screens follow the two settings that say what is on one, as long as it is a draft."""
        super().save_model(request, obj, form, change)
        if obj.is_draft and units.RULES & set(form.changed_data):
            try:
                units.rebuild(obj)
            except units.TooManySets as refusal:
                messages.warning(request, str(refusal))

    def response_change(self, request, obj):
        messages.success(request, "Saved.")
        if "_preview" in request.POST:
            return redirect("annotation:preview", obj.slug)
        return redirect("admin:studies_study_change", obj.pk)

    def change_view(self, request, object_id, form_url="", extra_context=None):
        study = super().get_object(request, object_id)
        extra = {"study": study, "tab": "design", "show_close": False}
        return super().change_view(request, object_id, form_url, (extra_context or {}) | extra)

    def render_change_form(self, request, context, add=False, change=False, form_url="", obj=None):
        if context.get("study") is not None:
            may_change = self.has_change_permission(request, obj)
            context |= study_page_context(context["study"], context, may_change=may_change)
        return super().render_change_form(request, context, add, change, form_url, obj)

    # ---- list columns

    @admin.display(description="state", ordering="state")
    def state_tag(self, study):
        mark = " ok" if study.state == Study.State.LIVE else ""
        return format_html('<span class="tag{}">{}</span>', mark, study.get_state_display())

    @admin.display(description="panels")
    def panel_names(self, study):
        names = [str(panel) for panel in study.panels.all()]
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        return (", ".join(names[:3]) or "none yet") + more


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
