"""For researchers: who came by which id, and how it is erased at somebody's wish."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.erasure import due_identities, erase_identity
from annotation.models import Identity
from annotation.views_arrivals import MAY_SEE_IDS
from studies.access import study_page
from studies.models import Study
from studies.recruiting import recruitment_of

A_PAGE = 100


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@study_page
def identities(request: HttpRequest, study: Study) -> HttpResponse:
    """Ids beside pseudonyms, to erase them; those of Prolific for people who may see them.

    One is looked for by POST: an address stays in histories and logs.
    """
    wanted = request.POST.get("q", "").replace("\x00", "").strip()[:80]
    rows = study.identities.select_related("participation", "invitation").order_by("-pk")
    if wanted:
        rows = rows.filter(
            Q(external_id=wanted)
            | Q(participation__code__iexact=wanted)
            | Q(invitation__label__icontains=wanted)
        )
    context = {
        "study": study,
        "page": Paginator(rows, A_PAGE).get_page(request.GET.get("page")),
        "wanted": wanted,
        "may_see_ids": request.user.has_perm(MAY_SEE_IDS),
        "days": recruitment_of(study).erase_after_days,
        "n_due": due_identities(study).count(),
    }
    return render(request, "annotation/identities.html", context)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@study_page
def erase(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Ask which, then erase: the id only, or the answers too. Neither can be taken back."""
    identity = get_object_or_404(study.identities.select_related("participation"), pk=pk)
    person = identity.participation
    name = person.code if person and person.code else f"Id {identity.pk}"
    ratings = request.POST.get("ratings", "")
    if request.method == "POST" and ratings in {"anonymous", "removed"}:
        erase_identity(identity=identity, ratings=ratings)
        kept = "with the answers" if ratings == "removed" else "and the answers stay anonymous"
        messages.success(request, f"{name}: the id is erased, {kept}.")
        return redirect("annotation:identities", study.slug)
    context = {
        "study": study,
        "identity": identity,
        "name": name,
        "n_sent": _n_sent(identity),
        "error": "Choose one of the two." if request.method == "POST" else "",
    }
    status = 422 if context["error"] else 200
    return render(request, "annotation/erase.html", context, status=status)


def _n_sent(identity: Identity) -> int:
    if identity.participation is None:
        return 0
    return identity.participation.assignments.filter(submitted_at__isnull=False).count()
