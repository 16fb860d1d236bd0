"""How near a clip is to its prompt: the cosine of the prompt and the mean of its frames.

With v_1 ... v_n the unit embeddings of n uniformly spaced frames and t that of the prompt:

    frame_similarity = cos(v_1 + ... + v_n, t)        -1 to 1, higher is better

A picture is a clip of one frame.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from scoring.backends.frames import Frame, uniform_frames
from scoring.backends.image_text import EncodedText, ImageTextEncoder, Vector
from scoring.backends.pictures import MediaError
from scoring.metrics.base import (
    Declaration,
    MetricItem,
    Needs,
    Output,
    Parameter,
    Progress,
    ScoreRow,
)
from scoring.metrics.item_metric import ItemMetric, one_by_one
from scoring.metrics.item_pictures import (
    FIELDS,
    REASONS,
    media_reason,
    picture_of,
    prompt_obstacle,
)
from scoring.metrics.rows import undefined_rows

if TYPE_CHECKING:
    from PIL.Image import Image


class FrameSimilarityMetric(ItemMetric):
    """One row an item; the evidence holds the times of the frames."""

    declaration = Declaration(
        key="frame_similarity",
        name="Similarity of frames and prompt",
        family="Image and text",
        version="1",
        modality="video",
        source="Mean-pooled frames of a CLIP model, as in Luo et al. 2021, arXiv:2104.08860",
        needs=Needs(item_fields=("prompt", *FIELDS), backend="clip"),
        outputs=(
            Output(
                key="frame_similarity",
                name="Similarity of frames and prompt",
                low=-1.0,
                high=1.0,
                better="higher",
            ),
        ),
        parameters=(
            Parameter(
                name="frames",
                label="the number of frames",
                help="They are spaced evenly over a clip. Pictures do not use it.",
                low=1,
                high=64,
                required=False,
                default=16,
                whole=True,
            ),
        ),
        reasons=("no_prompt", *REASONS),
    )

    def _rows(
        self,
        items: Sequence[MetricItem],
        backend: ImageTextEncoder,
        parameters: Mapping[str, Any],
        on_progress: Progress | None,
    ) -> Iterator[ScoreRow]:
        n = int(parameters["frames"])
        prompts = [item.fields["prompt"] for item in items if not prompt_obstacle(item)]
        texts = dict(zip(prompts, backend.encode_texts(prompts), strict=True))
        for item in one_by_one(items, on_progress):
            reason, evidence = prompt_obstacle(item), {"prompt": item.fields.get("prompt", "")}
            if not reason:
                yield from self._scored(item, texts[item.fields["prompt"]], backend, n)
            else:
                yield from undefined_rows(
                    self.declaration, reason=reason, evidence=evidence, item_key=item.key
                )

    def _scored(
        self, item: MetricItem, text: EncodedText, backend: ImageTextEncoder, n: int
    ) -> Iterator[ScoreRow]:
        evidence: dict[str, Any] = {"prompt": item.fields["prompt"], "truncated": text.truncated}
        try:
            pooled, seconds = _pooled(item, backend, n)
        except MediaError as error:
            yield from undefined_rows(
                self.declaration,
                reason=media_reason(error),
                evidence=evidence | {"error": str(error)},
                item_key=item.key,
            )
            return
        cosine = min(1.0, max(-1.0, float(pooled @ text.vector)))
        yield ScoreRow(
            item.key, "frame_similarity", "", cosine, "", evidence | {"seconds": seconds}
        )


def pooled_vector(vectors: Sequence[Vector]) -> Vector:
    """The mean of unit vectors, made one; where frames cancel out, ``ValueError``."""
    mean = np.mean(np.stack(vectors), axis=0, dtype=np.float64)
    length = float(np.linalg.norm(mean))
    if length == 0:
        raise ValueError("The embeddings of the frames cancel out.")
    return np.asarray(mean / length, dtype=np.float32)


def _pooled(item: MetricItem, backend: ImageTextEncoder, n: int) -> tuple[Vector, list[float]]:
    """Raises ``MediaError``."""
    if item.fields["kind"] == "image":
        images, seconds = backend.encode_images([picture_of(item, 0.0)]), []
    else:
        frames = uniform_frames(Path(item.fields["file"]), n)  # decoded once for all
        images = backend.encode_images([partial(_image, frame) for frame in frames])
        seconds = [frame.seconds for frame in frames]
    vectors: list[Vector] = []
    for image in images:
        if isinstance(image, MediaError):
            raise image
        vectors.append(image)
    return pooled_vector(vectors), seconds


def _image(frame: Frame) -> Image:
    return frame.image


FRAME_SIMILARITY = FrameSimilarityMetric()
