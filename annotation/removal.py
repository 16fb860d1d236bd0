"""Taking away what one person answered, at their wish. Nothing else in Concord deletes answers."""

from __future__ import annotations

from django.db.models import Count

from annotation.models import AnswerRevision, CheckAnswer, Participation, Place, Rating
from annotation.places import promote_surplus, wanted_ratings


def remove_answers(*, person: Participation) -> int:
    """Delete a person's screens with all that was answered on them; returns how many were sent.

    The places they filled are open again, or filled by answers that were surplus so far. What they
    said about themselves goes too; the pseudonym, the panel and the count stay. Call with the
    person locked, in a transaction.
    """
    n_sent = person.assignments.filter(submitted_at__isnull=False).count()
    for model in (Rating, CheckAnswer, AnswerRevision):
        model.objects.filter(assignment__participation=person).delete()
    person.assignments.filter(repeat_of__isnull=False).delete()  # they protect what they repeat
    person.assignments.all().delete()
    person.n_removed += n_sent
    person.nationality = person.second_nationality = ""
    person.residence = person.first_language = ""
    person.save(
        update_fields=[
            "n_removed",
            "nationality",
            "second_nationality",
            "residence",
            "first_language",
        ]
    )
    _free_places(person)
    return n_sent


def _free_places(person: Participation) -> None:
    """Open the person's places, except those beyond what is wanted of a unit by now."""
    if person.panel is None:
        return
    held = Place.objects.filter(holder=person)
    units = list(held.values_list("unit", flat=True))
    held.update(state=Place.State.OPEN, holder=None, leased_until=None)
    places = Place.objects.filter(panel=person.panel, pilot=person.pilot, unit__in=units)
    k = wanted_ratings(person.panel, pilot=person.pilot)
    crowded = places.order_by().values("unit").annotate(n=Count("pk")).filter(n__gt=k)
    for unit, n in crowded.values_list("unit", "n"):
        spare = places.filter(unit=unit, state=Place.State.OPEN).order_by("-number")
        places.filter(pk__in=list(spare.values_list("pk", flat=True)[: n - k])).delete()
    if not person.pilot:
        promote_surplus(panel=person.panel, units=units)
