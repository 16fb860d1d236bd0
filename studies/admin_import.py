"""The workshop's pages for items: the list, and importing them and their descriptors."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.admin import AdminSite
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import Count
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path
from django.views.decorators.http import require_POST, require_safe

from studies.importing import uploads
from studies.importing.reports import group_problems, problems_csv
from studies.importing.writing import FROZEN, ImportRefused, ItemsChanged
from studies.lifecycle import DesignFrozen
from studies.models import Descriptor, ImportUpload, Study

MAX_TABLE_BYTES = 100 * 2**20
ITEMS_A_PAGE = 24
FLAT_PROBLEMS = 60
PROBLEMS_SHOWN = 200
EXAMPLE = settings.BASE_DIR / "fixtures" / "example_items.csv"


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


class PicturesForm(forms.Form):
    pictures = ManyFilesField(widget=ManyFilesInput(attrs={"accept": "image/*,.zip"}))
    folder = ManyFilesField(widget=ManyFilesInput(attrs={"webkitdirectory": True}))

    def chosen_pictures(self):
        return [*self.cleaned_data["pictures"], *self.cleaned_data["folder"]]


class ItemsForm(PicturesForm):
    table = forms.FileField(
        validators=[no_huge_table],
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.txt,text/csv"}),
        error_messages={
            "required": "Choose the table of items.",
            "empty": "This table is empty. Choose another file.",
        },
    )


class CorrectionForm(ItemsForm):
    """Any part of an upload anew; what is not chosen stays."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["table"].required = False

    def clean(self):
        cleaned = super().clean()
        if not self.errors and not cleaned.get("table") and not self.chosen_pictures():
            raise forms.ValidationError("Choose the corrected table, missing pictures, or both.")
        return cleaned


class DescriptorsForm(forms.Form):
    table = forms.FileField(
        validators=[no_huge_table],
        label="Descriptors",
        widget=forms.FileInput(attrs={"accept": ".jsonl,.ndjson,.json"}),
        error_messages={
            "required": "Choose a file of descriptors.",
            "empty": "This file is empty. Choose another one.",
        },
    )


def import_urls(admin_site: AdminSite) -> list[URLPattern]:
    """The addresses of this module, below those of the study in the admin."""
    pages = [
        ("items/", items, "items"),
        ("items/example/", example, "items_example"),
        ("import/", import_items, "import"),
        ("import/descriptors/", import_descriptors, "import_descriptors"),
        ("import/<int:upload_pk>/", import_preview, "import_preview"),
        ("import/<int:upload_pk>/confirm/", import_confirm, "import_confirm"),
        ("import/<int:upload_pk>/problems.csv", import_problems, "import_problems"),
        ("import/<int:upload_pk>/picture/<int:number>/", import_picture, "import_picture"),
    ]
    return [
        path(
            f"<int:pk>/{address}",
            admin_site.admin_view(_study_page(view, admin_site)),
            name=f"studies_study_{name}",
        )
        for address, view, name in pages
    ]


def _study_page(view: Callable[..., HttpResponse], admin_site: AdminSite):
    """A view ``(request, context, study, ...)`` for those who may see and change the study."""

    @wraps(view)
    def opened(request: HttpRequest, pk: int, **kwargs) -> HttpResponse:
        study = get_object_or_404(Study.objects.visible_to(request.user), pk=pk)
        if not request.user.has_perm("studies.change_study"):
            raise PermissionDenied
        context = {**admin_site.each_context(request), "study": study, "tab": "items"}
        return view(request, context, study, **kwargs)

    return opened


def _upload(study: Study, pk: int) -> ImportUpload:
    return get_object_or_404(study.uploads.select_related("study"), pk=pk)


# ---- items


@require_safe
def items(request: HttpRequest, context: dict, study: Study) -> HttpResponse:
    rows = study.items.select_related("system", "parent")
    page = Paginator(rows, ITEMS_A_PAGE).get_page(request.GET.get("page"))
    counted = study.descriptors.order_by().values("kind").annotate(n=Count("pk"))
    by_kind = {row["kind"]: row["n"] for row in counted}
    kinds = [(kind.label.lower(), by_kind[kind]) for kind in Descriptor.Kind if kind in by_kind]
    context |= {"title": "Items", "page": page, "n_items": page.paginator.count, "kinds": kinds}
    return render(request, "admin/studies/items.html", context)


@require_safe
def example(request: HttpRequest, context: dict, study: Study) -> FileResponse:
    return FileResponse(EXAMPLE.open("rb"), as_attachment=True, content_type="text/csv")


# ---- upload


def import_items(request: HttpRequest, context: dict, study: Study) -> HttpResponse:
    """Choose the files; after the upload, the preview of what they would do."""
    template = "admin/studies/import/items.html"
    context |= {"title": "Import items", "frozen": "" if study.is_draft else FROZEN}
    context["form"] = ItemsForm()
    if request.method != "POST":
        return render(request, template, context)
    form = context["form"] = ItemsForm(request.POST, request.FILES)
    if not study.is_draft:
        return render(request, template, context, status=409)
    if not form.is_valid():
        return render(request, template, context, status=422)
    upload = uploads.start_upload(study=study, kind=ImportUpload.Kind.ITEMS, by=request.user)
    uploads.save_table(upload, form.cleaned_data["table"])
    uploads.save_pictures(upload, form.chosen_pictures())
    return _checked(request, context, upload)


def import_descriptors(request: HttpRequest, context: dict, study: Study) -> HttpResponse:
    template = "admin/studies/import/descriptors.html"
    context |= {"title": "Import descriptors", "form": DescriptorsForm()}
    if request.method != "POST":
        return render(request, template, context)
    form = context["form"] = DescriptorsForm(request.POST, request.FILES)
    if not form.is_valid():
        return render(request, template, context, status=422)
    kind = ImportUpload.Kind.DESCRIPTORS
    upload = uploads.start_upload(study=study, kind=kind, by=request.user)
    uploads.save_table(upload, form.cleaned_data["table"])
    return _checked(request, context, upload)


