"""A question as its form stands while somebody types: enough to draw its card."""

from __future__ import annotations

import re
from collections.abc import Mapping

from studies.design import Point, QuestionSpec
from studies.models import Question
from studies.models.question import LEVEL_OF_KIND, MAX_MIN_LENGTH

MAX_DRAWN_POINTS = 101
_POINT = re.compile(r"points-(\d{1,4})-value\Z")


def drafted_question(data: Mapping[str, str], *, id: int) -> QuestionSpec:
    """The question that the posted fields describe; what cannot be read counts as empty.

    Conditions are left out: the card is drawn as it looks where it is shown.
    """
    kind = data.get("kind", "")
    kind = kind if kind in Question.Kind.values else Question.Kind.LIKERT.value
    label = data.get("reported_as", "").strip() or data.get("key", "").strip()
    asked_of = data.get("asked_of", "")
    return QuestionSpec(
        id=id,
        key=data.get("key", "").strip() or "question",
        kind=kind,
        text=data.get("text", "").strip() or "(no text yet)",
        help=data.get("help", "").strip(),
        required="required" in data,
        direction=data.get("direction", Question.Direction.HIGHER.value),
        label=label,
        min_length=min(_number(data.get("min_length")) or 0, MAX_MIN_LENGTH),
        required_when=None,
        required_from=None,
        required_to=None,
        points=drafted_points(data),
        level=data.get("level") or LEVEL_OF_KIND[kind],
        asked_of=asked_of if asked_of in Question.AskedOf.values else Question.AskedOf.UNIT.value,
        allow_na="allow_na" in data,
        na_label=data.get("na_label", "").strip(),
        na_description=data.get("na_description", "").strip(),
    )


def drafted_points(data: Mapping[str, str]) -> tuple[Point, ...]:
    """The points that have a number, one a value, lowest first; deleted rows are gone.

    A new row without a label is not saved, so it is not drawn once another one has a label.
    """
    points: dict[int, Point] = {}
    empty: dict[int, Point] = {}
    for name in data:
        row = _POINT.match(name)
        if row is None or f"points-{row[1]}-DELETE" in data:
            continue
        value = _number(data.get(name))
        label = data.get(f"points-{row[1]}-label", "").strip()
        description = data.get(f"points-{row[1]}-description", "").strip()
        if value is None:
            continue
        is_kept = label or data.get(f"points-{row[1]}-id")
        (points if is_kept else empty).setdefault(value, Point(value, label, description))
    points = points or empty
    return tuple(points[value] for value in sorted(points))[:MAX_DRAWN_POINTS]


def _number(text: str | None) -> int | None:
    try:
        number = int(text or "")
    except ValueError:
        return None
    return number if abs(number) < 2**15 else None
