"""The real images of a study: the yardstick of exaggeration and of tau."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction

from scoring.coverage import ItemFields, plain
from scoring.metrics.base import MetricError
from scoring.models import MetricRun, RealChoice, WorkState
from studies.models import Item, Study

KEPT = 5
CLIPSCORE = "clipscore"


class NoRealScoresError(MetricError):
    """The run that was named cannot rank the real images."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """How many real images are kept and left out, and how many of these had no score."""

    kept: int
    left_out: int
    without_score: int


def real_images(study: Study) -> list[Item]:
    """Real pictures, whatever their purpose, without those that a choice of the best left out."""
    return list(all_real_images(study).exclude(real_choice__kept=False))


def all_real_images(study: Study):
    return study.items.filter(origin=Item.Origin.REAL, kind=Item.Kind.IMAGE).order_by("pk")


@transaction.atomic
def keep_best(*, study: Study, run: MetricRun, k: int = KEPT) -> Chosen:
    """Keep the k real images of each activity and country with the highest CLIPScore in ``run``.

    Ties go by the researcher's item id. An image without a score in the run is left out. Replaces
    an earlier choice. Raises ``NoRealScoresError`` for a run of another metric or that is not done,
    or where it scored no real image, ``ValueError`` for k < 1.
    """
    if k < 1:
        raise ValueError(f"k must be at least 1, not {k}.")
    if run.metric != CLIPSCORE or run.study_id != study.pk or run.state != WorkState.DONE:
        raise NoRealScoresError(
            "The best real images are chosen by a CLIPScore run of this study that is done. Start "
            "one in Metrics, with the real images among its items."
        )
    images = list(all_real_images(study).select_related("system"))
    rows = run.scores.filter(output=CLIPSCORE, dimension="", item__in=images)
    scores = dict(rows.values_list("item_id", "value"))
    if not any(value is not None for value in scores.values()):
        raise NoRealScoresError(
            "That run scored no real image. Real images need the prompt that they are held "
            "against, and must be items to be rated."
        )
    choices = [
        choice
        for group in _by_scene(study, images).values()
        for choice in _ranked(group, scores, run, k)
    ]
    RealChoice.objects.filter(item__study=study).delete()
    RealChoice.objects.bulk_create(choices)
    return Chosen(
        kept=sum(one.kept for one in choices),
        left_out=sum(not one.kept for one in choices),
        without_score=sum(one.score is None for one in choices),
    )


def _by_scene(study: Study, images: Sequence[Item]) -> dict[tuple[str, str], list[Item]]:
    fields = ItemFields(study)
    groups: dict[tuple[str, str], list[Item]] = defaultdict(list)
    for item in images:
        groups[plain(fields.activity(item)), item.country].append(item)
    return groups


def _ranked(
    group: Sequence[Item], scores: dict[int, float | None], run: MetricRun, k: int
) -> list[RealChoice]:
    def order(item: Item) -> tuple[bool, float, str]:
        score = scores.get(item.pk)
        return score is None, -(score or 0.0), item.external_id

    return [
        RealChoice(
            item=item,
            run=run,
            score=scores.get(item.pk),
            rank=rank,
            kept=rank <= k and scores.get(item.pk) is not None,
        )
        for rank, item in enumerate(sorted(group, key=order), start=1)
    ]
