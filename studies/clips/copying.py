"""Copying streams into a clean container, without touching a coded picture.

One copy does it all: the index goes to the front (playing starts before all is loaded), tags,
C2PA and XMP boxes stay behind, and so do cover art, subtitles and data streams.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import av

from studies.clips.probe import ClipFacts, cut_short, opened, streams_of

CONTAINERS = {"mp4": "video/mp4", "webm": "video/webm"}
SOUND_CONTAINERS = frozenset(("mp4", "webm", "ogg"))
_OPTIONS = {
    "mp4": {"movflags": "+faststart", "fflags": "+bitexact"},
    "webm": {"fflags": "+bitexact", "cues_to_front": "1"},
    "ogg": {"fflags": "+bitexact"},
    "matroska": {},
}
MISSING = 0.25  # seconds at the end that may lack
LATE = 0.1  # seconds


def container_for(facts: ClipFacts) -> str:
    """mp4 or webm: the one that all browsers take the codecs in."""
    if facts.codec == "h264":
        return "mp4"
    if facts.codec == "av1" and (
        "mp4" in facts.format or (facts.sound is not None and facts.sound.codec in ("aac", "mp3"))
    ):
        return "mp4"
    return "webm"


def copy_streams(source: Path, target: Path, *, container: str, sound: bool = True) -> float:
    """Write picture and sound of ``source`` as they are; returns the seconds that were read.

    Raises UnplayableMedia where the file breaks off before its end.
    """
    with (
        opened(source) as given,
        av.open(str(target), "w", format=container, options=_OPTIONS[container]) as made,
    ):
        video, audio = streams_of(given)
        chosen = [s for s in (video, audio if sound or video is None else None) if s is not None]
        streams = {
            stream.index: made.add_stream_from_template(stream, opaque=True) for stream in chosen
        }
        for new in streams.values():
            new.metadata.clear()
        made.metadata.clear()
        ends = dict.fromkeys(streams, 0.0)
        late = late_start(given)
        for packet in given.demux(chosen):
            if packet.dts is None:  # the end of the stream
                continue
            if packet.is_corrupt:
                raise cut_short()
            ends[packet.stream_index] = max(ends[packet.stream_index], _end(packet))
            _earlier(packet, late)
            packet.stream = streams[packet.stream_index]
            made.mux(packet)
        lead = chosen[0]
        _judge_end(given, lead, ends[lead.index])
        return ends[lead.index]


def last_picture(path: Path) -> float:
    """Seconds from the first picture to the moment when the last one comes, by the packets.

    Headers count in the order of decoding: where pictures lean on later ones and the last of them
    stand long, as in screen recordings of a varying frame rate, they say too little.
    """
    with opened(path) as container:
        lead, _ = streams_of(container)
        packets = (packet for packet in container.demux(lead) if packet.pts is not None)
        times = [float(packet.pts * packet.time_base) for packet in packets]
    return max(times, default=0.0) - min(times, default=0.0)


def late_start(container: Any) -> float:
    """Seconds before anything begins: broadcast containers count from somewhere, and players would
    show nothing for as long."""
    start = (container.start_time or 0) / av.time_base
    return start if start > LATE else 0.0


def _earlier(packet: Any, seconds: float) -> None:
    if seconds:
        ticks = round(seconds / packet.time_base)
        packet.dts -= ticks
        if packet.pts is not None:
            packet.pts -= ticks


def _end(packet: Any) -> float:
    at = packet.pts if packet.pts is not None else packet.dts
    return float((at + (packet.duration or 0)) * packet.time_base)


def _judge_end(container: Any, stream: Any, end: float) -> None:
    """The header says how long the clip is; what was read must come near."""
    start = float(stream.start_time * stream.time_base) if stream.start_time else 0.0
    if stream.duration is not None and stream.time_base is not None:
        said = float(stream.duration * stream.time_base) + start
    elif container.duration is not None:
        said = container.duration / av.time_base + (container.start_time or 0) / av.time_base
    else:
        return
    if end < said - max(MISSING, 0.05 * said):
        raise cut_short()


def has_index_in_front(path: Path) -> bool:
    """Whether an MP4's moov box stands before its mdat (ISO/IEC 14496-12)."""
    with path.open("rb") as file:
        while len(head := file.read(8)) == 8:
            size, name = int.from_bytes(head[:4], "big"), head[4:]
            if name in (b"moov", b"mdat"):
                return name == b"moov"
            if size == 1:
                size = int.from_bytes(file.read(8), "big") - 8
            if size < 8:
                return False
            file.seek(size - 8, 1)
    return False
