"""A number from 0 to 100. Nothing is chosen until the person chooses: an empty field is a gap."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from annotation.kinds.base import (
    NOT_APPLICABLE,
    Asked,
    Fields,
    FormData,
    Given,
    Kind,
    PointView,
    Reading,
    ScaleView,
)
from annotation.kinds.one_of import not_applicable_label, not_applicable_point

LEAST, MOST = 0, 100


@dataclass(frozen=True)
class SliderView:
    value: str
    low: str
    high: str
    not_applicable: PointView | None
    least: int = LEAST
    most: int = MOST


class Slider(Kind):
    template = "annotation/_slider.html"

    def value(self, asked: Asked, fields: Fields) -> int | None:
        texts = _texts(asked, fields)
        return _number(texts[0]) if len(texts) == 1 else None

    def read(self, asked: Asked, fields: Fields, *, required: bool) -> Reading:
        texts = _texts(asked, fields)
        value = self.value(asked, fields)
        if value is not None:
            return Reading((asked.given(value=value),))
        if asked.question.allow_na and texts == [NOT_APPLICABLE]:
            return Reading((asked.given(not_applicable=True),))
        if not texts and not required:
            return Reading()
        if asked.question.allow_na and NOT_APPLICABLE in texts:
            words = _("Give a number or “%(label)s”, not both.")
            words = words % {"label": not_applicable_label(asked.question)}
        else:
            words = _("Give a whole number from %(least)d to %(most)d.")
            words = words % {"least": LEAST, "most": MOST}
        return Reading(errors={asked.name: words})

    def view(self, asked: Asked, fields: Fields, errors: Mapping[str, str]) -> SliderView:
        texts = _texts(asked, fields)
        ends = {point.value: point.label for point in asked.question.points}
        return SliderView(
            value=next((text for text in texts if text != NOT_APPLICABLE), ""),
            low=ends.get(LEAST, ""),
            high=ends.get(MOST, ""),
            not_applicable=not_applicable_point(
                asked.question, NOT_APPLICABLE if NOT_APPLICABLE in texts else ""
            ),
        )

    def scale(self, asked: Asked) -> ScaleView | None:
        points = tuple(
            PointView(str(point.value), point.label, point.description)
            for point in asked.question.points
        )
        return ScaleView(points, not_applicable_point(asked.question, "")) if points else None

    def sent(self, asked: Asked, given: Sequence[Given]) -> FormData:
        if not given:
            return {}
        return {asked.name: NOT_APPLICABLE if given[0].not_applicable else str(given[0].value)}

    def summary(self, asked: Asked, fields: Fields) -> str:
        if NOT_APPLICABLE in fields.many(asked.name):
            return not_applicable_label(asked.question)
        value = self.value(asked, fields)
        return "" if value is None else str(value)


def _texts(asked: Asked, fields: Fields) -> list[str]:
    """What stands in the number and the tick, which share a name; empty ones left out."""
    return [text.strip() for text in fields.many(asked.name) if text.strip()]


def _number(raw: str) -> int | None:
    """A whole number in plain digits within the ends, or None."""
    digits = raw.isascii() and raw.isdigit() and len(raw) <= 3
    return int(raw) if digits and LEAST <= int(raw) <= MOST else None
