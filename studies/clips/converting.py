"""Converting a clip that not every browser plays. It changes what is rated, so it is asked for.

H.264 with a constant rate factor of 12 is near-lossless: about one grey level of difference.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import av
from av.error import FFmpegError

from studies.clips.probe import ClipFacts, cut_short, opened, streams_of
from studies.unplayable import UnplayableMedia

CRF = 12
SOUND_RATE = 192_000
MAX_SECONDS = 600


def transcode(source: Path, target: Path, facts: ClipFacts) -> str:
    """Write ``source`` as H.264 and AAC in MP4; returns what was done, for the item's record.

    Raises UnplayableMedia for high dynamic range, which needs a decision about its tones, for what
    is too long, and for what breaks off.
    """
    if facts.is_hdr:
        raise UnplayableMedia(
            "The clip is in high dynamic range, and its tones cannot be converted by rule.",
            "Convert it to standard dynamic range (SDR, H.264) yourself.",
        )
    if facts.duration is not None and facts.duration > MAX_SECONDS:
        raise UnplayableMedia(
            f"The clip is {facts.duration / 60:.0f} minutes long; up to "
            f"{MAX_SECONDS // 60} minutes are converted here.",
            "Cut it, or convert it yourself.",
        )
    options = {"movflags": "+faststart", "fflags": "+bitexact"}
    try:
        with (
            opened(source) as given,
            av.open(str(target), "w", format="mp4", options=options) as made,
        ):
            _convert(given, made)
    except FFmpegError as error:
        raise cut_short() from error
    return f"transcoded: {facts.codec} {facts.pixel_format} to h264 yuv420p, crf {CRF}"


def _convert(given: Any, made: Any) -> None:
    video, audio = streams_of(given)
    picture = _picture_stream(made, video)
    voice = None
    if audio is not None:
        voice = made.add_stream("aac", rate=audio.codec_context.sample_rate or 48_000)
        voice.bit_rate = SOUND_RATE
        voice.layout = "mono" if audio.codec_context.channels == 1 else "stereo"
    resampler = (
        av.AudioResampler(format="fltp", layout=voice.layout, rate=voice.rate) if voice else None
    )
    n = 0
    for packet in given.demux([s for s in (video, audio) if s is not None]):
        if packet.is_corrupt:
            raise cut_short()
        for frame in packet.decode():
            if isinstance(frame, av.VideoFrame):
                n += 1
                frame.pict_type = av.video.frame.PictureType.NONE
                flat = frame.reformat(picture.width, picture.height, "yuv420p")
                made.mux(picture.encode(flat))
            elif voice is not None and resampler is not None:
                for part in resampler.resample(frame):
                    made.mux(voice.encode(part))
    if n == 0:
        raise cut_short()
    made.mux(picture.encode())
    if voice is not None and resampler is not None:
        for part in resampler.resample(None):
            made.mux(voice.encode(part))
        made.mux(voice.encode())


def _picture_stream(made: Any, video: Any) -> Any:
    context = video.codec_context
    rate = video.average_rate or video.guessed_rate or Fraction(25)
    options = {"crf": str(CRF), "preset": "medium"}
    stream = made.add_stream("libx264", rate=rate, options=options)
    # 4:2:0 needs even sides.
    stream.width, stream.height = (
        context.width + context.width % 2,
        context.height + context.height % 2,
    )
    stream.pix_fmt = "yuv420p"
    stream.codec_context.time_base = video.time_base
    if video.sample_aspect_ratio:
        stream.codec_context.sample_aspect_ratio = video.sample_aspect_ratio
    for name in ("color_range", "color_primaries", "color_trc", "colorspace"):
        setattr(stream.codec_context, name, getattr(context, name))
    return stream
