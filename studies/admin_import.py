"""The workshop's pages for imports: upload, a worker's check, preview, confirmation."""

from __future__ import annotations

from collections.abc import Callable

from django import forms
from django.contrib.admin import AdminSite
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern
from django.views.decorators.http import require_POST, require_safe

from studies import admin_items
from studies.admin_pages import study_pages
from studies.importing import uploads, work
from studies.importing.writing import CLOSED, takes_items
from studies.models import ImportUpload, Study

MAX_TABLE_BYTES = 200 * 2**20
FLAT_PROBLEMS = 60
TABLES = ".csv,.tsv,.txt,.xlsx,.jsonl,.ndjson,text/csv"
NOUNS = {
    ImportUpload.Kind.ITEMS: "item",
    ImportUpload.Kind.DESCRIPTORS: "descriptor",
    ImportUpload.Kind.PROBES: "probe",
    ImportUpload.Kind.GOLD: "gold label",
    ImportUpload.Kind.SCENARIOS: "prompt",
}


class ManyFilesInput(forms.ClearableFileInput):
    allow_multiple_selected = True


class ManyFilesField(forms.FileField):
    """Several files, none of them required."""

    def __init__(self, **kwargs):
        super().__init__(required=False, **kwargs)

    def clean(self, data, initial=None):
        return [super(ManyFilesField, self).clean(file, initial) for file in data or []]


def no_huge_table(file) -> None:
    """A table is read whole."""
    if file.size > MAX_TABLE_BYTES:
        limit = MAX_TABLE_BYTES // 2**20
        raise forms.ValidationError(f"More than {limit} MB. Import it in several files.")


def _table_field(what: str, *, required: bool = True) -> forms.FileField:
    return forms.FileField(
        label=what,
        required=required,
        validators=[no_huge_table],
        widget=forms.FileInput(attrs={"accept": TABLES}),
        error_messages={
            "required": "Choose the table.",
            "empty": "This table is empty. Choose another file.",
        },
    )


class ItemsForm(forms.Form):
    """A table, files, or both: the prompt book says what files without a table are."""

    table = _table_field("Table of items", required=False)
    files = ManyFilesField(widget=ManyFilesInput(attrs={"accept": "image/*,video/*,audio/*,.zip"}))
    folder = ManyFilesField(widget=ManyFilesInput(attrs={"webkitdirectory": True}))
    transcode = forms.BooleanField(
        required=False, label="Convert clips that not every browser plays"
    )

    def __init__(self, *args, has_book: bool = False, is_correction: bool = False, **kwargs):
        super().__init__(*args, **kwargs)
        self.has_book = has_book
        self.is_correction = is_correction

    def chosen_files(self):
        return [*self.cleaned_data["files"], *self.cleaned_data["folder"]]

    def clean(self):
        cleaned = super().clean()
        if self.errors or cleaned.get("table"):
            return cleaned
        if self.is_correction and not self.chosen_files() and "transcode" not in self.changed_data:
            raise forms.ValidationError("Choose the corrected table, missing files, or both.")
        if not self.is_correction and not (self.has_book and self.chosen_files()):
            raise forms.ValidationError("Choose the table of items.")
        return cleaned


class TableForm(forms.Form):
    table = _table_field("File")


def import_urls(admin_site: AdminSite) -> list[URLPattern]:
    """The addresses of this module, below those of the study in the admin."""
    pages = [
        ("items/", admin_items.items, "items"),
        ("items/example/", admin_items.example, "items_example"),
        ("items/remove/", admin_items.remove, "items_remove"),
        ("prompts/", admin_items.prompts, "prompts"),
        ("import/", import_items, "import"),
        ("import/<int:upload_pk>/", import_preview, "import_preview"),
        ("import/<int:upload_pk>/progress/", import_progress, "import_progress"),
        ("import/<int:upload_pk>/again/", import_again, "import_again"),
        ("import/<int:upload_pk>/confirm/", import_confirm, "import_confirm"),
        ("import/<int:upload_pk>/problems.csv", import_problems, "import_problems"),
        ("import/<int:upload_pk>/picture/<int:number>/", import_picture, "import_picture"),
        *[
            (f"import/{kind}/", _table_page(kind), f"import_{kind}")
            for kind in NOUNS
            if kind != ImportUpload.Kind.ITEMS
        ],
    ]
    return study_pages(admin_site, pages, tab="items")


def _upload(study: Study, pk: int) -> ImportUpload:
    return get_object_or_404(study.uploads.select_related("study"), pk=pk)


# ---- upload


def import_items(request: HttpRequest, context: dict, study: Study) -> HttpResponse:
    """Choose the files; after the upload, the page of their check."""
    template = "admin/studies/import/items.html"
    has_book = study.scenarios.exists()
    frozen = "" if takes_items(study) else CLOSED
    context |= {
        "title": "Import items",
        "frozen": frozen,
        "has_book": has_book,
        "form": ItemsForm(has_book=has_book),
    }
    if request.method != "POST":
        return render(request, template, context)
    form = context["form"] = ItemsForm(request.POST, request.FILES, has_book=has_book)
    if frozen:
        return render(request, template, context, status=409)
    if not form.is_valid():
        return render(request, template, context, status=422)
    upload = uploads.start_upload(
        study=study,
        kind=ImportUpload.Kind.ITEMS,
        by=request.user,
        transcode=form.cleaned_data["transcode"],
    )
    if form.cleaned_data.get("table"):
        uploads.save_table(upload, form.cleaned_data["table"])
    uploads.save_files(upload, form.chosen_files())
    return _checking(upload)


