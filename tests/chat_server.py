"""A small OpenAI-compatible server for tests: real HTTP, on this machine only, no streaming.

with FakeChatServer() as server:
    server.say('{"score": 3}')            # the next answer
    server.say("I can't", refusal=True)
    server.fail(429, retry_after=1)
    server.answer = lambda body: "..."    # whenever nothing is scripted
    server.requests                       # bodies as they came
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class FakeChatServer:
    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.answer: Callable[[dict[str, Any]], str] = lambda body: "yes"
        self.at_once = 0  # calls being answered now
        self.most_at_once = 0
        self.delay = 0.0
        self._script: list[dict[str, Any]] = []
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> FakeChatServer:
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def say(self, text: str, **how: Any) -> None:
        """``how``: refusal, finish, logprobs (list of (token, logprob, top)), usage, after,
        prompt_logprobs (list of (token, logprob) or None)."""
        self._script.append({"text": text, **how})

    def fail(self, status: int, *, retry_after: str = "", location: str = "") -> None:
        headers = {"Retry-After": retry_after, "Location": location}
        self._script.append({"status": status, "headers": {k: v for k, v in headers.items() if v}})

    def send_raw(self, text: str) -> None:
        self._script.append({"raw": text})

    def next_for(self, body: dict[str, Any]) -> dict[str, Any]:
        with self._lock:
            self.requests.append(body)
            if self._script:
                return self._script.pop(0)
        return {"text": self.answer(body)}


def completion(body: dict[str, Any], step: dict[str, Any]) -> dict[str, Any]:
    refused = step.get("refusal", False)
    choice: dict[str, Any] = {
        "message": {
            "role": "assistant",
            "content": None if refused else step["text"],
            "refusal": step["text"] if refused else None,
        },
        "finish_reason": step.get("finish", "stop"),
        "logprobs": None,
    }
    if "logprobs" in step:
        choice["logprobs"] = {
            "content": [
                {
                    "token": token,
                    "logprob": logprob,
                    "top_logprobs": [{"token": t, "logprob": p} for t, p in top.items()],
                }
                for token, logprob, top in step["logprobs"]
            ]
        }
    tokens_in, tokens_out = step.get("usage", (10, 5))
    told = {}
    if "prompt_logprobs" in step:
        told["prompt_logprobs"] = [
            {"7": {"logprob": one[1], "rank": 1, "decoded_token": one[0]}} if one else None
            for one in step["prompt_logprobs"]
        ]
    return told | {
        "id": "c1",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [choice | {"index": i} for i in range(body.get("n", 1))],
        "usage": {
            "prompt_tokens": tokens_in,
            "completion_tokens": tokens_out,
            "total_tokens": tokens_in + tokens_out,
        },
    }


def _handler_of(owner: FakeChatServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:  # noqa: N802 (http.server's name)
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            owner.headers.append({name.lower(): text for name, text in self.headers.items()})
            with owner._lock:
                owner.at_once += 1
                owner.most_at_once = max(owner.most_at_once, owner.at_once)
            step = owner.next_for(body)
            time.sleep(step.get("after", owner.delay))
            with owner._lock:
                owner.at_once -= 1
            if "raw" in step:
                self._send(200, step["raw"].encode(), {})
            elif "status" in step:
                fault = json.dumps({"error": {"message": "scripted"}}).encode()
                self._send(step["status"], fault, step["headers"])
            else:
                self._send(200, json.dumps(completion(body, step)).encode(), {})

        def _send(self, status: int, data: bytes, headers: dict[str, str]) -> None:
            try:
                self.send_response(status)
                for name, value in {"Content-Type": "application/json", **headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)
            except (BrokenPipeError, ConnectionResetError):
                pass  # whoever asked has given up, as the test wants

        def log_message(self, *_) -> None:
            """Silence."""

    return Handler
