"""Free text: a rationale, of a least length where it is required."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.kinds.base import Asked, Fields, FormData, Given, Kind, Reading, plain_text

MAX_TEXT = 10_000
SHORT = 40


@dataclass(frozen=True)
class TextView:
    value: str
    min_length: int


class Text(Kind):
    template = "annotation/_text.html"

    def read(self, asked: Asked, fields: Fields, *, required: bool) -> Reading:
        text = plain_text(fields.one(asked.name))
        if fault := too_long(text):
            return Reading(errors={asked.name: fault})
        least = max(asked.question.min_length, 1)
        if required and len(text) < least:
            missing = least - len(text)
            words = ngettext("%(n)d more letter.", "%(n)d more letters.", missing)
            return Reading(errors={asked.name: words % {"n": missing}})
        return Reading((asked.given(text=text),) if text else ())

    def view(self, asked: Asked, fields: Fields, errors: Mapping[str, str]) -> TextView:
        return TextView(fields.one(asked.name), asked.question.min_length)

    def sent(self, asked: Asked, given: Sequence[Given]) -> FormData:
        return {asked.name: given[0].text} if given else {}

    def summary(self, asked: Asked, fields: Fields) -> str:
        text = " ".join(fields.one(asked.name).split())
        return text if len(text) <= SHORT else f"{text[:SHORT].rstrip()}…"


def too_long(text: str) -> str:
    """The sentence about a text beyond the limit, or ''."""
    return _("At most %(n)d letters.") % {"n": MAX_TEXT} if len(text) > MAX_TEXT else ""
