"""CLIPScore and PickScore: how near a picture, or one frame of a clip, is to its prompt.

With c the cosine of the unit embeddings of picture and prompt:

    clip_cosine    = c                 -1 to 1, higher is better
    clipscore      = 2.5 max(0, c)      0 to 2.5 (Hessel et al. 2021, arXiv:2104.08718)
    clipscore_100  = 100 max(0, c)      0 to 100 (as torchmetrics scales it)
    pickscore      = s c               s the checkpoint's learned logit scale, at most 100
                                       (Kirstain et al. 2023, arXiv:2305.01569)

A clip is represented by the frame shown at ``seconds``, or its last one where it is shorter (ours).
Which text was scored, whether the model cut it, and the time of the frame are kept as evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from scoring.backends.image_text import ImageTextEncoder
from scoring.backends.pictures import MediaError
from scoring.metrics.base import (
    Declaration,
    Descriptor,
    MetricItem,
    Needs,
    Output,
    Progress,
    ScoreRow,
)
from scoring.metrics.item_pictures import (
    FIELDS,
    REASONS,
    SECONDS,
    media_reason,
    picture_of,
    prompt_obstacle,
)

_REASONS = ("no_prompt", *REASONS)
_FIELDS = ("prompt", *FIELDS)

Values = Callable[[float, float], dict[str, float]]
"""Every output's value from the cosine and the model's logit scale."""


class ImageTextMetric:
    """A registered metric that is a function of one cosine."""

    def __init__(self, declaration: Declaration, values: Values) -> None:
        self.declaration = declaration
        self._values = values

    def score(
        self,
        *,
        items: Sequence[MetricItem],
        descriptors: Sequence[Descriptor],
        backend: ImageTextEncoder,
        parameters: Mapping[str, object],
        on_progress: Progress | None = None,
    ) -> Iterator[ScoreRow]:
        """One row an item and output; see the module."""
        seconds = self.declaration.clean_parameters(parameters)["seconds"]
        return self._rows(items, backend, seconds, on_progress)

    def prefetch(
        self, *, items: Sequence[MetricItem], backend: Any, parameters: Mapping[str, object]
    ) -> None:
        """Begin to open the pictures of items that are scored next."""
        seconds = self.declaration.clean_parameters(parameters)["seconds"]
        backend.prefetch([picture_of(item, seconds) for item in items if not prompt_obstacle(item)])

    def _rows(
        self,
        items: Sequence[MetricItem],
        backend: ImageTextEncoder,
        seconds: float,
        on_progress: Progress | None,
    ) -> Iterator[ScoreRow]:
        obstacles = {item.key: prompt_obstacle(item) for item in items}
        scored = [item for item in items if not obstacles[item.key]]
        pictures = {item.key: picture_of(item, seconds) for item in scored}
        images = backend.encode_images(list(pictures.values()))
        texts = backend.encode_texts([item.fields["prompt"] for item in scored])
        encoded = dict(zip((i.key for i in scored), zip(images, texts, strict=True), strict=True))
        for done, item in enumerate(items, start=1):
            evidence: dict[str, Any] = {"prompt": item.fields.get("prompt", "")}
            if obstacles[item.key]:
                yield from self._undefined(item, obstacles[item.key], evidence)
            else:
                image, text = encoded[item.key]
                evidence["truncated"] = text.truncated
                evidence |= pictures[item.key].note  # the time of a clip's frame
                if isinstance(image, MediaError):
                    failed = evidence | {"error": str(image)}
                    yield from self._undefined(item, media_reason(image), failed)
                else:
                    cosine = min(1.0, max(-1.0, float(image @ text.vector)))
                    for output, value in self._values(cosine, backend.logit_scale).items():
                        yield ScoreRow(item.key, output, "", value, "", evidence)
            if on_progress is not None:
                on_progress(done, len(items))

    def _undefined(
        self, item: MetricItem, reason: str, evidence: dict[str, Any]
    ) -> Iterator[ScoreRow]:
        for output in self.declaration.outputs:
            yield ScoreRow(item.key, output.key, "", None, reason, evidence)


def _clipscore(cosine: float, logit_scale: float) -> dict[str, float]:
    positive = max(0.0, cosine)
    return {"clipscore": 2.5 * positive, "clipscore_100": 100 * positive, "clip_cosine": cosine}


def _pickscore(cosine: float, logit_scale: float) -> dict[str, float]:
    return {"pickscore": logit_scale * cosine}


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
