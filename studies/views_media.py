"""Media of items, by opaque address: whole or in ranges, and only what annotators may be shown."""

from __future__ import annotations

from collections.abc import Iterator

from django.core.files import File
from django.db.models.fields.files import FieldFile
from django.http import (
    FileResponse,
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    StreamingHttpResponse,
)
from django.shortcuts import get_object_or_404
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_safe

from studies.byte_ranges import ByteRange, UnsatisfiableRange, read_range
from studies.design import frozen_design
from studies.models import ElementPicture, Item, Study

# A slow reader of a long clip must not hold a thread for its whole length: players ask again.
MOST_BYTES = 1024 * 1024
CHUNK = 64 * 1024
FOR_GOOD = "private, max-age=31536000, immutable"
ASK_FIRST = "private, no-cache"  # while the sound rule of a draft can still change
TYPES = {
    "mp4": "video/mp4",
    "webm": "video/webm",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "png": "image/png",
    "webp": "image/webp",
    "avif": "image/avif",
}


@require_safe
def media(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """An item's file without the name it came with; without its sound where the study says so."""
    item = _item(public_id)
    silent = item.silent_media and sound_is_off(item.study)
    file = item.silent_media if silent else item.media
    kind = _type_of(file, item) if silent else item.content_type
    draft_clip = item.kind != Item.Kind.IMAGE and item.study.is_draft
    return _served(request, file, kind, ASK_FIRST if draft_clip else FOR_GOOD, item.sha256)


@require_safe
def poster(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """The first frame of a clip."""
    item = _item(public_id)
    if not item.poster:
        raise Http404("This item has no poster.")
    return _served(request, item.poster, _type_of(item.poster, item), FOR_GOOD, item.sha256)


@require_safe
def element(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """The reference picture of a cultural element."""
    picture = get_object_or_404(ElementPicture, public_id=public_id)
    return _served(request, picture.media, picture.content_type, FOR_GOOD, picture.sha256)


def sound_is_off(study: Study) -> bool:
    """Whether annotators must hear nothing: by the design in force, a draft's own before launch."""
    sound = frozen_design(study.pk, study.revision).sound if study.revision else study.sound
    return sound == Study.Sound.OFF


def _item(public_id: str) -> Item:
    wanted = Item.objects.select_related("study").only(
        "kind",
        "media",
        "silent_media",
        "poster",
        "content_type",
        "sha256",
        "study__state",
        "study__revision",
        "study__sound",
    )
    return get_object_or_404(wanted, public_id=public_id)


def _type_of(file: FieldFile, item: Item) -> str:
    return TYPES.get(file.name.rsplit(".", 1)[-1].lower(), item.content_type)


def _served(
    request: HttpRequest, field: FieldFile, content_type: str, keep: str, sha256: str
) -> HttpResponseBase:
    try:
        file = field.open("rb")
    except FileNotFoundError as missing:
        raise Http404("The file of this item is missing.") from missing
    # The name tells the renditions of an item apart, the hash its contents.
    etag = f'"{sha256[:16]}-{field.name.rsplit("/", 1)[-1]}"'
    response = _answer(request, file, content_type, etag)
    response["Accept-Ranges"] = "bytes"
    response["Cache-Control"] = keep
    response["Content-Disposition"] = "inline"
    response["ETag"] = etag
    return response


def _answer(request: HttpRequest, file: File, content_type: str, etag: str) -> HttpResponseBase:
    """Not modified, a part, a refusal of the part, or the whole."""
    unchanged = get_conditional_response(request, etag=etag)
    if unchanged is not None:
        file.close()
        return unchanged
    try:
        wanted = _wanted_range(request, file.size, etag)
    except UnsatisfiableRange as refused:
        size = file.size
        file.close()
        response = HttpResponse(str(refused), status=416, content_type="text/plain")
        response["Content-Range"] = f"bytes */{size}"
        return response
    if wanted is None:
        return FileResponse(file, content_type=content_type)
    return _part(file, wanted.capped(MOST_BYTES), content_type)


def _wanted_range(request: HttpRequest, size: int, etag: str) -> ByteRange | None:
    """Only a GET has ranges, and a continued download only of the very same file."""
    if request.method != "GET" or request.headers.get("If-Range", etag) != etag:
        return None
    return read_range(request.headers.get("Range", ""), size)


def _part(file: File, part: ByteRange, content_type: str) -> StreamingHttpResponse:
    response = StreamingHttpResponse(_chunks(file, part), status=206, content_type=content_type)
    response["Content-Length"] = str(part.length)
    response["Content-Range"] = f"bytes {part.first}-{part.last}/{file.size}"
    return response


def _chunks(file: File, part: ByteRange) -> Iterator[bytes]:
    with file:
        file.seek(part.first)
        left = part.length
        while left > 0 and (chunk := file.read(min(CHUNK, left))):
            left -= len(chunk)
            yield chunk
