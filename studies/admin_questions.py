"""The workshop's pages for one question and the points of its scale."""

from contextlib import nullcontext

from django import forms
from django.contrib import admin, messages
from django.db import transaction
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse

from studies.admin_frozen import FrozenAfterLaunch, FrozenInline, is_saving, lock_study
from studies.models import Question, ScalePoint, Study

DEFAULT_POINTS = 5


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
        if self.instance.pk is not None:
            for name in {"study", "kind"} & self.fields.keys():
                self.fields[name].disabled = True  # whatever is posted, the question stays there
        if "required_when" not in self.fields:
            return
        study = self.instance.study_id or self.initial.get("study") or self.data.get("study")
        others = Question.objects.filter(study_id=study or 0, kind=Question.Kind.LIKERT)
        self.fields["required_when"].queryset = others.exclude(pk=self.instance.pk)


class QuestionAdmin(FrozenAfterLaunch, admin.ModelAdmin):
    form = QuestionForm

    def _kind(self, request, obj) -> str:
        if obj is not None:
            return obj.kind
        return request.POST.get("kind") or request.GET.get("kind") or Question.Kind.LIKERT

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
        if db_field.name == "study":
            kwargs["queryset"] = Study.objects.visible_to(request.user)
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
        extra = {"study": study, "tab": "design", "title": "New question"} | (extra_context or {})
        with transaction.atomic() if request.method == "POST" else nullcontext():
            if is_saving(request):
                study = lock_study(study.pk)
            if not study.is_draft:
                messages.warning(request, "The design is frozen since the launch.")
                return redirect("admin:studies_study_change", study.pk)
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

    def _back(self, obj):
        return redirect(reverse("admin:studies_study_change", args=[obj.study_id]) + "#questions")

    def response_add(self, request, obj, post_url_continue=None):
        messages.success(request, f"Question “{obj.label}” is added.")
        return self._back(obj)

    def response_change(self, request, obj):
        messages.success(request, f"Question “{obj.label}” is saved.")
        return self._back(obj)

    def delete_view(self, request, object_id, extra_context=None):
        question = super().get_object(request, object_id)
        response = super().delete_view(request, object_id, extra_context)
        gone = question is not None and response.status_code == 302
        return self._back(question) if gone else response
