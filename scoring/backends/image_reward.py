"""ImageReward by its own package, where that is installed; nothing of it is imported before use.

The checkpoint and the configuration of its text model are files on this machine. Torch reads the
checkpoint as weights alone: nothing in it is run.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring.backends.image_text import EncoderError

if TYPE_CHECKING:
    from PIL.Image import Image

PACKAGE = "ImageReward"


def is_installed() -> bool:
    return importlib.util.find_spec(PACKAGE) is not None


class ImageReward:
    """The reward head of one checkpoint; loaded at the first score, one picture at a time."""

    model_id = "ImageReward-v1.0"

    def __init__(self, *, checkpoint: str, config: str, device: str = "cpu") -> None:
        self._checkpoint = Path(checkpoint)
        self._config = Path(config)
        self._device = device
        self._lock = threading.RLock()
        self._model: Any = None
        self._revision = ""

    @property
    def revision(self) -> str:
        self.load()
        return self._revision

    def load(self) -> None:
        """Load the model; does nothing when it is loaded. Raises ``EncoderError``."""
        with self._lock:
            if self._model is not None:
                return
            for path in (self._checkpoint, self._config):
                if not path.is_file():
                    raise EncoderError(
                        "ImageReward needs its checkpoint and the configuration of its text "
                        "model (med_config.json). Name both files in IMAGEREWARD_MODEL and "
                        "IMAGEREWARD_CONFIG."
                    )
            self._revision = ".".join(_mark(path) for path in (self._checkpoint, self._config))
            try:
                package = importlib.import_module(PACKAGE)
                self._model = package.load(
                    str(self._checkpoint), device=self._device, med_config=str(self._config)
                )
            except Exception as error:  # another's package: whatever it raises, it is not usable
                raise EncoderError(
                    f"The package {PACKAGE} does not work with the versions that are installed "
                    f"({type(error).__name__}: {error})."
                ) from error

    def score(self, text: str, image: Image) -> float:
        """The standardised reward; higher is better. Raises ``EncoderError``."""
        self.load()
        with self._lock:
            return float(self._model.score(text, image))


def _mark(path: Path) -> str:
    """The beginning of the SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()[:12]
