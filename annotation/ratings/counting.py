"""Which answers count, how many there are, and whether they are still the same ones."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from django.db.models import Count, F, Max, Q, QuerySet, Sum

from annotation.models import Assignment, Rating
from studies.models import Study


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingCounts:
    """How much there is. A rating is one person's counted answers on one unit's screen.

    `answers` are the values on scales and `texts` the free texts within those ratings;
    `simulated` the ratings that no person gave. `surplus` ratings are kept but left out: others
    filled their unit meanwhile.
    """

    items: int
    raters: int
    ratings: int
    answers: int
    texts: int
    surplus: int
    simulated: int


class Layer(StrEnum):
    """Which exclusions are heeded: none, those of declared rules, or all that are in force."""

    ALL = "all"
    AFTER_RULES = "after-rules"
    AFTER_ALL = "after-all"


def counted_ratings(study: Study, layer: Layer = Layer.AFTER_ALL) -> QuerySet[Rating]:
    """The answers that analysis rests on: counted ones, of the study itself, not excluded.

    A pilot's answers are its own, and a repeated screen measures a person against themselves. In a
    ``layer`` that heeds fewer exclusions, answers count that others have replaced meanwhile: a unit
    may then have more than its wanted number. Work that was taken back on Prolific counts in none.
    """
    return Rating.objects.filter(
        in_layer(layer),
        assignment__repeat_of=None,
        assignment__participation__study=study,
        assignment__participation__pilot=False,
    )


def in_layer(layer: Layer, prefix: str = "assignment__") -> Q:
    """Of screens, or of what hangs on them by ``prefix``: those that count in a layer."""
    heeded = {
        Layer.ALL: [],
        Layer.AFTER_RULES: [Assignment.Excluded.RULE],
        Layer.AFTER_ALL: list(Assignment.Excluded),
    }[layer]
    excluded = f"{prefix}excluded"
    there = Q(**{f"{prefix}counted": True}) & ~Q(**{f"{excluded}__in": heeded})
    left = [kind for kind in Assignment.Excluded if kind not in heeded]
    replaced = is_replaced(prefix) & Q(**{f"{excluded}__in": left})
    return there | replaced if left else there


def is_replaced(prefix: str = "") -> Q:
    """Of screens, or of what hangs on them by ``prefix``: those that counted until an exclusion
    gave their places to others."""
    aside = {f"{prefix}set_aside": True, f"{prefix}participation__taken_back": False}
    return Q(**aside) & ~Q(**{f"{prefix}excluded": ""})


def rating_counts(study: Study, layer: Layer = Layer.AFTER_ALL) -> RatingCounts:
    """What the numbers of a study rest on."""
    answers = counted_ratings(study, layer).aggregate(
        items=Count("item", distinct=True),
        raters=Count("assignment__participation", distinct=True),
        ratings=Count("assignment", distinct=True),
        answers=Count("value"),
        texts=Count("id", filter=Q(value__isnull=True) & ~Q(text="")),
        simulated=Count(
            "assignment", distinct=True, filter=Q(assignment__participation__simulated=True)
        ),
    )
    return RatingCounts(**answers, surplus=surplus_ratings(study))


def surplus_ratings(study: Study) -> int:
    """Submitted screens that are kept but not counted."""
    return Assignment.objects.filter(
        participation__study=study,
        participation__pilot=False,
        repeat_of=None,
        counted=False,
    ).count()


def ratings_mark(study: Study) -> list[int | str | None]:
    """A few sums that differ as soon as any counted answer is added, changed or removed, or a
    screen of the pilot or shown again is sent.

    One query over the answers and two over screens; cheap enough for a page's request.
    """
    sums = counted_ratings(study).aggregate(
        n=Count("id"),
        last=Max("id"),
        total=Sum("value"),
        # A change of one answer that another undoes in the total moves these.
        by_id=Sum(F("id") * F("value")),
        by_square=Sum(F("id") * F("value") * F("value")),
        submitted=Max("assignment__submitted_at"),
    )
    submitted = sums.pop("submitted")
    numbers = [None if number is None else int(number) for number in sums.values()]
    apart = Assignment.objects.filter(
        Q(participation__pilot=True) | Q(repeat_of__isnull=False),
        participation__study=study,
        submitted_at__isnull=False,
    ).aggregate(n=Count("id"), last=Max("id"))
    return [
        *numbers,
        submitted and submitted.isoformat(),
        surplus_ratings(study),
        *apart.values(),
    ]
