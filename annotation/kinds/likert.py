"""A Likert scale: one point of any number, each labelled."""

from django.utils.translation import gettext as _

from annotation.kinds.one_of import OneOf
from studies.design import Point, QuestionSpec


class Likert(OneOf):
    template = "annotation/_likert.html"

    def points(self, question: QuestionSpec) -> tuple[Point, ...]:
        return question.points

    def missing(self) -> str:
        return _("Choose a point.")

    def key(self, place: int, point: Point) -> str:
        return str(point.value) if 0 <= point.value <= 9 else ""
