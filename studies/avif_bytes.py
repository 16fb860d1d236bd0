"""Taking metadata out of an AVIF file without moving a byte (ISO/IEC 14496-12, 23008-12).

Its boxes refer to each other by position, so what is not picture is overwritten with zeros where it
stands, and its name becomes one that every reader passes over.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from studies.unplayable import damaged

_TOP_KEPT = frozenset((b"ftyp", b"meta", b"mdat", b"moov", b"free", b"skip"))
_CONTAINERS = frozenset((b"moov", b"trak", b"mdia", b"minf", b"stbl"))
_IMAGE_ITEMS = frozenset((b"av01", b"grid", b"iovl", b"tmap", b"skip"))
_NOT_PICTURE = frozenset((b"uuid", b"udta", b"jumb"))


def strip_avif(data: bytes) -> bytes:
    """The same file, as long as before, with EXIF, XMP, C2PA and user data blanked."""
    blank = bytearray(data)
    _clean(data, blank, 0, len(data), top=True)
    return bytes(blank)


def boxes(data: bytes, position: int, end: int) -> Iterator[tuple[bytes, int, int]]:
    """Each box's name and where its content begins and ends."""
    while position + 8 <= end:
        size, name = struct.unpack_from(">I4s", data, position)
        header = 8
        if size == 1:
            (size,) = struct.unpack_from(">Q", data, position + 8)
            header = 16
        elif size == 0:
            size = end - position
        if size < header or position + size > end:
            raise damaged("avif")
        yield name, position + header, position + size
        position += size


def _clean(data: bytes, blank: bytearray, start: int, end: int, *, top: bool) -> None:
    for name, inner, inner_end in boxes(data, start, end):
        if (top and name not in _TOP_KEPT) or name in _NOT_PICTURE:
            _rename_before(data, blank, inner, b"free")
            blank[inner:inner_end] = bytes(inner_end - inner)
        elif name == b"meta" and top:
            _clean_meta(data, blank, inner, inner_end)
        elif name == b"meta":
            _rename_before(data, blank, inner, b"free")
            blank[inner:inner_end] = bytes(inner_end - inner)
        elif name in _CONTAINERS:
            _clean(data, blank, inner, inner_end, top=False)


def _rename_before(data: bytes, blank: bytearray, inner: int, name: bytes) -> None:
    """A box's name stands 4 bytes before its content, or 12 where its size takes 8 bytes."""
    at = inner - 4
    if inner >= 16 and data[inner - 16 : inner - 12] == b"\0\0\0\1":
        at = inner - 12
    blank[at : at + 4] = name


def _clean_meta(data: bytes, blank: bytearray, start: int, end: int) -> None:
    parts = {name: (inner, inner_end) for name, inner, inner_end in boxes(data, start + 4, end)}
    foreign: set[int] = set()
    if b"iinf" in parts:
        for number, kind, at in _items(data, *parts[b"iinf"]):
            if kind not in _IMAGE_ITEMS:
                foreign.add(number)
                blank[at : at + 4] = b"skip"
    if foreign and b"iloc" not in parts:
        raise damaged("avif")
    inside = parts.get(b"idat", (0, 0))[0]
    for number, method, position, length in _extents(data, parts[b"iloc"][0]) if foreign else ():
        if number in foreign:
            at = position + inside if method == 1 else position
            if at + length > len(data):
                raise damaged("avif")
            blank[at : at + length] = bytes(length)


def _items(data: bytes, start: int, end: int) -> Iterator[tuple[int, bytes, int]]:
    """Number, type, and where the type stands, of each item."""
    count_bytes = 2 if data[start] == 0 else 4
    for name, at, _end in boxes(data, start + 4 + count_bytes, end):
        if name == b"infe":
            id_bytes = 4 if data[at] == 3 else 2
            number = int.from_bytes(data[at + 4 : at + 4 + id_bytes], "big")
            kind_at = at + 6 + id_bytes
            yield number, data[kind_at : kind_at + 4], kind_at


def _extents(data: bytes, at: int) -> Iterator[tuple[int, int, int, int]]:
    """Item number, construction method (0 file, 1 idat), position and length of each extent."""
    version = data[at]
    sizes = int.from_bytes(data[at + 4 : at + 6], "big")
    offset_size, length_size, base_size = sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15
    index_size = sizes & 15 if version in (1, 2) else 0
    position = at + 6

    def take(n: int) -> int:
        nonlocal position
        if position + n > len(data):
            raise damaged("avif")
        value = int.from_bytes(data[position : position + n], "big")
        position += n
        return value

    number_size = 4 if version == 2 else 2
    for _ in range(take(number_size)):
        number = take(number_size)
        method = take(2) & 15 if version in (1, 2) else 0
        take(2)
        base = take(base_size)
        for _ in range(take(2)):
            take(index_size)
            offset = take(offset_size)
            yield number, method, base + offset, take(length_size)
