"""Embeddings of pictures and texts in one space: the CLIP and SigLIP families.

Importing this module loads no model library; torch and transformers are imported when an encoder
is first used. Weights are safetensors only, and no code that comes with a checkpoint is ever run.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from scoring.backends.checkpoints import (
    NO_REMOTE_CODE,
    checkpoint_directory,
    reading_mark,
    weights_mark,
)
from scoring.backends.pictures import MediaError

if TYPE_CHECKING:
    from PIL.Image import Image

FAMILIES = ("clip", "siglip")
_DECODERS = 2  # threads that decode and prepare pictures beside the forward pass

Vector = NDArray[np.float32]
OpenImage = Callable[[], "Image"]


class EncoderError(Exception):
    """The image-text encoder cannot be used; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class EncodedText:
    """A unit vector, and whether the text was longer than the model reads."""

    vector: Vector
    truncated: bool


class ImageTextEncoder(Protocol):
    """Anything that places pictures and texts in one space; scores name it by id and revision."""

    @property
    def model_id(self) -> str: ...

    @property
    def revision(self) -> str: ...

    @property
    def logit_scale(self) -> float:
        """What the model multiplies a cosine by (the exponential of its learned logarithm)."""
        ...

    def encode_images(self, images: Sequence[OpenImage]) -> list[Vector | MediaError]:
        """One L2-normalised vector a picture, in order; the error where one cannot be opened."""
        ...

    def encode_texts(self, texts: Sequence[str]) -> list[EncodedText]: ...


@dataclass(frozen=True, slots=True)
class _Begun:
    """A picture on its way to pixels; ``wanted`` is the equal one that is asked for now."""

    opened: OpenImage
    wanted: OpenImage
    future: Future[Any]

    def result(self) -> Any:
        pixels = self.future.result()
        if self.wanted is not self.opened:
            note = getattr(self.opened, "note", {})
            if note:  # found out by opening, e.g. the time of a frame
                self.wanted.note.update(note)  # type: ignore[attr-defined]
        return pixels


