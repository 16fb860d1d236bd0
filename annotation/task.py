"""What the instructions say: their words, their rules, their examples."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _

from studies.design import Design
from studies.models import Item


@dataclass(frozen=True)
class Example:
    """An item that is never rated, with the scale point it stands for ('' for none)."""

    kind: str
    url: str
    width: int | None
    height: int | None
    point: int | None
    label: str
    words: str
    alt: str


def task_context(design: Design) -> dict:
    """For the template of the task."""
    return {
        "paragraphs": design.paragraphs,
        "points": design.rules,
        "examples": examples(design),
    }


def examples(design: Design) -> tuple[Example, ...]:
    """One query where there are examples, none where there are none."""
    if not design.examples:
        return ()
    items = Item.objects.in_bulk([spec.item for spec in design.examples])
    asked = {question.id: question for question in design.questions}
    found = []
    for number, spec in enumerate(design.examples, 1):
        item, question = items.get(spec.item), asked.get(spec.question)
        if item is None:
            continue
        points = question.points if question is not None else ()
        label = next((point.label for point in points if point.value == spec.value), "")
        found.append(
            Example(
                kind=item.kind,
                url=item.media_url,
                width=item.width,
                height=item.height,
                point=spec.value,
                label=label,
                words=design.worded(f"feedback.{spec.external_id}", spec.words),
                alt=_("Example %(n)s") % {"n": number},
            )
        )
    return tuple(found)
