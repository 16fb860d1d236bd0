"""What every question kind is: form fields, reading, the card it shows, and the way back.

A kind knows no database and no request. It is given an ``Asked`` (one question as it stands on one
screen) and ``Fields`` (what a form or a draft holds), and gives ``Given`` answers.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from annotation.unit_facts import UnitFacts
from studies.design import QuestionSpec
from studies.models import Probe

NOT_APPLICABLE = "na"
FormData = dict[str, str | list[str]]


class Fields:
    """The texts of a form or a draft by field name; a name may hold several."""

    def __init__(self, data: Mapping[str, Sequence[str]]):
        self._data = data

    @classmethod
    def kept(cls, draft: Mapping[str, Any]) -> "Fields":
        """From a stored draft, whose values are texts or lists of texts."""
        return cls({name: [v] if isinstance(v, str) else list(v) for name, v in draft.items()})

    def many(self, name: str) -> list[str]:
        return [text for text in self._data.get(name, ()) if isinstance(text, str)]

    def one(self, name: str) -> str:
        """The last text under a name, as Django reads a form; '' where there is none."""
        texts = self.many(name)
        return texts[-1] if texts else ""


@dataclass(frozen=True)
class Given:
    """One answer, about one subject: what becomes one row of ratings."""

    question: int
    item: int | None = None
    probe: int | None = None
    descriptor: int | None = None
    value: int | None = None
    not_applicable: bool = False
    text: str = ""


@dataclass(frozen=True)
class Asked:
    """One question on one screen; of a probe, where it is asked of each probe of the unit."""

    question: QuestionSpec
    name: str
    facts: UnitFacts
    probe: Probe | None = None
    is_check: bool = False
    number: int = 0

    @property
    def tier(self) -> int:
        return self.question.tier

    def given(self, **answer: Any) -> Given:
        """An answer to this question about the unit's only item, if there is one, and its probe."""
        about = Given(
            question=self.question.id,
            item=self.facts.only_item,
            probe=self.probe.pk if self.probe else None,
        )
        return replace(about, **answer)


@dataclass(frozen=True)
class Reading:
    """What a form says to one question: answers, or errors by field name, in words."""

    given: tuple[Given, ...] = ()
    errors: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class PointView:
    """One radio button. ``key`` is the digit that chooses it, if any."""

    value: str
    label: str
    description: str
    checked: bool = False
    key: str = ""


@dataclass(frozen=True)
class ScaleView:
    points: tuple[PointView, ...]
    not_applicable: PointView | None = None


class Kind(ABC):
    """One kind of question. Its card is drawn by ``template``, which gets ``view`` as card.view."""

    template: ClassVar[str]
    names_what_is_shown: ClassVar[bool] = False  # the unit's own items or descriptors

    def applies(self, facts: UnitFacts) -> bool:
        """Whether the question makes sense for such a unit at all."""
        return True

    def names(self, asked: Asked) -> list[str]:
        """The form fields that hold the answer."""
        return [asked.name]

    @abstractmethod
    def read(self, asked: Asked, fields: Fields, *, required: bool) -> Reading:
        """Validate what was posted. A gap in a question that is not required is no error."""

    @abstractmethod
    def view(self, asked: Asked, fields: Fields, errors: Mapping[str, str]) -> object:
        """What the template draws, filled in from a form or a draft."""

    @abstractmethod
    def sent(self, asked: Asked, given: Sequence[Given]) -> FormData:
        """The form fields that say what was given: the inverse of ``read``."""

    @abstractmethod
    def summary(self, asked: Asked, fields: Fields) -> str:
        """The answer in a few words, for a step that is done; '' where there is none."""

    def scale(self, asked: Asked) -> "ScaleView | None":
        """The points and what they mean, for the help page; None where there are none."""
        return None

    def value(self, asked: Asked, fields: Fields) -> int | None:
        """The one number that other questions may depend on; None where there is none."""
        return None


def plain_text(raw: str) -> str:
    """Text as it is stored."""
    return storable(raw).strip()


def storable(raw: str) -> str:
    """Without NUL, which PostgreSQL cannot store and no keyboard types; a line's end is one letter,
    as it was where it was typed."""
    return raw.replace("\x00", "").replace("\r\n", "\n")
