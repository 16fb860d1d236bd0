"""The pages of a study's life: pilot, launch, pause, close, duplicate, archive."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.contrib.admin import AdminSite
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, reverse
from django.views.decorators.http import require_POST

from studies import lifecycle
from studies.admin_launch import launch_page, pilot_page
from studies.admin_pages import study_pages
from studies.admin_plan import fix_plan, plan_page
from studies.admin_presets import preset_file, reset_setting, save_preset
from studies.admin_recruitment import recruitment_page
from studies.models import Study
from studies.ordering import move_question
from studies.refusals import EditRefused, WrongState
from studies.revisions import revise


def life_urls(admin_site: AdminSite) -> list[URLPattern]:
    pages = [
        ("launch/", launch_page, "launch"),
        ("pilot/", pilot_page, "pilot"),
        ("move/", move, "move"),
        ("move-question/", move_one_question, "move_question"),
        ("duplicate/", duplicate, "duplicate"),
        ("archive/", archive, "archive"),
        ("reset/", reset_setting, "reset"),
        ("plan/", plan_page, "plan"),
        ("plan/fix/", fix_plan, "fix_plan"),
        ("recruitment/", recruitment_page, "recruitment"),
        ("preset/", save_preset, "save_preset"),
        ("preset/file/", preset_file, "preset_file"),
    ]
    return study_pages(admin_site, pages, tab="design")


@require_POST
def move(request: HttpRequest, context: dict, study: Study) -> HttpResponse:
    """Pause, resume, close, reopen."""
    try:
        state = lifecycle.move_study(study=study, move=request.POST.get("move", ""))
    except WrongState as refusal:
        messages.warning(request, str(refusal))
    else:
        messages.success(request, f"The study is {state.label.lower()}.")
    return redirect("admin:studies_study_change", study.pk)


@require_POST
def move_one_question(request: HttpRequest, context: dict, study: Study) -> HttpResponse:
    """One question up or down; of a study that was launched the order makes a new revision."""
    wanted = request.POST.get("up") or request.POST.get("down") or ""
    pk = int(wanted) if wanted.isdecimal() and len(wanted) < 19 else 0
    question = get_object_or_404(study.questions, pk=pk)
    if move_question(question=question, up="up" in request.POST) and not study.is_draft:
        try:
            revise(study=study, by=request.user, note=f"{question.label} was moved.")
        except (EditRefused, WrongState) as refusal:
            move_question(question=question, up="up" not in request.POST)
            messages.warning(request, str(refusal))
    page = reverse("admin:studies_study_change", args=[study.pk])
    return redirect(f"{page}#question-{question.pk}")


class DuplicateForm(forms.Form):
    title = forms.CharField(
        max_length=200,
        label="Name of the new study",
        error_messages={"required": "Give the new study a name."},
    )
    with_items = forms.BooleanField(
        required=False,
        initial=True,
        label="with the items, units, descriptors, probes, gold labels and prompt book",
        help_text="Answers are never copied.",
    )


def duplicate(request: HttpRequest, context: dict, study: Study) -> HttpResponse:
    initial = {"title": f"{study.title[:190]}, copy", "with_items": True}
    form = DuplicateForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        copy = lifecycle.duplicate_study(study=study, owner=request.user, **form.cleaned_data)
        messages.success(request, f"“{copy.title}” is made. It is a draft without answers.")
        return redirect("admin:studies_study_change", copy.pk)
    context |= {"title": f"Duplicate “{study.title}”", "form": form}
    status = 422 if form.is_bound else 200
    return render(request, "admin/studies/study/duplicate.html", context, status=status)


@require_POST
def archive(request: HttpRequest, context: dict, study: Study) -> HttpResponse:
    """Put away, or back: nothing is lost either way."""
    into = request.POST.get("archive") != "no"
    verb = lifecycle.archive_study if into else lifecycle.unarchive_study
    try:
        verb(study=study)
    except WrongState as refusal:
        messages.warning(request, str(refusal))
        return redirect("admin:studies_study_change", study.pk)
    if into:
        messages.success(
            request, f"“{study.title}” is in the archive. Everything is kept; find it there."
        )
        return redirect("studies:home")
    messages.success(request, f"“{study.title}” is out of the archive.")
    return redirect("admin:studies_study_change", study.pk)
