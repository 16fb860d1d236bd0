"""Metrics that hold an item's picture against texts: functions of the cosines of unit embeddings.

A clip is represented by the frame shown at ``seconds``, or its last one where it is shorter (ours).
Whether the model cut a text, and the time of the frame, are kept as evidence.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scoring.backends.image_text import EncodedText, ImageTextEncoder, Vector
from scoring.backends.media_images import MediaImage
from scoring.backends.pictures import MediaError
from scoring.metrics.base import MetricItem, Progress, ScoreRow
from scoring.metrics.item_metric import ItemMetric, one_by_one
from scoring.metrics.item_pictures import media_reason, picture_of
from scoring.metrics.rows import undefined_rows


class PictureTextsMetric(ItemMetric):
    """Which texts, and what is made of their cosines, is left to the metric itself. The declaration
    has the parameter ``seconds``. One row an item and output."""

    @abstractmethod
    def obstacle(self, item: MetricItem) -> str:
        """Why the item cannot be scored, as a reason's code; empty where it can."""

    @abstractmethod
    def texts(self, item: MetricItem) -> Sequence[str]:
        """What the picture of an item without an obstacle is held against."""

    @abstractmethod
    def told(self, item: MetricItem) -> dict[str, Any]:
        """Evidence that stands with every score of the item, also with one that is not defined."""

    @abstractmethod
    def values(self, cosines: Sequence[float], encoder: ImageTextEncoder) -> Mapping[str, float]:
        """Every output's value from the cosines, -1 to 1, in the order of the texts."""

    def found(self, cosines: Sequence[float]) -> Mapping[str, Any]:
        """Evidence that a defined score has besides."""
        return {}

    def prefetch(
        self, *, items: Sequence[MetricItem], backend: Any, parameters: Mapping[str, object]
    ) -> None:
        """Begin to open the pictures of items that are scored next."""
        seconds = self.declaration.clean_parameters(parameters)["seconds"]
        backend.prefetch([picture_of(item, seconds) for item in items if not self.obstacle(item)])

    def _rows(
        self,
        items: Sequence[MetricItem],
        backend: ImageTextEncoder,
        parameters: Mapping[str, Any],
        on_progress: Progress | None,
    ) -> Iterator[ScoreRow]:
        scored = {item.key: item for item in items if not self.obstacle(item)}
        seconds = parameters["seconds"]
        pictures = {key: picture_of(item, seconds) for key, item in scored.items()}
        images = dict(zip(scored, backend.encode_images(list(pictures.values())), strict=True))
        texts = {key: self.texts(item) for key, item in scored.items()}
        encoded = iter(backend.encode_texts([one for some in texts.values() for one in some]))
        for item in one_by_one(items, on_progress):
            if item.key in scored:
                held = [next(encoded) for _ in texts[item.key]]
                image = images[item.key], pictures[item.key]
                yield from self._scored(item, *image, held, backend)
            else:
                yield from self._undefined(item, self.obstacle(item), self.told(item))

    def _scored(
        self,
        item: MetricItem,
        image: Vector | MediaError,
        picture: MediaImage,
        texts: Sequence[EncodedText],
        encoder: ImageTextEncoder,
    ) -> Iterator[ScoreRow]:
        evidence = {**self.told(item), "truncated": any(text.truncated for text in texts)}
        evidence |= picture.note  # the time of a clip's frame
        if isinstance(image, MediaError):
            told = evidence | {"error": str(image)}
            yield from self._undefined(item, media_reason(image), told)
            return
        cosines = [min(1.0, max(-1.0, float(image @ text.vector))) for text in texts]
        evidence |= self.found(cosines)
        for output, value in self.values(cosines, encoder).items():
            yield ScoreRow(item.key, output, "", value, "", evidence)

    def _undefined(
        self, item: MetricItem, reason: str, evidence: Mapping[str, Any]
    ) -> Iterator[ScoreRow]:
        return undefined_rows(self.declaration, reason=reason, evidence=evidence, item_key=item.key)
