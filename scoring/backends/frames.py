"""Frames of a clip as upright RGB pictures, decoded with PyAV (loaded late)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring.backends.pictures import MediaMissingError, UndecodableMediaError

if TYPE_CHECKING:
    from PIL.Image import Image

_TOLERANCE = 1e-6  # seconds: times of frames are rationals, the wanted ones floats


@dataclass(frozen=True, slots=True)
class Frame:
    """A picture and the time at which it starts to be shown, in seconds from the first frame."""

    seconds: float
    image: Image


def frame_at(path: Path, seconds: float) -> Frame:
    """The frame that is shown at ``seconds``; the last one where the clip is shorter.

    Raises ``ValueError`` for a negative time, ``MediaMissingError`` and
    ``UndecodableMediaError``.
    """
    if not seconds >= 0:
        raise ValueError(f"A clip has no frame at {seconds} seconds.")
    return _shown_at(path, [seconds])[0]


def uniform_frames(path: Path, n: int) -> list[Frame]:
    """``n`` frames, one in the middle of each of ``n`` equal parts of the clip, in order.

    A clip of fewer frames gives some of them more than once. Raises as ``frame_at`` does.
    """
    if n < 1:
        raise ValueError(f"{n} frames cannot be taken from a clip.")
    with _decoded(path) as frames:
        times = [seconds for seconds, _ in frames]
    if not times:
        raise _no_pictures(path)
    # A last frame is shown about as long as the others.
    step = (times[-1] - times[0]) / (len(times) - 1) if len(times) > 1 else 0.0
    length = times[-1] + step
    return _shown_at(path, [length * (k + 0.5) / n for k in range(n)])


def _shown_at(path: Path, wanted: Sequence[float]) -> list[Frame]:
    """Decodes from the front, so that no key frame decides which frame is met."""
    found: list[Frame] = []
    with _decoded(path) as frames:
        last: tuple[float, Any] | None = None
        for seconds, frame in frames:
            while last is not None and seconds > wanted[len(found)] + _TOLERANCE:
                found.append(_upright(*last))
                if len(found) == len(wanted):
                    return found
            last = (seconds, frame)
        if last is None:
            raise _no_pictures(path)
        while len(found) < len(wanted):
            found.append(_upright(*last))
    return found


@contextmanager
def _decoded(path: Path) -> Iterator[Iterator[tuple[float, Any]]]:
    import av

    if not path.is_file():
        raise MediaMissingError(f"There is no file {path.name}. Import the item again.")
    try:
        with av.open(str(path)) as container:
            if not container.streams.video:
                raise _no_pictures(path)
            yield _timed(container, container.streams.video[0])
    except (av.FFmpegError, OSError) as error:
        raise UndecodableMediaError(
            f"The clip {path.name} cannot be decoded to its end ({error})."
        ) from error


def _timed(container: Any, stream: Any) -> Iterator[tuple[float, Any]]:
    """Frames with their seconds from the first one; equally spaced where none has a time."""
    first: float | None = None
    rate = float(stream.average_rate or 25)
    for n, frame in enumerate(container.decode(stream)):
        time = float(frame.time) if frame.time is not None else n / rate
        first = time if first is None else first
        yield time - first, frame


def _upright(seconds: float, frame: Any) -> Frame:
    image = frame.to_image()
    rotation = int(getattr(frame, "rotation", 0) or 0)
    return Frame(seconds, image.rotate(rotation, expand=True) if rotation else image)


def _no_pictures(path: Path) -> UndecodableMediaError:
    return UndecodableMediaError(f"The file {path.name} holds no moving pictures.")
