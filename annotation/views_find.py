"""For researchers: people over all their studies, and finding something by a few letters."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import researchers_only
from annotation.monitor.people import state_words
from annotation.searching import MOST, find, people_of_all

PEOPLE_EACH_PAGE = 50


@require_safe
@researchers_only
def everybody(request: HttpRequest) -> HttpResponse:
    """Annotators of all studies one may see, the last seen first."""
    page = Paginator(people_of_all(request.user), PEOPLE_EACH_PAGE).get_page(
        request.GET.get("page")
    )
    context = {"page": page, "rows": [(person, state_words(person)) for person in page]}
    return render(request, "annotation/everybody.html", context)


@require_safe
@researchers_only
def search(request: HttpRequest) -> HttpResponse:
    """Studies, items and annotators that match ``?q=``."""
    words = request.GET.get("q", "").strip()[:80]
    found = find(user=request.user, words=words)
    people = [(person, state_words(person)) for person in found.people]
    context = {"words": words, "found": found, "people": people, "most": MOST}
    return render(request, "annotation/find.html", context)
