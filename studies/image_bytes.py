"""The containers of pictures: JPEG segments, PNG chunks, RIFF chunks, ISO boxes.

Generators write themselves into their files (PNG text chunks, EXIF, XMP, C2PA).
:func:`strip_metadata` copies the compressed picture byte for byte and leaves out everything else,
because encoding pixels anew would change what is rated.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

from studies.avif_bytes import strip_avif
from studies.unplayable import UnplayableMedia, damaged

__all__ = ["UnplayableMedia", "damaged", "strip_metadata"]

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
PNG_CRITICAL = ("IHDR", "PLTE", "IDAT", "IEND")
PNG_COLOUR = ("tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "sBIT", "bKGD", "cICP", "mDCV", "cLLI")
PNG_KEPT = frozenset((*PNG_CRITICAL, *PNG_COLOUR, "pHYs", "acTL", "fcTL", "fdAT"))
WEBP_KEPT = frozenset({b"VP8 ", b"VP8L", b"ALPH", b"ANIM", b"ICCP"})
WEBP_EXIF_FLAG, WEBP_XMP_FLAG = 0x08, 0x04
ORIENTATION_TAG = 0x0112


def strip_metadata(data: bytes, format: str) -> bytes:
    """The same picture, pixel for pixel, without text, EXIF, XMP, C2PA, comments or a tail.

    ``format`` is that of :class:`ImageFacts`. Colour profiles stay. An orientation other than
    upright stays as an EXIF block that holds nothing else.
    """
    strippers = {
        "jpeg": _strip_jpeg,
        "png": _strip_png,
        "webp": _strip_webp,
        "avif": strip_avif,
    }
    if format not in strippers:
        raise ValueError(f"format is one of {', '.join(strippers)}, not {format!r}")
    try:
        return strippers[format](data)
    except (struct.error, IndexError) as error:
        raise damaged(format) from error


# EXIF: the one fact that changes how the picture looks


def orientation_of(exif: bytes) -> int:
    """The EXIF orientation, 1 to 8; 1 (upright) where there is none or it cannot be read."""
    tiff = exif.removeprefix(b"Exif\0\0")
    order = {b"II": "<", b"MM": ">"}.get(tiff[:2])
    if order is None:
        return 1
    try:
        (start,) = struct.unpack_from(f"{order}I", tiff, 4)
        (entries,) = struct.unpack_from(f"{order}H", tiff, start)
        for number in range(entries):
            tag, kind, _count, value = struct.unpack_from(
                f"{order}HHIH", tiff, start + 2 + 12 * number
            )
            if tag == ORIENTATION_TAG:
                return value if kind == 3 and 1 <= value <= 8 else 1
    except struct.error:  # a broken EXIF block: viewers then show the picture upright
        return 1
    return 1


def _orientation_only(orientation: int) -> bytes:
    """A TIFF block with one entry: big-endian, first directory at byte 8, no next directory."""
    entry = struct.pack(">HHIHH", ORIENTATION_TAG, 3, 1, orientation, 0)
    return b"MM\0*" + struct.pack(">IH", 8, 1) + entry + b"\0\0\0\0"


# PNG


def _png_chunks(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Each chunk's name and its bytes with length and checksum, up to and with IEND."""
    position, name = len(PNG_SIGNATURE), ""
    while name != "IEND":
        length, raw_name = struct.unpack_from(">I4s", data, position)
        end = position + 12 + length
        if end > len(data):
            raise damaged("png")
        name = raw_name.decode("latin-1")
        yield name, data[position:end]
        position = end


def _strip_png(data: bytes) -> bytes:
    kept = [PNG_SIGNATURE]
    orientation = 1
    for name, chunk in _png_chunks(data):
        if name == "eXIf":
            orientation = orientation_of(chunk[8:-4])
        if name in PNG_KEPT:
            kept.append(chunk)
    if orientation != 1:
        body = b"eXIf" + _orientation_only(orientation)
        chunk = struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))
        kept.insert(2, chunk)  # behind signature and IHDR
    return b"".join(kept)


# JPEG (ITU-T T.81, annex B)

JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_SOI, _EOI, _SOS, _COM = 0xD8, 0xD9, 0xDA, 0xFE


def jpeg_parts(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Each marker with its bytes, a scan with its compressed data; ends at the first EOI."""
    position = 2
    while position < len(data):
        while data[position] == 0xFF and data[position + 1] == 0xFF:  # fill bytes
            position += 1
        if data[position] != 0xFF:
            raise damaged("jpeg")
        marker = data[position + 1]
        if marker == _EOI:
            return
        (length,) = struct.unpack_from(">H", data, position + 2)
        end = position + 2 + length
        if length < 2 or end > len(data):
            raise damaged("jpeg")
        if marker == _SOS:
            end = _scan_end(data, end)
        yield marker, data[position:end]
        position = end


def _scan_end(data: bytes, position: int) -> int:
    """Where the compressed data ends: at a marker that is neither stuffing nor a restart."""
    while True:
        position = data.find(b"\xff", position)
        if position < 0 or position + 1 >= len(data):
            return len(data)
        if data[position + 1] not in (0x00, *range(0xD0, 0xD8)):
            return position
        position += 2


def _jpeg_is_kept(marker: int, segment: bytes) -> bool:
    if 0xE0 <= marker <= 0xEF:
        body = segment[4:]
        return (
            (marker == 0xE0 and body.startswith(b"JFIF\0"))
            or (marker == 0xE2 and body.startswith(b"ICC_PROFILE\0"))
            or (marker == 0xEE and body.startswith(b"Adobe"))
        )
    return marker != _COM


def _strip_jpeg(data: bytes) -> bytes:
    kept: list[bytes] = []
    orientation = None
    jfif = 0
    for marker, segment in jpeg_parts(data):
        if marker == 0xE1 and segment[4:].startswith(b"Exif\0\0") and orientation is None:
            orientation = orientation_of(segment[4:])
        if _jpeg_is_kept(marker, segment):
            kept.append(segment)
            jfif += marker == 0xE0
    if orientation not in (None, 1):
        body = b"Exif\0\0" + _orientation_only(orientation)
        # Readers expect JFIF first where it is there, EXIF next.
        kept.insert(min(jfif, 1), b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body)
    return b"\xff\xd8" + b"".join(kept) + b"\xff\xd9"


# WebP (RIFF container)


def _riff_chunks(data: bytes, position: int, end: int) -> Iterator[tuple[bytes, bytes]]:
    while position + 8 <= end:
        name, size = struct.unpack_from("<4sI", data, position)
        if position + 8 + size > end:
            raise damaged("webp")
        yield name, data[position + 8 : position + 8 + size]
        position += 8 + size + size % 2


def _riff_chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack("<4sI", name, len(body)) + body + b"\0" * (len(body) % 2)


def _strip_webp(data: bytes) -> bytes:
    end = min(len(data), 8 + struct.unpack_from("<I", data, 4)[0])
    chunks = list(_riff_chunks(data, 12, end))
    exif = next((body for name, body in chunks if name == b"EXIF"), b"")
    orientation = orientation_of(exif)
    turned = orientation != 1 and chunks[0][0] == b"VP8X"
    kept = []
    for name, body in chunks:
        if name == b"VP8X":
            flags = body[0] & ~(WEBP_EXIF_FLAG | WEBP_XMP_FLAG) | (WEBP_EXIF_FLAG * turned)
            kept.append(_riff_chunk(name, bytes([flags]) + body[1:]))
        elif name == b"ANMF":  # a frame is 16 bytes of numbers and then chunks of its own
            inner = _riff_chunks(body, 16, len(body))
            frame = b"".join(_riff_chunk(*chunk) for chunk in inner if chunk[0] in WEBP_KEPT)
            kept.append(_riff_chunk(name, body[:16] + frame))
        elif name in WEBP_KEPT:
            kept.append(_riff_chunk(name, body))
    if turned:
        kept.append(_riff_chunk(b"EXIF", _orientation_only(orientation)))
    content = b"WEBP" + b"".join(kept)
    return b"RIFF" + struct.pack("<I", len(content)) + content
