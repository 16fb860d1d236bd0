"""Items for metrics that ask a chat model, and a server whose answers follow from the question."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from scoring.backends.chat_server import ChatServer
from scoring.backing import RunChat
from scoring.exchanges import StoredChat
from scoring.metrics import get_metric
from scoring.metrics.base import MetricItem, ScoreRow

Rows = dict[tuple[str, str, str], ScoreRow]


def chat_of(server, **how: Any) -> RunChat:
    plain = ChatServer(base_url=server.url, timeout=5, tries=1, sleep=lambda seconds: None)
    return RunChat(StoredChat(plain, **how), model_id="seer", revision=server.url)


def item(file: str, *, key: str = "1", kind: str = "video", inputs=None, **fields) -> MetricItem:
    given = {"kind": kind, "file": file, "sha256": key, "prompt": "a wedding", **fields}
    return MetricItem(key=key, fields=given, inputs=inputs or {})


def scored(server, metric: str, *items: MetricItem, **parameters: Any) -> Rows:
    rows = get_metric(metric).score(
        items=items,
        descriptors=(),
        backend=chat_of(server),
        parameters={"model": "seer", **parameters},
    )
    return {(row.item_key, row.metric, row.dimension): row for row in rows}


def parts_of(body: dict[str, Any]) -> list[dict[str, Any]]:
    """What the user message holds; a text alone is one part."""
    content = body["messages"][-1]["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def asked_text(body: dict[str, Any]) -> str:
    return "\n".join(part["text"] for part in parts_of(body) if part["type"] == "text")


def answers_by(server, replies: dict[str, Any] | Callable[[str], Any]) -> None:
    """A reply for each text that the question contains; data become JSON."""

    def answer(body: dict[str, Any]) -> str:
        text = asked_text(body)
        reply = (
            replies(text)
            if callable(replies)
            else next(reply for part, reply in replies.items() if part in text)
        )
        return reply if isinstance(reply, str) else json.dumps(reply)

    server.answer = answer
