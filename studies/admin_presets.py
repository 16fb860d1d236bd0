"""Making a study from a preset, and keeping a study's design as one."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from studies import presets
from studies.models import Study
from studies.refusals import EditRefused, WrongState

FROM_FILE = "file"
MAX_PRESET_BYTES = 500_000


class NewStudyForm(forms.Form):
    """One choice and a name; a file where the choice is "from a file"."""

    preset = forms.ChoiceField(
        widget=forms.RadioSelect,
        error_messages={
            "required": "Choose what the study starts from.",
            "invalid_choice": "There is no such preset any more. Choose one of the list.",
        },
    )
    title = forms.CharField(
        label="Name",
        max_length=200,
        help_text="For you and your colleagues. Annotators do not see it.",
        error_messages={"required": "Give the study a name."},
    )
    file = forms.FileField(
        label="Preset file",
        required=False,
        widget=forms.FileInput(attrs={"accept": ".toml"}),
        error_messages={"empty": "This file is empty. Choose another one."},
    )

    def __init__(self, *args, choices: list[presets.Preset], **kwargs):
        super().__init__(*args, **kwargs)
        self.offered = {preset.key: preset for preset in choices}
        keys = [(preset.key, preset.name) for preset in choices]
        self.fields["preset"].choices = [*keys, (FROM_FILE, "From a file")]

    def clean(self):
        cleaned = super().clean()
        if cleaned.get("preset") == FROM_FILE and "file" not in self.errors:
            self._read_file(cleaned.get("file"))
        return cleaned

    def _read_file(self, file) -> None:
        if file is None:
            self.add_error("file", "Choose the preset file.")
        elif file.size > MAX_PRESET_BYTES:
            self.add_error("file", "This is larger than a preset can be. Choose another file.")
        else:
            try:
                self.offered[FROM_FILE] = presets.parse_preset(file.read().decode("utf-8-sig"))
            except UnicodeDecodeError:
                self.add_error("file", "This is no text file. Choose a preset file, .toml.")
            except presets.PresetRefused as refusal:
                self.add_error("file", [str(problem) for problem in refusal.problems])

    @property
    def chosen(self) -> presets.Preset:
        return self.offered[self.cleaned_data["preset"]]


def new_study(request: HttpRequest, context: dict) -> HttpResponse:
    """Protocol cards; a choice and a name make the complete study."""
    offered = presets.available(request.user)
    form = NewStudyForm(
        request.POST or None,
        request.FILES or None,
        choices=offered,
        initial={"preset": request.GET.get("preset", "")},
    )
    if request.method == "POST" and form.is_valid():
        title = form.cleaned_data["title"]
        study = presets.create_study(preset=form.chosen, owner=request.user, title=title)
        messages.success(
            request, f"“{study.title}” is made from {form.chosen.name}. Bring your items next."
        )
        return redirect("admin:studies_study_change", study.pk)
    context |= {
        "title": "New study",
        "form": form,
        "published": [preset for preset in offered if not preset.is_saved],
        "saved": [preset for preset in offered if preset.is_saved],
        "unreadable": presets.unreadable(request.user),
        "chosen": form["preset"].value(),
        "from_file": FROM_FILE,
    }
    status = 422 if form.is_bound else 200
    return render(request, "admin/studies/study/new.html", context, status=status)


class SavePresetForm(forms.Form):
    name = forms.CharField(
        max_length=120,
        help_text="One of yours that has this name already is replaced.",
        error_messages={"required": "Give the preset a name."},
    )


def save_preset(request: HttpRequest, context: dict, study: Study) -> HttpResponse:
    form = SavePresetForm(request.POST or None, initial={"name": study.title[:120]})
    if request.method == "POST" and form.is_valid():
        try:
            row = presets.save_preset(
                study=study, owner=request.user, name=form.cleaned_data["name"].strip()
            )
        except presets.PresetRefused as refusal:
            form.add_error(None, [str(problem) for problem in refusal.problems])
        else:
            messages.success(request, f"“{row.name}” is kept. New studies can start from it.")
            return redirect("admin:studies_study_change", study.pk)
    context |= {"title": "Save as a preset", "form": form}
    status = 422 if form.is_bound else 200
    return render(request, "admin/studies/study/save_preset.html", context, status=status)


@require_safe
def preset_file(request: HttpRequest, context: dict, study: Study) -> HttpResponse:
    """The design as a file that others can start from; items and answers are not in it."""
    text = presets.preset_text(presets.preset_of(study))
    response = HttpResponse(text, content_type="application/toml; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{study.slug}.toml"'
    return response


@require_POST
def delete_preset(request: HttpRequest) -> HttpResponse:
    """Remove one of the person's own presets."""
    try:
        presets.delete_preset(key=request.POST.get("key", ""), owner=request.user)
    except presets.NoSuchPreset as missing:
        messages.warning(request, str(missing))
    else:
        messages.success(request, "The preset is deleted. Studies made from it stay as they are.")
    return redirect("admin:studies_study_add")


@require_POST
def reset_setting(request: HttpRequest, context: dict, study: Study) -> HttpResponse:
    """One setting back to what the study's preset had."""
    try:
        name = request.POST.get("setting", "")
        presets.reset_setting(study=study, name=name, by=request.user)
    except (presets.SettingRefused, EditRefused, WrongState) as refusal:
        messages.warning(request, str(refusal))
    else:
        messages.success(request, "The setting is as the preset had it.")
    return redirect("admin:studies_study_change", study.pk)
