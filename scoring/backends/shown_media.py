"""An item's file as a chat model is shown it: a picture, frames of a clip, or the clip itself."""

from __future__ import annotations

import io
import mimetypes
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from scoring.backends.chat import Picture
from scoring.backends.frames import frame_at, uniform_frames
from scoring.backends.pictures import MediaMissingError, open_picture

if TYPE_CHECKING:
    from PIL.Image import Image

Manner = Literal["frames", "clip"]

LONGEST_SIDE = 768
"""Pixels; larger pictures are scaled down, as most servers do anyway."""

QUALITY = 90


def shown(file: str, kind: str, *, frames: int, manner: Manner = "frames") -> tuple[Picture, ...]:
    """What a model sees of a picture (``kind`` image), or of a clip (``kind`` video).

    A clip is ``frames`` uniformly spaced frames in order, or, in the manner ``clip``, the file as
    it is, sound and all. Raises ``MediaMissingError`` and ``UndecodableMediaError``.
    """
    path = Path(file)
    if not file or not path.is_file():
        raise MediaMissingError(f"There is no file {path.name}. Import the item again.")
    if kind == "image":
        return (_jpeg(open_picture(path)),)
    if manner == "clip":
        return (Picture(path.read_bytes(), mimetypes.guess_type(path.name)[0] or "video/mp4"),)
    return tuple(_jpeg(frame.image) for frame in uniform_frames(path, frames))


def shown_at(file: str, kind: str, seconds: float) -> Picture:
    """The picture, or the frame of the clip that is shown at ``seconds``. Raises as ``shown``."""
    if kind == "image":
        return shown(file, kind, frames=1)[0]
    return _jpeg(frame_at(Path(file), seconds).image)


def _jpeg(image: Image) -> Picture:
    """Encoded the same way every time: an exchange is found again by the picture's hash."""
    image.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=QUALITY, optimize=False)
    return Picture(buffer.getvalue(), "image/jpeg")
