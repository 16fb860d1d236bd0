"""The picture that stands for an item: its own, or one frame of its clip."""

from __future__ import annotations

from collections.abc import MutableMapping
from pathlib import Path
from typing import TYPE_CHECKING

from scoring.backends.frames import frame_at
from scoring.backends.pictures import MediaError, MediaMissingError, open_picture
from scoring.metrics.base import MetricItem, Parameter

if TYPE_CHECKING:
    from PIL.Image import Image

FIELDS = ("kind", "file")
REASONS = ("missing_media", "undecodable", "not_applicable")

SECONDS = Parameter(
    name="seconds",
    label="the time of the frame in a clip, in seconds",
    help="Pictures do not use it. A shorter clip is scored on its last frame.",
    low=0.0,
    high=3600.0,
    required=False,
    default=2.0,
)


def obstacle(item: MetricItem) -> str:
    """Why there is no picture to look for, as a reason's code; empty where there should be one."""
    if item.fields.get("kind") not in {"image", "video"}:
        return "not_applicable"
    return "" if item.fields.get("file") else "missing_media"


def opened(item: MetricItem, seconds: float, shown: MutableMapping[str, float]) -> Image:
    """The item's picture; of a clip the frame at ``seconds``, whose time goes into ``shown``.

    Raises ``MediaError``.
    """
    path = Path(item.fields["file"])
    if item.fields["kind"] == "image":
        return open_picture(path)
    frame = frame_at(path, seconds)
    shown[item.key] = frame.seconds
    return frame.image


def media_reason(error: MediaError) -> str:
    return "missing_media" if isinstance(error, MediaMissingError) else "undecodable"
