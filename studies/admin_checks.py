"""Checks in the workshop: rows of the study's page, and the page of practice and gold items."""

from __future__ import annotations

from django import forms
from django.contrib import admin, messages
from django.contrib.admin import AdminSite
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import URLPattern

from studies.admin_frozen import NamedInline, is_frozen
from studies.admin_pages import study_pages
from studies.marking import MarkRefused, mark_item, special_items
from studies.models import (
    CheckRules,
    ComprehensionQuestion,
    Contradiction,
    Question,
    ScreeningQuestion,
    Study,
    Unit,
)
from studies.models.item import Purpose
from studies.models.question import SCALES_OF_CHECKS
from studies.ranges import RangeError, expected_text, read_expected
from studies.refusals import EditRefused
from studies.revisions import revise
from studies.special_checks import JUDGED, item_doubts


class SwitchedOff:
    """Once shown, such a row is switched off, not deleted."""

    def has_delete_permission(self, request, obj=None):
        return super().has_delete_permission(request, obj) and not is_frozen(obj)


class ComprehensionInline(SwitchedOff, NamedInline, admin.TabularInline):
    model = ComprehensionQuestion
    extra = 0
    verbose_name = "quick check"
    verbose_name_plural = "Quick check on the instructions page: two chances"


class ScreeningInline(SwitchedOff, NamedInline, admin.TabularInline):
    model = ScreeningQuestion
    extra = 0
    verbose_name = "screening question"
    verbose_name_plural = "Screening questions of your own, beside those of the panels"


class UnitKeyField(forms.ModelChoiceField):
    """A unit by its key, typed: there may be thousands."""

    def prepare_value(self, value):
        if isinstance(value, int):
            return self.queryset.filter(pk=value).values_list("key", flat=True).first()
        return super().prepare_value(value)


class ContradictionInline(SwitchedOff, NamedInline, admin.TabularInline):
    model = Contradiction
    fk_name = "study"
    extra = 0
    verbose_name = "contradiction"
    verbose_name_plural = "Contradictions: answers that cannot stand together"

    def formfield_for_dbfield(self, db_field, request, **kwargs):
        study = request.resolver_match.kwargs.get("object_id") or 0
        field = None
        if db_field.name in ("question", "other"):
            scales = Question.objects.filter(study_id=study, kind__in=SCALES_OF_CHECKS)
            field = db_field.formfield(queryset=scales)
        elif db_field.name in ("unit", "other_unit"):
            field = UnitKeyField(
                Unit.objects.filter(study_id=study),
                to_field_name="key",
                required=False,
                label=db_field.verbose_name.capitalize(),
                widget=forms.TextInput(attrs={"placeholder": "any"}),
                error_messages={"invalid_choice": "The study has no unit of this key."},
            )
        if field is None:
            return super().formfield_for_dbfield(db_field, request, **kwargs)
        field.widget.attrs["aria-label"] = str(field.label)
        return field


QUALITY_PREFIXES = ("comprehension_questions", "attention_checks", "contradictions")


# ---- the page of practice, gold and examples


def checks_urls(admin_site: AdminSite) -> list[URLPattern]:
    return study_pages(admin_site, [("practice/", special_page, "special")], tab="items")


class SpecialForm(forms.Form):
    item = forms.CharField(max_length=200, label="Item", help_text="Its id in your table.")
    purpose = forms.ChoiceField(choices=Purpose.choices, label="What it is for")
    expected = forms.CharField(
        max_length=1000,
        required=False,
        label="Accepted answers",
        widget=forms.TextInput(attrs={"size": 60}),
        help_text="E.g. faithfulness: 4-5; realism: 1. Of an example: the point it shows.",
    )
    feedback = forms.CharField(
        max_length=400,
        required=False,
        label="Words",
        widget=forms.TextInput(attrs={"size": 60}),
        help_text="Said after a practice screen, or beside an example. One sentence.",
    )

    def clean_expected(self) -> dict:
        try:
            return read_expected(self.cleaned_data["expected"])
        except RangeError as error:
            raise forms.ValidationError(str(error)) from error


class RulesForm(forms.ModelForm):
    class Meta:
        model = CheckRules
        fields = ["gold_per_session", "plain_gold"]


def special_page(request: HttpRequest, context: dict, study: Study) -> HttpResponse:
    """Practice, gold and example items, one form to add or change one."""
    rules = CheckRules.objects.filter(study=study).first() or CheckRules(study=study)
    plain = {"label_suffix": ""}
    item_form = SpecialForm(initial=_initial(request, study), **plain)
    rules_form = RulesForm(instance=rules, **plain)
    if request.method == "POST":
        is_rules = "gold_per_session" in request.POST
        form = (
            RulesForm(request.POST, instance=rules, **plain)
            if is_rules
            else SpecialForm(request.POST, **plain)
        )
        if form.is_valid() and _saved(request, study, form):
            return redirect("admin:studies_study_special", study.pk)
        item_form, rules_form = (item_form, form) if is_rules else (form, rules_form)
    asked = study.questions.filter(retired=False).prefetch_related("points")
    questions = {row.key: row for row in asked}
    rows = [
        (item, expected_text(item.expected), list(item_doubts(item, questions)))
        for item in special_items(study)
    ]
    context |= {
        "title": "Practice, gold and examples",
        "rows": rows,
        "item_form": item_form,
        "rules_form": rules_form,
        "keys": [key for key, row in questions.items() if row.kind in JUDGED],
    }
    refused = item_form.errors or rules_form.errors
    return render(request, "admin/studies/special.html", context, status=422 if refused else 200)


def _initial(request: HttpRequest, study: Study) -> dict:
    item = study.items.filter(external_id=request.GET.get("item", "")).first()
    if item is None:
        return {"purpose": Purpose.PRACTICE}
    return {
        "item": item.external_id,
        "purpose": item.purpose,
        "expected": expected_text(item.expected),
        "feedback": item.feedback,
    }


def _saved(request: HttpRequest, study: Study, form: SpecialForm | RulesForm) -> bool:
    """Write what a valid form says; of an opened study it is the next revision."""
    try:
        if isinstance(form, RulesForm):
            form.save()
        else:
            mark_item(study=study, **form.cleaned_data)
        if not study.is_draft:
            revise(study=study, by=request.user, note="Practice, gold and examples.")
    except MarkRefused as refusal:
        form.add_error(refusal.field, str(refusal))
        return False
    except EditRefused as refusal:
        form.add_error(None, list(refusal.sentences))
        return False
    messages.success(request, "Saved.")
    return True
