"""Where a checkpoint lies, and the mark of its weights. Safetensors only, no code of its own."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

FILES = ["*.json", "*.txt", "*.model", "*.jinja", "*.safetensors"]

NO_REMOTE_CODE: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
"""How transformers reads a directory that ``checkpoint_directory`` gave."""


def checkpoint_directory(model: str, *, revision: str, local_files_only: bool) -> Path:
    """``model`` where it is a directory, else the files of that id on the hub.

    Raises ``OSError`` or ``ValueError`` where they cannot be had.
    """
    if Path(model).is_dir():
        return Path(model)
    from huggingface_hub import snapshot_download

    return Path(
        snapshot_download(
            model, revision=revision, local_files_only=local_files_only, allow_patterns=FILES
        )
    )


def weights_mark(directory: Path) -> str:
    """The beginning of the SHA-256 of all weights; raises ``ValueError`` where none can be read."""
    weights = sorted(directory.glob("*.safetensors"))
    if not weights:
        raise ValueError("it has no weights as safetensors; other formats are never read")
    digest = hashlib.sha256()
    for path in weights:
        with path.open("rb") as stream:
            digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()[:12]


def reading_mark(directory: Path) -> str:
    """The beginning of the SHA-256 of all other files that are read: configuration, tokenizer."""
    others = sorted({path for pattern in FILES[:-1] for path in directory.glob(pattern)})
    digest = hashlib.sha256()
    for path in others:
        digest.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:12]