def _checked(request: HttpRequest, context: dict, upload: ImportUpload) -> HttpResponse:
    """Check an upload. Right: on to its preview. Wrong: its problems at once, as 422."""
    check = uploads.check_upload(upload)
    if upload.is_ready:
        return redirect("admin:studies_study_import_preview", upload.study_id, upload.pk)
    return _preview(request, context, upload, check, status=422)


# ---- preview


def import_preview(
    request: HttpRequest, context: dict, study: Study, upload_pk: int
) -> HttpResponse:
    """What an upload would do. POST brings a corrected table or missing pictures."""
    upload = _upload(study, upload_pk)
    uploads.recover_if_killed(upload)
    check = uploads.load_check(upload)
    if upload.is_done or check is None:
        return _to_items(request, upload)
    if request.method != "POST":
        return _preview(request, context, upload, check)
    if upload.state == upload.State.WRITING:
        return _preview(request, context, upload, check, status=409)
    is_items = upload.kind == ImportUpload.Kind.ITEMS
    if is_items and not study.is_draft:
        return _preview(request, context | {"frozen": FROZEN}, upload, check, status=409)
    form = (CorrectionForm if is_items else DescriptorsForm)(request.POST, request.FILES)
    if not form.is_valid():
        return _preview(request, context | {"form": form}, upload, check, status=422)
    if form.cleaned_data.get("table"):
        uploads.save_table(upload, form.cleaned_data["table"])
    if is_items:
        uploads.save_pictures(upload, form.chosen_pictures())
    return _checked(request, context, upload)


def _preview(
    request: HttpRequest, context: dict, upload: ImportUpload, check: dict, status: int = 200
) -> HttpResponse:
    problems = uploads.problems_of(check)
    groups = group_problems(problems)
    wanted = request.GET.get("kind", "")
    only = next((group for group in groups if str(group.number) == wanted), None)
    counts = check["counts"]
    is_items = upload.kind == ImportUpload.Kind.ITEMS
    context |= {
        "title": f"Import {upload.get_kind_display().lower()}: check before anything is written",
        "upload": upload,
        "check": check,
        "counts": counts,
        "n_writing": counts["new"] + counts.get("changed", 0),
        "n_good": counts["new"] + counts.get("changed", 0) + counts["same"],
        "n_problems": len(problems),
        "groups": groups,
        "only": only,
        "shown": only.problems[:PROBLEMS_SHOWN] if only else problems,
        "is_flat": only is not None or len(problems) <= FLAT_PROBLEMS,
        "limit": PROBLEMS_SHOWN,
    }
    name = "items" if is_items else "descriptors"
    return render(request, f"admin/studies/import/{name}_preview.html", context, status=status)


def _to_items(request: HttpRequest, upload: ImportUpload) -> HttpResponse:
    """Where an upload ends that is written, or whose files were removed."""
    if upload.is_done:
        messages.info(request, "This file is imported already. Nothing was written twice.")
    else:
        messages.warning(request, "The uploaded files are gone. Choose them again.")
    return redirect("admin:studies_study_items", upload.study_id)


@require_POST
def import_confirm(
    request: HttpRequest, context: dict, study: Study, upload_pk: int
) -> HttpResponse:
    """Write what the preview showed. A second click changes nothing."""
    upload = _upload(study, upload_pk)
    try:
        counts = uploads.confirm_upload(upload=upload)
    except uploads.AlreadyConfirmed:
        upload.refresh_from_db()
        if upload.is_refused:
            return redirect("admin:studies_study_import_preview", study.pk, upload.pk)
        if not upload.is_done:
            messages.info(request, "The import is being written. Reload this page in a moment.")
            return redirect("admin:studies_study_items", study.pk)
        return _to_items(request, upload)
    except ImportRefused:
        messages.warning(request, "The study has changed since the check. Nothing was written.")
        return redirect("admin:studies_study_import_preview", study.pk, upload.pk)
    except (DesignFrozen, ItemsChanged) as refusal:
        context |= {"refusal": str(refusal)}
        check = uploads.load_check(upload)
        return _preview(request, context, upload, check, status=409)
    messages.success(request, _done(upload, counts))
    return redirect("admin:studies_study_items", study.pk)


def _done(upload: ImportUpload, counts: dict[str, int]) -> str:
    if upload.kind == ImportUpload.Kind.DESCRIPTORS:
        return f"{_counted(counts['new'], 'descriptor')} added, {counts['same']} already there."
    written = counts["new"] + counts["changed"]
    details = f"{counts['new']} new, {counts['changed']} changed, {counts['same']} the same"
    return f"{_counted(written, 'item')} imported: {details}."


def _counted(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


# ---- files of a preview


@require_safe
def import_problems(
    request: HttpRequest, context: dict, study: Study, upload_pk: int
) -> HttpResponse:
    check = uploads.load_check(_upload(study, upload_pk))
    if check is None:
        raise Http404("The uploaded files are gone.")
    text = problems_csv(uploads.problems_of(check))
    response = HttpResponse(text, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="problems.csv"'
    return response


@require_safe
def import_picture(
    request: HttpRequest, context: dict, study: Study, upload_pk: int, number: int
) -> FileResponse:
    found = uploads.staged_picture(_upload(study, upload_pk), number)
    if found is None:
        raise Http404("No such picture in this preview.")
    file, content_type = found
    response = FileResponse(file.open("rb"), content_type=content_type)
    response["Cache-Control"] = "private, no-store"
    return response
