"""The picture that stands for an item: its own, or one frame of its clip."""

from __future__ import annotations

from scoring.backends.media_images import MediaImage
from scoring.backends.pictures import MediaError, MediaMissingError
from scoring.metrics.base import MetricItem, Parameter

FIELDS = ("kind", "file", "sha256")
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


def prompt_obstacle(item: MetricItem) -> str:
    """As ``obstacle``, or ``no_prompt`` where there is no text to hold a picture against."""
    found = obstacle(item)
    if found == "not_applicable" or item.fields.get("prompt", "").strip():
        return found
    return "no_prompt"


def picture_of(item: MetricItem, seconds: float) -> MediaImage:
    """The item's picture, not yet opened; of a clip the frame at ``seconds``."""
    fields = item.fields
    return MediaImage(fields["file"], fields["kind"], fields.get("sha256", ""), seconds)


def media_reason(error: MediaError) -> str:
    return "missing_media" if isinstance(error, MediaMissingError) else "undecodable"
