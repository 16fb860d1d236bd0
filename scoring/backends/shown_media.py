"""An item's file as a chat model is shown it: a picture, frames of a clip, or the clip itself.

What stands alone, a picture or one frame of a clip, is sent as ``sent_picture`` says: nothing of
what is judged is lost but size beyond what models read. Of several frames a call carries up to 64,
and three times as many where clips are compared: they are sent smaller, and as JPEG. Both sizes are
ours; the papers name none.
"""

from __future__ import annotations

import io
import mimetypes
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from scoring.backends.chat import Picture
from scoring.backends.chat_pictures import sent_picture
from scoring.backends.frames import frame_at, uniform_frames
from scoring.backends.pictures import MediaMissingError, UndecodableMediaError, open_picture

if TYPE_CHECKING:
    from PIL.Image import Image

Manner = Literal["frames", "clip", "sound"]

LONGEST_SIDE = 768
"""Pixels of each of several frames."""

QUALITY = 90


def shown(file: str, kind: str, *, frames: int, manner: Manner = "frames") -> tuple[Picture, ...]:
    """What a model sees of a picture (``kind`` image), or of a clip (``kind`` video).

    A clip is ``frames`` uniformly spaced frames in order; in the manner ``clip`` its pictures as
    they are in the file, without sound; in the manner ``sound`` the whole file. Raises
    ``MediaMissingError`` and ``UndecodableMediaError``.
    """
    path = Path(file)
    if not file or not path.is_file():
        raise MediaMissingError(f"There is no file {path.name}. Import the item again.")
    if kind == "image":
        return (sent_picture(open_picture(path)),)
    if manner == "clip":
        return (Picture(_silent(path), _media_type(path)),)
    if manner == "sound":
        return (Picture(path.read_bytes(), _media_type(path)),)
    found = uniform_frames(path, frames)
    send = sent_picture if len(found) == 1 else _jpeg
    return tuple(send(frame.image) for frame in found)


def shown_at(file: str, kind: str, seconds: float) -> Picture:
    """The picture, or the frame of the clip that is shown at ``seconds``. Raises as ``shown``."""
    if kind == "image":
        return shown(file, kind, frames=1)[0]
    return sent_picture(frame_at(Path(file), seconds).image)


def _media_type(path: Path) -> str:
    return mimetypes.guess_type(path.name)[0] or "video/mp4"


def _silent(path: Path) -> bytes:
    """The clip's packets of pictures in a container of the same kind: nothing is encoded anew."""
    import av

    buffer = io.BytesIO()
    container = "webm" if _media_type(path) == "video/webm" else "mp4"
    try:
        with av.open(str(path)) as source, av.open(buffer, "w", format=container) as target:
            video = source.streams.video[0]
            copy = target.add_stream_from_template(video)
            for packet in source.demux(video):
                if packet.dts is not None:
                    packet.stream = copy
                    target.mux(packet)
    except (av.FFmpegError, IndexError) as error:
        raise UndecodableMediaError(
            f"The file {path.name} is not a clip that can be read ({error})."
        ) from error
    return buffer.getvalue()


def _jpeg(image: Image) -> Picture:
    """Encoded the same way every time: an exchange is found again by the picture's hash."""
    image.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=QUALITY, optimize=False)
    return Picture(buffer.getvalue(), "image/jpeg")
