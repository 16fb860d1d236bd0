"""The store of vectors: a text or a picture is embedded once by a model, whatever asks for it.

A vector is found by a hash of the model, its revision, how it reads its inputs, and the text or
the picture's content (its SHA-256 and, of a clip, the frame's time). Deleting rows costs time and
nothing else.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring.backends.image_text import EncodedText, OpenImage, TransformersEncoder, Vector
from scoring.backends.pictures import MediaError
from scoring.backends.text_embedder import Embedder
from scoring.models import StoredVector

_AT_ONCE = 500  # keys of one query
_RECENT = 20_000  # vectors kept in memory beside the store

Found = dict[str, tuple[Vector, dict[str, Any]]]
"""Vector and note by key."""


def vector_key(kind: str, encoder: Any, content: str) -> str:
    """SHA-256 (hex) of what the vector follows from. ``kind`` is text or image."""
    reads = getattr(encoder, "reading", "")
    named = [kind, encoder.model_id, encoder.revision, reads, content]
    return hashlib.sha256(json.dumps(named, ensure_ascii=False).encode()).hexdigest()


def find_vectors(keys: Iterable[str]) -> Found:
    found: Found = {}
    for some in _slices(list(dict.fromkeys(keys))):
        rows = StoredVector.objects.filter(key__in=some).values_list("key", "vector", "note")
        found |= {key: (np.frombuffer(data, dtype="<f4"), note) for key, data, note in rows}
    return found


def keep_vectors(new: Mapping[str, tuple[Vector, Mapping[str, Any]]], *, model: str) -> None:
    """Vectors and notes of ``model``, by their keys. What another worker has stored meanwhile stays
    as it is."""
    StoredVector.objects.bulk_create(
        [
            StoredVector(
                key=key, model=model, vector=vector.astype("<f4").tobytes(), note=dict(note)
            )
            for key, (vector, note) in new.items()
        ],
        batch_size=_AT_ONCE,
        ignore_conflicts=True,
    )


class StoredImageText:
    """An ``ImageTextEncoder`` before which the store stands."""

    def __init__(self, encoder: TransformersEncoder) -> None:
        self._encoder = encoder
        self.batch_size = encoder.batch_size

    @property
    def model_id(self) -> str:
        return self._encoder.model_id

    @property
    def revision(self) -> str:
        return self._encoder.revision

    @property
    def reading(self) -> str:
        return self._encoder.reading

    @property
    def logit_scale(self) -> float:
        return self._encoder.logit_scale

    def prefetch(self, images: Sequence[OpenImage]) -> None:
        """Begin to open and prepare pictures that are soon to be encoded; does not wait.

        Pictures that the store has are left out.
        """
        keys = [self._image_key(image) for image in images]
        known = _stored_keys(key for key in keys if key)
        self._encoder.prefetch(
            [image for image, key in zip(images, keys, strict=True) if key not in known]
        )

    def encode_images(self, images: Sequence[OpenImage]) -> list[Vector | MediaError]:
        keys = [self._image_key(image) for image in images]
        known = find_vectors(key for key in keys if key)
        missing = [n for n, key in enumerate(keys) if key not in known]
        computed = self._encoder.encode_images([images[n] for n in missing])
        results: dict[int, Vector | MediaError] = dict(zip(missing, computed, strict=True))
        keep_vectors(
            {
                keys[n]: (vector, getattr(images[n], "note", {}))
                for n, vector in results.items()
                if keys[n] and not isinstance(vector, MediaError)
            },
            model=self.model_id,
        )
        for n, key in enumerate(keys):
            if key in known:
                results[n], note = known[key]
                if note:
                    images[n].note.update(note)
        return [results[n] for n in range(len(images))]

    def encode_texts(self, texts: Sequence[str]) -> list[EncodedText]:
        keys = {text: vector_key("text", self._encoder, text) for text in texts}
        known = {
            key: EncodedText(vector, note["truncated"])
            for key, (vector, note) in find_vectors(keys.values()).items()
        }
        missing = [text for text, key in keys.items() if key not in known]
        if missing:
            new = dict(zip(missing, self._encoder.encode_texts(missing), strict=True))
            known |= {keys[text]: encoded for text, encoded in new.items()}
            kept = {keys[t]: (e.vector, {"truncated": e.truncated}) for t, e in new.items()}
            keep_vectors(kept, model=self.model_id)
        return [known[keys[text]] for text in texts]

    def _image_key(self, image: OpenImage) -> str:
        content = getattr(image, "content", "")
        return vector_key("image", self._encoder, content) if content else ""


class StoredTexts:
    """An ``Embedder`` before which the store stands, and before the store the latest vectors."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._recent: OrderedDict[str, Vector] = OrderedDict()

    @property
    def model_id(self) -> str:
        return self._embedder.model_id

    @property
    def revision(self) -> str:
        return self._embedder.revision

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(n, d) float32, one unit vector a text, in order."""
        if not texts:
            return self._embedder.embed(texts)
        known = {text: self._recent[text] for text in texts if text in self._recent}
        keys = {
            text: vector_key("text", self._embedder, text)
            for text in dict.fromkeys(texts)
            if text not in known
        }
        stored = find_vectors(keys.values())
        known |= {text: stored[key][0] for text, key in keys.items() if key in stored}
        missing = [text for text in keys if text not in known]
        if missing:
            new = dict(zip(missing, self._embedder.embed(missing), strict=True))
            kept = {keys[text]: (vector, {}) for text, vector in new.items()}
            keep_vectors(kept, model=self.model_id)
            known |= new
        self._remember(known)
        return np.stack([known[text] for text in texts])

    def _remember(self, vectors: Mapping[str, Vector]) -> None:
        for text, vector in vectors.items():
            self._recent[text] = vector
            self._recent.move_to_end(text)
        while len(self._recent) > _RECENT:
            self._recent.popitem(last=False)


def _stored_keys(keys: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for some in _slices(list(keys)):
        found |= set(StoredVector.objects.filter(key__in=some).values_list("key", flat=True))
    return found


def _slices(keys: list[str]) -> Iterator[list[str]]:
    return (keys[start : start + _AT_ONCE] for start in range(0, len(keys), _AT_ONCE))
