"""Scores of how well a picture shows a text, behind one protocol, whatever model is behind it.

AHEaD's EXAG compares such scores of two sets of pictures and needs one between 0 and 1:
``require_unit_scale`` refuses any other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from scoring.metrics.base import MetricError, Progress

if TYPE_CHECKING:
    from PIL.Image import Image

OpenImage = Callable[[], "Image"]
"""Opens one picture, upright and in RGB; raises ``scoring.backends.pictures.MediaError``."""

UNIT_SCALE = (0.0, 1.0)


class BadScaleError(MetricError):
    """An image-text score on another scale than 0 to 1 was given where only that makes sense."""

    reason = "bad_scale"


@dataclass(frozen=True, slots=True)
class ImageTextValue:
    """``value`` is None exactly where ``reason`` holds a code of ``scoring.metrics.base.REASONS``.

    ``evidence`` is JSON-serialisable.
    """

    value: float | None
    reason: str = ""
    evidence: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if (self.value is None) != bool(self.reason):
            raise ValueError(f"A score has a value or a reason: {self.value!r}, {self.reason!r}")


class ImageTextScore(Protocol):
    """Higher is better; ``scale`` is the lowest and the highest possible value."""

    @property
    def name(self) -> str: ...

    @property
    def model_id(self) -> str: ...

    @property
    def revision(self) -> str: ...

    @property
    def scale(self) -> tuple[float, float]: ...

    def score_pairs(
        self, pairs: Sequence[tuple[OpenImage, str]], *, on_progress: Progress | None = None
    ) -> list[ImageTextValue]:
        """One value a (picture, text), in order. A picture that cannot be opened is undefined
        alone; errors of the model are raised."""
        ...


def require_unit_scale(score: ImageTextScore) -> None:
    """Raises ``BadScaleError`` unless ``score`` lies between 0 and 1."""
    if score.scale != UNIT_SCALE:
        low, high = score.scale
        raise BadScaleError(
            f"{score.name} goes from {low:g} to {high:g}; exaggeration needs a score from 0 to 1, "
            "such as VQAScore."
        )
