"""Whether a refined descriptor goes back to a proposer's candidate (PURE).

It does if it names candidates of its own dimension that exist, and shares a word with one of them,
or in writing without blanks a run of letters. A refiner may merge and shorten; it may add nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

STEM = 4  # letters that two forms of one word share: "drum" and "drums", "woven" and "weave" do not
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Candidate:
    """One descriptor of one proposer; ``id`` is what the refiner is told."""

    id: str
    source: str
    token: str
    style: str


@dataclass(frozen=True, slots=True)
class Refined:
    token: str
    style: str
    origins: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True)
class Rejected:
    token: str
    why: str


def traced(
    answered: Sequence[Mapping[str, object]], candidates: Sequence[Candidate], *, most: int
) -> tuple[list[Refined], list[Rejected]]:
    """The refiner's descriptors that go back to candidates, at most ``most``, and the others."""
    by_id = {one.id: one for one in candidates}
    kept: list[Refined] = []
    rejected: list[Rejected] = []
    for row in answered:
        token = str(row["token"]).strip()
        named = [str(one) for one in row["from"]] if isinstance(row["from"], list) else []
        origins = tuple(by_id[one] for one in named if one in by_id)
        why = _obstacle(token, named, origins, [one.token for one in kept], most)
        if why:
            rejected.append(Rejected(token, why))
        else:
            kept.append(Refined(token, str(row["style"]), origins))
    return kept, rejected


def _obstacle(
    token: str,
    named: Sequence[str],
    origins: Sequence[Candidate],
    before: Sequence[str],
    most: int,
) -> str:
    if not token:
        return "empty"
    if len(origins) < len(named) or not named:
        return "names no candidate, or one that there is not"
    if not any(shares_a_word(token, one.token) for one in origins):
        return "shares no word with the candidates that it names"
    if token.casefold() in (one.casefold() for one in before):
        return "stands twice"
    return "" if len(before) < most else f"more than {most}"


def shares_a_word(token: str, other: str) -> bool:
    """Whether two phrases have a word, or the beginning of one, in common."""
    words, others = _words(token), _words(other)
    if any(_same(word, there) for word in words for there in others):
        return True
    shorter, longer = sorted(("".join(words), "".join(others)), key=len)
    return len(shorter) > 1 and shorter in longer


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _same(word: str, other: str) -> bool:
    stem = min(len(word), len(other))
    return word == other or (stem >= STEM and word[:stem] == other[:stem])
