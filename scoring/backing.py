"""The backends of metrics: models by their key, each loaded once a process.

Encoders and embedders stand behind the store of vectors, chat models behind the store of
exchanges: what was computed or paid for once is found again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings

from scoring.backends.chat import ChatNotConfiguredError, Reply, Request
from scoring.backends.image_reward import ImageReward
from scoring.backends.local_chat import LocalChat
from scoring.backends.text_embedder import default_text_embedder
from scoring.embeddings import StoredImageText, StoredTexts
from scoring.encoders import image_text_encoder
from scoring.exchanges import Budget, Estimate, Spent, StoredChat, configured_chat
from scoring.knowledge.backend import KnowledgeBackend
from scoring.knowledge.base import KnowledgeBase
from scoring.knowledge.records import KnowledgeBaseError
from scoring.metrics.base import ParameterError
from scoring.metrics.vqascore import VqaScore

LOCAL = "local"


@dataclass(frozen=True, slots=True)
class Wanted:
    """The parameters of the run, and what its chat model may still spend."""

    parameters: Mapping[str, Any] = field(default_factory=dict)
    budget: Budget = Budget()


class RunChat:
    """A chat model as metrics are given it: one model behind the store of exchanges.

    ``revision`` is the server, or the mark of the weights of the local model.
    """

    def __init__(
        self, chat: StoredChat, *, model_id: str, revision: str, concurrency: int = 1
    ) -> None:
        self.model_id = model_id
        self.revision = revision
        self.batch_size = 2 * concurrency  # items of a chunk: progress is seen, threads are busy
        self._chat = chat

    @property
    def spent(self) -> Spent:
        return self._chat.spent

    def ask(self, request: Request) -> Reply:
        return self._chat.ask(request)

    def ask_all(self, requests: Sequence[Request]) -> Iterator[tuple[Request, Reply]]:
        return self._chat.ask_all(requests)

    def estimate(self, requests: Iterable[Request]) -> Estimate:
        return self._chat.estimate(requests)


def parts_of(backend: str) -> list[str]:
    """The keys and parameters in braces of a declared backend, in order."""
    return [part for part in backend.split("+") if part]


def backend_of(declared: str, wanted: Wanted) -> Any:
    """The backend that a declaration's ``needs.backend`` asks for; see ``Needs``.

    Raises ``ParameterError`` for a key that no backend has, and what backends raise.
    """
    parts = parts_of(declared)
    if not parts:
        return None
    opened = {part.strip("{}"): _opened(part, wanted) for part in parts}
    return opened if len(parts) > 1 else next(iter(opened.values()))


def each_backend(backend: Any) -> list[Any]:
    """The single models of what ``backend_of`` gave."""
    several = list(backend.values()) if isinstance(backend, Mapping) else [backend]
    return [one for one in several if one is not None]


def _opened(part: str, wanted: Wanted) -> Any:
    key = str(wanted.parameters[part[1:-1]]) if part.startswith("{") else part
    if key in BACKENDS:
        return BACKENDS[key](wanted)
    if key in settings.IMAGE_TEXT_MODELS:
        return _stored_encoder(key)
    known = ", ".join(sorted([*BACKENDS, *settings.IMAGE_TEXT_MODELS]))
    raise ParameterError(f"There is no model called {key!r} in the settings. There are: {known}.")


def _stored_encoder(key: str) -> StoredImageText:
    return StoredImageText(image_text_encoder(key))


@cache
def _stored_embedder() -> StoredTexts:
    return StoredTexts(default_text_embedder())


@cache
def _image_reward(checkpoint: str) -> ImageReward:
    return ImageReward(
        checkpoint=checkpoint, config=settings.IMAGEREWARD_CONFIG, device=settings.MODEL_DEVICE
    )


def _knowledge_base() -> KnowledgeBackend:
    """As it is now: a build meanwhile belongs to the next run."""
    if not settings.CAIRE_KB:
        raise KnowledgeBaseError(
            "No knowledge base is named. Build one with manage.py build_kb and set CAIRE_KB to its "
            "folder."
        )
    return KnowledgeBackend(KnowledgeBase(Path(settings.CAIRE_KB)), _stored_encoder("caire"))


def _chat(wanted: Wanted) -> RunChat:
    model = str(wanted.parameters.get("model", ""))
    if model == LOCAL:
        return _local_chat(wanted)
    chat = configured_chat(budget=wanted.budget)
    return RunChat(
        chat,
        model_id=model,
        revision=settings.CHAT_BASE_URL.rstrip("/"),
        concurrency=settings.CHAT_CONCURRENCY,
    )


def _local_chat(wanted: Wanted) -> RunChat:
    if not settings.CHAT_LOCAL_MODEL:
        raise ChatNotConfiguredError(
            "No chat model of this machine is named. Set CHAT_LOCAL_MODEL to the directory of an "
            "image-text-to-text checkpoint."
        )
    local = _loaded_chat(
        settings.CHAT_LOCAL_MODEL,
        settings.CHAT_LOCAL_REVISION,
        settings.MODEL_DEVICE,
        not settings.MODEL_DOWNLOADS,
    )
    chat = StoredChat(local, budget=wanted.budget)
    return RunChat(chat, model_id=local.model_id, revision=local.revision)


@cache
def _loaded_chat(model: str, revision: str, device: str, local_files_only: bool) -> LocalChat:
    return LocalChat(
        model=model, revision=revision, device=device, local_files_only=local_files_only
    )


class RunVqaScore(VqaScore):
    """VQAScore by the chat model of the run, with that model's account."""

    def __init__(self, chat: RunChat) -> None:
        super().__init__(chat, model=chat.model_id, revision=chat.revision)
        self.batch_size = chat.batch_size
        self.chat = chat

    @property
    def spent(self) -> Spent:
        return self.chat.spent

    def estimate(self, requests: Iterable[Request]) -> Estimate:
        return self.chat.estimate(requests)


BACKENDS: dict[str, Callable[[Wanted], Any]] = {
    "imagereward": lambda wanted: _image_reward(settings.IMAGEREWARD_MODEL),
    "knowledge_base": lambda wanted: _knowledge_base(),
    "none": lambda wanted: None,
    "text_embedder": lambda wanted: _stored_embedder(),
    "chat": _chat,
    "local_chat": _local_chat,
    "vqascore": lambda wanted: RunVqaScore(_chat(wanted)),
}
