"""The picture of an item, or one frame of its clip, opened only when it is needed.

A ``MediaImage`` says what it will be before it is opened: ``content`` names its bytes and its
frame, so that what was computed from the same picture can be found again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring.backends.frames import frame_at
from scoring.backends.pictures import MediaMissingError, open_picture

if TYPE_CHECKING:
    from PIL.Image import Image


@dataclass(frozen=True, slots=True)
class MediaImage:
    """Called, it opens ``file`` as an upright RGB picture; of a clip the frame at ``seconds``.

    ``kind`` is image or video. ``note`` holds what was found out by opening: of a clip
    ``seconds``, the time of the frame that was taken.
    """

    file: str
    kind: str
    sha256: str
    seconds: float = 2.0
    note: dict[str, Any] = field(default_factory=dict, compare=False)

    @property
    def content(self) -> str:
        """Empty where the file's hash is not known: then nothing is stored or found."""
        if not self.sha256:
            return ""
        return self.sha256 if self.kind == "image" else f"{self.sha256} at {self.seconds!r} s"

    def __call__(self) -> Image:
        """Raises ``MediaMissingError`` and ``UndecodableMediaError``."""
        if not self.file:
            raise MediaMissingError("The item has no file. Import it again.")
        if self.kind == "image":
            return open_picture(Path(self.file))
        frame = frame_at(Path(self.file), self.seconds)
        self.note["seconds"] = frame.seconds
        return frame.image
