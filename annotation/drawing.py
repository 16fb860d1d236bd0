"""The reply to a sent screen, the next one: drawn once with marks, afterwards only filled in.

From one screen to the next little differs but numbers, addresses and what is rated. A screen with
marks in their place is both the sample that the template draws and the key under which that is
kept: what is not marked is part of the key, so no screen is ever shown with another one's words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from html import escape
from string import ascii_lowercase
from types import SimpleNamespace

from django.template.loader import render_to_string
from django.utils.translation import get_language

from annotation.screen import Medium, Screen
from annotation.templatetags.figures import figures
from annotation.templatetags.questions import questions

# Texts are marked by signs that no keyboard types, numbers by some that occur nowhere else. The
# marks of texts hold no digits, which would be put into the language's own.
TEXTS = ("prompt", "element", "submit_url", "problem_url", "help_url", "draft_url", "back_url")
TEXTS += ("key", "timing")
DRAWN = ("heading", "questions", "csrf_token")
NUMBERS = ("n", "minutes_left", "done_percent", "draft_counter", "token")


def _mark(name: str) -> str:
    return f"\ue000{name}\ue001"


_MARKS = {name: _mark(name) for name in (*TEXTS, *DRAWN)}
_NUMBERS = {name: 7_077_000_000_000_000_101 + place for place, name in enumerate(NUMBERS)}
_A_MARK = re.compile("\ue000(\\w+)\ue001")


@dataclass(frozen=True)
class _Sample:
    """``screen`` has marks. Its pictures and numbers are as those of many other screens."""

    screen: Screen
    language: str
    study_title: str


def can_be_filled_in(screen: Screen) -> bool:
    """Whether all that differs on it can be marked: it is open, and nothing on it was refused."""
    return not (screen.sent or screen.missing or screen.opened or screen.element_picture)


def fill_in(screen: Screen, *, token: str, csrf_token: str, study_title: str) -> str:
    """The HTML of a screen as ``_unit.html`` draws it for htmx."""
    sample = _Sample(_marked(screen), get_language() or "en", study_title)
    return _outline(sample) % _values(screen, token, csrf_token)


def _marked(screen: Screen) -> Screen:
    return replace(
        screen,
        n=_NUMBERS["n"] if screen.n > 1 else 1,
        done_percent=_NUMBERS["done_percent"],
        draft_counter=_NUMBERS["draft_counter"],
        minutes_left=screen.minutes_left and _NUMBERS["minutes_left"],
        media=tuple(map(_marked_medium, screen.media, ascii_lowercase)),
        steps=tuple(step.frame for step in screen.steps),
        heading=_MARKS["heading"],
        prompt=screen.prompt and _MARKS["prompt"],
        element=screen.element and _MARKS["element"],
        submit_url=_MARKS["submit_url"],
        problem_url=_MARKS["problem_url"],
        help_url=_MARKS["help_url"],
        draft_url=_MARKS["draft_url"],
        back_url=screen.back_url and _MARKS["back_url"],
        key=_MARKS["key"],
        timing=_MARKS["timing"],
        questions=_MARKS["questions"],
    )


def _marked_medium(medium: Medium, letter: str) -> Medium:
    return replace(
        medium,
        public_id=_mark(f"public_id_{letter}"),
        url=_mark(f"url_{letter}"),
        poster_url=medium.poster_url and _mark(f"poster_url_{letter}"),
        width=medium.width and _mark(f"width_{letter}"),
        height=medium.height and _mark(f"height_{letter}"),
        alt=_mark(f"alt_{letter}"),
        duration=None,
    )


@lru_cache(maxsize=256)
def _outline(sample: _Sample) -> str:
    """A text for ``%`` with what ``_values`` holds."""
    context = {
        "screen": sample.screen,
        "study_title": sample.study_title,
        "token": str(_NUMBERS["token"]),
        "csrf_token": _MARKS["csrf_token"],
        "request": SimpleNamespace(htmx=True),
    }
    html = render_to_string("annotation/_unit.html", context).replace("%", "%%")
    html = _A_MARK.sub(r"%(\1)s", html)
    for name, number in _NUMBERS.items():
        html = html.replace(str(number), f"%({name})s")
        # In a language with digits of its own, numbers that people read are in these.
        html = html.replace(figures(number), f"%({name}_to_read)s")
    return html


def _values(screen: Screen, token: str, csrf_token: str) -> dict[str, object]:
    values: dict[str, object] = {name: escape(getattr(screen, name)) for name in TEXTS}
    values |= {
        "heading": escape(figures(screen.heading)),
        "questions": questions(screen),
        "csrf_token": escape(csrf_token),
        "token": token,
        "n": screen.n,
        "n_to_read": figures(screen.n),
        "minutes_left_to_read": figures(screen.minutes_left),
        "minutes_left": screen.minutes_left,
        "done_percent": screen.done_percent,
        "draft_counter": screen.draft_counter,
    }
    for medium, letter in zip(screen.media, ascii_lowercase, strict=False):
        values |= {
            f"public_id_{letter}": escape(medium.public_id),
            f"url_{letter}": escape(medium.url),
            f"poster_url_{letter}": escape(medium.poster_url),
            f"width_{letter}": medium.width,
            f"height_{letter}": medium.height,
            f"alt_{letter}": escape(medium.alt),
        }
    return values