def _table_page(kind: str) -> Callable[..., HttpResponse]:
    """The page where a table of one kind is chosen."""

    def import_table(request: HttpRequest, context: dict, study: Study) -> HttpResponse:
        template = "admin/studies/import/table.html"
        label = ImportUpload.Kind(kind).label
        context |= {"title": f"Import {label.lower()}", "kind": kind, "form": TableForm()}
        if request.method != "POST":
            return render(request, template, context)
        form = context["form"] = TableForm(request.POST, request.FILES)
        if not form.is_valid():
            return render(request, template, context, status=422)
        upload = uploads.start_upload(study=study, kind=kind, by=request.user)
        uploads.save_table(upload, form.cleaned_data["table"])
        return _checking(upload)

    return import_table


def _checking(upload: ImportUpload) -> HttpResponse:
    work.request_check(upload)
    return _to_preview(upload)


def _to_preview(upload: ImportUpload) -> HttpResponse:
    return redirect("admin:studies_study_import_preview", upload.study_id, upload.pk)


# ---- preview


def import_preview(
    request: HttpRequest, context: dict, study: Study, upload_pk: int
) -> HttpResponse:
    """Where an upload stands: at work, what it would do, what it did. POST brings corrections."""
    upload = _upload(study, upload_pk)
    if request.method != "POST":
        return _preview(request, context, upload)
    if upload.is_at_work or upload.is_done:
        return _preview(request, context, upload, status=409)
    is_items = upload.kind == ImportUpload.Kind.ITEMS
    if is_items and not takes_items(study):
        return _preview(request, context | {"frozen": CLOSED}, upload, status=409)
    if is_items:
        initial = {"transcode": upload.transcode}
        form = ItemsForm(request.POST, request.FILES, is_correction=True, initial=initial)
    else:
        form = TableForm(request.POST, request.FILES)
    if not form.is_valid():
        return _preview(request, context | {"form": form}, upload, status=422)
    if form.cleaned_data.get("table"):
        uploads.save_table(upload, form.cleaned_data["table"])
    if is_items:
        uploads.save_files(upload, form.chosen_files())
        upload.transcode = form.cleaned_data["transcode"]
        upload.save(update_fields=["transcode"])
    return _checking(upload)


def _preview(
    request: HttpRequest, context: dict, upload: ImportUpload, status: int = 200
) -> HttpResponse:
    label = upload.get_kind_display().lower()
    noun = NOUNS[upload.kind]
    context |= {"upload": upload, "noun": noun, "is_items": noun == "item", "label": label}
    check = uploads.load_check(upload)
    if upload.is_at_work or upload.is_done or check is None:
        context["title"] = f"Import {label}"
        return render(request, "admin/studies/import/state.html", context, status=status)
    groups = uploads.shown_groups(check)
    wanted = request.GET.get("kind", "")
    only = next((group for group in groups if str(group.number) == wanted), None)
    counts = check["counts"]
    is_flat = only is not None or check["n_problems"] <= FLAT_PROBLEMS
    flat = sorted(
        (problem for group in groups for problem in group.problems),
        key=lambda problem: problem.line,
    )
    context |= {
        "title": f"Import {label}: check before anything is written",
        "check": check,
        "counts": counts,
        "n_writing": counts["new"] + counts.get("changed", 0),
        "n_good": counts["new"] + counts.get("changed", 0) + counts["same"],
        "n_problems": check["n_problems"],
        "groups": groups,
        "only": only,
        "shown": only.problems if only else flat,
        "is_flat": is_flat,
        "more_groups": check["n_groups"] - len(groups),
    }
    return render(request, "admin/studies/import/preview.html", context, status=status)


@require_safe
def import_progress(
    request: HttpRequest, context: dict, study: Study, upload_pk: int
) -> HttpResponse:
    """How far the worker is; once it is done, the whole page is asked for anew."""
    upload = _upload(study, upload_pk)
    if not upload.is_at_work:
        answer = HttpResponse(status=200)
        answer["HX-Refresh"] = "true"
        return answer
    context |= {"upload": upload, "label": upload.get_kind_display().lower()}
    return render(request, "admin/studies/import/_progress.html", context)


@require_POST
def import_again(request: HttpRequest, context: dict, study: Study, upload_pk: int) -> HttpResponse:
    """Check once more what a failed attempt left."""
    upload = _upload(study, upload_pk)
    if upload.state == upload.State.FAILED and upload.folder.exists():
        return _checking(upload)
    return _to_preview(upload)


@require_POST
def import_confirm(
    request: HttpRequest, context: dict, study: Study, upload_pk: int
) -> HttpResponse:
    """Have written what the preview showed. A second click changes nothing."""
    upload = _upload(study, upload_pk)
    if upload.kind == ImportUpload.Kind.ITEMS and not takes_items(study):
        return _preview(request, context | {"frozen": CLOSED}, upload, status=409)
    try:
        work.request_write(upload)
    except work.AlreadyConfirmed:
        return _to_preview(upload)  # which says how it stands
    return _to_preview(upload)


# ---- files of a preview


@require_safe
def import_problems(
    request: HttpRequest, context: dict, study: Study, upload_pk: int
) -> FileResponse:
    file = _upload(study, upload_pk).folder / "problems.csv"
    if not file.exists():
        raise Http404("The uploaded files are gone.")
    response = FileResponse(file.open("rb"), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="problems.csv"'
    return response


@require_safe
def import_picture(
    request: HttpRequest, context: dict, study: Study, upload_pk: int, number: int
) -> FileResponse:
    found = uploads.staged_thumbnail(_upload(study, upload_pk), number)
    if found is None or not found[0].exists():
        raise Http404("No such picture in this preview.")
    file, content_type = found
    response = FileResponse(file.open("rb"), content_type=content_type)
    response["Cache-Control"] = "private, no-store"
    return response
