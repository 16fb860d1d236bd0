"""Asking a chat model for JSON: one more try where it is none, and a reason where it stays so."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from scoring.backends.chat import BadAnswerError, Choice, Reply, Request

Key = TypeVar("Key", bound=Hashable)

Read = Callable[[Choice, Request], Any]
"""Makes data of an answer to a question; raises ``BadAnswerError``."""


class Asks(Protocol):
    """A chat model that takes many questions: ``scoring.exchanges.StoredChat``."""

    def ask_all(self, requests: Sequence[Request]) -> Iterator[tuple[Request, Reply]]: ...


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one question: ``value``, or None with the ``reason`` (refused, parse_failed).

    ``texts`` are the answers as written, one for each try; ``sentence`` says what was wrong.
    """

    value: Any = field(hash=False)
    reason: str = ""
    sentence: str = ""
    texts: tuple[str, ...] = ()

    @property
    def tries(self) -> int:
        return len(self.texts)

    @property
    def told(self) -> dict[str, Any]:
        """For a score's evidence: the JSON object that was answered, or what was wrong."""
        return {"error": self.sentence} if self.reason else dict(self.value)


PARSE_FAILED = "parse_failed"

Progress = Callable[[int, int], None]
"""Called with (questions answered for good, questions in all)."""


def ask_all_json(
    chat: Asks,
    requests: Mapping[Key, Request],
    *,
    read: Read | None = None,
    on_progress: Progress | None = None,
) -> dict[Key, Answer]:
    """Every question's answer, by its key.

    ``read`` makes data of an answer (default: JSON of the request's schema). What cannot be read is
    asked once more; what still cannot is an answer without a value and with the reason. A refusal
    is final. Raises ``ChatError`` where no answer can be had at all.
    """
    settled = 0

    def settle(n: int) -> None:
        nonlocal settled
        settled += n
        if on_progress is not None and n:
            on_progress(settled, len(requests))

    answers: dict[Key, Answer] = {}
    for some in _round(chat, requests, {}, read):
        answers |= some
        settle(sum(answer.reason != PARSE_FAILED for answer in some.values()))
    again = {k: requests[k].again() for k, a in answers.items() if a.reason == PARSE_FAILED}
    for some in _round(chat, again, dict(answers), read):
        answers |= some
        settle(len(some))
    return {key: answers[key] for key in requests}


def _round(
    chat: Asks, requests: Mapping[Key, Request], before: Mapping[Key, Answer], read: Read | None
) -> Iterator[dict[Key, Answer]]:
    """The answers as they come in, by the keys of the question."""
    keys: dict[int, list[Key]] = {}
    for key, request in requests.items():
        keys.setdefault(id(request), []).append(key)
    distinct = {id(request): request for request in requests.values()}
    for request, reply in chat.ask_all(list(distinct.values())):
        yield {
            key: _answer(request, reply.first, before[key].texts if key in before else (), read)
            for key in keys[id(request)]
        }


def _answer(
    request: Request, choice: Choice, earlier: tuple[str, ...], read: Read | None
) -> Answer:
    texts = (*earlier, choice.text)
    try:
        value = read(choice, request) if read else choice.json(request.schema or {"type": "object"})
    except BadAnswerError as error:
        return Answer(value=None, reason=error.reason, sentence=str(error), texts=texts)
    return Answer(value=value, texts=texts)
