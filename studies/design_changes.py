"""What changed from one frozen design to the next, in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields

from studies.design import Design, Point, QuestionSpec
from studies.models import Study

_SHORT = 60
_OF_QUESTION = {"text": "question", "help": "hint", "label": "name in reports"}
_SPECIAL = {
    "examples": "Examples on the instructions page",
    "practice": "Practice screens",
    "gold": "Gold units",
    "contradictions": "Contradictions looked for",
}
_TOLD_ELSEWHERE = {
    *("revision", "questions", "checks", "language", "words", "comprehension", "screening"),
    *_SPECIAL,
}
_NAMES = {
    "translations": "Translations",
    "gold_per_session": "Gold units a session",
    "plain_gold": "Gold units plain to everybody",
    "consent_lines": "Consent, in short",
    "paragraphs": "Instructions",
    "rules": "Standing rules",
}


def changes(old: Design, new: Design) -> list[str]:
    """What differs between two designs, a sentence each, in the order people meet it."""
    return [
        *_changed_texts(old, new),
        *_changed_questions(old, new),
        *_changed_rows("Attention check", old.checks, new.checks, by="id", gone="no longer shown"),
        *_changed_rows("Quick check", old.comprehension, new.comprehension),
        *_changed_rows("Screening question", old.screening, new.screening),
        *_changed_special(old, new),
    ]


def _changed_texts(old: Design, new: Design) -> Iterator[str]:
    for field in fields(Design):
        before, after = getattr(old, field.name), getattr(new, field.name)
        if field.name in _TOLD_ELSEWHERE or before == after:
            continue
        yield _sentence(_NAMES.get(field.name) or _field_name(field.name), before, after)


def _field_name(name: str) -> str:
    words = str(Study._meta.get_field(name).verbose_name)
    return f"{words[0].upper()}{words[1:]}"


def _sentence(name: str, before, after) -> str:
    """Short values are shown, long ones only named."""
    values = [_told(value) for value in (before, after)]
    if any(len(value) > _SHORT for value in values):
        return f"{name}: the words changed."
    return f"{name}: {values[0]} is now {values[1]}."


def _told(value) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        value = "; ".join(value)
    if isinstance(value, Mapping):
        value = "; ".join(f"{code}: {dict(texts)}" for code, texts in value.items())
    return f"“{value}”" if isinstance(value, str) else str(value)


def _changed_questions(old: Design, new: Design) -> Iterator[str]:
    before = {spec.id: spec for spec in old.questions}
    after = {spec.id: spec for spec in new.questions}
    for id, spec in before.items():
        if id not in after:
            yield f"{spec.label}: no longer asked."
    for id, spec in after.items():
        if id not in before:
            yield f"{spec.label}: a new question."
        else:
            yield from _changed_question(before[id], spec)
    kept = [id for id in before if id in after]
    if kept != [id for id in after if id in before]:
        yield "The questions come in another order."


def _changed_question(old: QuestionSpec, new: QuestionSpec) -> Iterator[str]:
    for field in fields(QuestionSpec):
        before, after = getattr(old, field.name), getattr(new, field.name)
        if before == after or field.name == "points":
            continue
        if field.name in _OF_QUESTION:
            yield _sentence(f"{new.label}, {_OF_QUESTION[field.name]}", before, after)
        else:
            yield f"{new.label}: when or how it is asked changed ({field.name.replace('_', ' ')})."
    yield from _changed_points(new.label, old.points, new.points)


def _changed_points(label: str, old: tuple[Point, ...], new: tuple[Point, ...]) -> Iterator[str]:
    before = {point.value: point for point in old}
    for point in new:
        was = before.get(point.value)
        if was is None:
            yield f"{label}: point {point.value} is new."
        elif was.label != point.label:
            yield _sentence(f"{label}, point {point.value}", was.label, point.label)
        elif was.description != point.description:
            yield _sentence(
                f"{label}, point {point.value}, description", was.description, point.description
            )
    for value in before.keys() - {point.value for point in new}:
        yield f"{label}: point {value} is gone."


def _changed_rows(
    name: str, old: Iterable, new: Iterable, *, by: str = "key", gone: str = "no longer asked"
) -> Iterator[str]:
    """Checks and questions before the rating: which row is which, ``by`` tells."""
    before, after = ({getattr(row, by): row for row in rows} for rows in (old, new))
    for key, row in before.items():
        if key not in after:
            yield f"{name} “{row.text}”: {gone}."
    for key, row in after.items():
        if key not in before:
            yield f"{name} “{row.text}”: new."
        elif before[key] != row:
            yield f"{name} “{row.text}”: changed."


def _changed_special(old: Design, new: Design) -> Iterator[str]:
    for name, words in _SPECIAL.items():
        before, after = getattr(old, name), getattr(new, name)
        if len(before) != len(after):
            yield f"{words}: {len(before)} is now {len(after)}."
        elif before != after:
            yield f"{words}: changed."
