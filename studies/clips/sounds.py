"""Sound alone: which files every browser plays, and taking out what names their maker.

MP3 and WAV are left byte for byte without their tags; AAC, Opus and Vorbis get a new container.
"""

from __future__ import annotations

import struct

from studies.clips.probe import ClipFacts
from studies.unplayable import UnplayableMedia

WAV_KEPT = frozenset((b"fmt ", b"data", b"fact"))
CONTENT_TYPES = {
    "mp3": "audio/mpeg",
    "wav": "audio/wav",
    "mp4": "audio/mp4",
    "webm": "audio/webm",
    "ogg": "audio/ogg",
}


def format_of(facts: ClipFacts) -> str:
    """mp3, wav, mp4, webm or ogg. Raises UnplayableMedia for what not every browser plays."""
    codec = facts.sound.codec if facts.sound else ""
    if codec == "mp3" and facts.format == "mp3":
        return "mp3"
    if codec in ("pcm_s16le", "pcm_u8") and facts.format == "wav":
        return "wav"
    if codec == "aac":
        return "mp4"
    if codec in ("opus", "vorbis"):
        return "ogg" if facts.format == "ogg" else "webm"
    raise UnplayableMedia(
        f"The sound is {codec or 'unknown'} in {facts.format.split(',')[0]}: not every browser "
        "plays it.",
        "Convert it to MP3, AAC (M4A), Opus (WebM or Ogg) or 16-bit WAV.",
    )


def strip_mp3(data: bytes) -> bytes:
    """The frames without ID3 and APE tags."""
    start, end = 0, len(data)
    while data[start : start + 3] == b"ID3" and start + 10 <= end:
        size = 0
        for byte in data[start + 6 : start + 10]:
            size = size << 7 | byte & 0x7F
        start += 10 + size + (10 if data[start + 5] & 0x10 else 0)
    if data[end - 128 : end - 125] == b"TAG":
        end -= 128
    if data[end - 32 : end - 24] == b"APETAGEX":
        (size,) = struct.unpack_from("<I", data, end - 20)
        has_header = data[end - 9] & 0x80
        end -= size + (32 if has_header else 0)
    if start >= end:
        raise UnplayableMedia("The file holds tags and no sound.", "Export the sound again.")
    return data[start:end]


def strip_wav(data: bytes) -> bytes:
    """Format and samples alone. Raises UnplayableMedia where samples are missing."""
    kept, position = [], 12
    while position + 8 <= len(data):
        name, size = struct.unpack_from("<4sI", data, position)
        body = data[position + 8 : position + 8 + size]
        if name in WAV_KEPT:
            if len(body) < size:
                raise UnplayableMedia(
                    "The sound is cut short: its header promises more.", "Copy or export it again."
                )
            kept.append(struct.pack("<4sI", name, size) + body + b"\0" * (size % 2))
        position += 8 + size + size % 2
    content = b"WAVE" + b"".join(kept)
    return b"RIFF" + struct.pack("<I", len(content)) + content
