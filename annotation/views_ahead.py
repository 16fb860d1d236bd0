"""What the next screen will probably show, so that a browser fetches it while this one is rated."""

from __future__ import annotations

from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from annotation.booth import booth
from annotation.models import Participation
from annotation.next_place import probable_unit
from annotation.session import due_repeat
from studies.design import frozen_design
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
    last = person.assignments.order_by("-n").first()
    if person.state != Participation.State.RATING or last is None or last.n >= person.n_units:
        return None
    design = frozen_design(person.study_id, person.revision)
    repeat = due_repeat(person, design, last.n + 1)
    if repeat is not None:
        return repeat.unit
    return probable_unit(person=person, design=design, n=last.n + 1, after=last.unit_id)
