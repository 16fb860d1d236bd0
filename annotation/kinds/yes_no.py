"""Yes (1) or no (0)."""

from django.utils.translation import gettext as _

from annotation.kinds.one_of import OneOf
from studies.design import Point, QuestionSpec


class YesNo(OneOf):
    template = "annotation/_yes_no.html"

    def points(self, question: QuestionSpec) -> tuple[Point, ...]:
        """Yes first; a study may word the two by points of its own."""
        own = {point.value: point for point in question.points}
        return (
            own.get(1, Point(value=1, label=_("Yes"), description="")),
            own.get(0, Point(value=0, label=_("No"), description="")),
        )

    def missing(self) -> str:
        return _("Choose yes or no.")
