"""EXAG of groups of pictures: every (picture, candidate) is scored once in a call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scoring.backends.media_images import MediaImage
from scoring.metrics.ahead.descriptors import distinct
from scoring.metrics.ahead.exaggeration import exaggeration
from scoring.metrics.ahead.values import Value
from scoring.metrics.base import MetricItem, Progress
from scoring.metrics.image_text_score import ImageTextScore, ImageTextValue, require_unit_scale
from scoring.metrics.judged_media import words
from scoring.metrics.vqascore import PROMPT, VqaScore

Pair = tuple[MediaImage, str]
Asked = dict[Pair, ImageTextValue]


class PictureScores:
    """``scorer`` is None where a run was asked for without an image-text score.

    Raises ``BadScaleError`` unless it lies between 0 and 1.
    """

    def __init__(self, scorer: ImageTextScore | None, source: str) -> None:
        if scorer is not None:
            require_unit_scale(scorer)
        self._scorer = scorer
        self._source = source

    def exaggerations(
        self, groups: Sequence[Sequence[MetricItem]], on_progress: Progress | None = None
    ) -> list[Value]:
        """EXAG of every group of pictures of one scene (an item, or the items of a cell)."""
        if self._scorer is None:
            return [Value.undefined("not_asked", "no image-text score") for _ in groups]
        scorer = in_own_words(self._scorer, groups)
        scored = _scored(scorer, scored_pairs(groups), on_progress)
        return [self._exaggeration(group, scored) for group in groups]

    def _exaggeration(self, group: Sequence[MetricItem], scored: Asked) -> Value:
        pictures = [item for item in group if item.fields.get("kind") == "image"]
        if not pictures:
            return Value.undefined("not_applicable", "not a picture")
        candidates, real = _candidates(group[0]), _real(group[0])
        return exaggeration(
            candidates=candidates,
            keys=[item.key for item in pictures],
            pictures=[[scored[image, d] for d in candidates] for image in map(_image, pictures)]
            if real
            else [],
            real=[[scored[image, d] for d in candidates] for image in real],
            source=self._source,
        )


def in_own_words(scorer: Any, groups: Sequence[Sequence[MetricItem]]) -> Any:
    """The score as the items' study words its question, where it is one that asks in words."""
    first = next((item for group in groups for item in group), None)
    if first is None or not isinstance(scorer, VqaScore):
        return scorer
    return scorer.worded(words(first, PROMPT))


def scored_pairs(groups: Sequence[Sequence[MetricItem]]) -> list[Pair]:
    """Every (picture, candidate) that EXAG of the groups needs a score of, once."""
    return list(dict.fromkeys(pair for group in groups for pair in _pairs(group)))


def _scored(scorer: ImageTextScore, pairs: Sequence[Pair], on_progress: Progress | None) -> Asked:
    values = scorer.score_pairs(pairs, on_progress=on_progress) if pairs else []
    return dict(zip(pairs, values, strict=True))


def _pairs(group: Sequence[MetricItem]) -> list[Pair]:
    """Nothing is asked where EXAG will be undefined anyhow: without candidates or real images."""
    pictures = [_image(item) for item in group if item.fields.get("kind") == "image"]
    real = _real(group[0])
    if not (pictures and real):
        return []
    return [(image, text) for image in (*pictures, *real) for text in _candidates(group[0])]


def _image(item: MetricItem) -> MediaImage:
    return MediaImage(
        file=item.fields.get("file", ""), kind="image", sha256=item.fields.get("sha256", "")
    )


def _real(item: MetricItem) -> list[MediaImage]:
    rows: Sequence[Mapping[str, Any]] = item.inputs.get("real", ())
    return [MediaImage(file=row["file"], kind="image", sha256=row["sha256"]) for row in rows]


def _candidates(item: MetricItem) -> tuple[str, ...]:
    return distinct(item.inputs.get("candidates", ()))
