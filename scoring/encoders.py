"""The image-text encoders that the settings name, each loaded once a process."""

from __future__ import annotations

from functools import cache

from django.conf import settings

from scoring.backends.image_text import TransformersEncoder


def image_text_encoder(name: str) -> TransformersEncoder:
    """The encoder called ``name`` in ``IMAGE_TEXT_MODELS``. Reads nothing before its first use."""
    return _encoder(
        settings.IMAGE_TEXT_MODELS[name],
        settings.IMAGE_TEXT_REVISIONS[name],
        settings.MODEL_DEVICE,
        not settings.MODEL_DOWNLOADS,
    )


@cache
def _encoder(model: str, revision: str, device: str, local_files_only: bool) -> TransformersEncoder:
    return TransformersEncoder(
        model=model, revision=revision, device=device, local_files_only=local_files_only
    )
