"""What the next screen will probably show, so that a browser fetches it while this one is rated."""

from __future__ import annotations

from django.db.models import Exists, OuterRef
from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from annotation.booth import booth
from annotation.models import Assignment, Participation, Place
from studies.models import Item


@booth
@require_safe
def ahead(request: HttpRequest, person: Participation) -> JsonResponse:
    """JSON: ``{"media": [{"url", "kind"}]}``, empty after the last screen. Nothing is claimed.

    A guess: what is open now may be somebody else's in a minute. A wrong one costs a few bytes.
    """
    unit = _probable_unit(person)
    items = Item.objects.filter(memberships__unit=unit) if unit is not None else Item.objects.none()
    shown = items.order_by("memberships__position").only("kind", "public_id", "sha256")
    return JsonResponse({"media": [{"url": item.media_url, "kind": item.kind} for item in shown]})


def _probable_unit(person: Participation) -> int | None:
    """The unit this person would be given now; None where their session has no further screen."""
    seen = person.assignments.order_by()
    if person.state != Participation.State.RATING or seen.count() >= person.n_units:
        return None
    met = Assignment.objects.filter(participation=person, unit=OuterRef("unit"))
    places = Place.objects.filter(panel=person.panel, pilot=person.pilot, state=Place.State.OPEN)
    return places.exclude(Exists(met)).order_by("rank").values_list("unit", flat=True).first()
