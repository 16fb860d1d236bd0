"""For researchers: the people they invite, each with a link of their own."""

from __future__ import annotations

import csv
from dataclasses import dataclass

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation import invitations as inviting
from annotation.invitations import UnreadableList
from annotation.models import Invitation
from studies.access import study_page
from studies.models import Study

A_PAGE = 100
MAX_BYTES = 2_000_000


class ListForm(forms.Form):
    """A list of people, as a file or as text."""

    file = forms.FileField(
        required=False, label="CSV file", help_text="At most 2 MB, with a line for each person."
    )
    text = forms.CharField(
        required=False,
        label="Or write them here, a line each",
        widget=forms.Textarea(attrs={"rows": 5}),
        strip=False,
    )

    def clean_file(self):
        file = self.cleaned_data["file"]
        if file is not None and file.size > MAX_BYTES:
            raise forms.ValidationError("The file is larger than 2 MB.")
        return file

    def list_text(self) -> str:
        file = self.cleaned_data["file"]
        return inviting.decoded(file.read()) if file is not None else self.cleaned_data["text"]


@dataclass(frozen=True, slots=True)
class Row:
    invitation: Invitation
    link: str
    state: str
    code: str


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@study_page
def invitations(request: HttpRequest, study: Study) -> HttpResponse:
    """The list with its links; a post adds people."""
    form = ListForm(request.POST or None, request.FILES or None)
    problems: tuple[str, ...] = ()
    if request.method == "POST" and form.is_valid():
        try:
            people = inviting.read_list(study=study, text=form.list_text())
        except UnreadableList as refusal:
            problems = refusal.problems
        else:
            made, had = inviting.invite(study=study, people=people)
            messages.success(request, _said(len(made), had))
            return redirect("annotation:invitations", study.slug)
    rows = study.invitations.select_related("identity__participation", "panel", "study")
    page = Paginator(rows, A_PAGE).get_page(request.GET.get("page"))
    context = {
        "study": study,
        "form": form,
        "problems": problems[:20],
        "n_more": max(0, len(problems) - 20),
        "page": page,
        "rows": [_row(invitation) for invitation in page],
    }
    status = 422 if problems or form.errors else 200
    return render(request, "annotation/invitations.html", context, status=status)


def _said(made: int, had: int) -> str:
    new = f"{made} {'link' if made == 1 else 'links'} made."
    return f"{new} {had} had one already." if had else new


def _row(invitation: Invitation) -> Row:
    identity = invitation.identity
    person = identity.participation if identity else None
    return Row(
        invitation=invitation,
        link="" if invitation.revoked_at else inviting.link_of(invitation),
        state=inviting.state_of(invitation),
        code=person.code if person else "",
    )


@require_POST
@study_page
def change_invitation(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Revoke one link, or make a new one in its place."""
    invitation = get_object_or_404(study.invitations, pk=pk)
    if request.POST.get("act") == "revoke":
        inviting.revoke(invitation=invitation)
        messages.success(request, f"The link of {invitation.label} opens nothing any more.")
    elif request.POST.get("act") == "renew":
        inviting.renew(invitation=invitation)
        messages.success(request, f"{invitation.label} has a new link. The old one is dead.")
    response = redirect("annotation:invitations", study.slug)
    page = request.POST.get("page", "")
    if page.isdecimal():
        response["Location"] += f"?page={page}"
    return response


@never_cache
@require_safe
@study_page
def invitations_csv(request: HttpRequest, study: Study) -> HttpResponse:
    """All links, to send them by other means."""
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{study.slug}-invitations.csv"'
    response.write("\ufeff")
    csv.writer(response).writerows(inviting.as_rows(study))
    return response
