"""ImageReward: a model trained on which picture for a prompt people prefer.

Its own checkpoint, read by its own package, gives a reward that is standardised over its training
pictures: about -2 to 2, without bounds, higher is better (Xu et al. 2023, arXiv:2304.05977). It
reads 35 tokens of a prompt. The metric exists where the package is installed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scoring.backends.image_reward import ImageReward
from scoring.backends.pictures import MediaError
from scoring.metrics.base import (
    Declaration,
    MetricItem,
    Needs,
    Output,
    Progress,
    ScoreRow,
)
from scoring.metrics.item_metric import ItemMetric, one_by_one
from scoring.metrics.item_pictures import (
    FIELDS,
    REASONS,
    SECONDS,
    media_reason,
    picture_of,
    prompt_obstacle,
)


class ImageRewardMetric(ItemMetric):
    """One row an item."""

    declaration = Declaration(
        key="imagereward",
        name="ImageReward",
        family="Image and text",
        version="1",
        modality="image",
        source="Xu et al. 2023, ImageReward, arXiv:2304.05977",
        needs=Needs(item_fields=("prompt", *FIELDS), backend="imagereward"),
        outputs=(
            Output(key="imagereward", name="ImageReward", low=-10.0, high=10.0, better="higher"),
        ),
        parameters=(SECONDS,),
        reasons=("no_prompt", *REASONS),
    )

    def _rows(
        self,
        items: Sequence[MetricItem],
        backend: ImageReward,
        parameters: Mapping[str, Any],
        on_progress: Progress | None,
    ) -> Iterator[ScoreRow]:
        for item in one_by_one(items, on_progress):
            yield _row(item, backend, parameters["seconds"])


def _row(item: MetricItem, backend: ImageReward, seconds: float) -> ScoreRow:
    evidence = {"prompt": item.fields.get("prompt", "")}
    if reason := prompt_obstacle(item):
        return ScoreRow(item.key, "imagereward", "", None, reason, evidence)
    picture = picture_of(item, seconds)
    try:
        image = picture()
    except MediaError as error:
        told = evidence | {"error": str(error)}
        return ScoreRow(item.key, "imagereward", "", None, media_reason(error), told)
    value = backend.score(item.fields["prompt"], image)
    return ScoreRow(item.key, "imagereward", "", value, "", evidence | picture.note)


IMAGE_REWARD = ImageRewardMetric()
