"""The pages that make a study of ratings that another tool gathered."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required, permission_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.external import jobs
from annotation.external.forms import (
    DEFAULTS,
    TOOL_CHOICES,
    RatingsForm,
    initial_of,
    remembered,
)
from annotation.external.looking import Preview, described, first_rows, preview
from annotation.external.uploads import TooLargeForThePageError, receive
from annotation.models import RatingsImport
from studies.external.records import ImportRefusedError
from studies.models import Question

GONE = "These files are no longer here: they are kept for a day. Choose them again."


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@permission_required("studies.add_study", raise_exception=True)
def import_page(request: HttpRequest) -> HttpResponse:
    """The files; once they are here, the page where they are described."""
    if request.method != "POST":
        last = remembered(request.user)
        return _files_page(request, tool=last.columns.get("from", "") if last else "")
    tool = request.POST.get("tool", "")
    try:
        if tool not in dict(TOOL_CHOICES):
            raise ImportRefusedError(["Choose what the file is."])
        brought = receive(request.FILES.getlist("files"), tool=tool, by=request.user)
    except ImportRefusedError as error:
        too_large = isinstance(error, TooLargeForThePageError)
        return _files_page(request, tool=tool, problems=error.problems, too_large=too_large)
    return _to(brought)


def _own_import(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """A view ``(request, brought)`` for whoever brought the files; others find nothing there."""

    @wraps(view)
    @login_required
    @permission_required("studies.add_study", raise_exception=True)
    def opened(request: HttpRequest, token: str) -> HttpResponse:
        mine = RatingsImport.objects.filter(created_by=request.user, token=token)
        brought = mine.select_related("study").first()
        try:
            if brought is None:
                raise ImportRefusedError([GONE])
            return view(request, brought)
        except ImportRefusedError as error:
            return _files_page(request, tool="", problems=error.problems)

    return opened


@require_http_methods(["GET", "HEAD", "POST"])
@_own_import
def import_one(request: HttpRequest, brought: RatingsImport) -> HttpResponse:
    """What the files hold and mean; a preview of it, and the import. At work: how far it is."""
    if brought.is_at_work or brought.is_done:
        return render(request, "annotation/import_work.html", {"brought": brought})
    if request.method == "POST":
        return _answered(request, brought)
    if brought.asked:
        return _asked_before(request, brought)
    last = remembered(request.user)
    rows = first_rows(brought, records=last.columns.get("records", "") if last else "")
    initial = initial_of(last, brought.tool, rows.columns)
    form = RatingsForm(
        tool=brought.tool,
        names=brought.names,
        initial={**DEFAULTS, "where": "", "level": Question.Level.ORDINAL, **initial},
    )
    context = {"remembered": last if initial else None, "problems": rows.problems, "rows": rows}
    return _columns_page(request, brought, form, context)


@require_safe
@_own_import
def import_progress(request: HttpRequest, brought: RatingsImport) -> HttpResponse:
    """How far the worker is; once it is over, the whole page is asked for anew."""
    if not brought.is_at_work:
        answer = HttpResponse(status=HTTPStatus.OK)
        answer["HX-Refresh"] = "true"
        return answer
    return render(request, "annotation/_import_progress.html", {"brought": brought})


@require_POST
@_own_import
def import_stop(request: HttpRequest, brought: RatingsImport) -> HttpResponse:
    """Stop the work; the files stay, to be imported in another way."""
    if jobs.stop_import(brought):
        messages.warning(request, "Stopped. Nothing was imported.")
    return _to(brought)


@require_POST
@_own_import
def import_remove(request: HttpRequest, brought: RatingsImport) -> HttpResponse:
    """Throw the files away, unless a worker has them."""
    if not brought.is_at_work:
        brought.discard_files()
        brought.delete()
    return redirect("annotation:import_ratings")


def _answered(request: HttpRequest, brought: RatingsImport) -> HttpResponse:
    """A preview of what was asked for, or its import: at once where the head is all there is."""
    form = RatingsForm(request.POST, tool=brought.tool, names=brought.names)
    if not form.is_valid():
        rows = first_rows(brought, records=request.POST.get("records", ""))
        return _columns_page(request, brought, form, {"rows": rows}, refused=True)
    seen = preview(brought, form)
    if seen.problems or "import" not in request.POST:
        return _preview_page(request, brought, form, seen)
    asked = {name: request.POST.get(name, "") for name in form.fields}
    if not jobs.request_import(brought=brought, asked=asked):
        return _to(brought)  # an earlier click began it: which says how it stands
    if not seen.is_whole:
        jobs.send_off(brought.pk)
        return _to(brought)
    return _imported_at_once(request, brought)


def _imported_at_once(request: HttpRequest, brought: RatingsImport) -> HttpResponse:
    jobs.execute_import(brought.pk)
    brought.refresh_from_db()
    if not (brought.is_done and brought.study):
        return _to(brought)
    n = brought.n_done
    messages.success(request, f"{n:,} rating{'' if n == 1 else 's'} imported. The study is closed.")
    return redirect("scoring:report", brought.study.slug)


def _asked_before(request: HttpRequest, brought: RatingsImport) -> HttpResponse:
    """What was asked for and refused, or broke off, with the reason and the fields as they were."""
    form = RatingsForm(brought.asked, tool=brought.tool, names=brought.names)
    form.is_valid()
    problems = brought.problems or ([brought.error] if brought.error else [])
    rows = first_rows(brought, records=brought.asked.get("records", ""))
    return _columns_page(request, brought, form, {"rows": rows, "problems": problems})


def _preview_page(
    request: HttpRequest, brought: RatingsImport, form: RatingsForm, seen: Preview
) -> HttpResponse:
    context = {
        "seen": seen,
        "gathering": seen.gathering,
        "found": seen.found,
        "problems": seen.problems,
        "rows": first_rows(brought, records=request.POST.get("records", "")),
        "command": form.command(brought.names, request.user.get_username()),
    }
    return _columns_page(request, brought, form, context, refused=bool(seen.problems))


def _columns_page(
    request: HttpRequest,
    brought: RatingsImport,
    form: RatingsForm,
    context: dict[str, Any],
    *,
    refused: bool = False,
) -> HttpResponse:
    context |= {
        "brought": brought,
        "form": form,
        "files": described(brought),
        "tool_name": dict(TOOL_CHOICES)[brought.tool],
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if refused else HTTPStatus.OK
    return render(request, "annotation/import_columns.html", context, status=status)


def _files_page(
    request: HttpRequest, *, tool: str, problems: list[str] | None = None, too_large: bool = False
) -> HttpResponse:
    waiting = RatingsImport.objects.filter(created_by=request.user)
    context = {
        "tools": TOOL_CHOICES,
        "tool": tool,
        "problems": problems,
        "too_large": too_large,
        "waiting": waiting.exclude(state=RatingsImport.State.DONE),
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if problems else HTTPStatus.OK
    return render(request, "annotation/import_ratings.html", context, status=status)


def _to(brought: RatingsImport) -> HttpResponse:
    return redirect("annotation:import_one", brought.token)
