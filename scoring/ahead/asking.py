"""Questions about descriptors: in pieces, each answer with the name of its exchange."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from scoring.backends.chat import Request
from scoring.backing import RunChat
from scoring.prompting.asking import Answer

STYLES = ("traditional", "modern", "neutral")
LONGEST = 200  # letters of a descriptor, as its row has room


def exchange_of(chat: RunChat, request: Request, answer: Answer) -> str:
    """The key under which the answer that counted is stored."""
    counted = request
    for _ in range(answer.tries - 1):
        counted = counted.again()
    is_address = "://" in chat.revision  # of the server; else the mark of local weights
    return counted.key(server=chat.revision if is_address else f"local:{chat.revision}")


def tokens_of(answer: Answer) -> list[tuple[str, str]]:
    """(token, style) of a list of descriptors: blanks off, empty and repeated ones left out, cut
    at the length that a descriptor has room for."""
    rows: list[Mapping[str, Any]] = answer.value["descriptors"] if answer.value else []
    found: dict[str, tuple[str, str]] = {}
    for row in rows:
        token = " ".join(row["token"].split())[:LONGEST]
        if token:
            found.setdefault(token.casefold(), (token, row["style"]))
    return list(found.values())


def pieces(rows: list[Any], size: int) -> Iterator[list[Any]]:
    for start in range(0, len(rows), size):
        yield rows[start : start + size]