class TransformersEncoder:
    """A CLIP or SigLIP checkpoint read by transformers, on CPU or GPU.

    ``model`` is a directory, or an id on the hub with a ``revision``; with ``local_files_only``
    nothing is asked of the network. The ``revision`` that scores name is the beginning of the
    SHA-256 of the weights, so that it stands for the same numbers wherever they lie. Constructing
    reads nothing. Safe to share between threads.
    """

    def __init__(
        self,
        *,
        model: str,
        revision: str = "main",
        device: str = "cpu",
        batch_size: int = 32,
        local_files_only: bool = True,
    ) -> None:
        self.model_id = model
        self._hub_revision = revision
        self._device = device
        self.batch_size = batch_size
        self._local_files_only = local_files_only
        self._lock = threading.RLock()
        self._model: Any = None
        self._tokenizer: Any = None
        self._processor: Any = None
        self._revision = ""
        self._reading = ""
        self._pool: ThreadPoolExecutor | None = None
        self._ahead: OrderedDict[OpenImage, _Begun] = OrderedDict()

    @property
    def revision(self) -> str:
        self.load()
        return self._revision

    @property
    def reading(self) -> str:
        """A mark of how pictures and texts are made into the model's inputs."""
        self.load()
        return self._reading

    @property
    def logit_scale(self) -> float:
        self.load()
        return float(self._model.logit_scale.detach().exp())

    def load(self) -> None:
        """Load the model; does nothing when it is loaded. Raises ``EncoderError``."""
        with self._lock:
            if self._model is not None:
                return
            try:
                self._load()
            except ImportError as error:
                raise EncoderError(
                    f"Image-text metrics need torch and transformers ({error}). Install "
                    "requirements.txt on the machine that runs the worker."
                ) from error
            except (OSError, ValueError) as error:
                raise EncoderError(
                    f"The image-text model {self.model_id} cannot be loaded ({error}). Put its "
                    "files (config, tokenizer, safetensors) on the worker's machine and name "
                    "their directory in the settings."
                ) from error

    def encode_images(self, images: Sequence[OpenImage]) -> list[Vector | MediaError]:
        """One unit vector a picture; ``images`` open one each and may raise ``MediaError``.

        Pictures are opened and prepared in threads, a batch ahead of the forward pass.
        """
        self.load()
        found: list[Vector | MediaError] = []
        size = self.batch_size
        with self._lock:
            ahead = [self._begun(image) for image in images[: 2 * size]]
            for start in range(0, len(images), size):
                batch = [begun.result() for begun in ahead[:size]]
                following = images[start + 2 * size : start + 3 * size]
                ahead = ahead[size:] + [self._begun(image) for image in following]
                found += self._encoded(batch)
        return found

    def prefetch(self, images: Sequence[OpenImage]) -> None:
        """Begin to open and prepare pictures that are soon to be encoded; does not wait.

        They are met again by equality. At most two batches are kept.
        """
        self.load()
        with self._lock:
            for image in images:
                if image not in self._ahead:
                    self._ahead[image] = self._submitted(image)
            while len(self._ahead) > 2 * self.batch_size:
                self._ahead.popitem(last=False)[1].future.cancel()

    def _begun(self, image: OpenImage) -> _Begun:
        """The preparing of ``image``, begun now if it was not before."""
        earlier = self._ahead.pop(image, None)
        return self._submitted(image) if earlier is None else replace(earlier, wanted=image)

    def _submitted(self, image: OpenImage) -> _Begun:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(_DECODERS, thread_name_prefix="prepare")
        return _Begun(image, image, self._pool.submit(self._prepared, image))

    def encode_texts(self, texts: Sequence[str]) -> list[EncodedText]:
        """Each distinct text is encoded once. CLIP's end token is kept where a text is cut."""
        self.load()
        import torch

        distinct = list(dict.fromkeys(texts))
        known: dict[str, EncodedText] = {}
        with self._lock:
            for start in range(0, len(distinct), self.batch_size):
                batch = distinct[start : start + self.batch_size]
                with torch.inference_mode():
                    output = self._model.get_text_features(**self._tokens(batch))
                rows = _unit(output)
                for text, row in zip(batch, rows, strict=True):
                    known[text] = EncodedText(row, self._is_too_long(text))
        return [known[text] for text in texts]

    def _load(self) -> None:
        import torch
        import transformers

        directory = checkpoint_directory(
            self.model_id, revision=self._hub_revision, local_files_only=self._local_files_only
        )
        config = transformers.AutoConfig.from_pretrained(directory, **NO_REMOTE_CODE)
        if config.model_type not in FAMILIES:
            raise ValueError(f"its architecture is {config.model_type!r}, not CLIP or SigLIP")
        processors = {
            "clip": transformers.CLIPImageProcessorPil,
            "siglip": transformers.SiglipImageProcessorPil,
        }
        self._processor = processors[config.model_type].from_pretrained(directory)
        self._tokenizer = transformers.AutoTokenizer.from_pretrained(directory, **NO_REMOTE_CODE)
        self._revision = weights_mark(directory)
        self._reading = reading_mark(directory)
        model = transformers.AutoModel.from_pretrained(
            directory, use_safetensors=True, dtype=torch.float32, **NO_REMOTE_CODE
        )
        self._model = model.to(torch.device(self._device)).eval()

    def _prepared(self, open_image: OpenImage) -> Any:
        """Pixel values (3, height, width), or the error of this picture."""
        try:
            image = open_image()
        except MediaError as error:
            return error
        return self._processor(images=image, return_tensors="pt")["pixel_values"][0]

    def _encoded(self, batch: Sequence[Any]) -> list[Vector | MediaError]:
        import torch

        good = [pixels for pixels in batch if not isinstance(pixels, MediaError)]
        rows = iter(())  # type: Any
        if good:
            with torch.inference_mode():
                pixels = torch.stack(good).to(self._device)
                rows = iter(_unit(self._model.get_image_features(pixel_values=pixels)))
        return [entry if isinstance(entry, MediaError) else next(rows) for entry in batch]

    def _tokens(self, texts: list[str]) -> dict[str, Any]:
        is_siglip = self._model.config.model_type == "siglip"
        tokens = self._tokenizer(
            texts,
            padding="max_length" if is_siglip else True,
            truncation=True,
            max_length=self._longest,
            return_tensors="pt",
        ).to(self._device)
        # SigLIP was trained without a mask, on texts padded to their full length.
        names = ("input_ids",) if is_siglip else ("input_ids", "attention_mask")
        return {name: tokens[name] for name in names}

    @property
    def _longest(self) -> int:
        return int(self._model.config.text_config.max_position_embeddings)

    def _is_too_long(self, text: str) -> bool:
        return len(self._tokenizer(text, verbose=False)["input_ids"]) > self._longest


def _unit(output: Any) -> NDArray[np.float32]:
    features = getattr(output, "pooler_output", output).float().cpu().numpy()
    norms = np.linalg.norm(features, axis=1, keepdims=True)
    return np.asarray(features / norms, dtype=np.float32)
