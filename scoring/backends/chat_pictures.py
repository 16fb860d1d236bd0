"""Pictures as chat models are sent them, and back."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from scoring.backends.chat import Picture
from scoring.backends.pictures import UndecodableMediaError

if TYPE_CHECKING:
    from PIL.Image import Image as PilImage

LONGEST_SIDE = 1536  # pixels; models scale larger pictures down themselves


def sent_picture(image: PilImage) -> Picture:
    """``image`` (RGB, upright) as PNG, scaled down where a side is longer than ``LONGEST_SIDE``."""
    from PIL import Image

    factor = LONGEST_SIDE / max(image.size)
    if factor < 1:
        size = (max(1, round(image.width * factor)), max(1, round(image.height * factor)))
        image = image.resize(size, Image.Resampling.LANCZOS)
    stream = io.BytesIO()
    image.save(stream, format="PNG")
    return Picture(stream.getvalue(), "image/png")


def shown_picture(picture: Picture) -> PilImage:
    """What a chat model sees of ``picture``, in RGB. Raises ``UndecodableMediaError``."""
    from PIL import Image

    try:
        return Image.open(io.BytesIO(picture.data)).convert("RGB")
    except (OSError, SyntaxError, ValueError) as error:
        raise UndecodableMediaError(f"A picture in the question cannot be read ({error}).") from (
            error
        )
