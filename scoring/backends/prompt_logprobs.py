"""Which of a prompt's tokens are a text that ends it, where a server tells the prompt's tokens."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from scoring.backends.chat import Token

_PART = "\N{REPLACEMENT CHARACTER}"  # of a character whose bytes fall on several tokens


def prompt_tail(told: Sequence[Mapping[str, Any] | None], text: str) -> tuple[Token, ...]:
    """The tokens of ``text``, with which the prompt ends.

    ``told`` has an entry a token of the prompt: candidates by id, each with its ``logprob`` and
    ``decoded_token``, the prompt's own token first; None where nothing is told, as for the first.
    Of several ends that could be ``text`` (where tokens are parts of characters) the longest is
    taken: what stands before is the template's and never such a part.

    Raises ``ValueError`` where the prompt ends with something else.
    """
    tokens: list[Token] = []
    found: list[Token] = []
    for entry in reversed(told):
        if entry is None or len(tokens) > 4 * len(text.encode()):
            break
        own = next(iter(entry.values()))
        tokens.insert(0, Token(text=own["decoded_token"], logprob=float(own["logprob"])))
        if _is(tokens, text.strip()):
            found = list(tokens)
        elif found:
            break
    if not found:
        raise ValueError(f"the prompt does not end with {text!r}")
    return tuple(found)


def _is(tokens: Sequence[Token], text: str) -> bool:
    if not tokens[0].text.strip():
        return False  # a blank of its own belongs to the template
    written = "".join(token.text for token in tokens).strip()
    pattern = re.sub(f"{_PART}+", "(?s:.+)", re.escape(written))
    return re.fullmatch(pattern, text) is not None
