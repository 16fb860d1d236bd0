"""Cells of tables of people; what is not known is said, never a dash or a 0."""

from __future__ import annotations

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from annotation.monitor.people import Person

register = template.Library()


def _unknown(words: str) -> SafeString:
    return format_html('<span class="undefined">{}</span>', words)


@register.simple_tag
def person_state(person: Person) -> SafeString:
    """rating; or since when and where somebody is stuck; what was skipped or is surplus besides."""
    words = format_html("{}", person.state_words)
    if person.stuck_minutes is not None:
        where = f" on unit {person.now_at}" if person.now_at else ""
        words = format_html(
            '<strong class="warn">stuck {} min{}</strong>', person.stuck_minutes, where
        )
    beside = [f"{n} {name}" for n, name in _beside(person) if n]
    return (
        format_html('{} <span class="quiet">{}</span>', words, ", ".join(beside))
        if beside
        else words
    )


def _beside(person: Person) -> tuple[tuple[int, str], ...]:
    return (person.skipped, "skipped"), (person.surplus, "surplus")


@register.simple_tag
def minutes(active: float | None) -> SafeString | str:
    if active is None:
        return _unknown("not measured")
    return "< 1 min" if active < 1 else f"{round(active)} min"


@register.simple_tag
def checks(person: Person) -> SafeString | str:
    """1 of 2 failed."""
    if not person.checks:
        return _unknown("none met")
    words = f"{person.failed} of {person.checks}"
    return format_html('<strong class="warn">{}</strong>', words) if person.failed > 1 else words


@register.simple_tag
def flags(person: Person) -> SafeString | str:
    """What rules found: first what waits for a decision, then, quieter, what was decided."""
    if not person.flags and not person.flags_decided:
        return _unknown("none")
    decided = ", ".join(f"{words} (decided)" for words in person.flags_decided)
    return format_html(
        '<strong class="warn">{}</strong> <span class="quiet">{}</span>',
        ", ".join(person.flags),
        decided,
    )


@register.simple_tag
def same_twice(person: Person) -> SafeString | str:
    if person.same_percent is None:
        return _unknown("no repeats")
    return f"{person.same_percent} %"
