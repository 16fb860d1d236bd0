"""Kinds answered by choosing one point: the reading and the card they share."""

from abc import abstractmethod
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
from studies.design import Point, QuestionSpec


@dataclass(frozen=True)
class OneOfView(ScaleView):
    @property
    def described(self) -> bool:
        """Whether the points mean more than their labels say."""
        shown = [*self.points, self.not_applicable]
        return any(point is not None and point.description for point in shown)


class OneOf(Kind):
    """A radio group over ``points``, "does not apply" after it where the question allows that."""

    @abstractmethod
    def points(self, question: QuestionSpec) -> tuple[Point, ...]:
        """The points in the order shown."""

    @abstractmethod
    def missing(self) -> str:
        """What to do about a gap, in words."""

    def key(self, place: int, point: Point) -> str:
        """The digit that chooses the point at this place (from 1)."""
        return str(place) if place <= 9 else ""

    def value(self, asked: Asked, fields: Fields) -> int | None:
        raw = fields.one(asked.name).strip()
        allowed = (point.value for point in self.points(asked.question))
        return next((value for value in allowed if str(value) == raw), None)

    def read(self, asked: Asked, fields: Fields, *, required: bool) -> Reading:
        value = self.value(asked, fields)
        if value is not None:
            return Reading((asked.given(value=value),))
        raw = fields.one(asked.name)
        if raw == NOT_APPLICABLE and asked.question.allow_na:
            return Reading((asked.given(not_applicable=True),))
        return Reading(errors={asked.name: self.missing()} if required or raw else {})

    def view(self, asked: Asked, fields: Fields, errors: Mapping[str, str]) -> OneOfView:
        chosen = fields.one(asked.name)
        points = tuple(
            PointView(
                value=str(point.value),
                label=point.label,
                description=point.description,
                checked=str(point.value) == chosen,
                key=self.key(place, point),
            )
            for place, point in enumerate(self.points(asked.question), 1)
        )
        key = "" if any(point.key == "0" for point in points) else "0"
        return OneOfView(points, not_applicable_point(asked.question, chosen, key))

    def scale(self, asked: Asked) -> ScaleView | None:
        return self.view(asked, Fields({}), {}) if asked.question.points else None

    def sent(self, asked: Asked, given: Sequence[Given]) -> FormData:
        if not given:
            return {}
        return {asked.name: NOT_APPLICABLE if given[0].not_applicable else str(given[0].value)}

    def summary(self, asked: Asked, fields: Fields) -> str:
        value = self.value(asked, fields)
        for point in self.points(asked.question):
            if point.value == value:
                return point.label or str(value)
        if fields.one(asked.name) == NOT_APPLICABLE and asked.question.allow_na:
            return not_applicable_label(asked.question)
        return ""


def not_applicable_label(question: QuestionSpec) -> str:
    return question.na_label or _("Does not apply")


def not_applicable_point(question: QuestionSpec, chosen: str, key: str = "") -> PointView | None:
    """The choice after the scale, if the question has it."""
    if not question.allow_na:
        return None
    return PointView(
        value=NOT_APPLICABLE,
        label=not_applicable_label(question),
        description=question.na_description,
        checked=chosen == NOT_APPLICABLE,
        key=key,
    )
