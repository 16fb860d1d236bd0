"""A knowledge base with the encoder that it was built with, as metrics are given both."""

from __future__ import annotations

from collections.abc import Sequence

from scoring.backends.image_text import ImageTextEncoder, OpenImage, Vector
from scoring.backends.pictures import MediaError
from scoring.knowledge.base import KnowledgeBase


class KnowledgeBackend:
    """``revision`` names the encoder's weights and the state of the knowledge base.

    Raises ``KnowledgeBaseError`` where they do not belong together.
    """

    def __init__(self, kb: KnowledgeBase, encoder: ImageTextEncoder) -> None:
        kb.check_encoder(encoder)
        self.kb = kb
        self.model_id = encoder.model_id
        self.revision = f"{kb.manifest.revision} {kb.revision}"
        self._encoder = encoder

    def encode_images(self, images: Sequence[OpenImage]) -> list[Vector | MediaError]:
        return self._encoder.encode_images(images)
