"""Converting a clip that not every browser plays. It changes what is rated, so it is asked for.

H.264 with a constant rate factor of 12 is near-lossless: about one grey level of difference.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import av.filter
from av.error import FFmpegError

from studies.clips.copying import late_start
from studies.clips.probe import ClipFacts, cut_short, opened, streams_of
from studies.unplayable import UnplayableMedia

CRF = 12
SOUND_RATE = 192_000
MAX_RATE = 48_000  # samples a second
GAP = 0.1  # seconds of silence that are kept
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
    late = late_start(given)
    turns = _quarter_turns(given, video)
    picture = _picture_stream(made, video, turned=bool(turns % 2))
    voice = _Voice(made, audio, late) if audio is not None else None
    upright: Callable[[Any], Any] | None = None
    n = 0
    for packet in given.demux([s for s in (video, audio) if s is not None]):
        if packet.is_corrupt:
            raise cut_short()
        for frame in packet.decode():
            if isinstance(frame, av.VideoFrame):
                n += 1
                width, height = _even(frame.width), _even(frame.height)
                flat = frame.reformat(width, height, "yuv420p")
                if turns:
                    upright = upright or _turner(flat, video.time_base, turns)
                    flat = upright(flat)
                flat.pts = frame.pts - round(late / video.time_base)
                flat.pict_type = av.video.frame.PictureType.NONE
                made.mux(picture.encode(flat))
            elif voice is not None:
                voice.take(frame)
    if n == 0:
        raise cut_short()
    made.mux(picture.encode())
    if voice is not None:
        voice.close()


def _quarter_turns(given: Any, video: Any) -> int:
    """How many quarters counterclockwise the first frame asks to be turned; back to the start."""
    first = next(given.decode(video), None)
    if first is None:
        raise cut_short()
    given.seek(0)
    return round((first.rotation or 0) / 90) % 4


def _turner(frame: Any, time_base: Fraction, turns: int) -> Callable[[Any], Any]:
    """Turns frames like ``frame``: a phone's clip lies on its side and says so in its container,
    which a new container would not."""
    graph = av.filter.Graph()
    source = graph.add_buffer(
        width=frame.width, height=frame.height, format=frame.format, time_base=time_base
    )
    last = source
    for name, how in {1: [("transpose", "cclock")], 3: [("transpose", "clock")]}.get(
        turns, [("hflip", ""), ("vflip", "")]
    ):
        step = graph.add(name, how) if how else graph.add(name)
        last.link_to(step)
        last = step
    last.link_to(graph.add("buffersink"))
    graph.configure()

    def turned(frame: Any) -> Any:
        graph.push(frame)
        return graph.pull()

    return turned


class _Voice:
    """The sound on its way to AAC. Its samples are counted, because some containers give sound no
    times, or times that overlap."""

    def __init__(self, made: Any, audio: Any, late: float) -> None:
        self._made = made
        rate = min(audio.codec_context.sample_rate or MAX_RATE, MAX_RATE)
        self._stream = made.add_stream("aac", rate=rate)
        self._stream.bit_rate = SOUND_RATE
        self._stream.layout = "mono" if audio.codec_context.channels == 1 else "stereo"
        self._resampler = av.AudioResampler(format="fltp", layout=self._stream.layout, rate=rate)
        self._rate = rate
        self._late = round(late * rate)
        self._next: int | None = None

    def take(self, frame: Any | None) -> None:
        for part in self._resampler.resample(frame):
            said = None
            if part.pts is not None:
                said = max(0, round(part.pts * part.time_base * self._rate) - self._late)
            if self._next is None or (said is not None and said - self._next > GAP * self._rate):
                self._next = said or 0
            part.pts, part.time_base = self._next, Fraction(1, self._rate)
            self._next += part.samples
            self._made.mux(self._stream.encode(part))

    def close(self) -> None:
        self.take(None)
        self._made.mux(self._stream.encode())


def _even(side: int) -> int:
    """4:2:0 needs even sides."""
    return side + side % 2


def _picture_stream(made: Any, video: Any, *, turned: bool) -> Any:
    context = video.codec_context
    rate = video.average_rate or video.guessed_rate or Fraction(25)
    options = {"crf": str(CRF), "preset": "medium"}
    stream = made.add_stream("libx264", rate=rate, options=options)
    sides = _even(context.width), _even(context.height)
    stream.width, stream.height = reversed(sides) if turned else sides
    stream.pix_fmt = "yuv420p"
    stream.codec_context.time_base = video.time_base
    if ratio := video.sample_aspect_ratio:
        stream.codec_context.sample_aspect_ratio = 1 / ratio if turned else ratio
    for name in ("color_range", "color_primaries", "color_trc", "colorspace"):
        setattr(stream.codec_context, name, getattr(context, name))
    return stream
