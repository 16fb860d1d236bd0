"""The workshop's pages for one question and its points, with a live preview of its card."""

from contextlib import nullcontext

from django.contrib import admin, messages
from django.db import transaction
from django.http import HttpRequest
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse

from studies.admin_cards import shown_words
from studies.admin_frozen import NamedInline, Revising, is_saving, keep_fields, lock_study
from studies.admin_kinds import (
    N_FIRST_POINTS,
    POINTS_TITLE,
    end_values,
    fields_of,
    kind_page,
    sections_of,
)
from studies.admin_question_form import PointForm, PointsFormSet, QuestionForm
from studies.admin_sections import SectionView, section_view
from studies.models import Question, ScalePoint, Study
from studies.revisions import is_asked

FIXED_OF_QUESTION = ("key", "level", "direction", "asked_of")
WHY_FIXED = "Stays: people were asked it. To ask otherwise, retire it below and add a question."


class PointsInline(NamedInline, admin.TabularInline):
    """The points of one kind of question; ``question_kind`` is set on a subclass per kind."""

    model = ScalePoint
    form = PointForm
    question_kind = Question.Kind.LIKERT
    items_per_unit = 1

    @property
    def is_pair(self) -> bool:
        return kind_page(self.question_kind).points == "ends"

    def get_extra(self, request, obj=None, **kwargs):
        n_now = obj.points.count() if obj is not None else 0
        if self.is_pair:
            return max(2 - n_now, 0)
        return 0 if n_now else N_FIRST_POINTS[kind_page(self.question_kind).points]

    def get_max_num(self, request, obj=None, **kwargs):
        if self.max_num == 0:  # nothing may be added
            return 0
        return 2 if self.is_pair else 101

    def get_fields(self, request, obj=None):
        return ["value", "label"] if self.is_pair else ["value", "label", "description"]

    def has_add_permission(self, request, obj):
        return super().has_add_permission(request, obj) and not _was_asked(obj)

    def has_delete_permission(self, request, obj=None):
        allowed = super().has_delete_permission(request, obj)
        return allowed and not self.is_pair and not _was_asked(obj)

    def get_formset(self, request, obj=None, **kwargs):
        settings = {
            "kind": self.question_kind,
            "items_per_unit": self.items_per_unit,
            "was_asked": _was_asked(obj),
        }
        kwargs["formset"] = type("PointsOfKind", (PointsFormSet,), settings)
        return super().get_formset(request, obj, **kwargs)


def _was_asked(obj: Question | None) -> bool:
    """Whether people saw it: then its numbers stay, and its words may change."""
    return obj is not None and not obj.study.is_draft and is_asked(obj)


def points_inline(kind: str, items_per_unit: int) -> type[PointsInline]:
    title = POINTS_TITLE[kind_page(kind).points]
    low, high = end_values(kind, items_per_unit)
    if kind == Question.Kind.RANKING:
        title = f"{title}: {low} is the first place, {high} the last"
    settings = {
        "question_kind": kind,
        "items_per_unit": items_per_unit,
        "verbose_name": "option" if kind == Question.Kind.CHOICE else "point",
        "verbose_name_plural": title,
    }
    return type("PointsOfQuestion", (PointsInline,), settings)


