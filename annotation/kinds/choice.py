"""A single choice: one of several options that have no order."""

from django.utils.translation import gettext as _

from annotation.kinds.one_of import OneOf
from studies.design import Point, QuestionSpec


class Choice(OneOf):
    template = "annotation/_choice.html"

    def points(self, question: QuestionSpec) -> tuple[Point, ...]:
        return question.points

    def missing(self) -> str:
        return _("Choose one.")
