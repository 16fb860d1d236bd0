"""Image files: what the bytes are, and whether people can be shown them.

The bytes decide, never the file's name. Taking out what names the maker of a picture is
:func:`studies.image_bytes.strip_metadata`, offered here too.
"""

from __future__ import annotations

import io
import re
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

__all__ = ["ImageFacts", "UnplayableMedia", "is_clip", "probe_image", "strip_metadata"]

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
)
_HEIF_BRANDS = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1")
# The AVIF decoder raises RuntimeError for damaged data.
_DECODE_ERRORS = (
    OSError,
    SyntaxError,
    ValueError,
    EOFError,
    IndexError,
    RuntimeError,
    struct.error,
    zlib.error,
)


_CLIP_STARTS = (b"\x1aE\xdf\xa3", b"OggS", b"ID3", b"fLaC", b"FLV", b"\0\0\1\xba", b"#!AMR")
_CLIP_STARTS += (b"\xff\xf0", b"\xff\xf1", b"\xff\xf8", b"\xff\xf9")  # AAC alone (ADTS)
_WEB_PAGE = re.compile(rb"\s*(<\?xml[^>]*>\s*)?<(!doctype html|html|head)\b", re.IGNORECASE)
_ASF = bytes.fromhex("3026b2758e66cf11")


@dataclass(frozen=True)
class ImageFacts:
    """What the bytes say. Width and height (pixels) are those on screen, orientation applied.

    ``transparent``: something behind the picture is seen through some pixel of its first frame.
    """

    format: str
    content_type: str
    width: int
    height: int
    animated: bool
    transparent: bool = False


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
            transparent = False
            for frame in range(frames):
                image.seek(frame)
                image.load()
                transparent |= frame == 0 and _is_seen_through(image)
            width, height = image.size
            if orientation_of(image.info.get("exif", b"")) >= 5:
                width, height = height, width
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise _too_large() from error
    except _DECODE_ERRORS as error:
        raise damaged(kind) from error
    return ImageFacts(kind, CONTENT_TYPES[kind], width, height, frames > 1, transparent)


# What is it?


def is_clip(head: bytes) -> bool:
    """Whether a file that begins like this (1 KB is enough) holds video or sound."""
    if head.startswith(_CLIP_STARTS) or head.startswith(_ASF):
        return True
    if head[:4] == b"RIFF":
        return head[8:12] in (b"AVI ", b"WAVE")
    if head[4:8] in (b"ftyp", b"moov", b"mdat", b"wide") and head[:1] == b"\0":
        brands = (
            head[8 : min(int.from_bytes(head[:4], "big"), 256)] if head[4:8] == b"ftyp" else b""
        )
        pictures = (b"avif", b"avis", *_HEIF_BRANDS)
        return not any(brand in brands for brand in pictures)
    if head[:1] == b"G" and head[188:189] == b"G" and head[376:377] == b"G":  # MPEG-TS
        return True
    if head[:1] == b"\xff" and head[1:2] in (
        b"\xf0",
        b"\xf1",
        b"\xf8",
        b"\xf9",
    ):  # AAC alone (ADTS)
        return True
    # An MPEG audio frame: eleven set bits, then a version and a layer that exist.
    return (
        len(head) > 3
        and head[0] == 0xFF
        and head[1] & 0xE6 == 0xE2
        and (head[1] & 0x18 != 0x08 and head[2] & 0xF0 != 0xF0)
    )


def _recognise(data: bytes) -> str:
    if not data:
        raise UnplayableMedia("The file is empty.", "Copy or export it again.")
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
        raise _foreign("a HEIC photograph" if heif else "an MP4-like file of another kind")
    for start, name in _FOREIGN_STARTS:
        if data.startswith(start):
            raise _foreign(name)
    if b"<svg" in data[:2048].lower():
        raise _foreign("an SVG drawing")
    if _WEB_PAGE.match(data[:512]):
        raise UnplayableMedia(
            "The file is a web page and no medium.", "Give the address of the file itself."
        )
    raise UnplayableMedia(
        "The file is neither picture nor clip, whatever its name says.",
        "Give a PNG, JPEG, WebP or AVIF picture, or an MP4 or WebM clip.",
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


def _is_seen_through(image: Image.Image) -> bool:
    """Many pictures have an alpha channel and leave it full; only what is seen counts."""
    if not image.has_transparency_data:
        return False
    alpha = image if image.mode.endswith(("A", "a")) else image.convert("RGBA")
    return alpha.getchannel("A").getextrema()[0] < 255


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
    fix = "Convert it to PNG or JPEG."
    if name == "a GIF":  # 256 colours, and no way to pause it
        fix = "Export it again as PNG, or as an MP4 clip where it moves."
    return UnplayableMedia(f"The file is {name}, which is not shown here.", fix)
