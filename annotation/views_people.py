"""For researchers: the people of a study, and one annotator's answers in order."""

from __future__ import annotations

from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from annotation.models import Identity, Participation, Remark
from annotation.monitor.people import STATES, Wish, people_of, person_rows, wished_people
from annotation.monitor.person import EACH_PAGE, screens_of
from annotation.remarks import remarks_of
from studies.access import study_page
from studies.models import Study

PEOPLE_EACH_PAGE = 50
MOST_REMARKS = 200
HEADS = (
    ("code", "Code"),
    ("", "Panel"),
    ("state", "State"),
    ("", "Units"),
    ("", "Active"),
    ("", "Checks failed"),
    ("", "Same twice"),
    ("", "Flags"),
    ("seen", "Last seen"),
)


@require_safe
@study_page
def people(request: HttpRequest, study: Study) -> HttpResponse:
    """Everybody who began to rate, filtered, searched and sorted as asked for."""
    wish = Wish.of(request.GET.dict())
    page = Paginator(wished_people(study, wish), PEOPLE_EACH_PAGE).get_page(request.GET.get("page"))
    context = {
        "study": study,
        "tab": "monitor",
        "wish": wish,
        "is_filtered": bool(wish.panel or wish.state or wish.search),
        "states": STATES,
        "panels": study.panels.all(),
        "page": page,
        "rows": person_rows(list(page.object_list), study),
        "heads": [_head(request, name, label, wish) for name, label in HEADS],
        "query": _query(request, page=None),
        "remarks": remarks_of(study)[:MOST_REMARKS],
    }
    return render(request, "annotation/people.html", context)


def _head(request: HttpRequest, name: str, label: str, wish: Wish) -> dict[str, str]:
    """A column's head: whether it is sorted by, and the address that sorts by it."""
    if not name:
        return {"label": label}
    order = {name: "ascending", f"-{name}": "descending"}.get(wish.sort, "")
    turned = f"-{name}" if order == "ascending" or (not order and name == "seen") else name
    return {"label": label, "order": order, "url": f"?{_query(request, sort=turned, page=None)}"}


def _query(request: HttpRequest, **changes: str | None) -> str:
    kept = {name: value for name, value in request.GET.dict().items() if value}
    wanted = kept | changes
    return urlencode({name: value for name, value in wanted.items() if value is not None})


@require_safe
@study_page
def person(request: HttpRequest, study: Study, code: str) -> HttpResponse:
    """One annotator: their units in order, from ``?from=`` on where there are many."""
    one = get_object_or_404(people_of(study).select_related("panel", "study"), code=code)
    raw = request.GET.get("from", "")
    first = int(raw) if raw.isdecimal() and len(raw) < 6 and int(raw) > 0 else 1
    screens = screens_of(one, first=first)
    last = one.assignments.order_by("-n").values_list("n", flat=True).first() or 0
    context = {
        "study": study,
        "tab": "monitor",
        "one": one,
        "row": person_rows([one], study)[0],
        "screens": screens,
        "identity": Identity.objects.filter(participation=one, erased_at=None).first(),
        "flags": one.flags.all(),
        "measures": one.measures.all(),
        "remark": Remark.objects.filter(participation=one).first(),
        "exclusions": one.exclusions.filter(lifted_at=None, assignment=None).select_related("by"),
        "earlier_from": max(1, first - EACH_PAGE) if first > 1 else None,
        "later_from": first + EACH_PAGE if last >= first + EACH_PAGE else None,
        **_neighbours(study, one),
    }
    return render(request, "annotation/person.html", context)


def _neighbours(study: Study, one: Participation) -> dict[str, object]:
    """The people before and after, in the order in which they came."""
    everybody = people_of(study)
    before = everybody.filter(pk__lt=one.pk).order_by("-pk").values_list("code", flat=True)
    after = everybody.filter(pk__gt=one.pk).order_by("pk").values_list("code", flat=True)
    return {"before": before.first(), "after": after.first()}