class QuestionAdmin(Revising, admin.ModelAdmin):
    form = QuestionForm
    change_form_template = "admin/studies/question/change_form.html"

    # ---- what the page shows

    def _kind(self, request, obj) -> str:
        if obj is not None:
            return obj.kind
        wanted = request.POST.get("kind") or request.GET.get("kind")
        return wanted if wanted in Question.Kind.values else Question.Kind.LIKERT

    def get_inlines(self, request, obj):
        kind = self._kind(request, obj)
        if not kind_page(kind).points:
            return []
        return [points_inline(kind, _study_of(request, obj).items_per_unit)]

    def get_fieldsets(self, request, obj=None):
        frozen = obj is not None and not obj.study.is_draft
        fields = fields_of(self._kind(request, obj), frozen=frozen)
        return [(None, {"fields": ["study", "kind", *fields]})]

    def formfield_for_dbfield(self, db_field, request, **kwargs):
        if db_field.name in {"required_when", "shown_if"}:
            return db_field.formfield(**kwargs)  # plain: without buttons to make another question
        return super().formfield_for_dbfield(db_field, request, **kwargs)

    def formfield_for_foreignkey(self, db_field, request, **kwargs):
        if db_field.name == "study":
            kwargs["queryset"] = Study.objects.visible_to(request.user)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def get_queryset(self, request):
        mine = Study.objects.visible_to(request.user)
        return super().get_queryset(request).filter(study__in=mine).select_related("study")

    def has_module_permission(self, request):
        return False  # questions are reached from their study

    def has_delete_permission(self, request, obj=None):
        """After the launch a question is asked no more, and kept with its answers."""
        allowed = super().has_delete_permission(request, obj)
        return allowed and (obj is None or obj.study.is_draft)

    def render_change_form(self, request, context, add=False, change=False, form_url="", obj=None):
        kind = self._kind(request, obj)
        form = context["adminform"].form
        frozen = obj is not None and not obj.study.is_draft
        summary = ", ".join([f"Tier {obj.tier}", *shown_words(obj)]) if obj is not None else ""
        context |= {
            "kind_label": Question.Kind(kind).label,
            "kind_about": kind_page(kind).about,
            "kind": kind,
            "kept_subject": obj.asked_of if _was_asked(obj) else "",
            "sections": _sections(form, kind, frozen=frozen, summary=summary),
            "preview_url": reverse("annotation:preview_card", args=[context["study"].slug]),
        }
        return super().render_change_form(request, context, add, change, form_url, obj)

    def get_form(self, request, obj=None, change=False, **kwargs):
        base = super().get_form(request, obj, change=change, **kwargs)
        if not _was_asked(obj):
            return base

        class Asked(base):
            def __init__(self, *args, **kwargs):
                super().__init__(*args, **kwargs)
                keep_fields(self, FIXED_OF_QUESTION, WHY_FIXED)

        return Asked

    # ---- opening and saving

    def study_of(self, obj: Question) -> Study:
        return obj.study

    def add_view(self, request, form_url="", extra_context=None):
        wanted = request.POST.get("study") or request.GET.get("study")
        if not str(wanted).isdecimal():
            return redirect("admin:studies_study_changelist")
        study = get_object_or_404(Study.objects.visible_to(request.user), pk=wanted)
        extra = {"study": study, "tab": "design", "title": "New question"} | (extra_context or {})
        with transaction.atomic() if request.method == "POST" else nullcontext():
            if is_saving(request):
                extra["study"] = lock_study(study.pk)
            return super().add_view(request, form_url, extra)

    def get_object(self, request, object_id, from_field=None):
        question = super().get_object(request, object_id, from_field)
        if question is not None and is_saving(request):
            question.study = lock_study(question.study_id)
        return question

    def change_view(self, request, object_id, form_url="", extra_context=None):
        question = super().get_object(request, object_id)
        extra = {"study": question and question.study, "tab": "design"}
        return super().change_view(request, object_id, form_url, (extra_context or {}) | extra)

    def save_model(self, request, obj, form, change):
        if not change:
            last = obj.study.questions.order_by("position").last()
            obj.position = last.position + 1 if last else 1
        super().save_model(request, obj, form, change)

    def _back(self, obj):
        return redirect(reverse("admin:studies_study_change", args=[obj.study_id]) + "#questions")

    def response_add(self, request, obj, post_url_continue=None):
        messages.success(request, f"Question “{obj.label}” is added.")
        return self._after(request, obj)

    def response_change(self, request, obj):
        messages.success(request, f"Question “{obj.label}” is saved.")
        return self._after(request, obj)

    def _after(self, request, obj):
        if "_preview" in request.POST:
            return redirect("annotation:preview_unit", obj.study.slug, 1)
        return self._back(obj)

    def delete_view(self, request, object_id, extra_context=None):
        question = super().get_object(request, object_id)
        response = super().delete_view(request, object_id, extra_context)
        gone = question is not None and response.status_code == 302
        return self._back(question) if gone else response


def _study_of(request: HttpRequest, obj: Question | None) -> Study:
    if obj is not None:
        return obj.study
    wanted = request.POST.get("study") or request.GET.get("study")
    return get_object_or_404(Study.objects.visible_to(request.user), pk=wanted)


def _sections(form, kind: str, *, frozen: bool, summary: str) -> dict[str, SectionView]:
    views = {}
    for key, title, rows, folded in sections_of(kind, frozen=frozen):
        line = (summary or "Tier 1, on every screen") if folded else ""
        views[key] = section_view(
            form, key=key, title=title, rows=rows, folded=folded, summary=line
        )
    return views
