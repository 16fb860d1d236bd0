"""The questions of a screen, drawn once for all the screens on which they look the same."""

from dataclasses import dataclass
from functools import lru_cache

from django import template
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from annotation.cards import Step
from annotation.screen import Screen

register = template.Library()


@dataclass(frozen=True)
class Questions:
    """All that the look of a screen's questions depends on; in templates it is ``screen``."""

    language: str
    steps: tuple[Step, ...]
    in_steps: bool
    must_watch: bool
    sent: bool
    locked: bool
    n: int


@register.simple_tag
def questions(screen: Screen) -> SafeString:
    """Draw the steps of ``screen``: most units of a study show the very same, unanswered ones."""
    if screen.questions:
        return mark_safe(screen.questions)
    shown = Questions(
        language=get_language() or "en",
        steps=screen.steps,
        in_steps=screen.in_steps,
        must_watch=screen.must_watch,
        sent=screen.sent,
        locked=screen.locked,
        n=min(screen.n, 2),  # the first screen unfolds what the points mean
    )
    return _drawn(shown)


@lru_cache(maxsize=256)
def _drawn(shown: Questions) -> SafeString:
    return render_to_string("annotation/_steps.html", {"screen": shown})
