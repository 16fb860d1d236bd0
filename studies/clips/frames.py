"""Looking at the pictures of a clip: does it decode to its end, its first frame, does it flash?"""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from studies.clips.probe import cut_short, opened, streams_of

MAX_FRAMES = 600  # decoded from the front; of a longer clip the end is decoded besides
MAX_POSTER_BYTES = 40_000
_GRID = (32, 18)
_STEP = 0.1  # of relative luminance: WCAG 2.2, general flash threshold
_DARK = 0.8
_AREA = 0.25
_FLASHES = 3


@dataclass(frozen=True, slots=True)
class Look:
    """``poster`` is a JPEG of the first frame; ``flashes`` the most in one second."""

    poster: bytes
    n_frames: int
    rotation: int
    flashes: int


def look_at(path: Path) -> Look:
    """Decode the clip, whole or its beginning and its end.

    Raises UnplayableMedia where pictures are missing or broken.
    """
    with opened(path) as container:
        stream = streams_of(container)[0]
        stream.thread_type = "AUTO"
        poster, rotation, n = b"", 0, 0
        grids: list[np.ndarray] = []
        times: list[float] = []
        for frame in container.decode(stream):
            if n == 0:
                rotation = int(getattr(frame, "rotation", 0) or 0)
                poster = _poster(frame, rotation)
            _judge_frame(frame)
            grids.append(_luminance(frame))
            times.append(frame.time if frame.time is not None else n / 25)
            n += 1
            if n >= MAX_FRAMES:
                _decode_the_end(container, stream)
                break
    if n == 0:
        raise cut_short()
    return Look(poster, n, rotation, most_flashes(np.stack(grids), np.array(times)))


def _judge_frame(frame: Any) -> None:
    if frame.is_corrupt:
        raise cut_short()


def _decode_the_end(container: Any, stream: Any) -> None:
    """From the last key frame on; a file that was cut has no such pictures."""
    if stream.duration is None and container.duration is None:
        return
    if stream.duration is not None:
        end = int(stream.duration + (stream.start_time or 0))
        container.seek(max(0, end - int(1 / stream.time_base)), stream=stream)
    else:
        container.seek(max(0, container.duration - 1_000_000))
    n = 0
    for frame in container.decode(stream):
        _judge_frame(frame)
        n += 1
    if n == 0:
        raise cut_short()


def _poster(frame: Any, rotation: int) -> bytes:
    """The frame as a JPEG of at most 40 KB, smaller rather than coarse."""
    image = frame.to_image()
    if rotation:
        image = image.rotate(rotation, expand=True)
    side = 960
    while True:
        small = image.copy()
        small.thumbnail((side, side))
        for quality in (82, 70, 58):
            buffer = io.BytesIO()
            small.save(buffer, "JPEG", quality=quality, optimize=True)
            if buffer.tell() <= MAX_POSTER_BYTES:
                return buffer.getvalue()
        side = int(side * 0.75)


def _luminance(frame: Any) -> np.ndarray:
    """Relative luminance 0 to 1 in 18 x 32 fields of the frame (linear light)."""
    grey = frame.reformat(width=_GRID[0], height=_GRID[1], format="gray").to_ndarray()
    return (grey.astype(np.float32) / 255.0) ** 2.2


def most_flashes(grids: np.ndarray, times: np.ndarray) -> int:
    """The most flashes within one second, over a quarter of the picture or more.

    ``grids``: frames x rows x columns, relative luminance; ``times``: seconds of each frame. A
    flash is a pair of opposing changes of 0.1 or more whose darker side is below 0.8 (WCAG 2.2,
    general flash threshold; the area is that of the whole picture, not a visual angle).
    """
    n = len(grids)
    fields = grids.reshape(n, -1)
    if n < 3:
        return 0
    # Each field's last turning point; a change against its direction by a step is a transition.
    low, high = fields[0].copy(), fields[0].copy()
    direction = np.zeros(fields.shape[1], dtype=np.int8)
    moved = np.zeros(fields.shape, dtype=bool)
    for i in range(1, n):
        now = fields[i]
        rose = (now - low >= _STEP) & (low < _DARK) & (direction <= 0)
        fell = (high - now >= _STEP) & (now < _DARK) & (direction >= 0)
        moved[i] = rose | fell
        direction[rose], direction[fell] = 1, -1
        low = np.where(rose | fell, now, np.minimum(low, now))
        high = np.where(rose | fell, now, np.maximum(high, now))
    counts = np.cumsum(moved, axis=0)
    most = 0
    starts = np.searchsorted(times, times - 1.0, side="right")
    for i in range(1, n):
        before = counts[starts[i] - 1] if starts[i] > 0 else 0
        pairs = (counts[i] - before) // 2
        # The number of flashes that at least a quarter of the fields share.
        most = max(most, int(np.quantile(pairs, 1 - _AREA, method="lower")))
    return most


def is_flashing(flashes: int) -> bool:
    return flashes > _FLASHES
