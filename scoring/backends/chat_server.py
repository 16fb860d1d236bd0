"""A chat model behind an OpenAI-compatible HTTP server.

The one host that is contacted is that of ``base_url``: redirects are not followed. The ``openai``
package is imported at the first question. A 429 waits as long as ``retry-after`` says (else, and
after errors of the server and time-outs, twice as long each time), up to ``LONGEST_WAIT``.
"""

from __future__ import annotations

import base64
import math
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from scoring.backends.chat import (
    ANSWERED,
    REFUSED,
    TRUNCATED,
    ChatBusyError,
    ChatNotConfiguredError,
    ChatProtocolError,
    ChatRejectedError,
    Choice,
    Message,
    Outcome,
    Reply,
    Request,
    Token,
    Usage,
)
from scoring.backends.prompt_logprobs import prompt_tail

TRIES = 5
LONGEST_WAIT = 120.0  # seconds; a server that asks for more is given up
_AGAIN = {408, 409, 429}  # and every 5xx


class ChatServer:
    """``ChatModel`` over HTTP; safe to share between threads, ``concurrency`` calls at a time.

    ``json_schema`` says that the server can be held to a schema; where it cannot, the shape of the
    answer is only checked.
    """

    def __init__(
        self,
        *,
        base_url: str,
        api_key: str = "",
        json_schema: bool = True,
        timeout: float = 120.0,
        concurrency: int = 4,
        tries: int = TRIES,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        parts = urlsplit(base_url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ChatNotConfiguredError(
                f"The chat model's address {base_url!r} is no http address. Set CHAT_BASE_URL, "
                "e.g. http://127.0.0.1:8000/v1."
            )
        if parts.username or parts.password:
            raise ChatNotConfiguredError("Put the key into CHAT_API_KEY, not into the address.")
        self.server = base_url.rstrip("/")
        self.concurrency = concurrency
        self._api_key = api_key
        self._json_schema = json_schema
        self._timeout = timeout
        self._tries = tries
        self._sleep = sleep
        self._places = threading.BoundedSemaphore(concurrency)
        self._lock = threading.Lock()
        self._client: Any = None

    def ask(self, request: Request) -> Reply:
        """One completion. Raises ``ChatBusyError`` after ``tries`` passing errors, else at once
        ``ChatRejectedError`` or ``ChatProtocolError``."""
        client = self._opened()
        body = self._body(request)
        with self._places:
            began = time.monotonic()
            completion, tries = self._completed(client, body)
            seconds = time.monotonic() - began
        if request.continuation:
            return _continuation_reply(completion, request.continuation, tries, seconds)
        return _reply(completion, wanted=request.n, tries=tries, seconds=seconds)

    def _opened(self) -> Any:
        with self._lock:
            if self._client is None:
                try:
                    import openai
                except ModuleNotFoundError as error:
                    raise ChatNotConfiguredError(
                        "Chat models need the package openai. Install requirements.txt on the "
                        "machine that runs the worker."
                    ) from error
                self._client = openai.OpenAI(
                    base_url=self.server,
                    api_key=self._api_key or "none",  # local servers want none
                    timeout=self._timeout,
                    max_retries=0,  # counted and limited below
                    http_client=openai.DefaultHttpxClient(follow_redirects=False),
                )
            return self._client

    def _completed(self, client: Any, body: dict[str, Any]) -> tuple[Any, int]:
        import openai

        for tried in range(1, self._tries + 1):
            try:
                return client.chat.completions.create(**body), tried
            except openai.APIStatusError as error:
                if error.status_code not in _AGAIN and error.status_code < 500:
                    raise ChatRejectedError(_rejection(error)) from error
                said = f"it answered {error.status_code}"
                wait = _wait_of(error.response.headers.get("retry-after"), tried)
                last: Exception = error
            except openai.APIConnectionError as error:  # time-outs are among these
                timed_out = isinstance(error, openai.APITimeoutError)
                said = f"no answer in {self._timeout:g} s" if timed_out else "no connection"
                wait, last = _wait_of(None, tried), error
            except (openai.OpenAIError, ValueError) as error:  # e.g. a page instead of JSON
                raise ChatProtocolError(
                    f"{self.server} sent no chat completion: {error}"
                ) from error
            if wait > LONGEST_WAIT:
                raise ChatBusyError(
                    f"{self.server} asks to be left alone for {wait:.0f} s. Start again later: "
                    "what was answered is kept."
                ) from last
            if tried < self._tries:
                self._sleep(wait)
        raise ChatBusyError(
            f"{self.server} failed {self._tries} times, at last: {said}. Start again later: what "
            "was answered is kept."
        ) from last

    def _body(self, request: Request) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": request.model,
            "messages": [_sent(message) for message in request.messages],
            "temperature": request.temperature,
            "max_tokens": request.max_tokens,
            "n": request.n,
        }
        if request.continuation:
            body |= _continuing(request.continuation, body["messages"])
        if request.seed is not None:
            body["seed"] = request.seed
        if request.logprobs:
            body |= {"logprobs": True, "top_logprobs": request.logprobs}
        if request.schema is not None and self._json_schema:
            shape = {"name": "answer", "strict": True, "schema": request.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": shape}
        return body


def _sent(message: Message) -> dict[str, Any]:
    if all(isinstance(part, str) for part in message.parts):
        return {"role": message.role, "content": "\n\n".join(map(str, message.parts))}
    content: list[dict[str, Any]] = []
    for part in message.parts:
        if isinstance(part, str):
            content.append({"type": "text", "text": part})
        else:
            coded = base64.b64encode(part.data).decode()
            url = f"data:{part.media_type};base64,{coded}"
            kind = "video_url" if part.is_clip else "image_url"
            content.append({"type": kind, kind: {"url": url}})
    return {"role": message.role, "content": content}


def _continuing(text: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
    """vLLM's way to be told how probable a given answer is; other servers know none."""
    return {
        "messages": [*messages, {"role": "assistant", "content": text}],
        "max_tokens": 1,  # servers generate at least one
        "extra_body": {
            "prompt_logprobs": 1,
            "add_generation_prompt": False,
            "continue_final_message": True,
        },
    }


def _wait_of(retry_after: str | None, tried: int) -> float:
    """Seconds; a date, which the header may also hold, is treated as none."""
    try:
        asked = float(retry_after or "")
    except ValueError:
        asked = math.nan
    return asked if math.isfinite(asked) and asked >= 0 else min(2.0 ** (tried - 1), 30.0)


def _rejection(error: Any) -> str:
    code = error.status_code
    if 300 <= code < 400:
        return "The chat server sends on to another address, which is not followed."
    if code in {401, 403}:
        return f"The chat server refused the key ({code}). Check CHAT_API_KEY."
    return f"The chat server refused the request ({code}): {str(error)[:300]}"


def _reply(completion: Any, *, wanted: int, tries: int, seconds: float) -> Reply:
    choices = getattr(completion, "choices", None)
    if not isinstance(choices, list) or len(choices) < wanted:
        raise ChatProtocolError(
            f"The chat server sent no {wanted} answers, but {completion!r:.200}"
        )
    try:
        usage = completion.usage
        return Reply(
            choices=tuple(_choice(choice) for choice in choices),
            usage=Usage(
                tokens_in=usage.prompt_tokens if usage else None,
                tokens_out=usage.completion_tokens if usage else None,
            ),
            model=completion.model or "",
            tries=tries,
            seconds=seconds,
        )
    except (AttributeError, TypeError) as error:
        raise ChatProtocolError(f"The chat server sent an odd completion: {error}") from error


def _continuation_reply(completion: Any, text: str, tries: int, seconds: float) -> Reply:
    """The reply to a request with a continuation, whose tokens are the last ones of the prompt."""
    reply = _reply(completion, wanted=1, tries=tries, seconds=seconds)
    told = getattr(completion, "prompt_logprobs", None)
    try:
        tokens = prompt_tail(told, text) if told is not None else None
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ChatProtocolError(
            f"The chat server's log-probabilities of the prompt cannot be read: {error}"
        ) from error
    return replace(reply, choices=(Choice(text=text, outcome=ANSWERED, tokens=tokens),))


def _choice(choice: Any) -> Choice:
    message = choice.message
    outcome: Outcome = ANSWERED
    if message.refusal or choice.finish_reason == "content_filter":
        outcome = REFUSED
    elif choice.finish_reason == "length":
        outcome = TRUNCATED
    tokens = None
    if choice.logprobs is not None and choice.logprobs.content is not None:
        tokens = tuple(
            Token(
                text=token.token,
                logprob=token.logprob,
                top={other.token: other.logprob for other in token.top_logprobs or ()},
            )
            for token in choice.logprobs.content
        )
    return Choice(text=message.refusal or message.content or "", outcome=outcome, tokens=tokens)
