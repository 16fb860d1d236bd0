"""The page that makes a study of ratings that another tool gathered."""

from __future__ import annotations

from http import HTTPStatus
from itertools import islice
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required, permission_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from annotation.external.collecting import Collected
from annotation.external.forms import (
    DEFAULTS,
    TOOL_CHOICES,
    RatingsForm,
    initial_of,
    remembered,
)
from annotation.external.gathering import Gathering
from annotation.external.uploads import (
    TooLargeForThePageError,
    Upload,
    as_files,
    carried,
    unpacked,
    uploaded,
)
from annotation.external.writing import Wanted, write_study
from studies.external.asked import names
from studies.external.qualtrics import PERSONAL
from studies.external.reading import Source
from studies.external.records import ImportRefusedError
from studies.external.sources import rows
from studies.models import Question

MOST_RATINGS = 5000
SHOWN_ROWS = 5
SHOWN_COLUMNS = 12


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@permission_required("studies.add_study", raise_exception=True)
def import_page(request: HttpRequest) -> HttpResponse:
    """First the files; then, with them in the form, the columns, a preview, and the import."""
    if request.method != "POST":
        last = remembered(request.user)
        return _files_page(request, tool=last.columns.get("from", "") if last else "")
    tool = request.POST.get("tool", "")
    try:
        if tool not in dict(TOOL_CHOICES):
            raise ImportRefusedError(["Choose what the file is."])
        if "carried" in request.POST:
            uploads = unpacked(request.POST["carried"], by=request.user)
            return _answered(request, tool, uploads)
        uploads = uploaded(request.FILES.getlist("files"))
        return _columns_page(request, tool, uploads)
    except TooLargeForThePageError as error:
        return _files_page(request, tool=tool, problems=error.problems, too_large=True)
    except ImportRefusedError as error:
        return _files_page(request, tool=tool, problems=error.problems)


def _files_page(
    request: HttpRequest, *, tool: str, problems: list[str] | None = None, too_large: bool = False
) -> HttpResponse:
    context = {"tools": TOOL_CHOICES, "tool": tool, "problems": problems, "too_large": too_large}
    return _page(request, context, refused=bool(problems))


def _columns_page(request: HttpRequest, tool: str, uploads: list[Upload]) -> HttpResponse:
    """The form as it was filled in the last time, or empty, beside the first rows."""
    last = remembered(request.user)
    records = last.columns.get("records", "") if last else ""
    context, problems = _first_rows(tool, uploads, records)
    initial = initial_of(last, tool, context["columns"])
    form = RatingsForm(
        tool=tool,
        names=[upload.name for upload in uploads],
        initial={**DEFAULTS, "where": "", "level": Question.Level.ORDINAL, **initial},
    )
    context |= {"form": form, "remembered": last if initial else None, "problems": problems}
    return _page(request, context | _kept(request, tool, uploads))


def _answered(request: HttpRequest, tool: str, uploads: list[Upload]) -> HttpResponse:
    """A preview of what was asked for, or its import."""
    form = RatingsForm(request.POST, tool=tool, names=[upload.name for upload in uploads])
    context, _ = _first_rows(tool, uploads, request.POST.get("records", ""))
    context |= {"form": form, **_kept(request, tool, uploads)}
    if not form.is_valid():
        return _page(request, context, refused=True)
    with as_files(uploads) as paths:
        source, files = form.source(paths)
        told = form.cleaned_data
        gathering = Gathering(source, told["scales"], told["default"], most=MOST_RATINGS)
        context["gathering"] = gathering
        try:
            for path in files:
                gathering.take(path)
            found = context["found"] = gathering.finish()
            if "import" in request.POST:
                return _imported(request, form, found, gathering.files, source)
        except ImportRefusedError as error:
            context["problems"] = error.problems
            if gathering.is_full:
                given = [upload.name for upload in uploads]
                context["command"] = form.command(given, request.user.get_username())
    return _page(request, context, refused="problems" in context)


def _imported(
    request: HttpRequest,
    form: RatingsForm,
    found: Collected,
    files: list[dict[str, Any]],
    source: Source,
) -> HttpResponse:
    told = form.cleaned_data
    wanted = Wanted(
        title=told["title"],
        slug=told["slug"],
        owner=request.user,
        scales=told["scales"],
        default=told["default"],
        directions=dict.fromkeys(names(told["lower"]), Question.Direction.LOWER),
        texts={},
        level=told["level"],
    )
    kept = source.to_store()
    study = write_study(wanted=wanted, found=found, files=files, columns=kept, by=request.user)
    n = len(found)
    messages.success(request, f"{n:,} rating{'' if n == 1 else 's'} imported. The study is closed.")
    return redirect("scoring:report", study.slug)


def _first_rows(tool: str, uploads: list[Upload], records: str) -> tuple[dict[str, Any], list[str]]:
    """Columns and the first rows of the first file, where it is a table; what is wrong with it."""
    if tool in ("label-studio", "potato"):
        return {"columns": []}, []
    with as_files(uploads[:1]) as paths:
        try:
            found = list(islice(rows(paths[0], records=records), SHOWN_ROWS))
        except ImportRefusedError as error:
            return {"columns": []}, error.problems
    columns = [name for name in found[0][1] if name] if found else []
    # Addresses and names of respondents are not read, so they are not shown either.
    shown = [name for name in columns if not tool or name not in PERSONAL][:SHOWN_COLUMNS]
    cells = [[row.get(name, "") for name in shown] for _, row in found]
    return {"columns": columns, "shown": shown, "rows": cells}, []


def _kept(request: HttpRequest, tool: str, uploads: list[Upload]) -> dict[str, Any]:
    return {
        "tool": tool,
        "tool_name": dict(TOOL_CHOICES)[tool],
        "uploads": uploads,
        "carried": carried(uploads, by=request.user),
    }


def _page(request: HttpRequest, context: dict[str, Any], *, refused: bool = False) -> HttpResponse:
    status = HTTPStatus.UNPROCESSABLE_ENTITY if refused else HTTPStatus.OK
    return render(request, "annotation/import_ratings.html", context, status=status)
