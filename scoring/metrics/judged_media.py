"""What the metrics that ask a chat model about an item have in common: its media, its prompts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.backends.chat import Picture
from scoring.backends.pictures import MediaError
from scoring.backends.shown_media import shown, shown_at
from scoring.metrics.base import Choice, MetricItem, Parameter
from scoring.metrics.item_pictures import FIELDS as FIELDS
from scoring.metrics.item_pictures import REASONS as OF_MEDIA
from scoring.metrics.item_pictures import media_reason, obstacle
from scoring.prompting.prompt import Prompt, prompt

REASONS = (*OF_MEDIA, "refused", "parse_failed")

CLIPS = Choice(
    name="clips",
    label="how clips are shown",
    help="Frames work with every model that sees pictures. The clip itself needs a server that "
    "takes video, such as vLLM with a video model; choose sound only where the model hears it.",
    options=(
        ("frames", "frames, evenly spaced"),
        ("clip", "the clip itself, without its sound"),
        ("sound", "the clip itself, with its sound"),
    ),
)

FRAMES = Parameter(
    name="frames",
    label="the number of frames",
    help="Evenly spaced over the clip; pictures do not use it.",
    low=1,
    high=64,
    required=False,
    default=16,
    whole=True,
)


def seen(item: MetricItem, parameters: Mapping[str, Any]) -> tuple[Picture, ...] | str:
    """What the model is shown of an item, or the reason why there is nothing to show."""
    if reason := obstacle(item):
        return reason
    try:
        return shown(
            item.fields["file"],
            item.fields["kind"],
            frames=int(parameters.get("frames", 16)),
            manner=parameters.get("clips", "frames"),
        )
    except MediaError as error:
        return media_reason(error)


def seen_at(item: MetricItem, seconds: float) -> Picture | str:
    """One picture of an item, of a clip the frame at ``seconds``, or the reason for none."""
    if reason := obstacle(item):
        return reason
    try:
        return shown_at(item.fields["file"], item.fields["kind"], seconds)
    except MediaError as error:
        return media_reason(error)


def picture_of(given: Mapping[str, str] | None) -> tuple[Picture, ...]:
    """A picture that goes with an item, by its ``file``; nothing where none is given.

    Raises ``MediaError``: what people were shown must not be left out unnoticed.
    """
    return shown(given["file"], "image", frames=1) if given else ()


def words(item: MetricItem, key: str) -> Prompt:
    """The prompt ``key`` in the study's own words, where the run gathered such, else ours."""
    edit = item.inputs.get("prompts", {}).get(key)
    base = prompt(key)
    if not edit or not edit.get("number"):
        return base
    return base.edited(system=edit["system"], user=edit["user"], number=edit["number"])
