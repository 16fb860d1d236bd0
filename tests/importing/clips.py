"""Clips made here with PyAV: good ones, and every kind that must be refused or mended."""

from __future__ import annotations

import os
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import av
import numpy as np


def make_clip(
    path: Path,
    *,
    codec: str = "libx264",
    pixels: str = "yuv420p",
    seconds: float = 1.0,
    rate: int = 12,
    size: tuple[int, int] = (64, 48),
    sound: str = "",
    faststart: bool = True,
    flash: int = 0,
    tags: dict[str, str] | None = None,
    options: dict[str, str] | None = None,
    format: str | None = None,
) -> Path:
    """A moving gradient; ``flash`` black-to-white changes a second instead."""
    movflags = {"movflags": "+faststart"} if faststart else {}
    with (
        _this_threads_priority_kept(),
        av.open(str(path), "w", format=format, options=movflags) as out,
    ):
        out.metadata.update(tags or {})
        video = out.add_stream(codec, rate=rate, options=options or _fast(codec))
        video.width, video.height = size
        video.pix_fmt = pixels
        audio = out.add_stream(sound, rate=48_000) if sound else None
        if audio is not None:
            audio.layout = "stereo"
        for n in range(int(seconds * rate)):
            frame = av.VideoFrame.from_ndarray(_picture(n, rate, size, flash), format="rgb24")
            frame.pts, frame.time_base = n, Fraction(1, rate)
            for packet in video.encode(frame):
                out.mux(packet)
        for packet in video.encode():
            out.mux(packet)
        if audio is not None:
            for packet in [*_sound_packets(audio, seconds), *audio.encode()]:
                out.mux(packet)
    return path


def make_sound(path: Path, *, codec: str, seconds: float = 1.0, tags=None) -> Path:
    with av.open(str(path), "w") as out:
        out.metadata.update(tags or {})
        audio = out.add_stream(codec, rate=48_000)
        audio.layout = "stereo"
        for packet in [*_sound_packets(audio, seconds), *audio.encode()]:
            out.mux(packet)
    return path


@contextmanager
def _this_threads_priority_kept():
    """SVT-AV1 makes the thread that calls it, where that is root's, SCHED_FIFO at priority 99.

    What that thread starts later inherits it: a browser of such a priority starves the machine.
    """
    policy, priority = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        yield
    finally:
        os.sched_setscheduler(0, policy, priority)


def _fast(codec: str) -> dict[str, str]:
    return {
        "libx264": {"preset": "ultrafast", "g": "12"},
        "libx265": {"preset": "ultrafast", "x265-params": "log-level=none"},
        "libvpx": {"deadline": "realtime", "cpu-used": "8"},
        "libvpx-vp9": {"deadline": "realtime", "cpu-used": "8"},
        "libsvtav1": {"preset": "12"},
    }.get(codec, {})


def _picture(n: int, rate: int, size: tuple[int, int], flash: int) -> np.ndarray:
    width, height = size
    if flash:
        bright = (n * 2 * flash // rate) % 2
        return np.full((height, width, 3), 255 * bright, dtype=np.uint8)
    picture = np.zeros((height, width, 3), dtype=np.uint8)
    picture[..., 0] = np.linspace(0, 255, width, dtype=np.uint8)[None, :]
    picture[..., 1] = (n * 5) % 256
    return picture


def _sound_packets(stream, seconds: float):
    size = stream.codec_context.frame_size or 960
    wanted = stream.codec_context.format.name
    resampler = av.AudioResampler(format=wanted, layout="stereo", rate=48_000)
    for start in range(0, int(seconds * 48_000) - size, size):
        wave = np.sin(np.arange(start, start + size) * 0.05).astype(np.float32) * 0.2
        frame = av.AudioFrame.from_ndarray(np.stack([wave, wave]), format="fltp", layout="stereo")
        frame.rate, frame.pts, frame.time_base = 48_000, start, Fraction(1, 48_000)
        for resampled in resampler.resample(frame):
            yield from stream.encode(resampled)
