"""A picture file as the RGB image that an encoder is given."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image


class MediaError(Exception):
    """One item's file cannot be used; the message says why. It holds for this item alone."""


class MediaMissingError(MediaError):
    """There is no file at the path that the item names."""


class UndecodableMediaError(MediaError):
    """The file is there and is no picture or clip that can be read."""


def open_picture(path: Path) -> Image:
    """The first frame of a picture in RGB, 8 bits a channel, upright.

    Transparent pixels are laid on white, as a page shows them (a plain conversion would bring up
    the colours behind them). 16-bit grey is scaled to 8 bits instead of being cut off.

    Raises ``MediaMissingError`` and ``UndecodableMediaError``.
    """
    from PIL import Image, ImageOps, UnidentifiedImageError

    if not path.is_file():
        raise MediaMissingError(f"There is no file {path.name}. Import the item again.")
    try:
        with Image.open(path) as opened:
            opened.seek(0)
            image = ImageOps.exif_transpose(opened)
            image.load()
            return _rgb(image)
    except (
        OSError,
        UnidentifiedImageError,
        SyntaxError,
        ValueError,
        Image.DecompressionBombError,  # more pixels than memory may be spent on
    ) as error:
        raise UndecodableMediaError(
            f"The file {path.name} is not a picture that can be read ({error})."
        ) from error


def _rgb(image: Image) -> Image:
    from PIL import Image

    if image.mode.startswith("I"):
        image = image.convert("I").point(lambda value: value / 257).convert("L")
    if image.has_transparency_data:
        image = image.convert("RGBA")
        white = Image.new("RGBA", image.size, "white")
        return Image.alpha_composite(white, image).convert("RGB")
    return image.convert("RGB")
