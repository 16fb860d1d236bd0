"""A Markdown document as HTML that stands under the site's own policy.

HTML in a document is shown as text, addresses other than of pages, mail and the site are dropped
(markdown-it-py does both), and alignment of columns is a class, since styles in a page are
forbidden.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

Address = Callable[[str], str]
"""An address as a document has it -> as the page has it; empty where it leads nowhere."""


@dataclass(frozen=True, slots=True)
class Section:
    anchor: str
    title: str


@dataclass(frozen=True, slots=True)
class Drawn:
    """``html`` is safe to be put into a page; ``sections`` are its headings of the second level."""

    html: str
    sections: tuple[Section, ...]


def draw(text: str, *, link: Address, image: Address, titled: Address = str) -> Drawn:
    """``titled``: what a link that names a document by its file is to say instead."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(text)
    sections = _with_anchors(tokens)
    for token in tokens:
        _without_style(token)
        for inner in token.children or ():
            _with_addresses(inner, link, image)
        _with_titles(token.children or [], titled)
    html = markdown.renderer.render(_scrolling(tokens), markdown.options, {})
    # Code that is wider than the page scrolls by keys too. A "<" of the text is "&lt;" by now.
    return Drawn(html.replace("<pre>", '<pre tabindex="0">'), sections)


@lru_cache(maxsize=64)
def drawn_file(
    path: Path, changed_at: int, link: Address, image: Address, titled: Address
) -> Drawn:
    """Drawn once for each ``changed_at``, the file's time of change in nanoseconds."""
    return draw(path.read_text(encoding="utf-8"), link=link, image=image, titled=titled)


def anchor_of(title: str) -> str:
    """As code hosts make it, so that links work there and here: What's new? -> whats-new."""
    return re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")


def _with_anchors(tokens: Sequence[Token]) -> tuple[Section, ...]:
    """Each heading gets an id; the second of the same title is numbered, as code hosts do."""
    sections: list[Section] = []
    seen: dict[str, int] = {}
    for token, content in zip(tokens, tokens[1:], strict=False):
        if token.type != "heading_open":
            continue
        title = "".join(part.content for part in content.children or ())
        plain = anchor_of(title)
        anchor = f"{plain}-{seen[plain]}" if plain in seen else plain
        seen[plain] = seen.get(plain, 0) + 1
        token.attrSet("id", anchor)
        if token.tag == "h2":
            sections.append(Section(anchor, title))
    return tuple(sections)


def _without_style(token: Token) -> None:
    style = token.attrs.pop("style", None)
    if style == "text-align:right":
        token.attrSet("class", "number")


def _with_addresses(token: Token, link: Address, image: Address) -> None:
    if token.type == "link_open":
        address = link(str(token.attrGet("href") or ""))
        if address:
            token.attrSet("href", address)
        else:
            del token.attrs["href"]
    elif token.type == "image":
        token.attrSet("src", image(str(token.attrGet("src") or "")))
        token.attrSet("loading", "lazy")


def _with_titles(parts: Sequence[Token], titled: Address) -> None:
    for before, token in zip(parts, parts[1:], strict=False):
        if before.type == "link_open" and token.type == "text" and token.content.endswith(".md"):
            token.content = titled(token.content)


def _scrolling(tokens: Sequence[Token]) -> list[Token]:
    """Wide tables scroll by themselves, and by keys."""
    wrapped: list[Token] = []
    for token in tokens:
        if token.type == "table_open":
            box = Token("box_open", "div", 1, attrs={"class": "table", "tabindex": "0"})
            wrapped += [box, token]
        elif token.type == "table_close":
            wrapped += [token, Token("box_close", "div", -1)]
        else:
            wrapped.append(token)
    return wrapped
