"""One clip or sound as it came -> the files that are stored for rating, and what they are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from studies.clips import copying, sounds
from studies.clips.converting import transcode
from studies.clips.frames import is_flashing, look_at
from studies.clips.matroska import is_cut_short
from studies.clips.probe import CONVERT, ClipFacts, cut_short, probe_clip
from studies.unplayable import UnplayableMedia

HEAVY_BYTES = 8_000_000


@dataclass(frozen=True, slots=True)
class PreparedClip:
    """``media``, ``silent`` and ``poster`` are files in the folder that was given; the last two may
    be None. ``done`` is the record of what was done, ``warnings`` are sentences."""

    kind: str
    content_type: str
    media: Path
    silent: Path | None
    poster: Path | None
    width: int | None
    height: int | None
    duration: float | None
    has_audio: bool
    done: tuple[str, ...]
    warnings: tuple[str, ...]


def prepare_clip(source: Path, folder: Path, *, convert: bool) -> PreparedClip:
    """Judge, mend and clean a clip into ``folder``. Raises UnplayableMedia."""
    if is_cut_short(source):
        raise cut_short()
    facts = probe_clip(source)
    return (
        _video(source, folder, facts, convert) if facts.is_video else _sound(source, folder, facts)
    )


def _video(source: Path, folder: Path, facts: ClipFacts, convert: bool) -> PreparedClip:
    if facts.fault and not convert:
        raise UnplayableMedia(facts.fault, CONVERT)
    done: list[str] = []
    if facts.fault:
        container = "mp4"
        media = folder / "media.mp4"
        done.append(transcode(source, media, facts))
        facts = probe_clip(media)
    else:
        container = copying.container_for(facts)
        media = folder / f"media.{container}"
        copying.copy_streams(source, media, container=container)
        done.append(_why_copied(source, container))
    look = look_at(media)
    silent = None
    if facts.sound is not None:
        silent = folder / f"silent.{container}"
        copying.copy_streams(media, silent, container=container, sound=False)
        done.append("silent: a copy without its sound stream")
    poster = folder / "poster.jpg"
    poster.write_bytes(look.poster)
    width, height = facts.width, facts.height
    if look.rotation % 180:
        width, height = height, width
    return PreparedClip(
        kind="video",
        content_type=copying.CONTAINERS[container],
        media=media,
        silent=silent,
        poster=poster,
        width=width,
        height=height,
        duration=_length(media, facts),
        has_audio=facts.sound is not None,
        done=tuple(done),
        warnings=_warnings(media, look.flashes),
    )


def _length(media: Path, facts: ClipFacts) -> float | None:
    """Seconds, as its header says, or until its last picture where that comes later."""
    said = probe_clip(media).duration or facts.duration or 0.0
    return round(max(said, copying.last_picture(media)), 3) or None


def _why_copied(source: Path, container: str) -> str:
    """For the record: the coded picture is untouched, and what the new container mends."""
    came_as = _container_name(source)
    if came_as != container:
        return f"remuxed: streams copied from {came_as} to {container}"
    if container == "mp4" and not copying.has_index_in_front(source):
        return "remuxed: streams copied, index moved to the front"
    return "stripped: streams copied without tags"


def _container_name(source: Path) -> str:
    with source.open("rb") as file:
        head = file.read(64)
    if head[:4] == b"\x1aE\xdf\xa3":
        return "webm" if b"webm" in head else "Matroska"
    if head[4:8] == b"ftyp":
        return "QuickTime" if head[8:10] == b"qt" else "mp4"
    return "another container"


def _warnings(media: Path, flashes: int) -> tuple[str, ...]:
    found = []
    size = media.stat().st_size
    if size > HEAVY_BYTES:
        found.append(f"{size / 1e6:.1f} MB: over 8 MB it starts late on slow lines")
    if is_flashing(flashes):
        found.append(f"flashes {flashes} times in a second: more than 3 can cause a seizure")
    return tuple(found)


def _sound(source: Path, folder: Path, facts: ClipFacts) -> PreparedClip:
    form = sounds.format_of(facts)
    suffix = {"mp4": "m4a"}.get(form, form)
    media = folder / f"media.{suffix}"
    checked = media if form in copying.SOUND_CONTAINERS else folder / "checked.mka"
    # Copying reads it to its end, so it is done for those too that are cleaned by hand.
    copying.copy_streams(source, checked, container=form if checked == media else "matroska")
    if form == "mp3":
        media.write_bytes(sounds.strip_mp3(source.read_bytes()))
    elif form == "wav":
        media.write_bytes(sounds.strip_wav(source.read_bytes()))
    if checked != media:
        checked.unlink()
    duration = probe_clip(media).duration or facts.duration
    return PreparedClip(
        kind="audio",
        content_type=sounds.CONTENT_TYPES[form],
        media=media,
        silent=None,
        poster=None,
        width=None,
        height=None,
        duration=duration,
        has_audio=True,
        done=("stripped: the sound copied without tags",),
        warnings=_warnings(media, 0),
    )
