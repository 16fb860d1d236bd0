"""Texts of questions as a survey tool exports them, made into what a person reads."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html.parser import HTMLParser

_UNSEEN = {"script", "style"}
_WITHIN_WORDS = {"b", "i", "u", "em", "strong", "span", "font", "sub", "sup", "a", "small", "mark"}
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_TAIL = re.compile(r"\s+-\s+Selected Choice\s*$", re.IGNORECASE)


class _Words(HTMLParser):
    """The text of HTML; tags part words, but for those that stand within them."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._unseen = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._unseen += tag in _UNSEEN
        self._break(tag)

    def handle_endtag(self, tag: str) -> None:
        self._unseen = max(0, self._unseen - (tag in _UNSEEN))
        self._break(tag)

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self.parts.append(data)

    def _break(self, tag: str) -> None:
        if tag not in _WITHIN_WORDS:
            self.parts.append(" ")


def plain(written: str) -> str:
    """Without tags, entities, line breaks, and the tail that Qualtrics hangs on choices."""
    words = _Words()
    words.feed(written)
    words.close()
    return _TAIL.sub("", " ".join(_CONTROL.sub(" ", "".join(words.parts)).split()))


def common(texts: Sequence[str]) -> str:
    """The text that all share; where they differ in some words (the name of an item), the words
    before and after with … between; empty where nothing is shared."""
    if len(set(texts)) == 1:
        return texts[0]
    split = [one.split(" ") for one in texts]
    shortest = min(map(len, split))
    before = _alike(split, shortest)
    after = _alike([words[::-1] for words in split], shortest - before)
    first = split[0]
    if not before and not after:
        return ""
    return " ".join([*first[:before], "…", *first[len(first) - after :]])


def _alike(split: Sequence[Sequence[str]], most: int) -> int:
    """How many words all begin with alike, at most ``most``."""
    n = 0
    while n < most and len({words[n] for words in split}) == 1:
        n += 1
    return n
