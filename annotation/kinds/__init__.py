"""The kinds of questions. A new one is a module here, its template, and a line in ``KINDS``."""

from annotation.kinds.base import Asked, Fields, FormData, Given, Kind, Reading
from annotation.kinds.choice import Choice
from annotation.kinds.descriptors import Descriptors
from annotation.kinds.likert import Likert
from annotation.kinds.multi import Multi
from annotation.kinds.ranking import Ranking
from annotation.kinds.slider import Slider
from annotation.kinds.text import MAX_TEXT, Text
from annotation.kinds.yes_no import YesNo

KINDS: dict[str, Kind] = {
    "likert": Likert(),
    "yes_no": YesNo(),
    "choice": Choice(),
    "multi": Multi(),
    "ranking": Ranking(),
    "descriptors": Descriptors(),
    "slider": Slider(),
    "text": Text(),
}

__all__ = ["KINDS", "MAX_TEXT", "Asked", "Fields", "FormData", "Given", "Kind", "Reading"]
