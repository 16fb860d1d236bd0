"""CLIPScore and PickScore: how near a picture, or one frame of a clip, is to its prompt.

With c the cosine of the unit embeddings of picture and prompt:

    clip_cosine    = c                 -1 to 1, higher is better
    clipscore      = 2.5 max(0, c)      0 to 2.5 (Hessel et al. 2021, arXiv:2104.08718)
    clipscore_100  = 100 max(0, c)      0 to 100 (as torchmetrics scales it)
    pickscore      = s c               s the checkpoint's learned logit scale, at most 100
                                       (Kirstain et al. 2023, arXiv:2305.01569)

See ``picture_texts`` for the picture that stands for a clip, and for the evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from scoring.backends.image_text import ImageTextEncoder
from scoring.metrics.base import Declaration, MetricItem, Needs, Output
from scoring.metrics.item_pictures import FIELDS, REASONS, SECONDS, prompt_obstacle
from scoring.metrics.picture_texts import PictureTextsMetric

_REASONS = ("no_prompt", *REASONS)
_FIELDS = ("prompt", *FIELDS)

Values = Callable[[float, ImageTextEncoder], dict[str, float]]
"""Every output's value from the cosine and the model, which has the logit scale."""


class ImageTextMetric(PictureTextsMetric):
    """A registered metric that is a function of the cosine of a picture and its prompt."""

    def __init__(self, declaration: Declaration, values: Values) -> None:
        self.declaration = declaration
        self._values = values

    def obstacle(self, item: MetricItem) -> str:
        return prompt_obstacle(item)

    def texts(self, item: MetricItem) -> Sequence[str]:
        return (item.fields["prompt"],)

    def told(self, item: MetricItem) -> dict[str, Any]:
        return {"prompt": item.fields.get("prompt", "")}

    def values(self, cosines: Sequence[float], encoder: ImageTextEncoder) -> Mapping[str, float]:
        return self._values(cosines[0], encoder)


def _clipscore(cosine: float, encoder: ImageTextEncoder) -> dict[str, float]:
    positive = max(0.0, cosine)
    return {"clipscore": 2.5 * positive, "clipscore_100": 100 * positive, "clip_cosine": cosine}


def _pickscore(cosine: float, encoder: ImageTextEncoder) -> dict[str, float]:
    return {"pickscore": encoder.logit_scale * cosine}


CLIPSCORE = ImageTextMetric(
    Declaration(
        key="clipscore",
        name="CLIPScore",
        family="Image and text",
        version="1",
        modality="image",
        source="Hessel et al. 2021, CLIPScore, arXiv:2104.08718",
        needs=Needs(item_fields=_FIELDS, backend="clip"),
        outputs=(
            Output(key="clipscore", name="CLIPScore (2.5)", low=0.0, high=2.5, better="higher"),
            Output(
                key="clipscore_100", name="CLIPScore (100)", low=0.0, high=100.0, better="higher"
            ),
            Output(key="clip_cosine", name="CLIP cosine", low=-1.0, high=1.0, better="higher"),
        ),
        parameters=(SECONDS,),
        reasons=_REASONS,
    ),
    _clipscore,
)

PICKSCORE = ImageTextMetric(
    Declaration(
        key="pickscore",
        name="PickScore",
        family="Image and text",
        version="1",
        modality="image",
        source="Kirstain et al. 2023, Pick-a-Pic, arXiv:2305.01569",
        needs=Needs(item_fields=_FIELDS, backend="pickscore"),
        outputs=(
            Output(key="pickscore", name="PickScore", low=-100.0, high=100.0, better="higher"),
        ),
        parameters=(SECONDS,),
        reasons=_REASONS,
    ),
    _pickscore,
)
