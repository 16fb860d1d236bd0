"""Chat models, with or without pictures: what is asked, what comes back, what can go wrong.

A ``Request`` is everything an answer depends on; its ``key`` is a hash of it, in which a picture is
its SHA-256, so that an answer can be stored and found again. ``ChatModel`` is the one interface;
``chat_server`` speaks to an OpenAI-compatible server, ``local_chat`` runs a checkpoint on this
machine. This module loads no model library.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Protocol

from scoring.backends.json_shape import misfit

Outcome = Literal["answered", "refused", "truncated"]
ANSWERED: Outcome = "answered"
REFUSED: Outcome = "refused"  # the model, or a filter before it, declined
TRUNCATED: Outcome = "truncated"  # the answer ran into the limit of tokens


class ChatError(Exception):
    """No answer can be had; the message says why and what to do."""


class ChatNotConfiguredError(ChatError):
    """No address or no model is set, or the address may not be contacted."""


class ChatBusyError(ChatError):
    """Every try met a rate limit, an error of the server or a time-out."""


class ChatRejectedError(ChatError):
    """The server understood and said no: key, model or parameters are wrong."""


class ChatProtocolError(ChatError):
    """What came back is no chat completion."""


class BadAnswerError(Exception):
    """An answer that cannot be used. ``reason`` is a metric's reason for an undefined score."""

    def __init__(self, reason: str, sentence: str) -> None:
        super().__init__(sentence)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as bytes, e.g. of media type ``image/png``, or a whole clip (``video/mp4``).

    Clips go to servers that take ``video_url`` parts, as vLLM does.
    """

    data: bytes = field(repr=False)
    media_type: str

    @property
    def is_clip(self) -> bool:
        return self.media_type.startswith("video/")

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.data).hexdigest()


@dataclass(frozen=True, slots=True)
class Message:
    """``parts`` are texts and pictures in the order in which they are read."""

    role: Literal["system", "user", "assistant"]
    parts: tuple[str | Picture, ...]

    def stored(self) -> dict[str, Any]:
        """As JSON, pictures by their hash."""
        parts = [
            {"text": part}
            if isinstance(part, str)
            else {"picture": part.sha256, "media_type": part.media_type}
            for part in self.parts
        ]
        return {"role": self.role, "parts": parts}


@dataclass(frozen=True)
class Request:
    """One question to a model, and all that its answer depends on.

    ``schema`` asks for JSON of that shape. ``logprobs`` is the number of most probable tokens told
    at each place, 0 for none. ``attempt`` tells a second asking of the same from the first.
    ``prompt`` names the template and its version. ``options`` are the only answers that count:
    models that can be held to them are (see ``answer_options``). With a ``continuation`` nothing is
    asked for: that text is taken as the answer, and the reply tells the log-probabilities of its
    tokens (None where the model does not tell them).
    """

    model: str
    messages: tuple[Message, ...]
    temperature: float = 0.0
    seed: int | None = None
    max_tokens: int = 1024
    n: int = 1
    logprobs: int = 0
    schema: Mapping[str, Any] | None = None
    attempt: int = 0
    prompt: str = ""
    options: tuple[str, ...] = ()
    continuation: str = ""

    def again(self) -> Request:
        return replace(self, attempt=self.attempt + 1)

    @property
    def parameters(self) -> dict[str, Any]:
        given: dict[str, Any] = {
            "temperature": self.temperature,
            "seed": self.seed,
            "max_tokens": self.max_tokens,
            "n": self.n,
            "logprobs": self.logprobs,
            "schema": self.schema,
            "attempt": self.attempt,
        }
        if self.options:
            given["options"] = list(self.options)
        if self.continuation:
            given["continuation"] = self.continuation
        return given

    @cached_property
    def stored_messages(self) -> list[dict[str, Any]]:
        return [message.stored() for message in self.messages]

    def key(self, *, server: str) -> str:
        """SHA-256 (hex) of where it is asked, the model, the parameters and the messages."""
        asked = [server, self.model, self.parameters, self.stored_messages]
        text = json.dumps(asked, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Token:
    """One token of an answer, its log-probability, and the most probable ones at its place."""

    text: str
    logprob: float
    top: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Choice:
    text: str
    outcome: Outcome
    tokens: tuple[Token, ...] | None = None

    def json(self, schema: Mapping[str, Any]) -> Any:
        """The answer as data of the shape ``schema``. Nothing is repaired, and of a key that stands
        twice in an object neither value is taken.

        Raises ``BadAnswerError`` with the reason ``refused`` or ``parse_failed``.
        """
        if self.outcome == REFUSED:
            raise BadAnswerError("refused", f"The model refused: {self.text[:200]}")
        if self.outcome == TRUNCATED:
            raise BadAnswerError("parse_failed", "The answer was cut off at the token limit.")
        try:
            value = json.loads(self.text, object_pairs_hook=_each_key_once)
        except (ValueError, RecursionError) as error:
            raise BadAnswerError("parse_failed", f"The answer is not JSON: {error}") from error
        if wrong := misfit(value, schema):
            raise BadAnswerError("parse_failed", f"The JSON is of another shape: {wrong}.")
        return value


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Raises ``ValueError`` for a key that stands twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice!r} stands twice")
    return found


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one exchange as the server counted them; None where it does not say."""

    tokens_in: int | None
    tokens_out: int | None


@dataclass(frozen=True, slots=True)
class Reply:
    """``model`` is what the server says answered; ``tries`` counts calls that failed too."""

    choices: tuple[Choice, ...]
    usage: Usage
    model: str
    tries: int = 1
    seconds: float = 0.0

    @property
    def first(self) -> Choice:
        return self.choices[0]


class ChatModel(Protocol):
    """Anything that answers; stored answers name it by ``server``."""

    @property
    def server(self) -> str: ...

    def ask(self, request: Request) -> Reply:
        """Raises ``ChatError``. Refusals and cut-off answers are replies, not errors."""
        ...
