"""What a clip is, by its streams, and whether every browser and phone can play it.

The streams decide, never the file's name. Chromium plays 10-bit and 4:4:4 H.264 that phones refuse,
so playing it here would prove nothing: the pixel format is held against what all of them decode.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import av
from av.error import FFmpegError

from studies.unplayable import UnplayableMedia

MAX_PIXELS = 4096 * 2304
"""Of one frame; phones decode no more."""

PLAYABLE_FORMATS = frozenset(("yuv420p", "yuvj420p"))
VIDEO_CODECS = frozenset(("h264", "vp8", "vp9", "av1"))
MP4_SOUND = frozenset(("aac", "mp3"))
WEBM_SOUND = frozenset(("opus", "vorbis"))
_NAMES = {
    "hevc": "HEVC (H.265)",
    "mpeg4": "MPEG-4 part 2",
    "prores": "ProRes",
    "mjpeg": "Motion JPEG",
    "mpeg2video": "MPEG-2",
    "mpeg1video": "MPEG-1",
    "h264": "H.264",
    "av1": "AV1",
    "vp9": "VP9",
    "vp8": "VP8",
    "libdav1d": "AV1",
}
_HDR = frozenset((16, 18))  # transfer functions PQ and HLG (ITU-T H.273, table 3)
CONVERT = "Convert it to H.264 (8 bit, yuv420p) in MP4, or tick “Convert clips”."


@dataclass(frozen=True, slots=True)
class Sound:
    codec: str
    sample_rate: int
    channels: int


@dataclass(frozen=True, slots=True)
class ClipFacts:
    """What the streams say. Width and height in pixels as shown, turned and unsqueezed; ``fault``
    is why some browser cannot play it, '' where all can. ``codec`` is '' for sound alone."""

    format: str
    codec: str
    pixel_format: str
    width: int | None
    height: int | None
    duration: float | None
    sound: Sound | None
    fault: str
    is_hdr: bool = False

    @property
    def is_video(self) -> bool:
        return bool(self.codec)


@contextmanager
def opened(path: Path) -> Iterator[Any]:
    """The container in ``path``. Raises UnplayableMedia for what is none, or breaks while read."""
    try:
        with av.open(str(path), metadata_errors="replace") as container:
            yield container
    except FFmpegError as error:
        raise cut_short() from error


def cut_short() -> UnplayableMedia:
    return UnplayableMedia(
        "The clip is cut short or damaged: it does not play to its end.",
        "Copy or export it again.",
    )


def probe_clip(path: Path) -> ClipFacts:
    """Read the streams' headers. Raises UnplayableMedia for what holds no stream to show."""
    with opened(path) as container:
        return facts_of(container)


def facts_of(container: Any) -> ClipFacts:
    video, audio = streams_of(container)
    if video is None and audio is None:
        raise UnplayableMedia(
            "The clip is cut short or damaged: it holds neither picture nor sound.",
            "Copy or export it again.",
        )
    sound = _sound(audio) if audio is not None else None
    duration = _duration(container, video if video is not None else audio)
    if video is None:
        return ClipFacts(container.format.name, "", "", None, None, duration, sound, "")
    context = video.codec_context
    if not context.width or not context.height:
        raise cut_short()
    _judge_size(context.width, context.height)
    codec, pixels = context.name.removeprefix("lib"), context.pix_fmt or ""
    codec = {"dav1d": "av1", "aom-av1": "av1", "vpx-vp9": "vp9", "vpx": "vp8"}.get(codec, codec)
    width, height = _shown_size(video)
    return ClipFacts(
        format=container.format.name,
        codec=codec,
        pixel_format=pixels,
        width=width,
        height=height,
        duration=duration,
        sound=sound,
        fault=_fault(codec, pixels, sound),
        is_hdr=int(context.color_trc or 0) in _HDR,
    )


def streams_of(container: Any) -> tuple[Any | None, Any | None]:
    """The first moving picture and the first sound; cover art is no moving picture."""
    videos = [s for s in container.streams.video if not _is_cover(s)]
    return (
        videos[0] if videos else None,
        container.streams.audio[0] if container.streams.audio else None,
    )


def _is_cover(stream: Any) -> bool:
    return bool(stream.disposition & av.stream.Disposition.attached_pic)


def _sound(stream: Any) -> Sound:
    context = stream.codec_context
    name = context.name.removeprefix("lib")
    if name.startswith("mp3"):
        name = "mp3"
    return Sound(name, context.sample_rate or 0, context.channels or 0)


def _duration(container: Any, stream: Any) -> float | None:
    if stream.duration is not None and stream.time_base is not None:
        seconds = float(stream.duration * stream.time_base)
    elif container.duration is not None:
        seconds = container.duration / av.time_base
    else:
        return None
    return round(seconds, 3) if seconds > 0 else None


def _shown_size(stream: Any) -> tuple[int, int]:
    """Pixels that are not square are stretched sideways, as players do."""
    width, height = stream.codec_context.width, stream.codec_context.height
    ratio = stream.sample_aspect_ratio
    if ratio and ratio > 0:
        width = round(width * ratio)
    return width, height


def _judge_size(width: int, height: int) -> None:
    if width * height > MAX_PIXELS:
        raise UnplayableMedia(
            f"The clip is {width} × {height} pixels; phones play no more than 4096 × 2304.",
            "Scale it down: 1280 × 720 is enough for rating.",
        )


def _fault(codec: str, pixels: str, sound: Sound | None) -> str:
    name = _NAMES.get(codec, codec.upper())
    if codec not in VIDEO_CODECS:
        return f"{name} video: many browsers show no picture."
    if pixels not in PLAYABLE_FORMATS:
        return f"{name} video in {_in_words(pixels)}: many phones show no picture."
    wanted = sound_for(codec)
    if sound is not None and sound.codec not in wanted:
        return f"The sound is {sound.codec}: some browsers play the clip silent."
    return ""


def sound_for(codec: str) -> frozenset[str]:
    """The codecs of sound that go with a video codec."""
    if codec == "h264":
        return MP4_SOUND
    return WEBM_SOUND | MP4_SOUND if codec == "av1" else WEBM_SOUND


def _in_words(pixels: str) -> str:
    depth = next((f"{n}-bit" for n in (10, 12, 16) if f"p{n}" in pixels), "")
    chroma = next((f"4:{a}:{b}" for a, b in ("44", "22", "40") if f"4{a}{b}p" in pixels), "")
    said = " ".join(part for part in (depth, chroma) if part)
    return f"{said} ({pixels})" if said else pixels or "an unknown pixel format"
