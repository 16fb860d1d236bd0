"""The prompts that metrics ask models with: read by all of a study, edited as new versions."""

from __future__ import annotations

from http import HTTPStatus

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from scoring.prompt_edits import edit_in_force, edit_prompt, newest_number, prompt_of, take_back
from scoring.prompting.prompt import (
    DATA_LINE,
    MOST_LETTERS,
    Prompt,
    PromptError,
    all_prompts,
    prompt,
)
from studies.access import study_page
from studies.models import Study


class PromptForm(forms.Form):
    """``seen`` is the newest edit that the page showed: a later one of somebody else is noticed."""

    system = forms.CharField(
        label="Role", widget=forms.Textarea(attrs={"rows": 3}), max_length=MOST_LETTERS
    )
    user = forms.CharField(
        label="Words", widget=forms.Textarea(attrs={"rows": 18}), max_length=MOST_LETTERS
    )
    seen = forms.IntegerField(widget=forms.HiddenInput, min_value=0)


@require_GET
@study_page
def prompts(request: HttpRequest, study: Study) -> HttpResponse:
    edited = set(study.prompt_edits.order_by().values_list("prompt", flat=True).distinct())
    rows = [
        {"prompt": row, "edit": edit_in_force(study, row.key) if row.key in edited else None}
        for row in all_prompts()
    ]
    context = {"study": study, "tab": "metrics", "rows": rows}
    return render(request, "scoring/prompts.html", context)


@require_http_methods(["GET", "POST"])
@study_page
def one_prompt(request: HttpRequest, study: Study, family: str, name: str) -> HttpResponse:
    key = f"{family}/{name}"
    base = _known(key)
    form = PromptForm(request.POST or None, initial=_initial(study, prompt_of(study, key)))
    if request.method == "POST" and form.is_valid():
        try:
            _change(request, study, key, form.cleaned_data)
            return redirect("scoring:prompt", study.slug, family, name)
        except PromptError as error:
            form.add_error(None, str(error))
    context = {
        "study": study,
        "tab": "metrics",
        "base": base,
        "in_force": edit_in_force(study, key),
        "edits": study.prompt_edits.filter(prompt=key).select_related("made_by"),
        "inputs": sorted(base.inputs),
        "data_line": DATA_LINE if base.schema else "",
        "form": form,
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    return render(request, "scoring/prompt.html", context, status=status)


def _known(key: str) -> Prompt:
    try:
        return prompt(key)
    except PromptError as error:
        raise Http404(str(error)) from error


def _initial(study: Study, words: Prompt) -> dict[str, object]:
    return {
        "system": words.system.strip(),
        "user": words.user.strip(),
        "seen": newest_number(study, words.key),
    }


def _change(request: HttpRequest, study: Study, key: str, given: dict[str, object]) -> None:
    if "take_back" in request.POST:
        take_back(study=study, key=key, seen=given["seen"], by=request.user)
        messages.success(request, "This prompt is asked in our words again from the next run on.")
        return
    edit = edit_prompt(study=study, key=key, by=request.user, **given)
    messages.success(
        request, f"Edit {edit.number} is in force from the next run on. Scores so far stay."
    )
