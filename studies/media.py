"""Image files: what the bytes are, and whether people can be shown them.

The bytes decide, never the file's name. Taking out what names the maker of a picture is
:func:`studies.image_bytes.strip_metadata`, offered here too.
"""

from __future__ import annotations

import io
import struct
import zlib
from dataclasses import dataclass

from PIL import Image

from studies.image_bytes import (
    JPEG_FRAMES,
    PNG_SIGNATURE,
    UnplayableMedia,
    damaged,
    jpeg_parts,
    orientation_of,
    strip_metadata,
)

__all__ = ["ImageFacts", "UnplayableMedia", "probe_image", "strip_metadata"]

MAX_PIXELS = 50_000_000
MAX_ANIMATION_PIXELS = 20 * MAX_PIXELS  # all frames together; beyond it a check takes minutes

CONTENT_TYPES = {
    "jpeg": "image/jpeg",
    "png": "image/png",
    "webp": "image/webp",
    "avif": "image/avif",
}

_FOREIGN_STARTS = (
    (b"GIF8", "a GIF"),
    (b"II*\0", "a TIFF"),
    (b"MM\0*", "a TIFF"),
    (b"BM", "a BMP"),
    (b"%PDF", "a PDF"),
    (b"8BPS", "a Photoshop file"),
    (b"\xff\x0a", "a JPEG XL"),
    (b"\0\0\0\x0cJXL ", "a JPEG XL"),
    (b"\0\0\0\x0cjP  ", "a JPEG 2000"),
    (b"\x1aE\xdf\xa3", "a video (WebM or Matroska)"),
)
_HEIF_BRANDS = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1")
_DECODE_ERRORS = (OSError, SyntaxError, ValueError, EOFError, IndexError, struct.error, zlib.error)


@dataclass(frozen=True)
class ImageFacts:
    """What the bytes say. Width and height (pixels) are those on screen, orientation applied."""

    format: str
    content_type: str
    width: int
    height: int
    animated: bool


def probe_image(data: bytes) -> ImageFacts:
    """Decode the whole file once and say what it is.

    Sizes are read from the header and judged before anything is decoded.
    Raises :class:`UnplayableMedia` for whatever a browser could not show, or should not be sent.
    """
    kind = _recognise(data)
    declared = _declared_size(data, kind)
    if declared is not None:
        _judge_size(*declared)
    try:
        with Image.open(io.BytesIO(data), formats=[kind.upper()]) as image:
            _judge_size(*image.size)
            image.verify()
        with Image.open(io.BytesIO(data), formats=[kind.upper()]) as image:
            _judge_colours(image)
            # A second picture inside a JPEG (MPO) is no animation: browsers show the first.
            frames = 1 if kind == "jpeg" else getattr(image, "n_frames", 1)
            _judge_animation(image.size, frames)
            for frame in range(frames):
                image.seek(frame)
                image.load()
            width, height = image.size
            if orientation_of(image.info.get("exif", b"")) >= 5:
                width, height = height, width
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise _too_large() from error
    except _DECODE_ERRORS as error:
        raise damaged(kind) from error
    return ImageFacts(kind, CONTENT_TYPES[kind], width, height, frames > 1)


# What is it?


def _recognise(data: bytes) -> str:
    if not data:
        raise UnplayableMedia("The file is empty.", "Copy or export the picture again.")
    if data.startswith(b"\xff\xd8\xff"):
        return "jpeg"
    if data.startswith(PNG_SIGNATURE):
        return "png"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "webp"
    if data[4:8] == b"ftyp":
        # The major brand may be the general one (mif1), the compatible brands tell.
        brands = data[8 : min(int.from_bytes(data[:4], "big"), 256)]
        if b"avif" in brands or b"avis" in brands:
            return "avif"
        heif = any(brand in brands for brand in _HEIF_BRANDS)
        raise _foreign("a HEIC photograph" if heif else "a video or another MP4-like file")
    for start, name in _FOREIGN_STARTS:
        if data.startswith(start):
            raise _foreign(name)
    if b"<svg" in data[:2048].lower():
        raise _foreign("an SVG drawing")
    raise UnplayableMedia(
        "The file is not a picture, whatever its name says.",
        "Give a PNG, JPEG, WebP or AVIF file.",
    )


def _declared_size(data: bytes, kind: str) -> tuple[int, int] | None:
    """Width and height from the header alone; None where only the decoder's parser can tell."""
    try:
        if kind == "png":
            return struct.unpack(">II", data[16:24])
        if kind == "webp":
            return _webp_size(data)
        if kind == "jpeg":
            for marker, segment in jpeg_parts(data):
                if marker in JPEG_FRAMES:
                    height, width = struct.unpack(">HH", segment[5:9])
                    return width, height
    except (struct.error, IndexError) as error:
        raise damaged(kind) from error
    return None


def _webp_size(data: bytes) -> tuple[int, int] | None:
    name, body = data[12:16], data[20:30]
    if name == b"VP8X":
        return (
            1 + int.from_bytes(body[4:7], "little"),
            1 + int.from_bytes(body[7:10], "little"),
        )
    if name == b"VP8 ":
        width, height = struct.unpack("<HH", body[6:10])
        return width & 0x3FFF, height & 0x3FFF
    if name == b"VP8L":
        bits = struct.unpack("<I", body[1:5])[0]
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    return None


def _judge_size(width: int, height: int) -> None:
    if width == 0 or height == 0:
        raise UnplayableMedia(
            f"The picture has no area: its header says {width} × {height} pixels.",
            "Export the picture again.",
        )
    if width * height > MAX_PIXELS:
        raise _too_large(f" ({width} × {height})")


def _judge_colours(image: Image.Image) -> None:
    if image.mode == "CMYK":
        raise UnplayableMedia(
            "The picture is in CMYK, the colours of print: browsers show it in different ways.",
            "Convert it to RGB (sRGB) and save it again.",
        )


def _judge_animation(size: tuple[int, int], frames: int) -> None:
    if size[0] * size[1] * frames > MAX_ANIMATION_PIXELS:
        raise UnplayableMedia(
            f"The animation is too long to be shown safely: {frames} frames of "
            f"{size[0]} × {size[1]} pixels.",
            "Make it shorter or smaller.",
        )


def _too_large(size: str = "") -> UnplayableMedia:
    return UnplayableMedia(
        f"The picture has more than {MAX_PIXELS // 1_000_000} million pixels{size}.",
        "Scale it down: a long side of 1600 pixels is enough for rating.",
    )


def _foreign(name: str) -> UnplayableMedia:
    return UnplayableMedia(
        f"The file is {name}, which is not shown here.", "Convert it to PNG or JPEG."
    )
